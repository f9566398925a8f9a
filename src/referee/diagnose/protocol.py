"""The completion checklist of the published protocol: a report of what a folder shows, no score.

Nothing is counted against an agent here, and nothing is guessed: what a folder cannot show, because
parts of it were left out when it was copied, is `unknown`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from referee.diagnose import sources
from referee.diagnose.aliases import plain
from referee.diagnose.case import Case
from referee.diagnose.readings import listed
from referee.diagnose.stages.a_task import APPROACHES, PARAMETERISATIONS, covered
from referee.diagnose.stages.b_method import blind_search, symbolic, symbolic_fallback
from referee.diagnose.stages.g_reporting import entries
from referee.diagnose.tasks import PUBLISHED
from referee.record.fault import BadInput
from referee.record.model import Frozen

State = Literal["met", "not met", "unknown"]

_PARTS = ("train.py", "predict.py", "saved_model/", "scorecard.json")
_ENGINES = {"PySR": "pysr", "gplearn": "gplearn"}


class Item(Frozen):
    """One line of the checklist: what is wanted, what was found, and whether that meets it."""

    name: str
    state: State
    wanted: str
    found: str


class Checklist(Frozen):
    """All lines, in the protocol's order."""

    agent: str
    task: str
    items: tuple[Item, ...]

    def count(self, state: State) -> int:
        """How many lines are in this state."""
        return sum(item.state == state for item in self.items)


def checklist(case: Case) -> Checklist:
    """The checklist of a published task.

    Raises:
        BadInput: the task is none of the published ones, so that it has no such protocol.
    """
    if case.task.name not in PUBLISHED:
        raise BadInput(
            f"no protocol is known for the task {case.task.name}",
            hint=f"say which it is with --task: {', '.join(PUBLISHED)}",
        )
    parts = [*_work(case)] if case.task.surrogate else []
    items = (*parts, *_files(case), _completion(case))
    return Checklist(agent=case.work.agent, task=case.work.task, items=items)


def _work(case: Case) -> Iterator[Item]:
    """What the protocol of twenty approaches asks of the work itself."""
    yield _approaches(case)
    yield _parts(case)
    yield _parameterisations(case)
    yield _categories(case)
    for name, module in _ENGINES.items():
        yield _symbolic(case, name, module)
    yield _changelog(case)
    yield _errors(case)
    yield _best(case)
    if case.task.closed_form:
        yield _formula(case)


def _folders(case: Case) -> dict[str, list[str]]:
    """Paths of each approach's folder below `models/`, by the folder's name."""
    found: dict[str, list[str]] = {}
    for path in case.work.files or ():
        top, _, rest = path.partition("/")
        name, slash, inner = rest.partition("/")
        if top == "models" and slash:
            found.setdefault(name, []).append(inner)
    return found


def _approaches(case: Case) -> Item:
    n, known = case.work.scorecards, bool(_folders(case))
    state: State = "met" if n >= APPROACHES else "not met" if known else "unknown"
    found = f"{n}" if known else f"{n} rows of a summary, from which some may have been taken"
    return Item(name="approaches", state=state, wanted=f"at least {APPROACHES}", found=found)


def _parts(case: Case) -> Item:
    name, wanted = "parts of approaches", ", ".join(_PARTS)
    folders = _folders(case)
    if not folders:
        return Item(name=name, state="unknown", wanted=wanted, found="no models/ folder is here")
    lacking = [
        f"{folder} lacks {part}"
        for folder, paths in folders.items()
        for part in _PARTS
        if not any(p == part or (part.endswith("/") and p.startswith(part)) for p in paths)
    ]
    found = listed(lacking) if lacking else f"all of them in {len(folders)} folders"
    return Item(name=name, state="not met" if lacking else "met", wanted=wanted, found=found)


def _parameterisations(case: Case) -> Item:
    given = {
        plain(a.parameterisation): a.parameterisation
        for a in case.work.approaches
        if a.parameterisation
    }
    named = sorted(given.values())
    state: State = "met" if len(named) >= PARAMETERISATIONS else "not met" if named else "unknown"
    found = f"{len(named)}: {listed(named)}" if named else "no approach names one"
    wanted = f"at least {PARAMETERISATIONS}"
    return Item(name="reparameterisations", state=state, wanted=wanted, found=found)


def _categories(case: Case) -> Item:
    wanted, tried = case.task.categories, covered(case)
    missing = [c for c in wanted if c not in tried]
    state: State = "not met" if missing else "met"
    found = f"nothing in {listed(missing)}" if missing else "all of them"
    if not any(a.category for a in case.work.approaches):
        state, found = "unknown", "no approach names one"
    return Item(name="categories", state=state, wanted=listed(wanted), found=found)


def _symbolic(case: Case, name: str, module: str) -> Item:
    wanted = "run, and its formulas kept"
    state, found = _run_of(case, module)
    return Item(name=f"symbolic regression by {name}", state=state, wanted=wanted, found=found)


def _run_of(case: Case, module: str) -> tuple[State, str]:
    work = case.work
    if said := [h for h in symbolic_fallback.find(case) if h.confidence == "certain"]:
        return "not met", f"replaced: {said[0].evidence}"
    imported = any(module in sources.imports(text) for text in work.sources.values())
    if work.sources and not imported:
        return "not met", f"none of {len(work.sources)} sources imports {module}"
    kept = [e.text for e in work.expressions or () if module in plain(e.approach)]
    if kept:
        return "met", f"{len(kept)} formulas" if len(kept) > 1 else "1 formula"
    rows = [a.name for a in symbolic(case) if module in plain(a.words)]
    if work.expressions is not None:
        return "not met", f"no formula is kept{f' of {listed(rows)}' if rows else ''}"
    if rows:
        return "unknown", f"approaches of that name, and no formulas here: {listed(rows)}"
    return "unknown", "neither sources nor formulas are here"


def _changelog(case: Case) -> Item:
    name, wanted = "changelog", "an entry for each approach, from observation to outcome"
    log, n = case.work.changelog, case.work.scorecards
    if log is None:
        return Item(name=name, state="unknown", wanted=wanted, found="not here")
    count = entries(log)
    blind = [f.evidence for f in blind_search.find(case)]
    state: State = "met" if log.strip() and count >= n and not blind else "not met"
    found = "; ".join([f"{count} entries for {n} approaches", *blind]) if log.strip() else "none"
    return Item(name=name, state=state, wanted=wanted, found=found)


def _errors(case: Case) -> Item:
    splits = {p.split for p in case.work.per_sample if p.present}
    missing = [s for s in ("train", "val") if s not in splits]
    nobody_knows = not case.work.per_sample and case.work.files is None
    state: State = "unknown" if nobody_knows else "not met" if missing else "met"
    found = "not here" if nobody_knows else f"none of {listed(missing)}" if missing else "both"
    wanted = "training and validation, sample by sample"
    return Item(name="errors", state=state, wanted=wanted, found=found)


def _best(case: Case) -> Item:
    best, whole = case.work.best, case.work.files is not None
    state: State = "met" if best else "not met" if whole else "unknown"
    found = best.name if best else "none" if whole else "not here"
    return Item(name="best model", state=state, wanted="named", found=found)


def _formula(case: Case) -> Item:
    text, whole = case.work.formula, case.work.files is not None
    written = bool(text and text.strip())
    state: State = "met" if written else "not met" if whole or text is not None else "unknown"
    found = (
        f"{len((text or '').splitlines())} lines" if written else "none" if whole else "not here"
    )
    return Item(name="formula", state=state, wanted="expression.txt", found=found)


def _files(case: Case) -> Iterator[Item]:
    """Plots apart from tables and programs."""
    plots = [f for f in case.task.files if f.endswith((".png", ".pdf"))]
    for name, wanted in (
        ("plots", plots),
        ("files", [f for f in case.task.files if f not in plots]),
    ):
        if wanted:
            yield _present(case, name, wanted)


def _present(case: Case, name: str, wanted: list[str]) -> Item:
    files = case.work.files
    if files is None:
        state: State = "unknown"
        found = "this is no whole folder"
    else:
        missing = [f for f in wanted if f not in files]
        state = "not met" if missing else "met"
        found = f"{len(missing)} of {len(wanted)} missing: {listed(missing)}" if missing else "all"
    return Item(name=name, state=state, wanted=listed(wanted, 3), found=found)


def _completion(case: Case) -> Item:
    line, said = case.task.completion or "", case.work.completion
    if said is None:
        state: State = "unknown"
        found = "it stands in no file of the folder: hand in the agent's output with --said"
    else:
        there = line in [text.strip() for text in said.splitlines()]
        state, found = ("met", "said") if there else ("not met", "not said")
    return Item(name="completion", state=state, wanted=f"{line} on a line of its own", found=found)
