"""Faults of a reproduction package that are found without running anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from posixpath import normpath

from referee.evidence.roots import path_problem
from referee.metric.rubric.schema import Binary, FiveLevel, Metric, Node, Units
from referee.metric.rubric.tree import problems_of
from referee.task.reproduction.package import (
    INPUTS,
    PAPER,
    REPLAY_OPERATION,
    RUBRIC,
    SCORING_DISABLED,
    SUBMISSION,
    ReproductionPackage,
    public_contract_of,
)

_PAPER_FILES = ("paper.md", "addendum.md")
_OPTIONAL_PAPER_FILES = ("paper.pdf", "paper_image", "blacklist.md")
_HIDDEN = ("tests", "solution")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a package: a code for programs, the file or id, and what is wrong in words."""

    code: str
    where: str
    what: str


def audit_package(package: ReproductionPackage) -> tuple[Fault, ...]:
    """Every fault of a package, in a fixed order; empty if it may be used."""
    return (
        *_disabled(package),
        *_build_faults(package),
        *_mount_faults(package),
        *_paper_faults(package),
        *_rubric_faults(package),
        *_policy_faults(package),
        *_leaf_faults(package),
        *_contract_faults(package),
        *_replay_faults(package),
    )


def _disabled(package: ReproductionPackage) -> Iterator[Fault]:
    for name in sorted(package.files):
        if name.rpartition("/")[2] == SCORING_DISABLED:
            yield Fault("scoring_disabled", name, "the marker is there, so nothing is scored")


def _build_faults(package: ReproductionPackage) -> Iterator[Fault]:
    layout = package.layout
    declared, used = normpath(layout.declared_context), normpath(layout.build_context)
    if declared != used:
        told = f"the build uses {used}, and the task declares {declared}"
        yield Fault("build_context", used, told)
    for copy in layout.copies:
        for source in copy.sources:
            path = normpath(f"{used}/{source}")
            if problem := path_problem(path):
                yield Fault("copy_source", source, f"the copied path {problem}")
            elif not _matches(package, path):
                yield Fault("copy_source", source, f"is copied, and {path} does not exist")
    if not package.has(layout.initialiser):
        yield Fault("no_initialiser", layout.initialiser, "what sets up the workspace is missing")


def _matches(package: ReproductionPackage, path: str) -> bool:
    if not any(sign in path for sign in "*?["):
        return package.has(path)
    return any(fnmatchcase(name, path) or fnmatchcase(name, f"{path}/*") for name in package.files)


def _mount_faults(package: ReproductionPackage) -> Iterator[Fault]:
    mounts = package.layout.mounts
    for phase, target in sorted(package.layout.log_mounts.items()):
        if not any(m.phase == phase and normpath(m.target) == normpath(target) for m in mounts):
            yield Fault("no_log_mount", target, f"the {phase} has no log folder there")
    for mount in mounts:
        source = normpath(mount.source)
        if mount.phase == "agent" and _touches_hidden(source):
            yield Fault("hidden_mount", source, "the agent would see the evaluator's files")
    for phase in ("agent", "replay", "verifier"):
        over = [m.source for m in mounts if m.phase == phase and _covers_submission(m.target)]
        if len(over) > 1:
            told = f"{len(over)} mounts of the {phase} cover it: {', '.join(sorted(over))}"
            yield Fault("submission_mounts", SUBMISSION, told)


def _touches_hidden(source: str) -> bool:
    # The whole package, or a folder above it, has the hidden files in it.
    parts = source.split("/")
    return source == "." or ".." in parts or parts[0] in _HIDDEN or "refs" in parts


def _covers_submission(target: str) -> bool:
    path = normpath(target)
    return path == SUBMISSION or SUBMISSION.startswith(path.rstrip("/") + "/")


def _paper_faults(package: ReproductionPackage) -> Iterator[Fault]:
    used = normpath(package.layout.build_context)
    copied = [normpath(f"{used}/{s}") for copy in package.layout.copies for s in copy.sources]
    for name in (*_PAPER_FILES, *_OPTIONAL_PAPER_FILES):
        path = f"{PAPER}/{name}"
        if not package.has(path):
            if name in _PAPER_FILES:
                yield Fault("paper_missing", path, "the agent needs it, and it is not there")
        elif not any(path == c or path.startswith(f"{c}/") or c == "." for c in copied):
            yield Fault("paper_not_copied", path, "the agent needs it, and it is not copied")


