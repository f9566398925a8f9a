"""The registry of fixtures: what is done, what must follow, and the twins of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from repro_world import LEAVES, World

FAMILIES = {
    1: "Submission tree and export",
    2: "Reserved inputs",
    3: "Stored results",
    4: "Isolation and limits",
    5: "Records of the replay",
    6: "Parsing of numbers",
    7: "Units, conventions and axes",
    8: "Provenance and native runs",
    9: "Scientific results",
    10: "Locality of leaves",
    11: "Claims without evidence",
    12: "Prompt injection and tampering",
    13: "Transport and validation of the judge",
    14: "Scores, publication and suites",
    15: "Classes of delivery",
}

At = Literal["tree", "run", "frozen", "sealed", "judge", "package"]
"""Where a fixture acts: on what is handed in, with the script put aside (`tree`) or run in a real
sandbox (`run`); on what a replay left, as if it had left it so (`frozen`); on frozen evidence that
has its receipt (`sealed`); on the judge (`judge`); on the task's own files (`package`)."""

Act = Callable[[World], None]


@dataclass(frozen=True)
class Twin:
    """The honest side of a fixture: accepted, and every leaf keeps its credit."""

    name: str
    at: At
    does: Act
    slow: bool = False

    def __call__(self, world: World) -> None:
        """Do it, where a harm builds on it."""
        self.does(world)


@dataclass(frozen=True)
class Invalid:
    """A fixture that must lose every leaf but those in `keeps`, as zeros, and say `code` (one of
    several, with `|` between them). What the script prints, or what is told of the lost leaves,
    must match `says`: what failed by mistake shows nothing."""

    family: int
    name: str
    at: At
    code: str
    keeps: frozenset[str]
    does: Act
    twin: Twin
    slow: bool = False
    says: str = ""


@dataclass(frozen=True)
class Infra:
    """The verifier's own failure: every leaf but those in `keeps` is withheld, and never 0."""

    family: int
    name: str
    at: At
    code: str
    keeps: frozenset[str]
    does: Act


@dataclass(frozen=True)
class Elsewhere:
    """What other tests of the project show: `file::function` below `tests/`."""

    family: int
    name: str
    tests: tuple[str, ...]


INVALID: list[Invalid] = []
INFRA: list[Infra] = []
ELSEWHERE: list[Elsewhere] = []


def leaves(text: str) -> frozenset[str]:
    """Leaf ids of a text; after `all but` those that are not there."""
    rest = text.removeprefix("all but")
    named = frozenset(rest.split()) if rest != text else frozenset(text.split())
    assert named <= set(LEAVES), text
    return frozenset(LEAVES) - named if rest != text else named


AS_IT_IS = {
    at: Twin("the reference as it is", at, lambda world: None)
    for at in ("tree", "run", "frozen", "judge")
}


def twin(name: str, at: At, *, slow: bool = False) -> Callable[[Act], Twin]:
    """The function below is an honest twin."""
    return lambda does: Twin(name, at, does, slow)


def invalid(
    family: int,
    name: str,
    at: At,
    *,
    code: str,
    keeps: str,
    twin: Twin | None = None,
    slow: bool = False,
    says: str = "",
) -> Callable[[Act], Act]:
    """The function below is an invalid fixture."""

    def enter(does: Act) -> Act:
        honest = twin or AS_IT_IS[at]
        INVALID.append(Invalid(family, name, at, code, leaves(keeps), does, honest, slow, says))
        return does

    return enter


def infra(family: int, name: str, at: At, *, code: str, keeps: str = "") -> Callable[[Act], Act]:
    """The function below is a failure of the verifier."""

    def enter(does: Act) -> Act:
        INFRA.append(Infra(family, name, at, code, leaves(keeps), does))
        return does

    return enter


def elsewhere(family: int, name: str, *tests: str) -> None:
    """Other tests show it."""
    ELSEWHERE.append(Elsewhere(family, name, tests))
