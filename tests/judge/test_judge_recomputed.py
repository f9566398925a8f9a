"""A leaf that rests on a number which the judge must recompute: each way not to, and the twin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judge_world import GOOD, READ, said, task, value

from referee.evidence.measure import MetricModule, Operation, Quantity
from referee.judge.conversation import Call, Said
from referee.judge.protocol import JudgedTask
from referee.judge.tools import Toolbox
from referee.record.fault import Infrastructure

CALLS = count()


def derive(operation: str, quantities: Mapping[str, Any], context: Mapping[str, Any]) -> Any:
    match operation:
        case "unstable":
            return {"loss": next(CALLS)}
        case "closure":
            return {"loss": float(np.max(np.abs(quantities["power"] - 1)))}
    raise Infrastructure("metric_crash", operation)


POWER = {"power": Quantity(unit="1", ndim=1)}
MODULE = MetricModule(
    "f" * 64,
    {name: Operation(quantities=POWER) for name in ("closure", "other", "unstable")},
    derive,
)


def derived(operation: str, array: str = "/power", path: str = "a.json") -> Call:
    place = {"root": "outputs", "path": path, "array": array}
    cited = {"kind": "attribute", **place, "key": "unit"}
    binding = {
        **place,
        "source_unit": "1",
        "target_unit": "1",
        "unit_evidence": cited,
    }
    given = {"operation": operation, "bindings": {"power": binding}}
    return Call(f"{operation} {array} {path}", "derive_metrics", given)


@pytest.fixture
def judged(tmp_path: Path) -> JudgedTask:
    made = task(tmp_path, metric_operation="closure")
    told = {"unit": "1", "power": [1.0, 0.999], "more": [1.0, 1.0]}
    (tmp_path / "outputs/a.json").write_text(json.dumps(told))
    return replace(made, module=MODULE)


def test_a_judge_is_told_how_to_bind(judged: JudgedTask) -> None:
    told = json.loads(Toolbox(judged.evidence, MODULE).run("describe_metrics", {}))
    assert set(told["operations"]) == {"closure", "other", "unstable"}
    assert "unit_evidence" in told["binding"]["required"]
    assert "binding" not in json.loads(Toolbox(judged.evidence, None).run("describe_metrics", {}))


def test_a_number_that_was_recomputed_earns_the_leaf(judged: JudgedTask) -> None:
    looks = Said("", (READ, derived("closure"), derived("closure")))
    assert value(judged, looks, said(GOOD)) == 1
    audits = [json.loads(path.read_text()) for path in judged.audit.iterdir()]
    assert any(tool["name"] == "derive_metrics" for one in audits for tool in one["tools"])


@pytest.mark.parametrize(
    "calls",
    [
        (),
        (derived("other"),),
        (derived("closure", path="b.json"),),
        (derived("closure"), derived("closure", array="/more")),
    ],
    ids=["none", "another", "of no file", "two that conflict"],
)
def test_no_other_number_does(judged: JudgedTask, calls: tuple[Call, ...]) -> None:
    assert value(judged, Said("", (READ, *calls)), said(GOOD)) == "judge_invalid"


def test_nothing_counts_where_nothing_can_be_recomputed(judged: JudgedTask) -> None:
    assert value(replace(judged, module=None), Said("", (READ,)), said(GOOD)) == "judge_invalid"


def test_a_metric_that_wavers_withholds_the_leaf_alone(tmp_path: Path, judged: JudgedTask) -> None:
    again = replace(task(tmp_path / "again", metric_operation="unstable"), module=MODULE)
    told = (tmp_path / "outputs/a.json").read_text()
    (tmp_path / "again/outputs/a.json").write_text(told)
    looks = Said("", (READ, derived("unstable"), derived("unstable")))
    assert value(again, looks, said(GOOD)) == "judge_reader_error"
