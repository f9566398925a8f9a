"""A run on disk, as its one writer sees it: create or resume, begin, commit, seal.

The ledger's bodies: `genesis` {run_json, plan}, `trial` {identity, outcome, verdict, digest},
`interrupted` {what, path, digest, and for a `what` of retry the reason}, `regrade` {identity,
verdict, digest}, `seal` {plan, trials}.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from referee.record.atomic import fsync_directory, write_atomic
from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput
from referee.record.folder import folder_digest, fsync_folder
from referee.record.load import encode_record, load_record
from referee.record.plan import RunPlan
from referee.record.trial import Trial, TrialIdentity
from referee.record.verdict import Verdict
from referee.trial.check_record import record_problems
from referee.trial.layout import (
    INTERRUPTED,
    PARTIAL,
    PATCH_FILE,
    RUN_FILE,
    TRIAL_FILE,
    TRIALS,
    TrialEntry,
    is_known_at_top,
    is_temporary,
    trial_entries,
    verdict_path,
)
from referee.trial.ledger import LEDGER, LOCK, LedgerWriter, Line, lock_run, writing_to
from referee.trial.resume import append_trial, make_folders, put_aside, recover


@dataclass(frozen=True)
class PartialTrial:
    """A trial that is being made: a hidden folder that becomes the record when it is committed.

    Write only what belongs in the record below `path` (for example `agent/transcript.jsonl`).
    """

    identity: TrialIdentity
    path: Path

    def write(self, relative: str, data: bytes) -> None:
        """Write one file of the record.

        Raises:
            ValueError: the path leaves the record.
            BadInput: the disk is full.
        """
        pure = PurePosixPath(relative)
        if pure.is_absolute() or ".." in pure.parts or not pure.parts:
            raise ValueError(f"{relative!r} is not a path inside a record")
        with writing_to(self.path):
            target = self.path / pure
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


class RunFolder:
    """The writer of one run. Made by `open_run`; methods may be called from several threads."""

    def __init__(self, path: Path, plan: RunPlan, ledger: LedgerWriter):
        self.path = path
        self.plan = plan
        self._ledger = ledger
        self._lock = threading.Lock()
        self._planned = {identity.key: identity for identity in plan.trials()}
        self._finished = trial_entries(ledger.lines)
        self._open = True

    @property
    def head(self) -> str:
        """The hash of the ledger's last line: publish it, and nobody can change the run unseen."""
        return self._ledger.head

    @property
    def finished(self) -> Mapping[tuple[str, str, int], TrialEntry]:
        """The trials that are in the ledger, by (task, arm, attempt)."""
        return dict(self._finished)

    def pending(self) -> tuple[TrialIdentity, ...]:
        """The planned trials without a ledger line, in the plan's order."""
        return tuple(i for key, i in self._planned.items() if key not in self._finished)

    def begin_trial(self, identity: TrialIdentity) -> PartialTrial:
        """An empty partial folder for a trial.

        Raises:
            ValueError: the trial is not planned, or is finished.
            BadInput: the disk is full.
        """
        if self._planned.get(identity.key) != identity:
            raise ValueError(f"{identity.folder} is not a trial of the plan")
        if identity.key in self._finished:
            raise ValueError(f"{identity.folder} is finished, and is never run again")
        with writing_to(self.path):
            with self._lock:
                parent = make_folders(self.path, Path(identity.folder).parent)
            made = tempfile.mkdtemp(prefix=f"{PARTIAL}{identity.attempt}-", dir=parent)
        return PartialTrial(identity, Path(made))

    def commit_trial(
        self,
        partial: PartialTrial,
        trial: Trial,
        *,
        verdict: Verdict | None = None,
        patch: bytes | None = None,
    ) -> TrialEntry:
        """Make the record whole, durable and counted, in this order: files, rename, ledger line.

        `patch` becomes `submission/patch.diff`. Cut off before the rename, the trial is run again
        and the part is kept aside; cut off after it, the next `open_run` adds the line.

        Raises:
            ValueError: trial, verdict and patch do not fit together.
            BadInput: the disk is full or failed; the run must stop.
        """
        if verdict is not None:
            partial.write(verdict_path(verdict.content_digest), encode_record(verdict))
        if patch is not None:
            partial.write(PATCH_FILE, patch)
        partial.write(TRIAL_FILE, encode_record(trial))
        problems = record_problems(partial.path, partial.identity, self.plan)
        if problems:
            raise ValueError(f"the record does not hold together: {'; '.join(problems)}")
        target = self.path / partial.identity.folder
        with writing_to(self.path):
            partial.path.chmod(0o755)
            fsync_folder(partial.path)
            with self._lock:
                self._require_open()
                if target.exists() or partial.identity.key in self._finished:
                    raise ValueError(f"{partial.identity.folder} is already recorded")
                partial.path.rename(target)
                fsync_directory(target.parent)
                line = append_trial(self.path, self._ledger, trial)
                self._finished |= trial_entries([line])
        return self._finished[partial.identity.key]

    def put_try_aside(self, partial: PartialTrial, trial: Trial) -> str:
        """Keep a try that the machine failed, for the trial to be tried again; returns where it
        lies, below the run. It counts for nothing, and the ledger names it.

        Raises:
            ValueError: the trial was not withheld.
            BadInput: the disk is full or failed.
        """
        if trial.withheld is None:
            raise ValueError("only what the machine failed is tried again")
        partial.write(TRIAL_FILE, encode_record(trial))
        identity = partial.identity
        place = Path(INTERRUPTED, identity.task_id, identity.arm)
        with writing_to(self.path), self._lock:
            self._require_open()
            partial.path.chmod(0o755)
            aside = put_aside(self.path, partial.path, place, str(identity.attempt))
            path = aside.relative_to(self.path).as_posix()
            self._ledger.append(
                "interrupted",
                {
                    "what": "retry",
                    "path": path,
                    "digest": folder_digest(aside),
                    "reason": trial.withheld.reason,
                },
            )
        return path

    def add_regrade(
        self,
        identity: TrialIdentity,
        verdict: Verdict,
        folders: Mapping[str, Path] = MappingProxyType({}),
    ) -> bool:
        """Put a later verdict beside the earlier ones; False if an equal one is there already.
        `folders` are what it rests on, by name: they are moved beside it.

        Raises:
            ValueError: the trial is not recorded, or the verdict is of another submission.
            BadInput: the disk is full or failed.
        """
        entry = self._finished[identity.key]
        folder = self.path / entry.path
        if verdict.content_digest in entry.verdicts:
            return False
        trial = load_record(folder / TRIAL_FILE, Trial)
        submission = trial.submission
        if submission is None or submission.submission_digest != verdict.submission_digest:
            raise ValueError("the verdict is of another submission")
        with writing_to(self.path), self._lock:
            self._require_open()
            target = make_folders(self.path, Path(entry.path, "grade")) / verdict.content_digest
            staged = Path(tempfile.mkdtemp(prefix=f"{PARTIAL}regrade-", dir=folder.parent))
            (staged / "verdict.json").write_bytes(encode_record(verdict))
            for name, place in folders.items():
                place.rename(staged / name)
            staged.chmod(0o755)
            fsync_folder(staged)
            staged.rename(target)
            fsync_directory(target.parent)
            self._ledger.append(
                "regrade",
                {
                    "identity": identity.as_json(),
                    "verdict": verdict.content_digest,
                    "digest": folder_digest(folder),
                },
            )
            self._finished = trial_entries(self._ledger.lines)
        return True

    def seal(self) -> bool:
        """Close the ledger once every planned trial is in it; False while some are pending."""
        with self._lock:
            self._require_open()
            if self.pending():
                return False
            if self._ledger.lines[-1].kind != "seal":
                self._ledger.append(
                    "seal",
                    {"plan": self.plan.identity_digest, "trials": len(self._finished)},
                )
            return True

    def close(self) -> None:
        """Refuse every later change; waits for a commit that is being made."""
        with self._lock:
            self._open = False

    def _require_open(self) -> None:
        # A thread may outlive the block that holds the lock; it must not write without it.
        if not self._open:
            raise BadInput("the run is closed", where=self.path)


