"""From a submission to the verdict of a reproduction task: clean replay, evidence, leaves."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from referee.environment.store import remove_tree
from referee.grade.facts import grader_facts
from referee.grade.reproduction.delivered import write_delivery
from referee.grade.reproduction.findings import Findings, Judging, findings_of, nothing
from referee.grade.reproduction.scheme import Scheme
from referee.grade.workspace import Bench, environment_facts, limits_of, open_scratch, variables_of
from referee.judge.protocol import Judge
from referee.metric.rubric.grade import Grade, grade
from referee.metric.rubric.totals import totals_of
from referee.record.fault import Infrastructure
from referee.record.reproduction import (
    Cap,
    JudgeFacts,
    LeafResult,
    ReplayResult,
    Reproduction,
)
from referee.record.text import bounded_text
from referee.record.verdict import EnforcementRow, Verdict
from referee.replay.engine import Request, replay
from referee.replay.failures import consequence_of
from referee.replay.record import ReplayRecord
from referee.replay.roots import evidence_of
from referee.replay.sandboxed import Surroundings
from referee.replay.verify import Integrity, verify
from referee.sandbox.protocol import Mount
from referee.submission.apply import Applied, tree_reader
from referee.submission.gate import Submission

REPLAYS = 2
"""How often a replay is begun at most: one that the machine failed is repeated once."""


@dataclass(frozen=True)
class Places:
    """Where a grading keeps what it rests on: frozen evidence, and the judge's private audit."""

    evidence: Path
    audit: Path


def grade_reproduction(
    bench: Bench,
    scheme: Scheme,
    submission: Submission,
    applied: Applied | None,
    *,
    judge: Judge | None,
    places: Places,
) -> Verdict:
    """Replay a submission in a fresh sandbox, and decide each leaf from what was frozen.

    A refused submission, a failed script and missing evidence are scored. Leaves that the judge or
    the evaluator could not decide are withheld in the verdict, which then has bounds.

    Raises:
        Infrastructure: the machine failed the replay, or the evidence changed while it was judged:
            there is no verdict.
    """
    if applied is None or submission.refusal is not None:
        reason = submission.refusal.reason if submission.refusal is not None else "not_applicable"
        result = ReplayResult(status="rejected", reason=reason, delivery="delivered")
        return _verdict(bench, scheme, submission, result, nothing(scheme, reason), None, {}, ())
    start = time.monotonic()
    record = _replayed(bench, scheme, applied, places.evidence)
    timing = {"replay": round(time.monotonic() - start, 6)}
    return judge_frozen(
        bench, scheme, submission, record, judge=judge, places=places, timing=timing
    )


def judge_frozen(
    bench: Bench,
    scheme: Scheme,
    submission: Submission,
    record: ReplayRecord,
    *,
    judge: Judge | None,
    places: Places,
    timing: dict[str, float] | None = None,
) -> Verdict:
    """Decide each leaf from evidence that was frozen before, which is verified before and after.

    Raises:
        Infrastructure: `invalid_evidence`, it is not what its receipt says.
    """
    before = _verified(places.evidence)
    start = time.monotonic()
    digests = {
        "scheme": scheme.digest,
        "receipt": before.record_sha256 or "",
        "task": scheme.task.digest,
    }
    effect = "judge_prefix" if record.reason is None else consequence_of(record.reason).effect
    found = findings_of(
        scheme,
        record,
        effect,
        evidence_of(places.evidence, scheme.task.root),
        Judging(judge, places.audit, digests),
    )
    _verified(places.evidence, before.record_sha256)
    spent = {**(timing or {}), "leaves": round(time.monotonic() - start, 6)}
    assert record.status in ("completed", "failed", "rejected")
    result = ReplayResult(
        status=record.status,
        reason=record.reason,
        delivery=record.delivery.delivery,
        exit_code=record.exit_code,
        timed_out=record.timed_out,
        record_sha256=before.record_sha256,
    )
    limits = () if record.isolation is None else record.isolation.limits
    return _verdict(bench, scheme, submission, result, found, judge, spent, limits)


