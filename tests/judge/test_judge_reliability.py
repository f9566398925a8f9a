"""Rates beside a known truth, and verdicts that are used again only for the same evidence."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from referee.evidence.roots import Evidence, Root
from referee.judge.cache import VerdictCache, key_of
from referee.judge.protocol import Identity, JudgedTask
from referee.judge.reliability import Judged, by_category, macro_f1, reliability
from referee.metric.rubric.tree import rubric_from

RUBRIC = rubric_from(
    {
        "id": "root",
        "requirements": "r",
        "weight": 1,
        "sub_tasks": [{"id": "a", "requirements": "q", "weight": 1, "task_category": "Modeling"}],
    }
)


def test_rates_of_a_small_table() -> None:
    leaves = [
        Judged("Modeling", True, (True, True)),
        Judged("Modeling", True, (False, True)),
        Judged("Execution", False, (True, None)),
        Judged("Execution", False, (False, False)),
    ]
    found = reliability(leaves)
    assert (found.asked, found.verdicts, found.error_rate) == (8, 7, 1 / 8)
    assert (found.accuracy, found.precision, found.recall) == (5 / 7, 3 / 4, 3 / 4)
    assert (found.f1, found.flip_rate) == (3 / 4, 1 / 3)
    assert by_category(leaves)["Execution"].recall is None
    # Modeling: 3 of 4 found and all claims true, so 6/7; Execution: one claim, which is false
    assert macro_f1(by_category(leaves)) == pytest.approx((6 / 7 + 0) / 2, rel=1e-15)
    assert macro_f1({}) is None
    assert reliability([]).accuracy is None


def test_a_kept_verdict_needs_the_same_evidence_judge_and_question(tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/a").write_text("1")
    evidence = Evidence({"outputs": Root("outputs", tmp_path / "outputs")})
    task = JudgedTask(RUBRIC, evidence, ("a",), tmp_path / "audit", {"receipt": "1"})
    judge, node = Identity("scripted", "m", True, "f"), RUBRIC.by_id["a"].node
    key = key_of(judge, task, node, "asked")
    assert key == key_of(judge, task, node, "asked")
    others = {
        key_of(replace(judge, fingerprint="g"), task, node, "asked"),
        key_of(judge, replace(task, digests={"receipt": "2"}), node, "asked"),
        key_of(judge, task, node, "asked otherwise"),
    }
    (tmp_path / "outputs/a").write_text("2")
    others.add(key_of(judge, task, node, "asked"))
    for name in (b"b", b"\xff", b"\xfe"):
        (tmp_path / "outputs" / os.fsdecode(name)).write_text("")
        others.add(key_of(judge, task, node, "asked"))
    assert len(others | {key}) == 8


@pytest.mark.parametrize("value", [0, 1, {"u": 1}])
def test_a_kept_verdict_that_was_edited_is_not_used(tmp_path: Path, value: object) -> None:
    cache = VerdictCache(tmp_path)
    cache.put("k", value)
    assert cache.get("k") == value
    path = tmp_path / "k.json"
    path.write_text(path.read_text().replace("1", "0").replace('"value":0', '"value":1'))
    assert cache.get("k") is None
    assert cache.get("other") is None
