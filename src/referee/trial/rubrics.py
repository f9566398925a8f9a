"""What the reproduction tasks of a run are decided by: a scheme each, and who judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from referee.grade.reproduction.scheme import Scheme, load_scheme
from referee.judge.choose import judge_for
from referee.judge.loop import RUN_LIMITS, Ledger
from referee.judge.protocol import Judge
from referee.record.fault import Infrastructure
from referee.record.reproduction import Reproduction
from referee.task.package import TaskPackage
from referee.task.strict import read_toml
from referee.task.suite import SuiteFile

NO_JUDGE = "none"
"""What `--judge` says for none: leaves that code cannot decide are withheld."""


@dataclass(frozen=True)
class Rubrics:
    """How the trials at one task are graded; `asked` is what named the judge."""

    scheme: Scheme
    judge: Judge | None
    asked: str


def rubrics_of(tasks: Mapping[str, TaskPackage], asked: str | None) -> dict[str, Rubrics]:
    """The reproduction tasks among `tasks`, by label.

    Raises:
        BadInput: a package has a fault, or there is no such judge.
    """
    ledger = Ledger(RUN_LIMITS, started=None)
    return {
        label: rubrics_for(task, asked, ledger)
        for label, task in tasks.items()
        if task.agent.file.referee.kind == "reproduction"
    }


def rubrics_for(task: TaskPackage, asked: str | None, ledger: Ledger | None = None) -> Rubrics:
    """How one reproduction task is graded: by the judge asked for, else by that of its suite.
    `ledger` is that of the whole run.

    Raises:
        BadInput: as `rubrics_of`.
    """
    named = asked or suite_judge(task) or NO_JUDGE
    judge = None
    if named != NO_JUDGE:
        found = judge_for(named, task.evaluator.tests / "config")
        judge = replace(found, run=ledger) if ledger is not None else found
        if ledger is not None:
            ledger.input_price, ledger.output_price = found.prices
    return Rubrics(load_scheme(task), judge, named)


def suite_judge(task: TaskPackage) -> str | None:
    """The judge that the suite around a task names; None if there is no suite or it names none.

    Raises:
        BadInput: the suite file cannot be read.
    """
    path = task.root.parent / "suite.toml"
    return read_toml(path, SuiteFile).suite.judge if path.is_file() else None


def judge_facts(rubrics: Mapping[str, Rubrics]) -> dict[str, JsonValue]:
    """Who judges in a run, for its plan: what was asked for, and the judge's fingerprint by task;
    empty without reproduction tasks."""
    if not rubrics:
        return {}
    prints: dict[str, JsonValue] = {
        label: None if one.judge is None else one.judge.identity.fingerprint
        for label, one in sorted(rubrics.items())
    }
    asked = sorted({one.asked for one in rubrics.values()})
    return {"asked": ", ".join(asked), "fingerprints": prints}


def open_leaves(made: Reproduction) -> Infrastructure | None:
    """Why a reproduction has no score: the reason of its first open leaf that does not only wait
    for another one."""
    found = made.withheld
    if not found:
        open_gate = made.total.score is None
        return Infrastructure("metric_result", "coverage is open") if open_gate else None
    first = next((leaf for leaf in found if leaf.reason != "requirement_withheld"), found[0])
    reason = (first.reason or "other").partition(":")[0]
    names = ", ".join(leaf.id for leaf in found)
    return Infrastructure(reason, f"open leaves: {names}")
