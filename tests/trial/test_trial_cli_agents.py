"""The agents that people use, installed from their registries, at a toy task: through the gateway,
with a scripted stand-in for the model, and with no other network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.agent.gateway.budget import Budget
from referee.agent.gateway.patience import Patience
from referee.agent.launch import KINDS
from referee.agent.standin import Turn, Upstream, scripted_upstream
from referee.environment.store import open_store
from referee.record.atif import Trajectory
from referee.record.load import load_record
from referee.record.trial import Trial
from referee.trial.contest import RunRequest, prepare_contest, run_contest

REPAIR = (
    "python3 - <<'E'\n"
    "import pathlib\n"
    "path = pathlib.Path('/workspace/tiny/shapes.py')\n"
    "path.write_text('import math\\n\\n\\ndef area(radius):\\n    return math.pi * radius**2\\n')\n"
    "E\n"
    "echo repaired"
)
KEY = "sk-canary-2b8e"


def script(agent: str) -> list[Turn]:
    """Repairs, then ends as the agent's protocol wants it."""
    end = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    last = Turn("all done", command=end if agent == "mini-swe-agent" else None)
    return [Turn("I repair it.", command=REPAIR), last]


def ran(
    agent: str,
    upstream: Upstream,
    store_root: Path,
    task: Path,
    out: Path,
    *,
    budget: Budget | None = None,
) -> tuple[Trial, Path]:
    profile = out.with_suffix(".env")
    profile.write_text(
        f"BASE_URL={upstream.url}\nPROTOCOL={KINDS[agent].protocols[0]}\nMODEL=scripted\n"
        f"KEY={KEY}\nPRICE_INPUT=1\nPRICE_OUTPUT=2\n"
    )
    profile.chmod(0o600)
    request = RunRequest(
        suite=str(task),
        agents=(agent,),
        models=(str(profile),),
        out=out,
        unvalidated=True,
        seed=1,
        trial_budget=budget or Budget(calls=30),
    )
    prepared = prepare_contest(request, say=lambda _line: None, store=open_store(store_root))
    object.__setattr__(
        prepared.contest.models,
        "patience",
        Patience(retries=1, connect_s=1, idle_s=5, first_wait_s=0.1, longest_wait_s=1),
    )
    run_contest(prepared, jobs=1, on_event=lambda _event: None)
    folder = out / "trials" / "001-tiny" / agent / "1"
    return load_record(folder / "trial.json", Trial), folder


@pytest.mark.slow
@pytest.mark.parametrize("agent", KINDS)
def test_each_agent_repairs_the_toy_and_is_counted(
    agent: str, store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    with scripted_upstream(script(agent)) as upstream:
        trial, folder = ran(agent, upstream, store_root, locked_tiny_task, tmp_path / "run")
    logs = (folder / "agent" / "stdout.log").read_text(errors="replace")
    assert trial.scores is not None, (trial.withheld, logs[-2000:])
    assert trial.scores.pass1 == 1, logs[-2000:]
    assert trial.model is not None
    totals = trial.model.totals
    assert totals.answered == totals.calls == upstream.taken
    assert totals.tokens.input == upstream.input
    assert totals.tokens.output == upstream.output
    assert totals.cost == pytest.approx((upstream.input + 2 * upstream.output) / 1e6)
    assert trial.model.told is not None
    # opencode does not count the call that gives its session a title
    assert trial.model.agrees == (upstream.aside == 0), (trial.model.told, totals.tokens)
    assert (upstream.aside > 0) == (agent == "opencode")
    made = Trajectory.model_validate_json((folder / "agent" / "transcript.json").read_text())
    commands = [json.dumps(call.arguments) for step in made.steps for call in step.tool_calls or ()]
    assert sum("shapes.py" in command for command in commands) == 1
    seen = [
        result.content or ""
        for step in made.steps
        if step.observation
        for result in step.observation.results
    ]
    assert any("repaired" in text for text in seen)
    for path in folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.slow
@pytest.mark.parametrize("agent", KINDS)
def test_a_dead_model_ends_each_agent_and_withholds_its_trial(
    agent: str, store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    dead = Upstream([])
    dead.url = "http://127.0.0.1:9"
    trial, folder = ran(agent, dead, store_root, locked_tiny_task, tmp_path / "run")
    assert trial.withheld is not None
    assert trial.withheld.reason == "model_unavailable"
    assert trial.model is not None
    assert trial.model.totals.provider_errors > 0
    assert trial.model.totals.answered == 0
    # by itself, or ended after the grace of `Watch`; far below the task's own limit
    assert trial.timing["agent"] < 180
    assert (folder / "agent" / "transcript.json").is_file()
