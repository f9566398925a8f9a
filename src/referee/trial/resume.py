"""What a killed run left behind, put in order: adopted, put aside, or refused; never deleted."""

from __future__ import annotations

from pathlib import Path

from referee.record.atomic import fsync_directory
from referee.record.fault import BadInput
from referee.record.folder import folder_digest, fsync_folder
from referee.record.load import load_record
from referee.record.plan import RunPlan
from referee.record.trial import Trial
from referee.trial.check_record import record_problems
from referee.trial.layout import (
    INTERRUPTED,
    PARTIAL,
    TRIAL_FILE,
    TrialEntry,
    attempt_folders,
    attempt_number,
    is_temporary,
    trial_entries,
)
from referee.trial.ledger import LedgerWriter, Line

_AUDIT = "run `referee audit` on the run"


def recover(run: Path, plan: RunPlan, ledger: LedgerWriter) -> None:
    """Bring a run that was cut off anywhere to a state in which every finished trial has its line.

    Raises:
        BadInput: something in the run is damaged, missing, or not referee's.
    """
    sweep_temporary(run)
    ledger.record_torn()
    finished = trial_entries(ledger.lines)
    for entry in finished.values():
        if not (run / entry.path / TRIAL_FILE).is_file():
            raise BadInput("a finished trial is missing", where=run / entry.path, hint=_AUDIT)
        _put_regrades_aside(run, entry)
    _put_partials_aside(run)
    _record_interrupted(run, ledger)
    planned = {identity.key: identity for identity in plan.trials()}
    for task, arm, folder in attempt_folders(run):
        attempt = attempt_number(folder.name)
        if attempt is None:
            raise BadInput("does not belong in a run", where=folder, hint=_AUDIT)
        key = (task, arm, attempt)
        if key in finished:
            continue
        identity = planned.get(key)
        if identity is None:
            raise BadInput("is not a trial of the plan", where=folder, hint=_AUDIT)
        problems = record_problems(folder, identity, plan)
        if problems:
            raise BadInput(f"cannot be adopted: {problems[0]}", where=folder, hint=_AUDIT)
        append_trial(run, ledger, load_record(folder / TRIAL_FILE, Trial))


def append_trial(run: Path, ledger: LedgerWriter, trial: Trial) -> Line:
    """The ledger line that makes a trial count."""
    return ledger.append(
        "trial",
        {
            "identity": trial.identity.as_json(),
            "outcome": trial.outcome,
            "verdict": trial.verdict_digest,
            "digest": folder_digest(run / trial.identity.folder),
        },
    )


def sweep_temporary(run: Path) -> None:
    """Remove the temporary files of writes that were cut off before their rename."""
    for path in run.iterdir():
        if is_temporary(path.name) and path.is_file():
            path.unlink()


def make_folders(run: Path, relative: Path) -> Path:
    """Create `run/relative` with its parents, each durable."""
    place = run
    for part in relative.parts:
        child = place / part
        if not child.is_dir():
            child.mkdir(exist_ok=True)
            fsync_directory(place)
        place = child
    return place


def _put_partials_aside(run: Path) -> None:
    for task, arm, folder in list(attempt_folders(run)):
        if folder.name.startswith(PARTIAL):
            attempt = folder.name.removeprefix(PARTIAL).partition("-")[0]
            put_aside(run, folder, Path(INTERRUPTED, task, arm), attempt)


def _put_regrades_aside(run: Path, entry: TrialEntry) -> None:
    """A verdict that was moved into a finished record, and did not get its line."""
    grades = run / entry.path / "grade"
    if not grades.is_dir():
        return
    identity = entry.identity
    for folder in sorted(grades.iterdir()):
        if folder.name not in entry.verdicts:
            place = Path(INTERRUPTED, identity.task_id, identity.arm)
            put_aside(run, folder, place, f"{identity.attempt}-regrade")
    if not any(grades.iterdir()):
        grades.rmdir()


def put_aside(run: Path, folder: Path, place: Path, name: str) -> Path:
    """Move a folder of the run to `place/name.N`, durably, with the first N that is free."""
    target = make_folders(run, place)
    number = 1
    while (target / f"{name}.{number}").exists():
        number += 1
    fsync_folder(folder)
    aside = folder.rename(target / f"{name}.{number}")
    fsync_directory(target)
    fsync_directory(folder.parent)
    return aside


def _record_interrupted(run: Path, ledger: LedgerWriter) -> None:
    recorded = {str(line.body.get("path")) for line in ledger.lines if line.kind == "interrupted"}
    for folder in sorted((run / INTERRUPTED).glob("*/*/*")):
        path = folder.relative_to(run).as_posix()
        if path not in recorded:
            ledger.append(
                "interrupted",
                {"what": "attempt", "path": path, "digest": folder_digest(folder)},
            )
