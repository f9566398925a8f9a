"""A trial's model: reached through the gateway alone, counted, bounded, and withheld when dead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from referee.agent.command import Command
from referee.agent.gateway.budget import Budget
from referee.agent.gateway.patience import Patience
from referee.agent.gateway.usage import Usage
from referee.agent.protocol import AgentReport, Session
from referee.agent.standin import Turn, scripted_upstream
from referee.environment.store import open_store
from referee.record.atif import Trajectory
from referee.record.fault import BadInput
from referee.record.load import load_record
from referee.record.trial import Trial
from referee.trial.audit import audit_run
from referee.trial.contest import PreparedRun, RunRequest, prepare_contest, run_contest
from referee.trial.status import run_status

KEY = "sk-canary-77aa"
ARM = "command-caller"
CALLER = """\
#!/usr/bin/env python3
import json, os, sys, urllib.error, urllib.request

url = os.environ["REFEREE_MODEL_URL"] + "/v1/chat/completions"
head = {"authorization": "Bearer " + os.environ["REFEREE_MODEL_TOKEN"]}
for n in range(%d):
    body = {"model": os.environ["REFEREE_MODEL"], "messages": [{"role": "user", "content": str(n)}]}
    asked = urllib.request.Request(url, json.dumps(body).encode(), head)
    try:
        print(urllib.request.urlopen(asked, timeout=30).read().decode())
    except urllib.error.HTTPError as error:
        print(error.code, error.read().decode())
print(sorted(os.environ.values()))
"""


def prepared(
    store_root: Path,
    task: Path,
    tmp_path: Path,
    url: str,
    *,
    calls: int = 2,
    price: bool = True,
    **request: object,
) -> PreparedRun:
    program = tmp_path / "caller"
    program.write_text(CALLER % calls)
    program.chmod(0o755)
    profile = tmp_path / "scripted.env"
    prices = "PRICE_INPUT=1\nPRICE_OUTPUT=2\n" if price else ""
    profile.write_text(f"BASE_URL={url}\nPROTOCOL=openai-chat\nMODEL=m\nKEY={KEY}\n{prices}")
    profile.chmod(0o600)
    asked = RunRequest(
        suite=str(task),
        agents=(f"command:{program}",),
        models=(str(profile),),
        out=tmp_path / "run",
        unvalidated=True,
        seed=1,
        **request,  # type: ignore[arg-type]
    )
    made = prepare_contest(asked, say=lambda _line: None, store=open_store(store_root))
    patience = Patience(retries=1, connect_s=1, idle_s=2, first_wait_s=0.01, longest_wait_s=0.1)
    object.__setattr__(made.contest.models, "patience", patience)
    return made


def ran(contest: PreparedRun) -> tuple[Trial, Path]:
    run_contest(contest, jobs=1, on_event=lambda _event: None)
    (folder,) = (contest.out / "trials" / "001-tiny" / ARM).iterdir()
    return load_record(folder / "trial.json", Trial), folder


def test_calls_are_counted_and_written_down(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    with scripted_upstream([Turn("one"), Turn("two", cached=5)]) as upstream:
        contest = prepared(store_root, locked_tiny_task, tmp_path, upstream.url)
        arm = contest.plan.arms[0]
        assert (arm.name, arm.model) == (ARM, "m")
        assert "base_url" not in str(arm.settings)
        trial, folder = ran(contest)
    assert trial.outcome == "scored"
    assert trial.model is not None
    totals = trial.model.totals
    assert (totals.calls, totals.answered) == (2, 2)
    assert (totals.tokens.input, totals.tokens.output) == (upstream.input, upstream.output)
    assert totals.cost == pytest.approx((upstream.input + 2 * upstream.output) / 1e6)
    made = Trajectory.model_validate_json((folder / "agent" / "transcript.json").read_text())
    assert [s.message for s in made.steps if s.source == "agent"] == ["one", "two"]
    for path in contest.out.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_a_dead_model_withholds_the_trial(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    contest = prepared(store_root, locked_tiny_task, tmp_path, "http://127.0.0.1:9", calls=1)
    trial, folder = ran(contest)
    assert trial.outcome == "withheld"
    assert trial.withheld is not None
    assert trial.withheld.reason == "model_unavailable"
    assert trial.model is not None
    assert trial.model.totals.provider_errors == 1
    assert "the model cannot be reached" in (folder / "agent" / "stdout.log").read_text()


def test_a_call_that_breaks_a_model_that_answers_us_is_the_agents_own(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    script = [Turn(fault="status:500"), Turn(fault="status:500"), Turn("to the probe")]
    with scripted_upstream(script) as upstream:
        contest = prepared(store_root, locked_tiny_task, tmp_path, upstream.url, calls=1)
        trial, _folder = ran(contest)
        assert upstream.seen[-1]["messages"][0]["content"] == "Say yes."
    assert trial.outcome == "scored"
    assert trial.scores is not None
    assert trial.scores.pass1 == 0


def test_an_agent_that_used_up_its_budget_is_scored(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    with scripted_upstream([Turn("x")]) as upstream:
        contest = prepared(
            store_root,
            locked_tiny_task,
            tmp_path,
            upstream.url,
            calls=3,
            trial_budget=Budget(calls=1),
        )
        assert contest.plan.limits == {"model": {"calls": 1}}
        trial, folder = ran(contest)
    assert trial.outcome == "scored"
    assert trial.model is not None
    assert (trial.model.totals.answered, trial.model.totals.refused) == (1, 2)
    assert "the budget of 1 calls is used up" in (folder / "agent" / "stdout.log").read_text()


def test_what_the_budget_of_the_run_does_not_reach_for_stays_pending(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    """The first trial uses more than its share and is scored; the second one waits for more."""
    with scripted_upstream([Turn("x")]) as upstream:

        def run(budget: Budget) -> PreparedRun:
            contest = prepared(
                store_root,
                locked_tiny_task,
                tmp_path,
                upstream.url,
                calls=3,
                attempts=2,
                run_budget=budget,
            )
            run_contest(contest, jobs=1, on_event=lambda _event: None)
            return contest

        contest = run(Budget(calls=2))
        found = run_status(contest.out)
        assert (found.scored, found.withheld, found.pending, found.sealed) == (1, {}, 1, False)
        assert contest.contest.models.run.spent() == "the budget of 2 calls is used up"
        # what was used before counts: two of these three are gone
        contest = run(Budget(calls=3))
        assert upstream.taken == 3
        contest = run(Budget(calls=40))
    found = run_status(contest.out)
    assert (found.scored, found.pending, found.sealed) == (2, 0, True)
    assert audit_run(contest.out).ok


def test_a_trial_that_the_others_left_nothing_is_put_aside_and_made_again(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    with scripted_upstream([Turn("x")]) as upstream:
        contest = prepared(
            store_root,
            locked_tiny_task,
            tmp_path,
            upstream.url,
            calls=2,
            attempts=4,
            run_budget=Budget(calls=8),
        )
        contest.contest.models.run.begin_with(7, Usage(), 0.0, 0)
        run_contest(contest, jobs=1, on_event=lambda _event: None)
    # one of its two calls was refused, and one is less than a quarter of eight
    found = run_status(contest.out)
    assert (found.scored, found.pending) == (0, 4)
    assert found.retried == {"model_budget_of_run": 1}


def test_counts_that_are_none_decide_nothing(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent of one's own may report what it likes."""
    real = Command.work

    def work(self: Command, session: Session) -> AgentReport:
        return replace(real(self, session), told=Usage(input=-1, output=2**70))

    monkeypatch.setattr(Command, "work", work)
    with scripted_upstream([Turn("x")]) as upstream:
        contest = prepared(store_root, locked_tiny_task, tmp_path, upstream.url)
        trial, _folder = ran(contest)
    assert trial.outcome == "scored"
    assert trial.model is not None
    assert (trial.model.told, trial.model.agrees) == (None, None)


