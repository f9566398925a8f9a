"""Native logs: whether a log is one of the solver that a task names, and ended as it should.

A task states a contract; its patterns are the evaluator's. They are searched line by line, each
line cut at a length, so no candidate's text can make a search run away.
"""

from __future__ import annotations

import math
import re
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from referee.record.measure import Finite
from referee.record.model import Frozen

_LINE = 4000


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a pattern: {error}") from None
    return pattern


Pattern = Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(_compiles)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_FORTRAN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eEdD][+-]?\d+)?\Z", re.ASCII)


class Residual(Frozen):
    """The last number that stands where the one group of `pattern` matches is at most `upper`."""

    pattern: Pattern
    upper: Finite


class LogContract(Frozen):
    """What a log must show.

    At least `least_families` of the pattern `families` occur. Each of `setups` occurs as a whole
    word. The last line that matches `converged` or `not_converged`, lines of `chatter` aside,
    matches `converged` and not `not_converged`. The residual is small enough.
    """

    families: Annotated[dict[Text, Pattern], Field(min_length=1)]
    least_families: Annotated[int, Field(ge=1)] = 3
    setups: tuple[Text, ...] = ()
    converged: Pattern | None = None
    not_converged: Pattern | None = None
    chatter: tuple[Pattern, ...] = ()
    residual: Residual | None = None


def log_problems(contract: LogContract, text: str) -> tuple[str, ...]:
    """Everything in a log that does not keep a contract, in words; empty if it keeps it."""
    lines = [line[:_LINE] for line in text.splitlines()]
    seen = [n for n, p in contract.families.items() if any(re.search(p, x) for x in lines)]
    found: list[str] = []
    if len(seen) < contract.least_families:
        found.append(f"{len(seen)} kinds of line occur, and {contract.least_families} are needed")
    for setup in contract.setups:
        whole = re.compile(rf"(?<![\w.-]){re.escape(setup)}(?![\w-])")
        if not any(whole.search(line) for line in lines):
            found.append(f"the setup {setup} does not occur")
    return (*found, *_convergence(contract, lines), *_residual(contract.residual, lines))


def number_in(text: str) -> float:
    """A finite number as native programs print it, also with a Fortran exponent: 1.5D-03.

    Raises:
        ValueError: not a number, or not finite.
    """
    if not _FORTRAN.match(text):
        raise ValueError(f"{text[:40]!r} is not a number")
    value = float(text.lower().replace("d", "e"))
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]!r} is not finite")
    return value


def block_after(text: str, marker: str, rows: int, columns: int) -> tuple[tuple[float, ...], ...]:
    """The block of numbers after the last line that is `marker`, such as a tensor in a log.

    Raises:
        ValueError: the marker does not occur, the block ends early, a row has another width, or a
            number is not finite.
    """
    lines = text.splitlines()
    at = max((i for i, line in enumerate(lines) if line.strip() == marker), default=None)
    if at is None:
        raise ValueError(f"no line is {marker!r}")
    block = lines[at + 1 : at + 1 + rows]
    read = tuple(tuple(number_in(word) for word in line[:_LINE].split()) for line in block)
    if len(read) != rows or any(len(row) != columns for row in read):
        raise ValueError(f"after {marker!r} there are not {rows} rows of {columns} numbers")
    return read


def _convergence(contract: LogContract, lines: list[str]) -> list[str]:
    if contract.converged is None:
        return []
    told = [
        line
        for line in lines
        if not any(re.search(pattern, line) for pattern in contract.chatter)
        and (re.search(contract.converged, line) or _denies(contract, line))
    ]
    if not told:
        return ["nothing says that it converged"]
    return [f"it ended with {told[-1].strip()[:80]!r}"] if _denies(contract, told[-1]) else []


def _denies(contract: LogContract, line: str) -> bool:
    pattern = contract.not_converged
    return pattern is not None and re.search(pattern, line) is not None


def _residual(residual: Residual | None, lines: list[str]) -> list[str]:
    if residual is None:
        return []
    found = [match[1] for line in lines if (match := re.search(residual.pattern, line))]
    if not found:
        return ["no residual is stated"]
    try:
        last = number_in(found[-1])
    except ValueError as error:
        return [f"the last residual: {error}"]
    if last <= residual.upper:
        return []
    return [f"the last residual is {last!r}, and {residual.upper!r} is the most"]
