"""Stage A, task understanding: was the thing asked for attempted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from referee.diagnose import sources
from referee.diagnose.aliases import categories_of, mode_of, plain, words
from referee.diagnose.case import Case
from referee.diagnose.readings import listed
from referee.diagnose.rules import Hit, every_task, only, rule, surrogate_task

APPROACHES = 20
PARAMETERISATIONS = 3


@rule("A1", "too_few_approaches", "certain", applies=surrogate_task)
def too_few_approaches(case: Case) -> Iterator[Hit]:
    """Fewer than twenty approaches, which the protocol asks for. Scorecard files are counted where
    the files are known. Rows of a summary can have been trimmed when losses were recomputed, so
    that from rows alone the finding is indicative. There it can be wrong."""
    n = case.work.scorecards
    if n < APPROACHES:
        known = case.work.files is not None
        yield Hit(
            f"{n} approaches of {APPROACHES}" + ("" if known else ", counted from summary rows"),
            None if known else "indicative",
        )


@rule("A2", "too_few_reparameterisations", "strong", applies=surrogate_task)
def too_few_reparameterisations(case: Case) -> Iterator[str]:
    """Fewer than three different parameterisations, case and separators aside. It can be wrong
    where one name covers several, or where an account names them in notes only: with no name at all
    there is no finding."""
    named = {plain(a.parameterisation) for a in case.work.approaches if a.parameterisation}
    if 0 < len(named) < PARAMETERISATIONS:
        yield f"{len(named)} parameterisations of {PARAMETERISATIONS}: {listed(sorted(named))}"


def covered(case: Case) -> set[str]:
    """The task's categories that the approaches' categories can stand for."""
    given = {c for a in case.work.approaches for c in categories_of(a.category or "")}
    return given & set(case.task.categories)


@rule("A3", "category_missing", "strong", applies=surrogate_task)
def category_missing(case: Case) -> Iterator[str]:
    """One of the task's four categories was not tried. Agents' names are mapped by a table in which
    a name may stand for two categories, so that the doubt is the agent's. It can be wrong for a
    name that the table lacks. Where no approach has a category there is no finding."""
    if not any(a.category for a in case.work.approaches):
        return
    tried = covered(case)
    if missing := [c for c in case.task.categories if c not in tried]:
        yield f"no approach in {listed(missing)}"


@rule("A4", "wrong_target", "certain", applies=every_task)
def wrong_target(case: Case) -> Iterator[str]:
    """Loss components or predictions are of quantities that the task does not ask for, and none is
    of the one it asks for. It can be wrong for an unusual name of the right quantity, which is why
    a name must be one of the known wrong ones, or a required prediction must be absent."""
    others = set(case.task.other_targets)
    best = case.work.best
    for what, names in (
        ("loss components", sorted(best.components) if best else []),
        ("predictions", sorted(case.work.predictions)),
    ):
        wrong = [n for n in names if others & {n.lower(), *words(n)}]
        if wrong and len(wrong) == len(names):
            yield f"{what} are only {listed(wrong)}"
    given = set(case.work.predictions)
    if given and (missing := [p for p in case.task.predictions if p not in given]):
        yield f"predictions lack {listed(missing)} and have {listed(sorted(given))}"


@rule("A5", "wrong_scope", "certain", applies=lambda task: bool(task.mode or task.other_scopes))
def wrong_scope(case: Case) -> Iterator[str]:
    """The best approach was scored on another mode, or on a number of samples that belongs to
    another scope, than the task's. It can be wrong if the account writes the mode in a form that
    has other than three whole numbers: then it is not read."""
    best = case.work.best
    if best is None:
        return
    mode = mode_of(best.mode) if best.mode else None
    if mode is not None and case.task.mode is not None and mode != case.task.mode:
        yield f"mode {mode}, and {case.task.mode} is asked for"
    if best.n_val is not None and best.n_val in case.task.other_scopes:
        yield f"n_val {best.n_val} is that of another scope"


def unmet(case: Case) -> list[str]:
    """Requirements of the protocol that are plainly not met."""
    work, task = case.work, case.task
    found: list[str] = []
    if task.surrogate and work.best is None:
        found.append("no best model")
    if task.surrogate and work.scorecards < APPROACHES:
        found.append(f"{work.scorecards} approaches")
    if task.surrogate and work.changelog is not None and not work.changelog.strip():
        found.append("no changelog")
    if work.files is not None:
        found += [f"no {name}" for name in task.files if name not in work.files]
    return found


@rule(
    "A6", "completion_without_requirements", "certain", applies=lambda task: bool(task.completion)
)
def completion_without_requirements(case: Case) -> Iterator[str]:
    """The agent ended with the line that says all is done, and required parts are missing. It can
    be wrong where files were left out when the account was copied: only a whole folder is asked for
    files."""
    said = case.work.completion or ""
    if case.task.completion not in [line.strip() for line in said.splitlines()]:
        return
    if missing := unmet(case):
        yield f"{case.task.completion} with {listed(missing)}"


@rule("A7", "forbidden_inspection", "certain", applies=only("new_physics"))
def forbidden_inspection(case: Case) -> Iterator[Hit]:
    """The benchmark's own package, which the task forbids to read, is imported (certain) or named
    in a path that sources hold. What was read without a trace in the sources shows only in the
    access audit. A path is strong only, and can be wrong: it may be a mention."""
    for path, text in sorted(case.work.sources.items()):
        if "gwbenchmarks" in sources.imports(text):
            yield Hit(f"{path} imports gwbenchmarks")
        elif any(re.search(r"\bgwbenchmarks/", s) for s in sources.strings(text)):
            yield Hit(f"{path} holds a path in gwbenchmarks", "strong")
    read = [p for p in case.probes.outside_reads or () if "gwbenchmarks/" in p]
    if read:
        yield Hit(f"read {listed(read)}")


RULES = (
    too_few_approaches,
    too_few_reparameterisations,
    category_missing,
    wrong_target,
    wrong_scope,
    completion_without_requirements,
    forbidden_inspection,
)
