"""Whose failure it is: the table of candidate and infrastructure, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Who = Literal["candidate", "integrity", "rejection", "nobody", "infrastructure"]
Effect = Literal["judge_prefix", "source_only", "zero", "exclude", "withhold"]
"""`judge_prefix`: each leaf by what is frozen; `source_only`: leaves about the source alone can
earn; `zero`: every leaf 0; `exclude`: no valid attempt; `withhold`: no score, replay again."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """Who caused a situation, and what follows for the score."""

    who: Who
    effect: Effect


_PREFIX = Consequence("candidate", "judge_prefix")
_SOURCE = Consequence("candidate", "source_only")
_REJECTED = Consequence("rejection", "zero")
_MACHINE = Consequence("infrastructure", "withhold")

CONSEQUENCES: dict[str, Consequence] = {
    "nonzero_exit": _PREFIX,
    "killed": _PREFIX,
    "timeout": _PREFIX,
    "memory": _PREFIX,
    "disk": _PREFIX,
    "missing_entrypoint": _SOURCE,
    "too_many_outputs": _SOURCE,
    "source_changed": Consequence("integrity", "source_only"),
    "output_link": Consequence("integrity", "source_only"),
    "output_special": Consequence("integrity", "source_only"),
    "symlink": _REJECTED,
    "special_file": _REJECTED,
    "hard_link": _REJECTED,
    "bad_path": _REJECTED,
    "path_collision": _REJECTED,
    "generated_root_link": _REJECTED,
    "reserved_input_changed": _REJECTED,
    "reserved_input_replaced": _REJECTED,
    "forbidden_input": _REJECTED,
    "too_large": _REJECTED,
    "starter_only": Consequence("candidate", "zero"),
    "absent": Consequence("nobody", "exclude"),
    "no_canonical_input": _MACHINE,
    "outputs_unstable": _MACHINE,
    "runner_error": _MACHINE,
}
"""Every reason that a replay can give."""


def consequence_of(reason: str) -> Consequence:
    """What follows from a reason; what the machine says of itself is the machine's."""
    return CONSEQUENCES.get(reason, _MACHINE)
