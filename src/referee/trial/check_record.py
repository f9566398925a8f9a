"""Whether the record of a trial holds together: its identity, its hashes, its scores."""

from __future__ import annotations

from pathlib import Path

from referee.metric.artifact import measure_problem
from referee.metric.repair import repair_scores
from referee.metric.rubric.totals import totals_of
from referee.record.canonical import sha256_file
from referee.record.fault import BadInput
from referee.record.folder import irregular_entries
from referee.record.load import encode_record, load_record
from referee.record.plan import RunPlan
from referee.record.reproduction import Reproduction
from referee.record.trial import Trial, TrialIdentity
from referee.record.verdict import Verdict
from referee.replay.verify import verify
from referee.trial.layout import PATCH_FILE, REPLAY, TRIAL_FILE, VERDICT_FILE, verdict_path

_MOST = 5


def record_problems(folder: Path, identity: TrialIdentity, plan: RunPlan) -> list[str]:
    """What is wrong with the record of `identity` in `folder`, one sentence each; none if sound.

    Scores are computed again from the checks: what a record says about itself is only a claim.
    """
    try:
        trial = load_record(folder / TRIAL_FILE, Trial)
        problems = [f"{path} is not a regular file" for path in irregular_entries(folder)]
        if (folder / TRIAL_FILE).read_bytes() != encode_record(trial):
            problems.append(f"{TRIAL_FILE} is not in canonical form")
        if trial.identity != identity:
            problems.append(f"{TRIAL_FILE} is the record of another trial")
        problems += _submission_problems(folder, trial)
        names = {path.name for path in (folder / "grade").glob("*")}
        if trial.verdict_digest is not None:
            names.add(trial.verdict_digest)
        for name in sorted(names):
            verdict = load_record(folder / verdict_path(name), Verdict)
            problems += _verdict_problems(folder, name, verdict, trial)
            if name == trial.verdict_digest:
                problems += _graded_problems(verdict, trial, plan)
    except BadInput as error:
        return [str(error)]
    except OSError as error:
        return [f"{folder.name}: cannot be read ({error.strerror})"]
    return problems


def _verdict_problems(folder: Path, name: str, verdict: Verdict, trial: Trial) -> list[str]:
    problems = []
    if (folder / verdict_path(name)).read_bytes() != encode_record(verdict):
        problems.append(f"{VERDICT_FILE} is not in canonical form")
    if verdict.content_digest != name:
        problems.append(f"the verdict in grade/{name} is another one")
    if (verdict.task_id, verdict.task_digest) != (
        trial.identity.task_id,
        trial.identity.task_digest,
    ):
        problems.append(f"grade/{name} is the verdict of another task")
    submission = trial.submission
    if submission is None or verdict.submission_digest != submission.submission_digest:
        problems.append(f"grade/{name} is the verdict of another submission")
    if verdict.reproduction is not None:
        made = verdict.reproduction
        problems += [f"grade/{name}: {what}" for what in _reproduction_problems(made)]
        problems += _evidence_problems(folder, name, made)
    elif verdict.scores != repair_scores(verdict.checks):
        problems.append(f"the scores in grade/{name} do not follow from its checks")
    if verdict.measure is not None and (what := measure_problem(verdict.measure, verdict.checks)):
        problems.append(f"grade/{name}: {what}")
    return problems


def _submission_problems(folder: Path, trial: Trial) -> list[str]:
    if trial.submission is None:
        return []
    path = folder / PATCH_FILE
    if not path.is_file():
        return [f"{PATCH_FILE} is missing"]
    size = path.stat().st_size
    if (sha256_file(path), size) != (trial.submission.submission_digest, trial.submission.bytes):
        return [f"{PATCH_FILE} is not the submission that {TRIAL_FILE} names"]
    return []


def _evidence_problems(folder: Path, name: str, made: Reproduction) -> list[str]:
    """What of the frozen evidence is not as its receipt says; a later verdict has its own, or rests
    on that of the trial."""
    if made.replay.record_sha256 is None:
        return []
    own = folder / "grade" / name / REPLAY
    found = verify(own if own.is_dir() else folder / REPLAY, made.replay.record_sha256)
    return [f"{REPLAY}: {what}" for what in found.problems[:_MOST]]


def _reproduction_problems(made: Reproduction) -> list[str]:
    if (made.total, made.parts) != totals_of(made.leaves, made.cap):
        return ["the score does not follow from its leaves"]
    return []


def _graded_problems(verdict: Verdict, trial: Trial, plan: RunPlan) -> list[str]:
    problems = []
    made = verdict.reproduction
    total = None if made is None else made.total
    if (trial.scores, trial.reproduction) != (verdict.scores, total):
        problems.append(f"the scores in {TRIAL_FILE} are not those of the verdict")
    if trial.submission is None or trial.submission.refusal != verdict.refusal:
        problems.append(f"the refusal in {TRIAL_FILE} is not that of the verdict")
    if verdict.grader.code_digest != plan.grader.code_digest:
        problems.append("the verdict was made by another grader than the plan's")
    return problems
