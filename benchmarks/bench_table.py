"""`referee table` on 1,000,000 check rows: whole processes, from their start to their end.

The run has 119 tasks, two arms and ten attempts; its index is made by DuckDB, because the time of
writing a million checks is no part of the question. `--build` also makes real records of that size
(a few minutes) and times the first table, which builds the index from them.
Usage: python benchmarks/bench_table.py [--rows N] [--rounds N] [--build] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from referee.metric.repair import repair_scores
from referee.record.canonical import sha256_bytes
from referee.record.load import encode_record
from referee.record.plan import Arm, RunPlan, SelectedTask, SuiteFacts, selection_digest
from referee.record.trial import SubmissionFacts, Trial, TrialIdentity
from referee.record.verdict import CheckResult, GraderFacts, Verdict
from referee.trial.index import INDEX_VERSION
from referee.trial.ledger import LedgerWriter
from referee.trial.run_folder import genesis_body, open_run

TASKS, ARMS, ATTEMPTS = 119, ("nop", "oracle"), 10
COMMANDS = {
    "table_function": "from referee.report.table import table_rows as t;"
    "from pathlib import Path; import sys; t(Path(sys.argv[1]))",
    "command_json": "import sys; sys.argv = ['referee', 'table', sys.argv[1], '--json'];"
    "from referee.cli.main import main; main()",
    "command": "import sys; sys.argv = ['referee', 'table', sys.argv[1]];"
    "from referee.cli.main import main; main()",
}


def plan() -> RunPlan:
    """The made-up run."""
    selection = tuple(
        SelectedTask(
            task_id=f"task-{n:03}",
            task_digest=sha256_bytes(f"task {n}".encode()),
            baseline_digest=sha256_bytes(f"baseline {n}".encode()),
            paradigm=f"paradigm {n % 3}",
            domain=f"domain {n % 7}",
        )
        for n in range(TASKS)
    )
    return RunPlan(
        suite=SuiteFacts(name="synthetic", suite_digest="0" * 64),
        selection=selection,
        selection_digest=selection_digest(selection),
        arms=tuple(Arm(name=name, agent=name, agent_version="1") for name in ARMS),
        attempts=ATTEMPTS,
        grader=GraderFacts(version="0", code_digest="0" * 64),
        created="2026-01-01T00:00:00Z",
    )


def make_indexed(run: Path, rows: int) -> None:
    """A run of `rows` check rows that exists only as a plan, a ledger's first line and an index."""
    made = plan()
    run.mkdir()
    data = encode_record(made)
    (run / "run.json").write_bytes(data)
    head = LedgerWriter(run).append("genesis", genesis_body(sha256_bytes(data), made)).hash
    trials = len(made.trials())
    checks = -(-rows // trials)
    # Every oracle check passes; a nop passes what passed on the untouched snapshot.
    duckdb.sql(
        f"""
        COPY (
          SELECT arm, sha256(arm) AS arm_digest, format('task-{{:03d}}', t) AS task_id,
                 sha256('task ' || t) AS task_digest, 'paradigm ' || (t % 3) AS paradigm,
                 'domain ' || (t % 7) AS domain, a::INTEGER AS attempt, t AS seed,
                 'scored' AS outcome, NULL::VARCHAR AS withheld_reason, 0 AS grading,
                 repeat('0', 64) AS grader_digest, '{{}}' AS grader_limits,
                 'tests/private/test_' || t || '.py::test_case[' || c || ']' AS check_id,
                 CASE WHEN c < 4 THEN 'public' WHEN c < 40 THEN 'private' ELSE 'regression' END
                   AS check_kind,
                 'contract ' || (c % 5) AS contract,
                 CASE WHEN arm = 'oracle' OR c >= 20 THEN 'passed' ELSE 'failed' END
                   AS check_outcome,
                 NULL::VARCHAR AS reason, 'wall' AS trust, c >= 20 AS baseline_passed
          FROM (SELECT unnest({list(ARMS)}) AS arm), range({TASKS}) AS tasks(t),
               range(1, {ATTEMPTS + 1}) AS attempts(a), range({checks}) AS checks(c)
          LIMIT {rows}
        ) TO '{run}/index.parquet' (FORMAT parquet, COMPRESSION zstd,
          KV_METADATA {{ledger_head: '{head}', index_version: '{INDEX_VERSION}'}})
        """
    )


def make_records(run: Path, rows: int) -> None:
    """A run of real records with about `rows` checks."""
    made = plan()
    checks = rows // len(made.trials())
    fsync, os.fsync = os.fsync, lambda fd: None
    try:
        with open_run(run, made) as writer:
            for identity in writer.pending():
                partial = writer.begin_trial(identity)
                verdict = _verdict(identity, made, checks)
                facts = SubmissionFacts(submission_digest=sha256_bytes(b"x"), bytes=1, files=1)
                trial = Trial(
                    identity=identity,
                    outcome="scored",
                    submission=facts,
                    verdict_digest=verdict.content_digest,
                    scores=verdict.scores,
                )
                writer.commit_trial(partial, trial, verdict=verdict, patch=b"x")
            writer.seal()
    finally:
        os.fsync = fsync


def _verdict(identity: TrialIdentity, made: RunPlan, checks: int) -> Verdict:
    rows = tuple(
        CheckResult(
            id=f"tests/private/test_{identity.task_id}.py::test_case[{n}]",
            kind="public" if n < 4 else "private" if n < 40 else "regression",
            outcome="passed" if identity.arm == "oracle" or n >= 20 else "failed",
            trust="in-process" if n >= 40 else "wall",
            baseline_passed=n >= 20,
        )
        for n in range(checks)
    )
    return Verdict(
        task_id=identity.task_id,
        task_digest=identity.task_digest,
        submission_digest=sha256_bytes(b"x"),
        base_tree="0" * 64,
        result_tree="0" * 64,
        grader=made.grader,
        checks=rows,
        scores=repair_scores(rows),
    )


def seconds(command: str, run: Path) -> float:
    """Wall time of one process, start and imports included."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", command, str(run)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def spread(values: list[float]) -> dict[str, float]:
    """Median, quartiles and minimum, in seconds."""
    low, middle, high = statistics.quantiles(values, n=4)
    named = {"median_s": middle, "q1_s": low, "q3_s": high, "min_s": min(values)}
    return {name: round(value, 3) for name, value in named.items()}


def measure(place: Path, rows: int, rounds: int, build: bool) -> dict[str, Any]:
    """Interleaved rounds of every command, after one round that warms caches up."""
    make_indexed(place / "indexed", rows)
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for number in range(rounds + 1):
        for name, command in COMMANDS.items():
            took = seconds(command, place / "indexed")
            if number:
                times[name].append(took)
    result: dict[str, Any] = {"rows": rows, "rounds": rounds, "load": round(os.getloadavg()[0], 2)}
    result |= {name: spread(values) for name, values in times.items()}
    if build:
        make_records(place / "records", rows)
        first = seconds(COMMANDS["table_function"], place / "records")
        result["first_table_with_index_build_s"] = round(first, 3)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--build", action="store_true", help="also time the first table")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), options.rows, options.rounds, options.build)
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:32} {value}")


if __name__ == "__main__":
    main()