@contextlib.contextmanager
def open_run(path: Path, plan: RunPlan) -> Iterator[RunFolder]:
    """Create the run folder `path`, or resume it if it is an unfinished run of the same plan.

    The run is locked until the block ends. A resumed run keeps its first `run.json`.

    Raises:
        BadInput: another process writes it, it is not a run, a run of another plan or of another
            record version, it is damaged, or the disk is full.
    """
    _require_run_or_empty(path)
    with writing_to(path):
        path.mkdir(parents=True, exist_ok=True)
    with lock_run(path):
        kept = _settle_plan(path, plan)
        with writing_to(path):
            ledger = LedgerWriter(path)
            _settle_genesis(path, kept, ledger)
            recover(path, kept, ledger)
        run = RunFolder(path, kept, ledger)
        try:
            yield run
        finally:
            run.close()


def _require_run_or_empty(path: Path) -> None:
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise BadInput("is not a folder", where=path, hint="choose another --out")
    if not path.is_dir():
        return
    try:
        names = [entry.name for entry in path.iterdir()]
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=path) from error
    foreign = sorted(name for name in names if not is_known_at_top(name))
    loose = [name for name in names if name != LOCK and not is_temporary(name)]
    if foreign or (loose and RUN_FILE not in names):
        what = f"it holds {foreign[0]!r}" if foreign else f"it has no {RUN_FILE}"
        raise BadInput(f"the folder is not a run ({what})", where=path, hint="choose another --out")


def _settle_plan(path: Path, plan: RunPlan) -> RunPlan:
    if not (path / RUN_FILE).exists():
        with writing_to(path):
            write_atomic(path / RUN_FILE, encode_record(plan))
            fsync_directory(path.parent)
        return plan
    kept = load_record(path / RUN_FILE, RunPlan)
    if kept.identity_digest != plan.identity_digest:
        old, new = kept.identity(), plan.identity()
        differs = ", ".join(sorted(key for key in old if old[key] != new[key]))
        raise BadInput(
            f"the folder holds a run of another plan (it differs in {differs})",
            where=path,
            hint="choose another --out, or repeat the command that began this run",
        )
    return kept


def _settle_genesis(path: Path, plan: RunPlan, ledger: LedgerWriter) -> None:
    run_json = sha256_bytes((path / RUN_FILE).read_bytes())
    if not ledger.lines:
        if any((path / TRIALS).glob("*/*/[0-9]*")):
            raise BadInput(
                "the ledger has no lines, and there are trials",
                where=path / LEDGER,
                hint="run `referee audit` on the run",
            )
        ledger.append("genesis", genesis_body(run_json, plan))
    if not is_genesis(ledger.lines[0], run_json, plan):
        raise BadInput(
            f"the ledger was begun with another {RUN_FILE}",
            where=path,
            hint="run `referee audit` on the run",
        )


def genesis_body(run_json: str, plan: RunPlan) -> dict[str, str]:
    """The body of the first line: the hash of the bytes of `run.json`, and the plan's identity."""
    return {"run_json": run_json, "plan": plan.identity_digest}


def is_genesis(line: Line, run_json: str, plan: RunPlan) -> bool:
    """Whether `line` is the first line that belongs to this plan."""
    return line.kind == "genesis" and line.body == genesis_body(run_json, plan)
