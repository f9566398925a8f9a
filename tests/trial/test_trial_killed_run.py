"""kill -9 of a real run, then the same command: the records of an uninterrupted run."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from referee.agent.standin import Turn, scripted_upstream
from referee.trial.audit import audit_run
from referee.trial.status import run_status


def _command(suite: Path, out: Path) -> list[str]:
    agents = ["--agent", "nop", "--agent", "oracle"]
    options = ["--attempts", "2", "--jobs", "2", "--seed", "5", "--out", str(out)]
    return [sys.executable, "-m", "referee", "run", str(suite), *agents, *options]


def _contents(run: Path) -> dict[str, object]:
    """What each trial came to, without times."""
    found: dict[str, object] = {}
    for path in sorted(run.glob("trials/*/*/*/trial.json")):
        trial = json.loads(path.read_text())
        del trial["timing"]
        found[str(path.relative_to(run))] = trial
    return found


@pytest.mark.parametrize(
    "delay_s",
    [pytest.param(1.2, marks=pytest.mark.slow), 2.5, pytest.param(4.0, marks=pytest.mark.slow)],
)
def test_a_killed_run_resumes_to_the_same_records(
    tiny_suite: Path, store_environment: Path, tmp_path: Path, delay_s: float
) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    subprocess.run(_command(tiny_suite, whole), check=True, capture_output=True, timeout=300)
    victim = subprocess.Popen(
        _command(tiny_suite, cut),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(delay_s)
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    subprocess.run(_command(tiny_suite, cut), check=True, capture_output=True, timeout=300)
    assert _contents(cut) == _contents(whole)
    assert len(_contents(cut)) == 4
    audit = [sys.executable, "-m", "referee", "audit", str(cut)]
    assert subprocess.run(audit, capture_output=True).returncode == 0


CALLER = """\
#!/usr/bin/env python3
import json, os, time, urllib.request

url = os.environ["REFEREE_MODEL_URL"] + "/v1/chat/completions"
head = {"authorization": "Bearer " + os.environ["REFEREE_MODEL_TOKEN"]}
for n in range(3):
    body = {"model": "m", "messages": [{"role": "user", "content": str(n)}]}
    asked = urllib.request.Request(url, json.dumps(body).encode(), head)
    urllib.request.urlopen(asked, timeout=30).read()
    time.sleep(0.1)
"""
KILLS = 20


@pytest.mark.slow
def test_a_run_with_a_model_that_is_killed_twenty_times_has_the_same_records(
    tiny_suite: Path, store_environment: Path, tmp_path: Path
) -> None:
    program, profile = tmp_path / "caller", tmp_path / "m.env"
    program.write_text(CALLER)
    program.chmod(0o755)
    with scripted_upstream([Turn("as always")]) as upstream:
        text = f"BASE_URL={upstream.url}\nPROTOCOL=openai-chat\nMODEL=m\n"
        profile.write_text(f"{text}PRICE_INPUT=1\nPRICE_OUTPUT=2\n")
        profile.chmod(0o600)

        def command(out: Path) -> list[str]:
            run = [sys.executable, "-m", "referee", "run", str(tiny_suite), "--out", str(out)]
            agents = ["--agent", f"command:{program}", "--agent", "oracle"]
            return [*run, *agents, "--model", str(profile), "--attempts", "20", "--jobs", "2"]

        whole, cut = tmp_path / "whole", tmp_path / "cut"
        chance = random.Random(20)
        for kill in range(KILLS):
            victim = subprocess.Popen(
                command(cut), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            with contextlib.suppress(subprocess.TimeoutExpired):
                victim.wait(chance.uniform(0.5, 4.0))
                pytest.fail(f"the run ended before kill {kill + 1}: give it more attempts")
            victim.kill()
            victim.wait()
        begun = [*command(whole), "--seed", str(json.loads((cut / "run.json").read_text())["seed"])]
        for asked in (command(cut), begun):
            subprocess.run(asked, check=True, capture_output=True, timeout=600)
    assert _contents(cut) == _contents(whole)
    assert len(_contents(cut)) == 40
    assert run_status(cut).interrupted > 0
    assert audit_run(cut).ok


def test_a_second_process_cannot_write_the_same_run(
    tiny_suite: Path, store_environment: Path, tmp_path: Path
) -> None:
    command = _command(tiny_suite, tmp_path / "run")
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not (tmp_path / "run/ledger.jsonl").exists():
            time.sleep(0.05)
            assert first.poll() is None
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2
        assert "another process" in second.stderr
    finally:
        first.wait(timeout=300)
    assert first.returncode == 0


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_at_once_and_says_what_it_had_begun(
    tiny_suite: Path, store_environment: Path, tmp_path: Path, stop: signal.Signals
) -> None:
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\nexec sleep 54.321\n")
    program.chmod(0o755)
    out = tmp_path / "run"
    command = [sys.executable, "-m", "referee", "run", str(tiny_suite)]
    command += ["--agent", f"command:{program}", "--out", str(out)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not _sleepers():
        time.sleep(0.05)
        assert running.poll() is None
    running.send_signal(stop)
    _, said = running.communicate(timeout=10)
    assert running.returncode == 130
    assert b"run the same command again" in said
    deadline = time.monotonic() + 5
    while _sleepers() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _sleepers()
    assert not list(out.glob("trials/*/*/*"))
    (kept,) = out.glob("interrupted/*/*/1.1")
    last = json.loads((out / "ledger.jsonl").read_text().splitlines()[-1])
    assert (last["kind"], last["body"]["what"]) == ("interrupted", "attempt")
    assert last["body"]["path"] == str(kept.relative_to(out))
    assert run_status(out).interrupted == 1


def _sleepers() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if b"sleep\x0054.321" in path.read_bytes():
                found.append(path.parent.name)
    return found
