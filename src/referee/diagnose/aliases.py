"""Names that agents give to one thing: categories, parameterisations, modes."""

from __future__ import annotations

import re
from collections.abc import Mapping

# word in the agent's category -> the protocol's categories that it can stand for
_CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "svd": ("decomposition",),
    "decomp": ("decomposition",),
    "decomposition": ("decomposition",),
    "pca": ("decomposition",),
    "eim": ("decomposition",),
    "symbolic": ("symbolic",),
    "pysr": ("symbolic",),
    "gplearn": ("symbolic",),
    "interp": ("interpolation", "kernel"),
    "interpolation": ("interpolation",),
    "spline": ("interpolation",),
    "kernel": ("kernel", "interpolation"),
    "gp": ("kernel",),
    "gpr": ("kernel",),
    "gaussian": ("kernel",),
    "ml": ("ml",),
    "machine": ("ml",),
    "learning": ("ml",),
    "neural": ("ml",),
    "nn": ("ml",),
    "tree": ("ml",),
    "ensemble": ("ml",),
    "analytical": ("analytical",),
    "analytic": ("analytical",),
    "polynomial": ("analytical",),
    "physics": ("physics",),
    "pn": ("physics",),
    "composite": ("composite",),
    "matched": ("composite",),
    "functional": ("functional",),
    "form": ("functional",),
    "phenomenological": ("functional",),
}


def words(text: str) -> list[str]:
    """The words of a name: lower case, split at everything that is no letter or digit."""
    return [w for w in re.split(r"[^a-z0-9]+", text.lower()) if w]


def categories_of(text: str) -> tuple[str, ...]:
    """The protocol's categories that an agent's category can stand for; empty if unknown."""
    found = [c for word in words(text) for c in _CATEGORIES.get(word, ())]
    return tuple(dict.fromkeys(found))


def plain(text: str) -> str:
    """A name with case and separators taken away, so that `Kimi-K2.6` and `kimi_k26` agree."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def mode_of(text: str) -> str | None:
    """A mode such as `l2/m+2/n0` or `(2, 2, 0)` as `l2_m2_n0`; None if it is no mode."""
    numbers = re.findall(r"[+-]?\d+", text)
    if len(numbers) != 3:
        return None
    degree, order, overtone = (int(n) for n in numbers)
    return f"l{degree}_m{order}_n{overtone}"
