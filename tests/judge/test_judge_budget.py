"""What judging may use: of one task, and of all tasks of a run together; leaves side by side."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from referee.evidence.roots import Evidence, Root
from referee.judge.conversation import Conversation, Said, Unavailable
from referee.judge.leafwise import LeafJudge
from referee.judge.loop import BudgetExhausted, Ledger, Limits
from referee.judge.prompt import refs_catalogue
from referee.judge.protocol import JudgedTask
from referee.metric.rubric.leaf import Withheld
from referee.metric.rubric.tree import rubric_from

LEAVES = tuple(f"L{n}" for n in range(4))
RUBRIC = rubric_from(
    {
        "id": "root",
        "requirements": "r",
        "weight": 1,
        "sub_tasks": [
            {"id": name, "requirements": "q", "weight": 1, "task_category": "Modeling"}
            for name in LEAVES
        ],
    }
)


class Together:
    """Answers no leaf before all four are asked at once."""

    def __init__(self) -> None:
        self.barrier = threading.Barrier(4, timeout=20)

    def reply(self, talk: Conversation, *, final: bool) -> Said:
        if talk.leaf in LEAVES:
            self.barrier.wait()
        raise Unavailable("no answer today")


@pytest.fixture
def task(tmp_path: Path) -> JudgedTask:
    for name, text in (("refs/a.md", "the table"), ("refs/b.bin", "\0"), ("source/x.py", "x")):
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    roots = {name: Root(name, tmp_path / name) for name in ("source", "refs")}
    return JudgedTask(RUBRIC, Evidence(roots), LEAVES, tmp_path / "audit")


def test_leaves_are_judged_side_by_side_and_answered_in_order(task: JudgedTask) -> None:
    found = LeafJudge(Together(), "test", "test", workers=4).findings(task)
    assert tuple(found) == LEAVES
    assert {one.value for one in found.values()} == {Withheld("judge_unavailable")}


def test_the_run_has_a_budget_beside_that_of_the_task(task: JudgedTask) -> None:
    run = Ledger(Limits(calls=2))
    own = Ledger(Limits(calls=10), above=run)
    own.open_call()
    own.count(Said("", input_tokens=3, output_tokens=4))
    assert (run.calls, run.input_tokens, run.output_tokens) == (1, 3, 4)
    own.open_call()
    with pytest.raises(BudgetExhausted):
        own.open_call()
    assert own.calls == 2
    spent = Ledger(Limits(calls=0))
    found = LeafJudge(Together(), "test", "test", run=spent).findings(task)
    assert {one.value for one in found.values()} == {Withheld("judge_budget_exhausted")}


def test_only_judging_counts_as_time_of_the_run(task: JudgedTask) -> None:
    run = Ledger(Limits(seconds=100.0), started=None)
    assert run.seconds == 0
    own = Ledger(Limits(), above=run, spent_s=60.0)
    own.close()
    assert 60 <= own.seconds == run.seconds < 90
    Ledger(Limits(), above=run).open_call()
    Ledger(Limits(), above=run, spent_s=60.0).close()
    with pytest.raises(BudgetExhausted):
        Ledger(Limits(), above=run).open_call()
    before = run.seconds
    LeafJudge(Together(), "test", "test", run=run).findings(task)
    assert run.seconds > before


def test_references_are_told_as_text_or_by_size_and_digest(task: JudgedTask) -> None:
    told = refs_catalogue(task)
    assert "a.md:\nthe table" in told
    assert "b.bin: 1 bytes, sha256 6e340b9c" in told
