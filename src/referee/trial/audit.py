"""Audit of a run: every byte accounted for, every score computed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.record.canonical import sha256_bytes, sha256_file
from referee.record.fault import BadInput
from referee.record.folder import folder_digest
from referee.record.load import encode_record, load_record, read_regular
from referee.record.plan import RunPlan
from referee.record.trial import TrialIdentity
from referee.trial.check_record import record_problems
from referee.trial.layout import (
    INDEX,
    INTERRUPTED,
    PARTIAL,
    RUN_FILE,
    TRIALS,
    TrialEntry,
    attempt_number,
    is_known_at_top,
    is_temporary,
    trial_entries,
)
from referee.trial.ledger import LEDGER, LEDGER_BYTES, LOCK, LedgerText, parse_ledger
from referee.trial.run_folder import is_genesis


@dataclass(frozen=True)
class Finding:
    """Something that is not as referee left it: where (below the run), and what."""

    where: str
    what: str


@dataclass(frozen=True)
class AuditReport:
    """What an audit found.

    `ok`: nothing was edited, is missing or was added. `complete`: every planned trial is recorded
    and the ledger is sealed. `notes` are traces of an interrupted or running run, which change
    nothing. `head` is the ledger's last hash: only a head that was published elsewhere can show
    that somebody rewrote the whole run, or cut lines off its end.
    """

    ok: bool
    complete: bool
    head: str
    planned: int
    scored: int
    withheld: int
    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...]


def audit_run(run: Path) -> AuditReport:
    """Check a run folder without changing it.

    Raises:
        BadInput: this is no run folder, or it is whole but of another record version.
    """
    if not run.is_dir():
        raise BadInput("no such run folder", where=run, hint="name the folder that --out made")
    if not (run / RUN_FILE).exists() and not (run / LEDGER).exists():
        raise BadInput("the folder is not a run", where=run, hint="name the folder that --out made")
    return _Audit(run).report()


class _Audit:
    def __init__(self, run: Path):
        self._run = run
        self._findings: list[Finding] = []
        self._notes: list[Finding] = []
        self._ledger = self._read_ledger()
        self._plan = self._read_plan()
        self._entries = self._read_entries()
        self._sealed = any(line.kind == "seal" for line in self._ledger.lines)

    def report(self) -> AuditReport:
        planned: dict[tuple[str, str, int], TrialIdentity] = {}
        self._check_top()
        if self._plan is not None:
            planned = {identity.key: identity for identity in self._plan.trials()}
            self._check_lines(self._plan, planned)
            self._check_trials(self._plan, planned)
        self._check_interrupted()
        self._check_index()
        absent = planned.keys() - self._entries.keys()
        outcomes = [entry.outcome for entry in self._entries.values()]
        return AuditReport(
            ok=not self._findings,
            complete=self._plan is not None and not absent and self._sealed,
            head=self._ledger.head,
            planned=len(planned),
            scored=outcomes.count("scored"),
            withheld=outcomes.count("withheld"),
            findings=tuple(self._findings),
            notes=tuple(self._notes),
        )

    def _find(self, where: Path | str, what: str) -> None:
        self._findings.append(Finding(self._name(where), what))

    def _trace(self, where: Path | str, what: str) -> None:
        """What a kill leaves: normal in an unfinished run, impossible in a sealed one."""
        (self._findings if self._sealed else self._notes).append(Finding(self._name(where), what))

    def _name(self, where: Path | str) -> str:
        text = where if isinstance(where, str) else where.relative_to(self._run).as_posix()
        return text.encode("utf-8", "backslashreplace").decode()

    def _read_ledger(self) -> LedgerText:
        path = self._run / LEDGER
        try:
            text = parse_ledger(read_regular(path, LEDGER_BYTES))
        except OSError as error:
            self._find(path, f"cannot be read ({error.strerror})")
            return LedgerText((), b"", None, 0)
        if text.fault is not None:
            self._find(path, text.fault)
        if text.torn:
            self._find(path, f"{len(text.torn)} bytes of an unfinished line at the end")
        if not text.lines and text.fault is None:
            self._find(path, "has no line")
        return text

    def _read_plan(self) -> RunPlan | None:
        path = self._run / RUN_FILE
        first = self._ledger.lines[0] if self._ledger.lines else None
        try:
            data = read_regular(path)
        except OSError as error:
            self._find(path, f"cannot be read ({error.strerror})")
            return None
        digest = sha256_bytes(data)
        untouched = first is None or first.body.get("run_json") == digest
        try:
            plan = load_record(path, RunPlan)
        except BadInput as error:
            if untouched:
                raise
            self._find(path, f"was edited, and {error.what}")
            return None
        if not untouched:
            self._find(path, "was edited: the ledger was begun with another one")
        elif first is not None and not is_genesis(first, digest, plan):
            self._find(LEDGER, "the first line does not belong to this plan")
        if data != encode_record(plan):
            self._find(path, "is not in canonical form")
        return plan

    def _read_entries(self) -> dict[tuple[str, str, int], TrialEntry]:
        try:
            return trial_entries(self._ledger.lines)
        except BadInput as error:
            self._find(LEDGER, error.what)
            return {}

    def _check_top(self) -> None:
        for path in sorted(self._run.iterdir()):
            if not is_known_at_top(path.name):
                self._find(path, "was added")
            elif is_temporary(path.name):
                self._trace(path, "was left by a write that was cut off")
            elif path.name in (TRIALS, INTERRUPTED):
                if path.is_symlink() or not path.is_dir():
                    self._find(path, "is not a folder")
            elif path.is_symlink() or not path.is_file():
                self._find(path, "is not a regular file")
        lock = self._run / LOCK
        if not lock.exists():
            self._find(lock, "is missing")
        elif lock.is_file() and lock.stat().st_size:
            self._find(lock, "was edited: it is empty in every run")

    def _check_lines(
        self, plan: RunPlan, planned: dict[tuple[str, str, int], TrialIdentity]
    ) -> None:
        closed = False
        for line in self._ledger.lines:
            where = f"{LEDGER} line {line.seq + 1}"
            if line.kind == "genesis" and line.seq != 0:
                self._find(where, "begins the run again")
            if line.kind == "trial" and closed:
                self._find(where, "adds a trial to a sealed run")
            if line.kind == "seal":
                closed = True
                body = {"plan": plan.identity_digest, "trials": len(planned)}
                if line.body != body:
                    self._find(where, "seals another plan")
        for key, entry in self._entries.items():
            if planned.get(key) != entry.identity:
                self._find(entry.path, "is in the ledger and is not a trial of the plan")
        if closed:
            for key in sorted(planned.keys() - self._entries.keys()):
                self._find(planned[key].folder, "is planned and absent in a sealed run")

    def _check_trials(
        self, plan: RunPlan, planned: dict[tuple[str, str, int], TrialIdentity]
    ) -> None:
        tasks = {task.task_id for task in plan.selection}
        arms = {arm.name for arm in plan.arms}
        for key, entry in self._entries.items():
            self._check_trial(self._run / entry.path, entry, plan, planned.get(key))
        for task in self._folders(self._run / TRIALS):
            if task.name not in tasks:
                self._find(task, "is not a task of the plan")
                continue
            for arm in self._folders(task):
                if arm.name not in arms:
                    self._find(arm, "is not an arm of the plan")
                    continue
                for attempt in sorted(arm.iterdir()):
                    self._check_attempt(task.name, arm.name, attempt)

    def _check_attempt(self, task: str, arm: str, path: Path) -> None:
        if path.name.startswith(PARTIAL) and path.is_dir() and not path.is_symlink():
            self._trace(path, "is a trial that is running or was cut off; it does not count")
            return
        attempt = attempt_number(path.name)
        if attempt is None or (task, arm, attempt) not in self._entries:
            self._find(path, "is not in the ledger (a resumed run adopts what is whole)")

    def _check_trial(
        self, folder: Path, entry: TrialEntry, plan: RunPlan, identity: TrialIdentity | None
    ) -> None:
        if folder.is_symlink() or not folder.is_dir():
            self._find(folder, "is in the ledger and is missing")
            return
        if not self._same_folder(folder, entry.digest):
            self._find(folder, "was edited: its files are not those that the ledger names")
        for problem in record_problems(folder, identity or entry.identity, plan):
            self._find(folder, problem)
        grades = {path.name for path in (folder / "grade").glob("*")}
        if grades != set(entry.verdicts):
            self._find(folder, "its verdicts are not those that the ledger names")

    def _check_interrupted(self) -> None:
        expected = {
            str(line.body.get("path")): line.body
            for line in self._ledger.lines
            if line.kind == "interrupted"
        }
        for name, body in expected.items():
            path = self._run / name
            if not self._same_part(path, body):
                self._find(name, "is missing, or is not what the ledger names")
        for path in sorted(self._run.glob("ledger.torn-*")):
            if path.name not in expected:
                self._find(path, "is not in the ledger")
        for task in self._folders(self._run / INTERRUPTED):
            for arm in self._folders(task):
                for path in sorted(arm.iterdir()):
                    if self._name(path) not in expected:
                        self._find(path, "is not in the ledger")

    def _same_part(self, path: Path, body: object) -> bool:
        assert isinstance(body, dict)
        ours = path.is_relative_to(self._run) and ".." not in path.parts
        if not ours or path.is_symlink() or not path.exists():
            return False
        if body.get("what") == "torn_line":
            return path.is_file() and sha256_file(path) == body.get("digest")
        return path.is_dir() and self._same_folder(path, str(body.get("digest")))

    def _same_folder(self, folder: Path, digest: str) -> bool:
        try:
            return folder_digest(folder) == digest
        except OSError as error:
            self._find(folder, f"cannot be read ({error.strerror})")
            return True

    def _folders(self, parent: Path) -> Iterator[Path]:
        """The folders in `parent`; anything else there, and an empty parent, is told."""
        if parent.is_symlink() or not parent.is_dir():
            return
        children = sorted(parent.iterdir())
        if not children:
            self._trace(parent, "is an empty folder")
        for path in children:
            if path.is_symlink() or not path.is_dir():
                self._find(path, "was added")
            elif not any(path.iterdir()):
                self._trace(path, "is an empty folder")
            else:
                yield path

    def _check_index(self) -> None:
        if (self._run / INDEX).is_file() and not self._findings:
            from referee.trial.index import index_differs

            if index_differs(self._run):
                self._find(INDEX, "does not say what the records say; `referee index` rebuilds it")
