"""Which files a package of each kind may have, and which it must."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

STARTER = "starter"
SUBMISSION_STARTER = "starter_submission"


@dataclass(frozen=True)
class PackageLayout:
    """The names in each folder of a package (relative to it; `""` is the package itself), what
    must be there, and the folder of the starter in `environment`."""

    names: Mapping[str, frozenset[str]]
    required: tuple[str, ...]
    starter: str


_TOP = frozenset(
    {
        "task.toml",
        "instruction.md",
        "environment",
        "tests",
        "solution",
        "evidence.jsonl",
        "validation.json",
        "README.md",
    }
)
_SOURCE = frozenset({"source.toml", "requirements.lock", "requirements.in"})
_ALWAYS = (
    "task.toml",
    "instruction.md",
    "environment/source.toml",
    "environment/requirements.lock",
)

CHECKED = PackageLayout(
    names={
        "": _TOP,
        "environment": _SOURCE | {"context", "science", "public", STARTER},
        "tests": frozenset(
            {"private", "data.py", "regression.toml", "baseline.json", "rubric.json", "README.md"}
        ),
        "solution": frozenset(
            {
                "reference.toml",
                "reference.patch",
                "alternatives",
                "baseline",
                "mutants",
                "README.md",
            }
        ),
    },
    required=(*_ALWAYS, "environment/public", "tests/private", "solution/reference.toml"),
    starter=STARTER,
)
"""Repair and artifact tasks: checks decide."""

REPRODUCTION = PackageLayout(
    names={
        "": _TOP,
        "environment": _SOURCE | {"paper", SUBMISSION_STARTER},
        "environment/paper": frozenset(
            {"paper.md", "addendum.md", "paper.pdf", "paper_image", "blacklist.md"}
        ),
        f"environment/{SUBMISSION_STARTER}": frozenset({"reproduce.sh", "src", "inputs"}),
        "tests": frozenset({"rubric.json", "config", "refs", "src", "README.md"}),
        "tests/config": frozenset(
            {
                "evaluation.json",
                "judge_prompt.md",
                "public_contract.md",
                "plans.json",
                "acceptance.json",
                "scripted_judge.toml",
            }
        ),
        "solution": frozenset(
            {"reference.toml", "reference.patch", "partial", "wrong", "expected.toml", "README.md"}
        ),
    },
    required=(
        *_ALWAYS,
        "environment/paper/paper.md",
        "environment/paper/addendum.md",
        f"environment/{SUBMISSION_STARTER}/reproduce.sh",
        "tests/rubric.json",
        "tests/config/evaluation.json",
        "tests/config/judge_prompt.md",
        "tests/config/public_contract.md",
        "tests/config/plans.json",
        "tests/src/metrics.py",
        "solution/reference.toml",
        "solution/expected.toml",
    ),
    starter=SUBMISSION_STARTER,
)
"""Reproduction tasks: a rubric decides, after a replay of what was handed in."""


def layout_of(kind: str) -> PackageLayout:
    """The layout of the packages of a kind; a kind that there is not has that of checked tasks."""
    return REPRODUCTION if kind == "reproduction" else CHECKED
