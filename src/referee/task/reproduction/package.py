"""A reproduction task's package as data: its files, layout, rubric, policy and texts."""

from __future__ import annotations

import ast
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from referee.metric.rubric.schema import Identifier, Root
from referee.record.fault import BadInput
from referee.record.model import Frozen

Text = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Phase = Literal["agent", "replay", "verifier"]

RUBRIC = "tests/rubric.json"
PAPER = "environment/paper"
INPUTS = "environment/starter_submission/inputs"
SUBMISSION = "/home/submission"
SCORING_DISABLED = "SCORING_DISABLED"
OPERATIONS = "OPERATIONS"
REPLAY_OPERATION = "replay"
"""What a leaf names that is decided by the replay itself: every task has it."""


class LeafPolicy(Frozen):
    """What the policy says of one leaf; it must agree with the rubric."""

    scoring_method: Literal["code_numeric", "llm_binary", "metric", "five_level"]
    evidence_qualification: Literal["verifier_owned_replay_receipt", "safe_artifact"]
    leaf_dependencies: tuple[Identifier, ...] = ()
    rubric_section: Identifier | None = None


class EvaluationPolicy(Frozen):
    """`tests/config/evaluation.json`.

    `generated_roots` are the top-level names that a replay makes anew; `mandatory_inputs` are
    relative to `inputs`; `reserve_sec` is what grading needs after the longest replay.
    """

    source_rubric_sha256: Sha256
    gate_leaves: tuple[Identifier, ...] = ()
    leaves: dict[Identifier, LeafPolicy] = Field(default_factory=dict)
    generated_roots: Annotated[tuple[Text, ...], Field(min_length=1)]
    mandatory_inputs: tuple[Text, ...] = ()
    forbidden_input_globs: tuple[Text, ...] = ()
    max_input_bytes: Annotated[int, Field(gt=0)]
    replay_timeout_sec: Seconds
    reserve_sec: Seconds


class Caps(Frozen):
    """Limits of a replay: as the public text states them, or as they are enforced."""

    timeout_sec: Seconds
    cpus: Seconds
    memory_mb: Annotated[int, Field(gt=0)]


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of the package or of the host that a phase sees. `source` is relative to the package
    where it is part of it."""

    phase: Phase
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Copy:
    """What a build copies from its context: `sources` relative to it."""

    sources: tuple[str, ...]
    target: str


@dataclass(frozen=True)
class Layout:
    """How the agent's world is made. `declared_context` is the build context that the task states,
    `build_context` the one that the build uses; `log_mounts` are the targets at which each of agent
    and verifier must find its log folder; `initialiser` is the file that sets up the workspace."""

    declared_context: str
    build_context: str
    copies: tuple[Copy, ...]
    mounts: tuple[Mount, ...]
    log_mounts: Mapping[Phase, str]
    initialiser: str


@dataclass(frozen=True)
class ReproductionPackage:
    """A loaded package. `files` has the SHA-256 of every file by path; `operations` are those that
    the task's metric module defines; texts are as the files have them."""

    files: Mapping[str, str]
    layout: Layout
    rubric: Root
    policy: EvaluationPolicy
    operations: frozenset[str]
    instruction: str
    addendum: str
    public_contract: str
    verifier_timeout_sec: float
    advertised: Caps
    enforced: Caps
    acceptance: str | None = None

    def has(self, path: str) -> bool:
        """Whether a file, or a folder with files, is at `path`."""
        folder = path.rstrip("/") + "/"
        return path in self.files or any(name.startswith(folder) for name in self.files)


def public_contract_of(instruction: str, addendum: str, acceptance: str | None = None) -> str:
    """The frozen copy of the public text: instruction, addendum and, where there is one, the
    numeric acceptance policy, one blank line between them."""
    parts = [instruction, addendum] + ([] if acceptance is None else [acceptance])
    return "\n\n".join(part.replace("\r\n", "\n").strip("\n") for part in parts) + "\n"


def operations_in(source: str, where: str) -> frozenset[str]:
    """The operations that a metric module defines, read from its text without running it: the keys
    of the dictionary that it assigns to `OPERATIONS` at its top level.

    Raises:
        BadInput: not Python, no such dictionary, or a key that is not written out.
    """
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError) as error:
        raise BadInput(f"is not Python: {error}", where=where) from None
    for statement in body:
        if isinstance(statement, ast.Assign):
            targets: list[ast.expr] = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        else:
            continue
        if any(isinstance(t, ast.Name) and t.id == OPERATIONS for t in targets):
            return _keys(statement.value, where)
    raise BadInput(f"defines no {OPERATIONS}", where=where, hint="assign a dictionary to it")


def copies_in(dockerfile: str) -> tuple[Copy, ...]:
    """What a Dockerfile copies from its build context by COPY and ADD: not from another stage, and
    not from the network.

    Raises:
        BadInput: an instruction whose arguments cannot be read.
    """
    found: list[Copy] = []
    for line in dockerfile.replace("\r\n", "\n").replace("\\\n", " ").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word.upper() not in ("COPY", "ADD") or "--from=" in rest:
            continue
        names = _arguments(rest)
        sources = tuple(n for n in names[:-1] if "://" not in n)
        if sources:
            found.append(Copy(sources, names[-1]))
    return tuple(found)


def _arguments(rest: str) -> list[str]:
    words = rest.split()
    while words and words[0].startswith("--"):
        words.pop(0)
    plain = " ".join(words)
    try:
        names = json.loads(plain) if plain.startswith("[") else shlex.split(plain)
    except ValueError:
        names = []
    if len(names) < 2 or not all(isinstance(name, str) for name in names):
        raise BadInput(f"cannot read what {plain[:80]!r} copies", where="Dockerfile")
    return names


def _keys(value: ast.expr | None, where: str) -> frozenset[str]:
    keys = value.keys if isinstance(value, ast.Dict) else [None]
    names = [k.value for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
    if len(names) != len(keys):
        raise BadInput(
            f"{OPERATIONS} is not a dictionary with its names written out",
            where=where,
            hint="write each name as text",
        )
    return frozenset(names)
