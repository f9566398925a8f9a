"""What the functions of this room accept: whole counts, finite numbers, shares, equal tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from operator import index
from typing import SupportsFloat, SupportsIndex


def whole(name: str, value: SupportsIndex, *, least: int = 0) -> int:
    """`value` as an integer of at least `least`.

    Raises:
        ValueError: it is no whole number (a float never is), or it is too small.
    """
    try:
        number = index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, and is {value!r}") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least}, and is {number}")
    return number


def count_of(k: SupportsIndex, n: SupportsIndex) -> tuple[int, int]:
    """`k` successes of `n` trials, with n >= 1.

    Raises:
        ValueError: not 0 <= k <= n, or n is 0.
    """
    size = whole("n", n)
    if size == 0:
        raise ValueError("n is 0: there is no rate of nothing")
    successes = whole("k", k)
    if successes > size:
        raise ValueError(f"k must not be above n, and {successes} is above {size}")
    return successes, size


def planned_of(planned: SupportsIndex | None, n: int) -> int:
    """The planned number of units, which is `n` if it is not given.

    Raises:
        ValueError: fewer were planned than were seen.
    """
    return n if planned is None else whole("planned", planned, least=n)


def share(name: str, value: SupportsFloat) -> float:
    """`value` strictly between 0 and 1.

    Raises:
        ValueError: it is not.
    """
    number = finite(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must lie between 0 and 1, and is {number!r}")
    return number


def finite(name: str, value: SupportsFloat) -> float:
    """`value` as a finite float.

    Raises:
        ValueError: it is no number, not finite, or missing.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, and is {value!r}") from None
    if not isfinite(number):
        raise ValueError(f"{name} must be finite, and is {number!r}")
    return number


def numbers(name: str, values: Iterable[SupportsFloat], *, least: int = 1) -> list[float]:
    """Finite floats, at least `least` of them.

    Raises:
        ValueError: too few, or one is not finite; the sentence says which.
    """
    made = [finite(f"{name}[{place}]", value) for place, value in enumerate(values)]
    if len(made) < least:
        raise ValueError(f"{name} must hold at least {least} number(s), and holds {len(made)}")
    return made


def pairs(
    first: Mapping[str, SupportsFloat], second: Mapping[str, SupportsFloat], *, least: int = 1
) -> tuple[list[str], list[float], list[float]]:
    """Tasks in order of their ids, with the finite score of either side at each.

    Raises:
        ValueError: a task that only one side has, fewer than `least` tasks, a score not finite.
    """
    require_same_tasks({"the first": first, "the second": second})
    tasks = sorted(first)
    if len(tasks) < least:
        raise ValueError(
            f"a paired comparison needs at least {least} task(s), and has {len(tasks)}"
        )
    return (
        tasks,
        [finite(f"the first score at task {task}", first[task]) for task in tasks],
        [finite(f"the second score at task {task}", second[task]) for task in tasks],
    )


def require_same_tasks(sides: Mapping[str, Mapping[str, object]]) -> None:
    """Refuse sides that were not measured at the same tasks.

    Raises:
        ValueError: the sentence names one side, the tasks that it lacks, and what to do.
    """
    every = set().union(*sides.values())
    for side, scores in sides.items():
        if lacking := sorted(every - scores.keys()):
            told = ", ".join(lacking[:5]) + (", ..." if len(lacking) > 5 else "")
            raise ValueError(
                f"{side} has no score at {len(lacking)} task(s) ({told}): "
                "compare at the tasks that every side has, and say how many were planned"
            )


def labels(clusters: Sequence[str], n: int) -> list[str]:
    """One cluster label for each of `n` scores.

    Raises:
        ValueError: another number of labels.
    """
    if len(clusters) != n:
        raise ValueError(f"{n} scores need {n} cluster labels, and {len(clusters)} were given")
    return [str(label) for label in clusters]