def test_a_transcript_that_cannot_be_made_decides_nothing(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object, **_options: object) -> object:
        raise ValueError("cannot be read")

    monkeypatch.setattr("referee.trial.model.transcript_of", broken)
    with scripted_upstream([Turn("x")]) as upstream:
        trial, folder = ran(prepared(store_root, locked_tiny_task, tmp_path, upstream.url))
    assert trial.outcome == "scored"
    assert "ValueError" in (folder / "agent" / "no-transcript.txt").read_text()


def test_bad_combinations_are_refused_before_anything_starts(
    store_root: Path, locked_tiny_task: Path, tmp_path: Path
) -> None:
    def ask(**request: object) -> None:
        prepared(store_root, locked_tiny_task, tmp_path, "http://127.0.0.1:9", **request)  # type: ignore[arg-type]

    with pytest.raises(BadInput, match=r"limit in dollars cannot be held: scripted has no price"):
        ask(price=False, run_budget=Budget(cost=1.0))
    with pytest.raises(BadInput, match=r"limit in dollars cannot be held: scripted has no price"):
        ask(price=False, trial_budget=Budget(cost=1.0))
    profile = tmp_path / "scripted.env"
    profile.chmod(0o600)
    for agents, sentence in (
        (("nop",), "no agent of this run can speak with scripted"),
        (("nowhere:Agent",), "nowhere:Agent cannot be imported"),
        (("json:loads",), "json:loads cannot be made without arguments"),
        (("json:Nothing",), "json:Nothing is not there"),
        (("json:JSONDecoder",), "json:JSONDecoder has no name, version"),
    ):
        request = RunRequest(
            suite=str(locked_tiny_task), agents=agents, models=(str(profile),), unvalidated=True
        )
        with pytest.raises(BadInput, match=sentence):
            prepare_contest(request, say=lambda _line: None, store=open_store(store_root))
