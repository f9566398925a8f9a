"""Strengths from wins and losses of pairs: for preference data alone.

Arms that met the same tasks are ranked by `referee.stats.ranking`, which needs no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, log
from typing import SupportsIndex

from referee.stats.require import whole

_ROUNDS = 100_000


@dataclass(frozen=True)
class Strengths:
    """`strength[i]` of n players sums to 1; `log_strength[i]` is its logarithm, with a mean of 0.

    `games` counts the games that were played.
    """

    method: str
    n: int
    games: int
    strength: tuple[float, ...]
    log_strength: tuple[float, ...]


def bradley_terry(wins: Sequence[Sequence[SupportsIndex]]) -> Strengths:
    """The most likely strengths s when i beats j with a chance of s_i / (s_i + s_j).

    `wins[i][j]` counts how often i beat j. Hunter's iteration

        s_i <- (wins of i) / sum over j of games(i, j) / (s_i + s_j)

    is repeated until no strength moves by more than a part in 10^13.
    Sources: Bradley and Terry, Biometrika 39 (1952) 324; Hunter, Annals of Statistics 32 (2004)
    384.

    Raises:
        ValueError: no square table of whole numbers, a player against itself, or players of whom
            some never lost to the others, so that no finite strengths exist.
    """
    n = len(wins)
    if n < 2 or any(len(row) != n for row in wins):
        raise ValueError("wins must be a square table for at least 2 players")
    table = [[whole(f"wins[{i}][{j}]", x) for j, x in enumerate(row)] for i, row in enumerate(wins)]
    if any(table[i][i] for i in range(n)):
        raise ValueError("a player cannot win against itself: the diagonal of wins must be 0")
    if not _all_reach_all(table):
        raise ValueError("some players never lost to the others: no finite strengths exist")
    won = [sum(row) for row in table]
    games = [[table[i][j] + table[j][i] for j in range(n)] for i in range(n)]
    strength = [1.0 / n] * n
    for _ in range(_ROUNDS):
        new = [
            won[i] / fsum(games[i][j] / (strength[i] + strength[j]) for j in range(n) if j != i)
            for i in range(n)
        ]
        total = fsum(new)
        new = [x / total for x in new]
        moved = max(abs(a / b - 1.0) for a, b in zip(new, strength, strict=True))
        strength = new
        if moved <= 1e-13:
            logs = [log(x) for x in strength]
            middle = fsum(logs) / n
            return Strengths(
                "Bradley-Terry, maximum likelihood",
                n,
                sum(won),
                tuple(strength),
                tuple(x - middle for x in logs),
            )
    raise ValueError(f"the strengths did not settle in {_ROUNDS} rounds: too few games decide them")


def _all_reach_all(wins: Sequence[Sequence[int]]) -> bool:
    """Whether every player beat every other, if by a chain of players."""
    n = len(wins)
    for forward in (True, False):
        seen, todo = {0}, [0]
        while todo:
            i = todo.pop()
            beaten = {j for j in range(n) if (wins[i][j] if forward else wins[j][i])} - seen
            seen |= beaten
            todo += beaten
        if len(seen) < n:
            return False
    return True
