"""`docs/reference/reproduction-fixtures.md`, written from the registry.

`python tests/reproduction/repro_page.py` writes it; a test compares it with the registry.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import repro_cases  # noqa: F401
from repro_registry import ELSEWHERE, FAMILIES, INFRA, INVALID
from repro_world import LEAVES, RUBRIC

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "reproduction-fixtures.md"
WHERE = {
    "tree": "what is handed in",
    "run": "sandboxed replay",
    "frozen": "what the replay left",
    "sealed": "evidence with its receipt",
    "judge": "the judge",
    "package": "the task's files",
}
HEAD = """# Fixtures of reproduction tasks

What a reproduction task must refuse, and what it must not. Each fixture is done to the tiny task
`tests/reproduction/902-slabs` or to what its reference submission left, and is graded by the
public functions of `referee.replay`, `referee.grade.reproduction`, `referee.judge` and
`referee.metric.rubric`. `tests/reproduction/test_reproduction_fixtures.py` carries all of them
out; this page is written by `tests/reproduction/repro_page.py` from the same registry.

A fixture says its *code* (the replay's reason; else the reason of a lost leaf, or `code` and
`judge` for who decided it) and which leaves it leaves *alone*: these have the full score, every
other one less, and none is withheld. Its *twin* does the honest thing nearest to it and keeps
every leaf. Where the *verifier* fails, leaves are withheld and never 0.

| leaf | share | about |
| --- | --- | --- |
"""


def page() -> str:
    """The whole page."""
    rows = [f"| {x.id} | {x.share} | {x.node.requirements} |" for x in RUBRIC.leaves]
    parts = [HEAD + "\n".join(rows)]
    parts += [_family(number, title) for number, title in FAMILIES.items()]
    return "\n\n".join(parts) + "\n"


def _family(number: int, title: str) -> str:
    lines = [f"## F{number}. {title}"]
    mine = [one for one in INVALID if one.family == number]
    if mine:
        rows = (
            (one.name, WHERE[one.at], _code(one.code), _kept(one.keeps), one.twin.name)
            for one in mine
        )
        lines += ["", *_table(("invalid", "acts on", "code", "left alone", "twin"), rows)]
    failures = [one for one in INFRA if one.family == number]
    if failures:
        told = ((x.name, WHERE[x.at], _code(x.code), _kept(x.keeps)) for x in failures)
        lines += ["", *_table(("the verifier fails", "acts on", "code", "left alone"), told)]
    others = [one for one in ELSEWHERE if one.family == number]
    if others:
        told = ((x.name, ", ".join(f"`{test}`" for test in x.tests)) for x in others)
        lines += ["", *_table(("shown by other tests", "below `tests/`"), told)]
    return "\n".join(lines)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows)]


def _code(code: str) -> str:
    return " or ".join(f"`{one}`" for one in code.split("|"))


def _kept(keeps: frozenset[str]) -> str:
    lost = [name for name in LEAVES if name not in keeps]
    if not keeps:
        return "none"
    if len(lost) < len(keeps):
        return f"all but {' '.join(lost)}" if lost else "all"
    return " ".join(name for name in LEAVES if name in keeps)


if __name__ == "__main__":
    PAGE.write_text(page())
