"""The index: one row per check of every recorded trial, as Parquet; derived, never the truth.

It carries the head of the ledger that it was built from, and is built again when that is not the
ledger's head any more. A withheld trial has one row, whose check columns are null.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.metric.counts import TrialCounts
from referee.record.atomic import write_atomic
from referee.record.fault import BadInput
from referee.record.folder import folder_digest
from referee.record.load import RECORD_BYTES, load_record
from referee.record.plan import RunPlan
from referee.record.trial import Trial
from referee.trial.layout import (
    INDEX,
    RUN_FILE,
    TRIAL_FILE,
    TrialEntry,
    read_run,
    trial_entries,
    verdict_path,
)
from referee.trial.ledger import LedgerText, ledger_head, writing_to

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

INDEX_VERSION = "1"

_TRIAL_COLUMNS = {
    "arm": "VARCHAR",
    "arm_digest": "VARCHAR",
    "task_id": "VARCHAR",
    "task_digest": "VARCHAR",
    "paradigm": "VARCHAR",
    "domain": "VARCHAR",
    "attempt": "INTEGER",
    "seed": "BIGINT",
    "outcome": "VARCHAR",
    "withheld_reason": "VARCHAR",
    "grading": "INTEGER",
    "file": "VARCHAR",
}
_CHECK = (
    "STRUCT(id VARCHAR, kind VARCHAR, contract VARCHAR, outcome VARCHAR, reason VARCHAR, "
    "trust VARCHAR, baseline_passed BOOLEAN)"
)
_VERDICT_COLUMNS = {
    "grader": "STRUCT(code_digest VARCHAR, limits JSON)",
    "checks": f"{_CHECK}[]",
}
_ROWS = """
    SELECT t.* EXCLUDE (file), v.grader.code_digest AS grader_digest,
           CAST(v.grader.limits AS VARCHAR) AS grader_limits,
           v.c.id AS check_id, v.c.kind AS check_kind, v.c.contract AS contract,
           v.c.outcome AS check_outcome, v.c.reason AS check_reason, v.c.trust AS trust,
           v.c.baseline_passed AS baseline_passed
    FROM trials t LEFT JOIN verdicts v ON t.file = v.filename
    ORDER BY arm, task_id, attempt, grading, check_kind, check_id
"""
_COUNTS = """
    SELECT arm, task_id, attempt, outcome, withheld_reason, task_digest, grader_digest,
           grader_limits,
           count(*) FILTER (check_kind = 'public' AND o), count(*) FILTER (check_kind = 'public'),
           count(*) FILTER (check_kind = 'private' AND o), count(*) FILTER (check_kind = 'private'),
           count(*) FILTER (check_kind = 'private' AND NOT b AND o),
           count(*) FILTER (check_kind = 'private' AND NOT b),
           count(*) FILTER (check_kind <> 'public' AND b AND o),
           count(*) FILTER (check_kind <> 'public' AND b)
    FROM (SELECT *, check_outcome = 'passed' AS o, baseline_passed AS b
          FROM (SELECT *, min(grading) FILTER (outcome = 'scored')
                          OVER (PARTITION BY arm, task_id, attempt) AS decided
                FROM read_parquet(?))
          WHERE grading = coalesce(decided, 0))
    GROUP BY ALL ORDER BY arm, task_id, attempt