def _replayed(bench: Bench, scheme: Scheme, applied: Applied, folder: Path) -> ReplayRecord:
    policy = scheme.package.policy
    snapshot = bench.prepared.snapshot
    scratch = open_scratch(bench.store, "delivery")
    try:
        delivered = write_delivery(
            applied, tree_reader(snapshot.manifest, snapshot.tree), scratch / "submission"
        )
        request = Request(
            task=scheme.task.label,
            task_digest=scheme.task.digest,
            submission=delivered,
            starter=scheme.task.root / "environment" / "starter_submission",
            policy=policy,
            folder=folder,
            around=_surroundings(bench, policy.replay_timeout_sec),
        )
        record = replay(request, bench.store)
        for _again in range(1, REPLAYS):
            if record.status == "runner_failed":
                record = replay(request, bench.store)
    finally:
        remove_tree(scratch)
    if record.status == "runner_failed":
        told = record.error.message if record.error is not None else "the replay failed"
        raise Infrastructure(record.reason or "runner_error", told)
    return record


def _surroundings(bench: Bench, wall_s: float) -> Surroundings:
    return Surroundings(
        interpreter=bench.prepared.interpreter.inside_executable,
        mounts=tuple(Mount(source, target) for source, target in bench.prepared.mounts),
        env=variables_of(bench.file),
        limits=limits_of(bench.file, wall_s=wall_s),
        environment=bench.prepared.environment.digest,
    )


def _verified(folder: Path, record_sha256: str | None = None) -> Integrity:
    found = verify(folder, record_sha256)
    if not found.ok:
        raise Infrastructure("invalid_evidence", "; ".join(found.problems[:3]))
    return found


def _verdict(
    bench: Bench,
    scheme: Scheme,
    submission: Submission,
    result: ReplayResult,
    found: Findings,
    judge: Judge | None,
    timing: dict[str, float],
    limits: tuple[str, ...],
) -> Verdict:
    graded = grade(scheme.rubric, found.of_leaf, found.coded.groups)
    leaves = _leaf_results(scheme, graded, found)
    cap = _cap(scheme, found)
    total, parts = totals_of(leaves, cap)
    who = None if judge is None else judge.identity
    return Verdict(
        task_id=scheme.task.label,
        task_digest=scheme.task.digest,
        submission_digest=submission.patch,
        base_tree=bench.prepared.snapshot.manifest.digest,
        result_tree=submission.result,
        grader=grader_facts(),
        environment=environment_facts(bench),
        reproduction=Reproduction(
            replay=result,
            judge=None
            if who is None
            else JudgeFacts(
                transport=who.transport,
                model=who.model,
                stand_in=who.stand_in,
                fingerprint=who.fingerprint,
            ),
            leaves=leaves,
            total=total,
            parts=parts,
            cap=cap,
            evidence_review_required=graded.evidence_review_required,
        ),
        refusal=None if submission.refusal is None else submission.refusal.reason,
        enforcement=tuple(_enforcement(row) for row in limits),
        timing=timing,
    )


def _cap(scheme: Scheme, found: Findings) -> Cap | None:
    policy, gate = scheme.rubric.root.gate_and_cap, found.coded.gate
    if policy is None:
        return None
    low, high = gate if gate is not None else (Fraction(0), Fraction(0))
    return Cap(
        gate_low=str(low),
        gate_high=str(high),
        cap_floor=str(policy.cap_floor),
        health=policy.health,
    )


def _leaf_results(scheme: Scheme, graded: Grade, found: Findings) -> tuple[LeafResult, ...]:
    rows = []
    for leaf in scheme.rubric.leaves:
        score = graded.leaves[leaf.id]
        if leaf.id in found.zeroed:
            score = replace(score, reason=found.reason)
        rows.append(
            LeafResult(
                id=leaf.id,
                category=leaf.category,
                share=str(leaf.share),
                by=leaf.node.how.by,
                score=None if score.score is None else str(score.score),
                low=str(score.low),
                high=str(score.high),
                method=score.method,
                reason=score.reason,
                detail=bounded_text(found.detail(leaf.id)),
            )
        )
    return tuple(rows)


def _enforcement(row: str) -> EnforcementRow:
    limit, _, rest = row.partition(" by ")
    by, _, value = rest.partition(": ")
    return EnforcementRow(phase="replay", limit=limit, by=by, value=value)
