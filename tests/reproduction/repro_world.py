"""A submission to the tiny task 902-slabs, and what becomes of it: replay, findings, grade.

`Base` is made once for all tests: the package, the reference submission, and the evidence of its
clean replay in a real sandbox. A `World` is a copy of that for one fixture to harm.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from referee.environment.store import Store, remove_tree
from referee.evidence.limits import LIMITS, Limits
from referee.evidence.roots import Evidence
from referee.grade.reproduction.findings import Judging, findings_of
from referee.grade.reproduction.scheme import load_scheme
from referee.judge.choose import judge_for
from referee.judge.protocol import Identity, Judge, JudgedTask
from referee.metric.rubric.grade import Grade, grade
from referee.metric.rubric.leaf import Finding, LeafScore
from referee.metric.rubric.publish import PublishedLeaf, publication_problems
from referee.record.fault import BadInput, Infrastructure
from referee.replay import sandboxed
from referee.replay.engine import Request, replay
from referee.replay.failures import Effect, consequence_of
from referee.replay.record import Isolation, ReplayRecord
from referee.replay.roots import evidence_of
from referee.replay.sandboxed import Stage, Surroundings
from referee.replay.verify import verify
from referee.sandbox.protocol import Completed
from referee.sandbox.protocol import Limits as SandboxLimits
from referee.task.package import load_task
from referee.task.reproduction.package import EvaluationPolicy

PACKAGE = Path(__file__).parent / "902-slabs"
CONFIG = PACKAGE / "tests" / "config"
STARTER = PACKAGE / "environment" / "starter_submission"
SCHEME = load_scheme(load_task(PACKAGE))
RUBRIC, MODULE = SCHEME.rubric, SCHEME.module
POLICY: dict[str, Any] = json.loads((CONFIG / "evaluation.json").read_text())
LEAVES = tuple(leaf.id for leaf in RUBRIC.leaves)
SANDBOX = SandboxLimits(
    memory_bytes=256 << 20, processes=48, file_bytes=16 << 20, disk_bytes=64 << 20, cpu_s=20.0
)


def patched(patch: str, folder: Path) -> Path:
    """The starter with a patch of `solution/` in a new folder."""
    shutil.copytree(STARTER, folder)
    told = ["git", "apply", str(PACKAGE / "solution" / patch)]
    subprocess.run(told, cwd=folder, check=True, env={"PATH": os.environ["PATH"]})
    return folder


@dataclass(frozen=True)
class Base:
    """What all fixtures start from; `frozen` is the evidence of the reference submission."""

    store: Store
    solved: Path
    frozen: Path
    record: ReplayRecord


@dataclass(frozen=True)
class Outcome:
    """What became of a submission. `reason` is the replay's, or that of the machine's failure;
    without one `causes` say why leaves were lost, and `told` says it in words."""

    reason: str | None
    leaves: Mapping[str, LeafScore]
    grade: Grade | None
    record: ReplayRecord | None
    told: str = ""

    @property
    def kept(self) -> set[str]:
        """The leaves with the full score, which the reference submission has everywhere."""
        return {name for name, leaf in self.leaves.items() if leaf.score == 1}

    @property
    def causes(self) -> set[str]:
        """Why leaves have less: reason of the leaf, or who decided that (`code`, `judge`)."""
        lost = (leaf for name, leaf in self.leaves.items() if name not in self.kept)
        return {(leaf.reason or leaf.method).partition(":")[0] for leaf in lost}

    @property
    def codes(self) -> set[str]:
        """The reason of the whole, or those of the leaves."""
        return self.causes if self.reason is None else {self.reason, *self.causes}


@dataclass(frozen=True)
class Remembering:
    """The stand-in for a judge, asked once about the same source and report: its rules open nothing
    else."""

    judge: Judge
    memory: dict[object, Mapping[str, Finding]]

    @property
    def identity(self) -> Identity:
        return self.judge.identity

    def findings(self, task: JudgedTask) -> Mapping[str, Finding]:
        seen = [
            root.where(entry.path) + root.sha256(entry.path)
            for kind, root in task.evidence.roots.items()
            for entry in root.entries()
            if kind == "source" or (kind == "outputs" and entry.path.endswith("report.md"))
        ]
        key = (task.leaves, tuple(seen))
        if key not in self.memory:
            self.memory[key] = self.judge.findings(task)
        return self.memory[key]


STAND_IN = judge_for("scripted", CONFIG)
_MEMORY: dict[object, Mapping[str, Finding]] = {}


def published(done: Outcome) -> tuple[str, ...]:
    """Why the grade, as numbers in a record, may not be published."""
    leaves = [
        PublishedLeaf(
            name, float(RUBRIC.by_id[name].share), None if x.score is None else float(x.score)
        )
        for name, x in done.leaves.items()
    ]
    score = None if done.grade is None else done.grade.score
    return publication_problems(RUBRIC, leaves, None if score is None else float(score))


class World:
    """One submission on its way. `tree` is what was handed in, `starter` the package's pristine
    one, `folder` the frozen evidence, `outputs` what the replay left in it."""

    def __init__(self, root: Path, base: Base, patch: pytest.MonkeyPatch) -> None:
        self.base, self.patch = base, patch
        self.tree, self.starter, self.folder = root / "tree", root / "starter", root / "evidence"
        self.audit, self.package = root / "audit", root / "902-slabs"
        self.policy = dict(POLICY)
        self.limits: Limits = LIMITS
        self.sandbox = SANDBOX
        self.judge: Judge | None = Remembering(STAND_IN, _MEMORY)
        self.during: Callable[[Stage], None] = lambda stage: None
        self.module = MODULE

    # -- what is handed in

    def hand_in(self) -> None:
        """Copies of the reference submission and of the starter."""
        shutil.copytree(self.base.solved, self.tree)
        shutil.copytree(STARTER, self.starter)

    def write(self, path: str, text: str) -> None:
        """A file of the submission."""
        place = self.tree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def script(self, *lines: str) -> None:
        """`reproduce.sh` in other words."""
        told = "echo replay $REFEREE_REPLAY_NONCE"
        self.write("reproduce.sh", "\n".join(("set -eu", told, *lines, "")))

    def edit(self, old: str, new: str, path: str = "src/solve.py") -> None:
        """Replace a text in a file of the submission, once."""
        text = (self.tree / path).read_text()
        assert text.count(old) == 1, old
        self.write(path, text.replace(old, new))

    def store(self, folder: str) -> None:
        """What the reference left, in a folder of the submission."""
        made = self.base.frozen / "outputs" / "outputs"
        shutil.copytree(made, self.tree / folder, dirs_exist_ok=True)

    # -- what was frozen

    def freeze(self) -> None:
        """A copy of the reference evidence that can be changed, as if the replay had left it so."""
        shutil.copytree(self.base.frozen, self.folder)
        for place in (self.folder, *self.folder.rglob("*")):
            place.chmod(0o755 if place.is_dir() else 0o644)

    @property
    def outputs(self) -> Path:
        return self.folder / "outputs" / "outputs"

    def observations(self) -> dict[str, list[dict[str, Any]]]:
        """The manifest's."""
        told = json.loads((self.outputs / "evidence_manifest.json").read_text())
        return dict(told["observations"])

    def tell(self, observations: object) -> None:
        """Write the manifest."""
        told = json.dumps({"observations": observations})
        (self.outputs / "evidence_manifest.json").write_text(told)

    def entry(self, case: str, key: str = "slab", **facts: object) -> dict[str, Any]:
        """The manifest's entry of a case, with some facts of it changed."""
        observations = self.observations()
        (found,) = (one for one in observations[key] if one["case_id"] == case)
        found.update(facts)
        self.tell(observations)
        return dict(found)

    def data(self, case: str) -> dict[str, Any]:
        """The columns of a case."""
        return dict(json.loads((self.outputs / f"{case}.json").read_text()))

    def put(self, case: str, data: object, name: str = "") -> None:
        """New content of the file of a case, as JSON or bytes, with the digest in the manifest."""
        raw = data if isinstance(data, bytes) else json.dumps(data).encode()
        name = name or f"{case}.json"
        (self.outputs / name).write_bytes(raw)
        key = {"thin": "slab", "thick": "slab", "summary": "summary"}.get(case, "graded")
        self.entry(
            "fine" if case == "summary" else case,
            key,
            path=f"outputs/{name}",
            sha256=sha256(raw).hexdigest(),
        )

    # -- what becomes of it

    def replayed(
        self, *, for_real: bool, reached: Callable[[str], object] = lambda step: None
    ) -> Outcome:
        """Replay the submission and grade it. Not for real means that no script runs: what the
        reference left is put in the place of outputs, and every other step is the real one."""
        if not for_real:
            self.patch.setattr("referee.replay.engine.run_script", self._pretend)
        request = Request(
            task="902-slabs",
            task_digest="b" * 64,
            submission=self.tree,
            starter=self.starter,
            policy=EvaluationPolicy.model_validate_json(json.dumps(self.policy)),
            folder=self.folder,
            around=Surroundings(limits=self.sandbox),
            grace_s=0.5,
        )
        try:
            record = replay(request, self.base.store, reached)
        except Infrastructure as fault:
            return lost(fault.reason)
        if record.status == "runner_failed":
            assert not verify(self.folder).ok
            return replace(lost(record.reason or ""), record=record)
        assert verify(self.folder).ok, verify(self.folder)
        return self.graded(record)

    def _pretend(
        self, stage: Stage, _store: Store, budget_s: float, grace_s: float
    ) -> tuple[Completed, Isolation]:
        shutil.copytree(self.base.frozen / "outputs", stage.upper, dirs_exist_ok=True)
        self.during(stage)
        argv = sandboxed.command(budget_s, grace_s)
        said = stage.spec.env[sandboxed.NONCE].encode()
        done = Completed(argv, "exit", 0, None, said, b"", False, 0.1, 0.1, 0)
        return done, Isolation(backend="none, for tests", network="none", uid=65534, limits=())

    def sealed(self, harm: Callable[[World], None]) -> Outcome:
        """The reference evidence, verified before and after something is done to it."""
        shutil.copytree(self.base.frozen, self.folder)
        before = verify(self.folder)
        assert before.ok
        harm(self)
        after = verify(self.folder, before.record_sha256)
        return self.graded() if after.ok else lost("invalid_evidence")

    def packaged(self, harm: Callable[[World], None]) -> Outcome:
        """The reference evidence, if a package to which something is done can be used at all."""
        shutil.copytree(PACKAGE, self.package)
        harm(self)
        try:
            load_scheme(load_task(self.package))
        except BadInput as fault:
            return lost(fault.what.partition(":")[0])
        self.freeze()
        return self.graded()

    def graded(self, record: ReplayRecord | None = None) -> Outcome:
        """Findings by code and judge from what is frozen, and the grade."""
        record = record or self.base.record
        found = evidence_of(self.folder, PACKAGE)
        evidence = Evidence(
            {kind: replace(root, limits=self.limits) for kind, root in found.roots.items()},
            self.limits,
        )
        effect: Effect = "judge_prefix"
        if record.reason is not None:
            effect = consequence_of(record.reason).effect
        if effect == "withhold":
            return lost(record.reason or "")
        scheme = replace(SCHEME, module=self.module)
        judging = Judging(self.judge, self.audit)
        decided = findings_of(scheme, record, effect, evidence, judging)
        done = grade(scheme.rubric, decided.of_leaf)
        told = "\n".join(decided.detail(name) for name in LEAVES if done.leaves[name].score != 1)
        return Outcome(record.reason, done.leaves, done, record, told)


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def lost(reason: str) -> Outcome:
    """The machine failed: every leaf is withheld."""
    leaf = LeafScore(None, Fraction(0), Fraction(1), "withheld", reason)
    return Outcome(reason, dict.fromkeys(LEAVES, leaf), None, None)


def tear_down(root: Path) -> None:
    """Remove frozen folders, too."""
    for path in root.iterdir():
        if path.is_dir() and not path.is_symlink():
            remove_tree(path)
