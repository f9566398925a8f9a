"""Stage F, verification: did the agent check its own result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite

from referee.diagnose.aliases import mode_of
from referee.diagnose.alternatives import DIFFERS, RECOGNISED, relative
from referee.diagnose.case import Case
from referee.diagnose.readings import best_row, listed, shown
from referee.diagnose.rules import Hit, only, rule, surrogate_task
from referee.diagnose.vectors import spearman

_FLOOR = re.compile(r"\bfloors?\b|\bnoise\b|\bnumerical error\b|\bnr error\b|\bresolution\b")
_LIMIT = re.compile(
    r"\blimits?\b|\blimiting\b|\bschwarzschild\b|\bequal[- ]mass\b|\btest[- ]mass\b|\bsanity\b"
    r"|\bmonoton|\bextremal\b|\bnewtonian\b|\bq\s*=\s*1\b"
)
_FAILED = re.compile(r"\bnan\b|\bfail|\binf\b|\bdiverg|\bblow|\bunstable|\bcrash|\bnon-?finite")
_MODE = re.compile(r"\bl\d+[/_]?m[+-]?\d+[/_]?n\d+\b|\(\s*\d\s*,\s*[+-]?\d\s*,\s*\d\s*\)")
_BLOWN_UP = 10.0
_LEAST_ROWS = 8
_NO_ORDER = 0.1


@rule("F1", "no_generalisation_check", "strong", applies=only("ringdown"))
def no_generalisation_check(case: Case) -> Iterator[str]:
    """No mode but the one that is scored is mentioned in the whole account, so that nobody saw
    whether the method carries over. Needs a changelog. It can be wrong where other modes are named
    in words."""
    if case.work.changelog is None:
        return
    modes = {mode_of(a.mode) for a in case.work.approaches if a.mode}
    modes |= {mode_of(m) for m in _MODE.findall(case.work.all_words)}
    if not {m for m in modes if m} - {case.task.mode}:
        yield f"only {case.task.mode} is mentioned"


@rule("F2", "no_floor_comparison", "strong", applies=lambda task: task.floor is not None)
def no_floor_comparison(case: Case) -> Iterator[str]:
    """The claimed loss is below the error of the reference itself, and the account never mentions
    that floor: a number that small needs an explanation. It can be wrong for a validation set that
    is cleaner than the typical sample."""
    best, floor = case.work.best, case.task.floor
    if best is None or best.loss is None or floor is None or best.loss >= floor:
        return
    if not _FLOOR.search(case.work.all_words):
        yield f"loss {shown(best.loss)} below the floor {shown(floor)}, which is never mentioned"


@rule("F3", "no_limit_tests", "indicative")
def no_limit_tests(case: Case) -> Iterator[str]:
    """The account mentions no physical limit that was tried. It can be wrong: words are all that is
    looked at. Needs a changelog."""
    if (case.work.changelog or "").strip() and not _LIMIT.search(case.work.all_words):
        yield "no limit is mentioned"


@rule("F4", "own_evaluation_differs", "certain", applies=only("template_bank"))
def own_evaluation_differs(case: Case) -> Iterator[str]:
    """The coverage that the agent measured is off the canonical one by more than 2 %: its own
    evaluation is not the public one, for instance with all phases zero. Needs the canonical
    coverage. It can be wrong if the two were measured on different sets."""
    said = case.work.stated.get("public_eval_coverage_fraction")
    found = case.canonical.coverage if case.canonical else None
    if said is not None and found is not None and relative(said, found) > DIFFERS:
        yield f"coverage {shown(said)} claimed, {shown(found)} canonical"


@rule("F5", "best_not_minimum", "strong", applies=surrogate_task)
def best_not_minimum(case: Case) -> Iterator[str]:
    """The approach called best has not the least loss of the summary. Where its row can be told,
    rows are compared with each other, because the best model's file may hold a recomputed loss. It
    can be wrong where the best was chosen by more than its loss, and the account says so."""
    best, losses = case.work.best, [v for v in case.work.losses if isfinite(v)]
    row = best_row(case)
    own = row.loss if row is not None and row.loss is not None else best.loss if best else None
    if own is None or not losses:
        return
    if own > min(losses) and relative(own, min(losses)) > RECOGNISED:
        yield f"best {shown(own)}, least {shown(min(losses))}"
    elif row is None and own < min(losses) and relative(own, min(losses)) > RECOGNISED:
        yield f"best {shown(own)} stands in no row, and the least is {shown(min(losses))}"


@rule("F6", "only_aggregate", "strong", applies=surrogate_task)
def only_aggregate(case: Case) -> Iterator[str]:
    """No per-sample validation errors are there, only means: nobody can recompute the loss or see
    where the model fails. It can be wrong where their file was left out when the account was
    copied."""
    if case.work.approaches and not any(p.split == "val" for p in case.work.per_sample):
        yield "no per-sample validation errors"


@rule("F7", "error_unacknowledged", "indicative", applies=surrogate_task)
def error_unacknowledged(case: Case) -> Iterator[str]:
    """Approaches failed (no loss, or a loss beyond ten) and the changelog does not say a word of
    failure. It can be wrong: words are all that is looked at. Needs a changelog."""
    log = case.work.changelog
    failed = [a.name for a in case.work.approaches if a.loss_null or (a.loss or 0.0) > _BLOWN_UP]
    if log is not None and failed and not _FAILED.search(log.lower()):
        yield f"{listed(failed)} failed"


@rule("F8", "no_progress", "indicative", applies=surrogate_task)
def no_progress(case: Case) -> Iterator[Hit]:
    """Losses do not fall in the order in which approaches were made (rank correlation within 0.1 of
    zero, or rising, over at least eight): later tries learned nothing from earlier ones. The order
    comes from the approaches' numbers, or the number at the front of the name. It can be wrong, and
    is indicative at best: a wide search need not improve."""
    numbered = [(n, a.loss) for a in case.work.approaches if (n := _number(a.name, a.number))]
    losses = [v for _, v in sorted(numbered, key=lambda p: p[0]) if v is not None]
    if len(losses) < _LEAST_ROWS:
        return
    rho = spearman(losses)
    if rho > -_NO_ORDER:
        yield Hit(f"rank correlation of order and loss {rho:.2f} over {len(losses)} approaches")


def _number(name: str, number: int | None) -> int | None:
    if number is not None:
        return number
    front = re.match(r"\d+", name)
    return int(front[0][:9]) if front else None


RULES = (
    no_generalisation_check,
    no_floor_comparison,
    no_limit_tests,
    own_evaluation_differs,
    best_not_minimum,
    only_aggregate,
    error_unacknowledged,
    no_progress,
)