def _rubric_faults(package: ReproductionPackage) -> Iterator[Fault]:
    for problem in problems_of(package.rubric):
        yield Fault(f"rubric_{problem.code}", problem.node, problem.what)
    there = package.files.get(RUBRIC)
    if there != package.policy.source_rubric_sha256:
        yield Fault("rubric_hash", RUBRIC, "is not the rubric that evaluation.json names")


def _policy_faults(package: ReproductionPackage) -> Iterator[Fault]:
    leaves = {node.id: node for node in _leaves(package.rubric)}
    gates = {name for name, node in leaves.items() if node.gate}
    for name in sorted(gates ^ set(package.policy.gate_leaves)):
        side = "the rubric" if name in gates else "the policy"
        yield Fault("gate_leaves", name, f"is a gate in {side} alone")
    for name, policy in package.policy.leaves.items():
        leaf = leaves.get(name)
        if leaf is None:
            yield Fault("policy_leaf", name, "has a policy and is no leaf of the rubric")
            continue
        if set(policy.leaf_dependencies) != set(leaf.requires):
            yield Fault("policy_dependencies", name, "requires other leaves than its policy says")
        if policy.scoring_method != _method(leaf):
            told = f"is scored by {_method(leaf)}, and its policy says {policy.scoring_method}"
            yield Fault("policy_method", name, told)


def _leaf_faults(package: ReproductionPackage) -> Iterator[Fault]:
    for leaf in _leaves(package.rubric):
        for hint in leaf.evidence_inputs:
            head, _, rest = hint.path.partition("/")
            problem = path_problem(hint.path)
            if problem is None and (head not in ("submission", "refs") or not rest):
                problem = "does not begin with submission/ or refs/"
            if problem:
                yield Fault("evidence_path", leaf.id, f"{hint.path!r} {problem}")
        needs_metric = leaf.how.by == "code" or leaf.check is not None
        if needs_metric and leaf.metric_operation is None:
            yield Fault("no_operation", leaf.id, "is decided by code and names no metric_operation")
        known = package.operations | {REPLAY_OPERATION}
        if leaf.metric_operation is not None and leaf.metric_operation not in known:
            told = f"the metric module has no operation {leaf.metric_operation}"
            yield Fault("unknown_operation", leaf.id, told)


def _contract_faults(package: ReproductionPackage) -> Iterator[Fault]:
    wanted = public_contract_of(package.instruction, package.addendum, package.acceptance)
    if package.public_contract.replace("\r\n", "\n") != wanted:
        told = "is not instruction, addendum and acceptance policy as the agent has them"
        yield Fault("public_contract", "tests/config/public_contract.md", told)


def _replay_faults(package: ReproductionPackage) -> Iterator[Fault]:
    policy = package.policy
    where = "tests/config/evaluation.json"
    if not policy.replay_timeout_sec + policy.reserve_sec <= package.verifier_timeout_sec:
        told = f"replay and reserve need more than the verifier's {package.verifier_timeout_sec} s"
        yield Fault("verifier_budget", where, told)
    if policy.replay_timeout_sec != package.enforced.timeout_sec:
        yield Fault("enforced_timeout", where, "another time is enforced than the policy says")
    for name, value in package.advertised:
        other = getattr(package.enforced, name)
        if value != other:
            told = f"{name} is advertised as {value} and enforced as {other}"
            yield Fault("advertised_cap", name, told)
    for root in policy.generated_roots:
        if problem := path_problem(root) or ("has more than one part" if "/" in root else None):
            yield Fault("generated_root", root, problem)
        elif root in ("src", "inputs", "reproduce.sh"):
            yield Fault("generated_root", root, "is part of what the candidate hands in")
    for name in policy.mandatory_inputs:
        if problem := path_problem(name):
            yield Fault("mandatory_input", name, problem)
        elif not package.has(f"{INPUTS}/{name}"):
            yield Fault("mandatory_input", name, "must be in the package, and is not")


def _method(leaf: Node) -> str:
    match leaf.how:
        case Metric():
            return "metric"
        case FiveLevel():
            return "five_level"
        case Binary(by="judge") | Units(by="judge"):
            return "llm_binary"
        case _:
            return "code_numeric"


def _leaves(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_leaf:
            yield node
        pending += reversed(node.sub_tasks)
