"""Where things lie in a run folder, and what the bodies of its ledger lines say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from referee.record.fault import BadInput
from referee.record.load import load_record
from referee.record.plan import RunPlan
from referee.record.trial import TrialIdentity
from referee.trial.ledger import LEDGER, LOCK, TORN, LedgerText, Line, read_ledger

RUN_FILE = "run.json"
TRIALS = "trials"
INTERRUPTED = "interrupted"
INDEX = "index.parquet"
TRIAL_FILE = "trial.json"
VERDICT_FILE = "verdict.json"
PATCH_FILE = "submission/patch.diff"
REPLAY, JUDGE = "replay", "judge"
"""Below the folder of a trial at a reproduction task: frozen evidence, and the judge's audit."""

PARTIAL = ".partial-"

_TEMPORARY = re.compile(r"^\.(run\.json|ledger\.torn-\d+|index\.parquet)\.[a-z0-9_]{8}\.partial$")
_TORN = re.compile(rf"^{re.escape(TORN)}[1-9]\d*$")


def is_temporary(name: str) -> bool:
    """Whether a name at the top of a run is what an interrupted atomic write leaves."""
    return _TEMPORARY.match(name) is not None


def is_known_at_top(name: str) -> bool:
    """Whether a file or folder of this name belongs at the top of a run folder."""
    fixed = {RUN_FILE, LEDGER, LOCK, TRIALS, INTERRUPTED, INDEX}
    return name in fixed or is_temporary(name) or _TORN.match(name) is not None


def attempt_number(name: str) -> int | None:
    """The attempt whose folder has this name, or None if no attempt's folder has it."""
    if not (name.isascii() and name.isdecimal()) or name.startswith("0"):
        return None
    return int(name)


def verdict_path(content_digest: str) -> str:
    """A verdict's file below its trial's folder."""
    return f"grade/{content_digest}/{VERDICT_FILE}"


@dataclass(frozen=True)
class TrialEntry:
    """A trial in the ledger: where its record lies, and the digest of the record's folder.

    `verdicts` are the digests of its verdicts, the first one (of the trial itself) first; a
    withheld trial that was never regraded has none, or the one of a reproduction with open leaves.
    """

    identity: TrialIdentity
    path: str
    digest: str
    outcome: str
    verdicts: tuple[str, ...]


def trial_entries(lines: tuple[Line, ...] | list[Line]) -> dict[tuple[str, str, int], TrialEntry]:
    """The trials of a ledger by (task, arm, attempt), with later regrades taken in.

    Raises:
        BadInput: a body is not of the form that `run_folder` writes, or a trial stands twice.
    """
    found: dict[tuple[str, str, int], TrialEntry] = {}
    for line in lines:
        if line.kind not in ("trial", "regrade"):
            continue
        try:
            identity = TrialIdentity.model_validate(line.body["identity"])
            digest, verdict = str(line.body["digest"]), line.body["verdict"]
            known = found.get(identity.key)
            if (known is None) != (line.kind == "trial"):
                raise ValueError("a trial stands twice, or a regrade has no trial")
            outcome = known.outcome if known else str(line.body["outcome"])
        except (KeyError, ValueError, ValidationError) as error:
            raise BadInput(
                f"{LEDGER} line {line.seq + 1} is not a line of referee ({type(error).__name__})",
                hint="run `referee audit` on the run",
            ) from None
        verdicts = known.verdicts if known else ()
        if verdict is not None:
            verdicts = (*verdicts, str(verdict))
        found[identity.key] = TrialEntry(identity, identity.folder, digest, outcome, verdicts)
    return found


def read_run(run: Path) -> tuple[RunPlan, LedgerText]:
    """The plan and the ledger of a run, for readers; the ledger's chain holds.

    Raises:
        BadInput: this is no run folder, it is of another record version, or its ledger is damaged.
    """
    if not run.is_dir():
        raise BadInput("no such run folder", where=run, hint="name the folder that --out made")
    plan = load_record(run / RUN_FILE, RunPlan)
    text = read_ledger(run)
    if text.fault is not None or not text.lines:
        raise BadInput(
            f"the ledger is damaged ({text.fault or 'it has no line'})",
            where=run,
            hint="run `referee audit` on the run",
        )
    return plan, text


def attempt_folders(run: Path) -> Iterator[tuple[str, str, Path]]:
    """Everything at the depth of a trial below `trials/`: task, arm, path; folders or not."""
    for task in _below(run / TRIALS):
        for arm in _below(task):
            for attempt in _below(arm):
                yield task.name, arm.name, attempt


def _below(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []
