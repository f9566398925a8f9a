"""Numbers as fractions: what an author writes as 0.1 is a tenth."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from pydantic import PlainSerializer, PlainValidator

_WRITTEN = re.compile(r"^-?\d{1,1100}(/[1-9]\d{0,1099}|\.\d{1,1100})?$")


def exact(value: object) -> Fraction:
    """The number that `value` was written as.

    Whole numbers, fractions and decimals are themselves. A float stands for its shortest decimal
    (0.1 is 1/10, not the binary number next to it), so that numbers from a file and numbers from a
    computation meet on one scale. Text is a whole number, a decimal or a fraction such as `1/3`.

    Raises:
        ValueError: not a number, not finite, or a truth value.
    """
    if isinstance(value, bool):
        raise ValueError(f"{value} is a truth value, not a number")
    if isinstance(value, Fraction | int):
        return Fraction(value)
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(repr(float(value)))
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    if isinstance(value, str) and _WRITTEN.match(value):
        return Fraction(value)
    raise ValueError(f"{value!r} is not a finite number")


def positive(value: object) -> Fraction:
    """`exact(value)`, if it is above zero.

    Raises:
        ValueError: as `exact`, or the number is zero or negative.
    """
    number = exact(value)
    if not number > 0:
        raise ValueError(f"{value!r} is not above zero")
    return number


def written(number: Fraction) -> int | str:
    """The form in which `exact` reads the same number from JSON: `3`, or `1/3`."""
    return int(number) if number.denominator == 1 else str(number)


Exact = Annotated[Fraction, PlainValidator(exact), PlainSerializer(written)]
"""A field of a model that holds any finite number exactly."""

Weight = Annotated[Fraction, PlainValidator(positive), PlainSerializer(written)]
"""A field of a model that holds a finite number above zero exactly."""
