"""What arXiv 2608.19799 reports of its 119 repair tasks, as rows of the same tables.

`published_repair.json` holds the facts of its Tables 2 and 3, its domains (figure 2 and Table 4)
and its ablation. A row of it is marked as published, and shares no rank with a run: the tasks are
others.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, model_validator

from referee.record.fault import BadInput
from referee.record.load import read_regular
from referee.record.model import Frozen
from referee.report.composition import TextTable
from referee.stats.aggregate import SCORES
from referee.stats.interval import wilson

_FILE = Path(__file__).with_name("published_repair.json")
Percent = Annotated[float, Field(ge=0, le=100)]
Count = Annotated[int, Field(ge=0)]
PARADIGMS = {
    "issue": "issue-driven",
    "expert": "expert-exploratory",
    "engineering": "engineering-integration",
}


class Scored(Frozen):
    """A row of Table 2, in per cent; the last three are Pass@1 by paradigm."""

    model: str
    harness: str
    public: Percent
    private: Percent
    fail2pass: Percent
    pass2pass: Percent
    pass1: Percent
    issue: Percent
    expert: Percent
    engineering: Percent


class Failures(Frozen):
    """A row of Table 3: failed tasks by mechanism; `runtime` failures are not in `total`."""

    model: str
    total: Count
    runtime: Count
    knowledge: Count
    exploration: Count
    coverage: Count
    generalization: Count

    @model_validator(mode="after")
    def _sums_to_the_failures(self) -> Failures:
        parts = (self.knowledge, self.exploration, self.coverage, self.generalization)
        if sum(parts) != self.total:
            raise ValueError(f"the mechanisms of {self.model} do not add up to {self.total}")
        return self


class Half(Frozen):
    """One side of the ablation; scores in per cent, tokens as means per task."""

    public: Percent
    private: Percent
    pass1: Percent
    input_tokens: Count
    output_tokens: Count


class Ablation(Frozen):
    """A model with and without auxiliary science at the same tasks."""

    model: str
    tasks: Count
    with_: Half = Field(alias="with")
    without: Half
    both: Count
    only_with: Count
    only_without: Count


class Paper(Frozen):
    """The whole of the file."""

    source: str
    tasks: Annotated[int, Field(gt=0)]
    paradigms: dict[str, Annotated[int, Field(gt=0)]]
    table2: tuple[Scored, ...]
    table3: tuple[Failures, ...]
    ablation: tuple[Ablation, ...]
    domains: dict[str, Count]

    @model_validator(mode="after")
    def _counts_add_up(self) -> Paper:
        if set(self.paradigms) != set(PARADIGMS):
            raise ValueError(f"paradigms are {', '.join(PARADIGMS)}")
        if sum(self.paradigms.values()) != self.tasks or sum(self.domains.values()) != self.tasks:
            raise ValueError(f"paradigms and domains do not add up to {self.tasks} tasks")
        for row in self.table2:
            for share, n in _rates(self, row):
                solved_of(share, n)
        solved = {row.model: solved_of(row.pass1, self.tasks) for row in self.table2}
        for failed in self.table3:
            if solved.get(failed.model) != self.tasks - failed.total - failed.runtime:
                raise ValueError(f"{failed.model} has other failures than its Pass@1 leaves")
        return self


def _rates(paper: Paper, row: Scored) -> list[tuple[float, int]]:
    return [
        (row.pass1, paper.tasks),
        *((getattr(row, name), n) for name, n in paper.paradigms.items()),
    ]


def solved_of(percent: float, n: int) -> int:
    """The whole number of n tasks that a rate in per cent, to two decimals, is.

    Raises:
        ValueError: no whole number gives that rate.
    """
    k = round(percent * n / 100)
    if not abs(100 * k / n - percent) <= 0.005 + 1e-9:
        raise ValueError(f"{percent} % is no whole number of {n} tasks")
    return k


@cache
def paper() -> Paper:
    """The published values, as the package has them."""
    return read_paper(_FILE)


def read_paper(path: Path) -> Paper:
    """Published values from a file of the same layout.

    Raises:
        BadInput: it cannot be read, or its numbers do not fit together.
    """
    try:
        return Paper.model_validate_json(read_regular(path))
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=path) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            f"`{key}`: {first['msg']}" if key else str(first["msg"]), where=path
        ) from None


def published_rows(found: Paper, by: str | None = None) -> list[dict[str, Any]]:
    """Rows as those of `report.table.table_rows`, each with its source under `published`. Intervals
    are Wilson's, of the whole numbers behind the rates of Pass@1; what was not published is None.
    Split by paradigm, there is Pass@1 alone; by domain, nothing was published."""
    if by is None:
        return [_row(found, row, row.pass1, found.tasks, whole=True) for row in found.table2]
    if by != "paradigm":
        return []
    return [
        _row(found, row, getattr(row, short), found.paradigms[short], whole=False)
        | {"paradigm": name}
        for row in found.table2
        for short, name in PARADIGMS.items()
    ]


def _row(found: Paper, row: Scored, percent: float, n: int, *, whole: bool) -> dict[str, Any]:
    rate = wilson(solved_of(percent, n), n)
    interval = {
        "low": rate.low,
        "high": rate.high,
        "level": rate.level,
        "method": rate.method,
        "n": n,
        "planned": n,
    }
    means = {name: getattr(row, name) / 100 if whole else None for name in SCORES}
    return {
        "arm": f"{row.model}, published",
        "planned": n,
        "scored": n,
        "withheld": None,
        **means,
        "pass1": rate.value,
        "condition": "",
        "pending": 0,
        "withheld_by_reason": {},
        "tasks_planned": n,
        "tasks_scored": n,
        "pass1_of_planned": rate.value,
        "comparability": None,
        "confidence": {name: interval if name == "pass1" else None for name in SCORES},
        "unvalidated": [],
        "published": found.source,
        "harness": row.harness,
    }


def published_tables(found: Paper) -> list[TextTable]:
    """Tables 2 to 4 and the ablation as they were published, in per cent and counts."""
    return [
        TextTable(
            f"Scores in per cent, published ({found.source})",
            ("model", "harness", "public>", "private>", "F2P>", "P2P>", "Pass@1>", *_SHORT),
            tuple(
                (r.model, r.harness, *(f"{getattr(r, name):.2f}" for name in _TABLE2))
                for r in found.table2
            ),
        ),
        TextTable(
            "Failure mechanisms, published",
            ("model", *(f"{name}>" for name in _TABLE3)),
            tuple((r.model, *(str(getattr(r, name)) for name in _TABLE3)) for r in found.table3),
        ),
        TextTable(
            f"Domains of {found.tasks} tasks, published",
            ("domain", "tasks>"),
            tuple((name, str(count)) for name, count in found.domains.items()),
        ),
        TextTable(
            "With and without auxiliary science, published",
            ("model", "tasks>", "with>", "without>", "both>", "only with>", "only without>"),
            tuple(
                (
                    r.model,
                    str(r.tasks),
                    f"{r.with_.pass1:.2f}",
                    f"{r.without.pass1:.2f}",
                    *(str(x) for x in (r.both, r.only_with, r.only_without)),
                )
                for r in found.ablation
            ),
        ),
    ]


_SHORT = ("issue>", "expert>", "engin.>")
_TABLE2 = ("public", "private", "fail2pass", "pass2pass", "pass1", "issue", "expert", "engineering")
_TABLE3 = ("total", "runtime", "knowledge", "exploration", "coverage", "generalization")
