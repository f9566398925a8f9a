"""`referee report` on 1,000 trials with 100,000 checks: whole process, sizes, and first page.

The run is made up: 125 tasks, eight arms, one attempt, checks whose outcomes follow from their
numbers, and transcripts of five turns; no agent and no model took part. Prints one value a line;
`--json` prints one object. The first page is timed in headless Chromium from the file system, where
there is one (extra `browser`): until filters and sorting work.
Usage: python benchmarks/bench_report.py [--tasks N] [--rounds N] [--json]
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from referee.metric.repair import repair_scores
from referee.record.canonical import sha256_bytes
from referee.record.plan import Arm, RunPlan, SelectedTask, SuiteFacts, selection_digest
from referee.record.trial import AgentFacts, SubmissionFacts, Trial, TrialIdentity
from referee.record.verdict import CheckResult, GraderFacts, Verdict
from referee.trial.run_folder import RunFolder, open_run

ARMS, CHECKS, DOMAINS = 8, 100, 20
TREE = sha256_bytes(b"made up")
KINDS = ("public", "private", "private", "private", "regression")
CONTRACTS = ("knowledge", "exploration", "coverage", "generalization")
PARADIGMS = ("issue-driven", "expert-exploratory", "engineering-integration")


def plan(tasks: int) -> RunPlan:
    selection = tuple(
        SelectedTask(
            task_id=f"{n:03}-made-up",
            task_digest=sha256_bytes(f"task {n}".encode()),
            baseline_digest=TREE,
            paradigm=PARADIGMS[n % 3],
            domain=f"Made-up domain {n % DOMAINS}",
        )
        for n in range(tasks)
    )
    return RunPlan(
        suite=SuiteFacts(name="made-up", suite_digest=TREE),
        selection=selection,
        selection_digest=selection_digest(selection),
        arms=tuple(
            Arm(name=f"made-up-{n}", agent="nobody", agent_version="0", model=f"no-model-{n}")
            for n in range(ARMS)
        ),
        grader=GraderFacts(version="0", code_digest=TREE),
        created="2026-01-01T00:00:00Z",
    )


def verdict(identity: TrialIdentity, patch: bytes) -> Verdict:
    arm, task = int(identity.arm[-1]), int(identity.task_id[:3])
    solved = (7 * task + 3 * arm) % ARMS < arm
    checks = tuple(_check(n, solved or (n + task) % 3 > 0) for n in range(CHECKS))
    return Verdict(
        task_id=identity.task_id,
        task_digest=identity.task_digest,
        submission_digest=sha256_bytes(patch),
        base_tree=TREE,
        result_tree=TREE,
        grader=GraderFacts(version="0", code_digest=TREE),
        checks=checks,
        scores=repair_scores(checks),
        timing={check.id: 0.1 for check in checks},
    )


def _check(n: int, passed: bool) -> CheckResult:
    kind = KINDS[n % len(KINDS)]
    return CheckResult.model_validate(
        {
            "id": f"{kind}/test_made_up.py::test_{n}",
            "kind": kind,
            "contract": CONTRACTS[n % 4] if kind == "private" else None,
            "outcome": "passed" if passed or kind == "regression" else "failed",
            "reason": None if passed or kind == "regression" else "assertion",
            "message": "" if passed or kind == "regression" else "expected 1.0, observed 2.0 " * 6,
            "trust": "in-process" if kind == "regression" else "wall",
            "baseline_passed": kind == "regression",
        }
    )


def commit(run: RunFolder, identity: TrialIdentity) -> None:
    lines = "".join(f"-old line {n}\n+new line {n}\n" for n in range(40))
    patch = f"diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,40 +1,40 @@\n{lines}".encode()
    made, partial = verdict(identity, patch), run.begin_trial(identity)
    steps = [
        {"step_id": n, "source": "agent", "message": f"made-up turn {n}. " * 40}
        for n in range(1, 6)
    ]
    transcript = {
        "schema_version": "ATIF-v1.8",
        "session_id": "made-up",
        "agent": {"name": "nobody", "version": "0"},
        "steps": steps,
    }
    partial.write("agent/transcript.json", json.dumps(transcript).encode())
    tokens = {"input": 10_000 * (1 + int(identity.arm[-1])), "output": 1000}
    trial = Trial.model_validate(
        {
            "identity": identity,
            "outcome": "scored",
            "submission": SubmissionFacts(
                submission_digest=sha256_bytes(patch), bytes=len(patch), files=1
            ),
            "agent": AgentFacts(ended="exit", exit=0),
            "model": {"profile": "none", "totals": {"calls": 5, "answered": 5, "tokens": tokens}},
            "verdict_digest": made.content_digest,
            "scores": made.scores,
            "timing": {"agent": 1.0},
        }
    )
    run.commit_trial(partial, trial, verdict=made, patch=patch)


def report_seconds(run: Path, out: Path) -> tuple[float, float]:
    """Wall and CPU seconds of the whole process; the index is made again."""
    code = "import sys; from referee.cli.main import main; main()"
    (run / "index.parquet").unlink(missing_ok=True)
    began, used = time.perf_counter(), _cpu()
    command = [sys.executable, "-c", code, "report", str(run), "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began, _cpu() - used


def _cpu() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def first_page_ms(page: Path, rounds: int) -> list[float]:
    """Milliseconds from the start of the navigation until the scripts have run, warm browser."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return []
    if chromium is None:
        return []
    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(rounds + 1):
            tab = browser.new_page()
            tab.goto(page.as_uri())
            tab.wait_for_selector("#board th button")
            entry = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
            found.append(float(tab.evaluate(entry)))
            tab.close()
        browser.close()
    return found[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=125)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="referee-report-") as place:
        with open_run(Path(place, "run"), plan(given.tasks)) as run:
            for identity in run.pending():
                commit(run, identity)
            run.seal()
        out = Path(place, "site")
        times = [report_seconds(Path(place, "run"), out) for _ in range(given.rounds)]
        sizes = [path.stat().st_size for path in out.rglob("*.html")]
        first = first_page_ms(out / "index.html", 5)
    values: dict[str, Any] = {
        "trials": given.tasks * ARMS,
        "checks": given.tasks * ARMS * CHECKS,
        "report_s": round(statistics.median(wall for wall, _ in times), 2),
        "report_cpu_s": round(statistics.median(cpu for _, cpu in times), 2),
        "pages": len(sizes),
        "largest_page_bytes": max(sizes),
        "site_bytes": sum(sizes),
        "first_page_ms": round(statistics.median(first), 1) if first else None,
    }
    if given.json:
        print(json.dumps(values))
        return
    for name, value in values.items():
        print(f"{name} {value}")


if __name__ == "__main__":
    main()
