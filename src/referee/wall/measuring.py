"""What a check reports as a measure, brought to the form of the record."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from referee.record.fault import Infrastructure
from referee.record.measure import Measured, SampleId


def measured(
    value: float | None,
    samples: Sequence[float | None],
    components: Mapping[str, float | None],
    flags: Mapping[str, int],
    data: Mapping[str, str],
) -> Measured:
    """Numbers of any float type as a record holds them; those that are not finite are counted."""
    given = [value, *samples, *components.values()]
    odd = sum(number is not None and not math.isfinite(number) for number in given)
    counted = {str(name): int(count) for name, count in flags.items()}
    if odd:
        counted["nonfinite"] = counted.get("nonfinite", 0) + odd
    return Measured(
        value=_finite(value),
        samples=tuple(_finite(number) for number in samples),
        components={str(name): _finite(number) for name, number in components.items()},
        flags=counted,
        data=dict(data),
    )


def _finite(number: float | None) -> float | None:
    return None if number is None or not math.isfinite(number) else float(number)


def with_ids(told: Measured, ids: Sequence[SampleId]) -> Measured:
    """The measure with an id for each sample: texts, or integers of any type; none at all are fine.

    Raises:
        Infrastructure: `grader_ids`: they are not as many as the samples, two are alike, or one is
            neither a text nor an integer. No candidate chooses them.
    """
    try:
        plain = tuple(map(_plain, ids))
        return Measured.model_validate({**dict(told), "ids": plain})
    except (TypeError, ValidationError) as error:
        words = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise Infrastructure("grader_ids", f"the ids of the samples: {words}") from None


def _plain(one: SampleId) -> SampleId:
    """NumPy's own texts and integers as Python's."""
    if isinstance(one, str):
        return str(one)
    if isinstance(one, bool):
        raise TypeError(f"{one} is neither a text nor an integer")
    return operator.index(one)
