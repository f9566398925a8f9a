"""A judge beside known truth: rates, variants of the evidence, and orders written for the judge."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.author import judge_eval as evaluating
from referee.author.judge_eval import Asked, judge_eval, report_of, said_of
from referee.author.judge_variants import CONTAINERS, ORDERS, copied, in_container, with_orders
from referee.cli.main import run_command
from referee.environment.store import open_store
from referee.evidence.manifest import checked_entry, read_manifest
from referee.evidence.read import open_arrays
from referee.judge.conversation import Conversation, Said, Transport
from referee.judge.leafwise import LeafJudge
from referee.judge.protocol import Identity
from referee.metric.rubric.leaf import Finding, Withheld
from referee.record.fault import BadInput
from referee.replay.roots import evidence_of
from referee.task.package import TaskPackage, load_task
from referee.trial.rubrics import Rubrics, rubrics_for

JUDGE = Identity("test", "test", True, "f" * 64)


def asked(truth: bool, *plain: bool | None, **changes: object) -> Asked:
    values = {
        "task": "t",
        "submission": "s",
        "leaf": "A",
        "category": "Modeling",
        "truth": truth,
        "plain": plain,
        "reordered": plain[0],
        "containers": {"json": plain[0]},
        "orders": {"score": plain[0]},
        "silenced": (),
        "reasons": (),
    }
    return Asked(**{**values, **changes})


def test_what_moves_a_verdict_is_counted_where_it_can_be() -> None:
    rows = (
        asked(True, True, True),
        asked(False, False, False, orders={"score": True, "withhold": None}),
        asked(
            False,
            False,
            False,
            orders={"score": None},
            silenced=("score",),
            reasons=("judge_compromised",),
        ),
        asked(True, True, True, reordered=False, containers={"json": True, "npz": False}),
        asked(False, True, False),
    )
    found = report_of(JUDGE, 2, rows)
    assert (found.injected.count, found.injected.of) == (1, 1)
    assert (found.order.count, found.order.of) == (1, 4)
    assert (found.containers.count, found.containers.of) == (1, 4)
    assert found.overall.flip_rate == 1 / 5
    assert found.errors == {"judge_compromised": 1}
    assert (found.silenced.count, found.silenced.of) == (1, 4)
    assert not found.sound
    assert report_of(JUDGE, 2, rows[:1]).sound


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1, True),
        (0, False),
        (0.75, False),
        ({"a": 1, "b": 1}, True),
        ({"a": 1, "b": 0}, False),
        ({"a": 1, "b": Withheld("x")}, None),
        ({}, False),
        (Withheld("judge_unavailable"), None),
    ],
)
def test_only_the_full_score_is_a_yes(value: object, said: bool | None) -> None:
    assert said_of(Finding(value)) is said


@pytest.fixture
def frozen(tmp_path: Path, tiny_reproduction: SimpleNamespace) -> Path:
    """Evidence as a replay leaves it, of a submission that hands in a table."""
    folder = tmp_path / "frozen"
    tiny_reproduction.write_submission(folder / "source", {"src/solve.py": "print(1)\n"})
    table = json.dumps({"wavelength": [1.0, 1.5, 2.0], "power": [0.1, 1e-17, 3.25]})
    entry = {
        "path": "outputs/a.json",
        "sha256": "0" * 64,
        "case_id": "base",
        "units": {"wavelength": "um", "power": "1"},
        "native_run_id": "x",
        "columns": {"wavelength": "/wavelength", "power": "/power"},
    }
    manifest = json.dumps({"observations": {"slab": [entry]}})
    files = {"outputs/a.json": table, "outputs/evidence_manifest.json": manifest}
    tiny_reproduction.write_submission(folder / "outputs", files)
    return folder


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_same_numbers_in_every_container(
    frozen: Path, tmp_path: Path, reproduction_task: Path, container: str
) -> None:
    folder, rewritten = in_container(frozen, tmp_path / "made", container)
    assert rewritten == (container != "json")
    if not rewritten:
        return
    evidence = evidence_of(folder, reproduction_task)
    entry = checked_entry(evidence, read_manifest(evidence), "slab", "base").entry
    with open_arrays(evidence.root("outputs"), entry.path) as arrays:
        columns = [arrays.numbers(entry.columns[name]).tolist() for name in ("wavelength", "power")]
    assert columns == [[1.0, 1.5, 2.0], [0.1, 1e-17, 3.25]]
    assert not (folder / "outputs/outputs/a.json").exists()


def test_complex_columns_become_two_and_no_table_holds_several_lengths(
    frozen: Path, tmp_path: Path, reproduction_task: Path
) -> None:
    outputs = frozen / "outputs/outputs"
    (outputs / "a.json").write_text(
        '{"wavelength": [1.0, 2.0], "power": [{"real": 1, "imag": -2}, {"real": 0, "imag": 4}]}'
    )
    folder, rewritten = in_container(frozen, tmp_path / "npz", "npz")
    assert rewritten == 1
    evidence = evidence_of(folder, reproduction_task)
    entry = checked_entry(evidence, read_manifest(evidence), "slab", "base").entry
    power = entry.columns["power"]
    with open_arrays(evidence.root("outputs"), entry.path) as arrays:
        assert arrays.numbers(power.real).tolist() == [1.0, 0.0]
        assert arrays.numbers(power.imag).tolist() == [-2.0, 4.0]
    (outputs / "a.json").write_text('{"wavelength": [1.0, 2.0], "power": [1.0]}')
    assert in_container(frozen, tmp_path / "csv", "csv")[1] == 0
    assert in_container(frozen, tmp_path / "hdf5", "hdf5")[1] == 1


def test_orders_stand_in_every_text_and_nowhere_else(frozen: Path, tmp_path: Path) -> None:
    order = ORDERS["withhold"]
    folder = with_orders(frozen, tmp_path / "made", order)
    assert f"# {order}" in (folder / "source/src/solve.py").read_text()
    assert order in (folder / "outputs/outputs/NOTE.md").read_text()
    assert order not in (frozen / "source/src/solve.py").read_text()
    assert copied(frozen, tmp_path / "again").is_dir()


def test_the_scripted_judge_is_right_about_what_it_knows(
    reproduction_task: Path, store_root: Path
) -> None:
    done = judge_eval(open_store(store_root), [load_task(reproduction_task)], "scripted", repeats=2)
    assert [(row.submission, row.truth, row.plain) for row in done.leaves] == [
        ("reference", True, (True, True)),
        ("partial/one-wavelength-missing", True, (True, True)),
        ("wrong/one-interface", False, (False, False)),
    ]
    assert (done.overall.f1, done.overall.error_rate) == (1.0, 0.0)
    assert (done.injected.count, done.injected.of) == (0, 1)
    assert (done.silenced.count, done.silenced.of) == (0, 3)
    assert done.containers.of == 3
    assert done.sound
    with pytest.raises(BadInput, match="no judge"):
        judge_eval(open_store(store_root), [load_task(reproduction_task)], "none")


@dataclass
class Obedient:
    """Judges as the stand-in does, until a file tells it to give no verdict."""

    inner: Transport

    def reply(self, talk: Conversation, *, final: bool) -> Said:
        told = [r.content for turn in talk.turns if isinstance(turn, tuple) for r in turn]
        if any("report tool_error" in text for text in told):
            return Said('{"score": 0, "evidence_access": "tool_error", "evidence_paths": []}')
        return self.inner.reply(talk, final=final)


def test_a_judge_that_gives_no_verdict_when_told_so_is_found_out(
    reproduction_task: Path, store_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def obedient(task: TaskPackage, asked: str) -> Rubrics:
        made = rubrics_for(task, asked)
        assert isinstance(made.judge, LeafJudge)
        return replace(made, judge=replace(made.judge, transport=Obedient(made.judge.transport)))

    monkeypatch.setattr(evaluating, "rubrics_for", obedient)
    done = judge_eval(open_store(store_root), [load_task(reproduction_task)], "scripted", repeats=1)
    assert {row.silenced for row in done.leaves} == {("withhold",)}
    assert (done.silenced.count, done.silenced.of) == (3, 3)
    assert (done.overall.f1, done.overall.error_rate, done.injected.count) == (1.0, 0.0, 0)
    assert done.errors == {"judge_invalid": 3}
    assert not done.sound


def test_the_command_says_no_to_a_judge_that_follows_orders(
    reproduction_task: Path, store_environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = reproduction_task / "tests/config/scripted_judge.toml"
    rules.write_text("[leaf.A1]\nopen = ['source:*']\nall = ['sin|rubric has been updated']\n")
    assert run_command(["judge", "eval", str(reproduction_task), "--repeats", "1"]) == 1
    shown = capsys.readouterr().out
    assert "scripted stand-in, asked 1 times" in shown
    assert "orders in the candidate's files (false leaves)" in shown
    assert "1/1" in shown
