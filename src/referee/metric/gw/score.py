"""A score that says what it is: value, unit, scale, definition, samples and what was wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Scale = Literal["linear", "log10"]

NONFINITE = "nonfinite"
"""A prediction holds NaN or an infinity."""
WRONG_SHAPE = "wrong_shape"
"""A prediction is no array of numbers of the asked shape."""
ZERO_NORM = "zero_norm"
"""A prediction has no power in the band."""
PADDED = "padded"
"""A prediction's length was not the reference's, and the shorter was filled up with zeros."""
ZERO_TRUTH = "zero_truth"
"""The truth is zero where it is divided by."""
CLIPPED = "clipped"
"""A prediction was raised to the floor of a logarithm."""

NO_COMPONENTS: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Score:
    """The canonical loss of one task, over one validation set.

    `value` is the loss (lower is better) in `unit`; `scale` is `log10` when errors are differences
    of decimal logarithms; `definition` is the formula in words. `samples` has one error per sample,
    in the order given, and `flags` what was wrong with each, in the same order. `components` are
    the named parts of the loss, in the same unit. `notes` concern the whole set.
    """

    name: str
    value: float
    unit: str
    scale: Scale
    definition: str
    samples: tuple[float, ...]
    flags: tuple[tuple[str, ...], ...]
    components: Mapping[str, float] = field(default_factory=lambda: NO_COMPONENTS)
    notes: tuple[str, ...] = ()
    grid_sha256: str | None = None

    def __post_init__(self) -> None:
        if not self.samples:
            raise ValueError(f"{self.name}: a score needs at least one sample")
        if len(self.samples) != len(self.flags):
            raise ValueError(f"{self.name}: {len(self.samples)} samples, {len(self.flags)} flags")

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.samples)

    @property
    def n_flagged(self) -> int:
        """Number of samples with at least one flag."""
        return sum(bool(flags) for flags in self.flags)

    @property
    def median(self) -> float:
        """Median of the samples: what the published leader board shows."""
        return self.quantile(0.5)

    @property
    def p05(self) -> float:
        """5th percentile of the samples."""
        return self.quantile(0.05)

    @property
    def p95(self) -> float:
        """95th percentile of the samples."""
        return self.quantile(0.95)

    def quantile(self, level: float) -> float:
        """Quantile of the samples, linear between order statistics as numpy's default.

        An infinite neighbour with any weight makes it infinite, never NaN.

        Raises:
            ValueError: not 0 <= level <= 1.
        """
        if not 0 <= level <= 1:
            raise ValueError(f"level {level} is not in [0, 1]")
        ordered = sorted(self.samples)
        place = level * (len(ordered) - 1)
        low = math.floor(place)
        share = place - low
        if share == 0 or ordered[low] == ordered[low + 1]:
            return ordered[low]
        return ordered[low] + share * (ordered[low + 1] - ordered[low])


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean, rounded once; infinite when a value or the sum is."""
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.inf


def root_mean_square(values: Sequence[float]) -> float:
    """sqrt(mean(v^2)) with the squares summed exactly; infinite when a value is."""
    return math.sqrt(mean([value * value for value in values]))
