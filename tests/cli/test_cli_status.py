"""`referee status`: a run while it is written, after it was cut off, and at its end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from referee.environment.store import open_store
from referee.trial.contest import RunRequest, prepare_contest, run_contest
from referee.trial.execute import TrialEvent
from referee.trial.status import run_status


def referee(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_run_is_seen_from_outside(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    request = RunRequest(
        suite=str(locked_tiny_task), agents=("nop", "oracle"), out=out, unvalidated=True, seed=1
    )
    contest = prepare_contest(request, say=lambda _line: None, store=open_store(store_root))
    seen = []

    def look(event: TrialEvent) -> None:
        # a trial is told before its folder is made, and after it was committed
        if event.outcome is not None:
            seen.append(run_status(out))

    run_contest(contest, jobs=1, on_event=look)
    first = seen[0]
    assert (first.planned, first.scored, first.at_work, first.sealed) == (2, 1, True, False)
    assert len(first.running) + first.pending == 1
    last = run_status(out)
    assert (last.scored, last.pending, last.at_work, last.sealed) == (2, 0, False, True)
    assert (last.model_calls, last.cost) == (0, 0)

    shown = referee("status", out)
    assert shown.returncode == 0, shown.stderr
    assert "finished" in shown.stdout
    told = json.loads(referee("status", out, "--json").stdout)
    assert (told["planned"], told["scored"], told["pending"]) == (2, 2, 0)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    done = referee("status", tmp_path)
    assert done.returncode == 2
    assert "not a run" in done.stderr
