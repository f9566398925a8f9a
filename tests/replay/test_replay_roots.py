"""From a package and a replay to a recomputed number, by the rooms that exist."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter

from referee.evidence.manifest import read_manifest
from referee.evidence.measure import MetricModule
from referee.evidence.plan import Plan, carry_out
from referee.replay.roots import evidence_of


@pytest.mark.parametrize(("index", "right"), [('slab["index"]', True), ("2.1", False)])
def test_the_evaluator_recomputes_what_was_replayed(case, reproduction_task, index, right):
    source = case.tiny.SOLVE.replace('slab["index"]', index)
    (case.submission / "src/solve.py").write_text(source)
    assert case.replay().status == "completed"
    evidence = evidence_of(case.folder, reproduction_task)
    assert evidence.locate("submission/inputs/slab.json")[0].kind == "inputs"
    assert evidence.locate("submission/src/solve.py")[0].kind == "source"
    names: dict = {}
    exec(case.tiny.METRICS, names)
    module = MetricModule("a" * 64, names["OPERATIONS"], names["derive"])
    plan = TypeAdapter(Plan).validate_json(json.dumps(case.tiny.PLANS["C1"]))
    done = carry_out(evidence, module, read_manifest(evidence), plan)
    assert done.faults == {}
    assert done.returned["count"] == 6
    assert (done.returned["error"] <= 1e-9) is right