"""


def build_index(run: Path) -> Path:
    """Build `index.parquet` from the records, and return its path.

    Raises:
        BadInput: this is no run, a record is not the one that the ledger names, or the index
            cannot be written.
    """
    _, text = read_run(run)
    with writing_to(run), tempfile.TemporaryDirectory(prefix="referee-index-") as place:
        write_atomic(run / INDEX, _build(run, text, Path(place)).read_bytes())
    return run / INDEX


def index_head(run: Path) -> str | None:
    """The ledger head that the index was built from; None if there is no index to be read."""
    import duckdb

    path = run / INDEX
    if not path.is_file():
        return None
    try:
        with _connect() as db, _plain_name(path) as name:
            rows = db.execute(
                "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [name]
            ).fetchall()
    except duckdb.Error:
        return None
    facts = dict(rows)
    return facts.get("ledger_head") if facts.get("index_version") == INDEX_VERSION else None


def index_differs(run: Path) -> bool:
    """Whether the index claims to be of this ledger and says something else than the records.

    Raises:
        BadInput: the records cannot be read.
    """
    import duckdb

    _, text = read_run(run)
    if index_head(run) != text.head:
        return False
    both = "(SELECT * FROM read_parquet(?) EXCEPT ALL SELECT * FROM read_parquet(?))"
    with (
        tempfile.TemporaryDirectory(prefix="referee-index-") as place,
        _plain_name(run / INDEX) as kept,
        _connect() as db,
    ):
        made = str(_build(run, text, Path(place)))
        try:
            found = db.execute(
                f"SELECT count(*) FROM ({both} UNION ALL {both})", [made, kept, kept, made]
            ).fetchone()
        except duckdb.Error:
            return True
    return found is None or found[0] != 0


def trial_counts(run: Path) -> list[TrialCounts]:
    """What each recorded trial of a run came to, as whole numbers, sorted.

    The index at hand is taken if it is of this ledger; else one is built, and kept if it can be:
    a run that may only be read has its table too.

    Raises:
        BadInput: this is no run, or a record is not the one that the ledger names.
    """
    if index_head(run) == ledger_head(run):
        return _counts(run / INDEX)
    _, text = read_run(run)
    with writing_to(run), tempfile.TemporaryDirectory(prefix="referee-index-") as place:
        made = _build(run, text, Path(place))
        with contextlib.suppress(OSError):
            write_atomic(run / INDEX, made.read_bytes())
        return _counts(made)


def _counts(index: Path) -> list[TrialCounts]:
    with _connect() as db, _plain_name(index) as name:
        rows = db.execute(_COUNTS, [name]).fetchall()
    return [
        # Eight facts, then passed and total of each of the four sets.
        TrialCounts(*row[:8], *zip(row[8::2], row[9::2], strict=True))
        for row in rows
    ]


def _connect() -> DuckDBPyConnection:
    import duckdb

    # Nothing is fetched or kept on disk: extensions would come from the network.
    return duckdb.connect(
        ":memory:",
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False},
    )


@contextlib.contextmanager
def _plain_name(path: Path) -> Iterator[str]:
    """A name of `path` that DuckDB does not take for a pattern."""
    if not any(character in str(path) for character in "*?["):
        yield str(path)
        return
    with tempfile.TemporaryDirectory(prefix="referee-name-") as place:
        alias = Path(place) / "alias"
        alias.symlink_to(path.resolve())
        yield str(alias)


def _build(run: Path, text: LedgerText, place: Path) -> Path:
    import duckdb

    listed, alias = place / "trials.jsonl", place / "run"
    alias.symlink_to(run.resolve())
    files = []
    with listed.open("w", encoding="utf-8") as stream:
        for row in _trial_rows(alias, load_plan(run), trial_entries(text.lines)):
            stream.write(json.dumps(row) + "\n")
            if row["file"] is not None:
                files.append(row["file"])
    made = place / INDEX
    try:
        with _connect() as db:
            _read_tables(db, listed, files)
            db.execute(
                f"COPY ({_ROWS}) TO '{_quoted(made)}' (FORMAT parquet, COMPRESSION zstd, "
                f"KV_METADATA {{ledger_head: '{text.head}', index_version: '{INDEX_VERSION}'}})"
            )
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
        raise BadInput(
            f"the index cannot be built ({reason})", where=run, hint="run `referee audit` on it"
        ) from error
    return made


def _read_tables(db: DuckDBPyConnection, listed: Path, files: list[str]) -> None:
    options = f"format = 'newline_delimited', maximum_object_size = {RECORD_BYTES}"
    db.execute(
        f"CREATE TABLE trials AS SELECT * FROM read_json('{_quoted(listed)}', {options}, "
        f"columns = {_TRIAL_COLUMNS})"
    )
    empty = "NULL::STRUCT(code_digest VARCHAR, limits JSON)"
    if not files:
        db.execute(
            f"CREATE VIEW verdicts AS SELECT NULL::VARCHAR AS filename, {empty} AS grader, "
            f"NULL::{_CHECK} AS c LIMIT 0"
        )
        return
    names = ", ".join(f"'{_quoted(Path(name))}'" for name in files)
    db.execute(
        f"CREATE VIEW verdicts AS SELECT filename, grader, unnest(checks) AS c "
        f"FROM read_json([{names}], {options}, filename = true, columns = {_VERDICT_COLUMNS})"
    )


def _trial_rows(
    run: Path, plan: RunPlan, entries: dict[tuple[str, str, int], TrialEntry]
) -> Iterator[dict[str, Any]]:
    tasks = {task.task_id: task for task in plan.selection}
    for entry in entries.values():
        folder, identity = run / entry.path, entry.identity
        if not folder.is_dir() or folder_digest(folder) != entry.digest:
            raise BadInput(
                "the record is not the one that the ledger names",
                where=entry.path,
                hint="run `referee audit` on the run",
            )
        row: dict[str, Any] = {
            **identity.as_json(),
            "paradigm": tasks[identity.task_id].paradigm,
            "domain": tasks[identity.task_id].domain,
            "outcome": entry.outcome,
            "withheld_reason": None,
            "file": None,
        }
        first = 0
        if entry.outcome == "withheld":
            withheld = load_record(folder / TRIAL_FILE, Trial).withheld
            yield row | {"grading": 0, "withheld_reason": withheld.reason if withheld else None}
            first = 1
        # the verdict of a withheld reproduction says only why it is open
        kept = entry.verdicts[1:] if _is_open(folder, entry) else entry.verdicts
        for number, verdict in enumerate(kept, first):
            yield row | {
                "outcome": "scored",
                "grading": number,
                "file": str(folder / verdict_path(verdict)),
            }


def _is_open(folder: Path, entry: TrialEntry) -> bool:
    if entry.outcome != "withheld" or not entry.verdicts:
        return False
    return load_record(folder / TRIAL_FILE, Trial).verdict_digest == entry.verdicts[0]


def load_plan(run: Path) -> RunPlan:
    """The plan of a run (`run.json`).

    Raises:
        BadInput: it cannot be read, or is of another record version.
    """
    return load_record(run / RUN_FILE, RunPlan)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
