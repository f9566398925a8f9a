"""Artifacts that are asked by the contract of their task, on this side of a made-up wall."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from referee.task.contract import ContractTable
from referee.wall.api import CandidateContract, CommandResult
from referee.wall.artifact import Artifact

CONTRACT = ContractTable.model_validate_json("""{
  "entry": "model/predict.py:predict",
  "inputs": [
    {"name": "x", "dtype": "float64", "shape": ["n", 2], "units": "m"},
    {"name": "mass", "dtype": "float64", "units": "kg"}
  ],
  "outputs": [
    {"name": "h", "dtype": "complex128", "shape": ["n"], "units": "1"},
    {"name": "count", "dtype": "int64", "units": "1"}
  ],
  "files": [{"path": "bank.npy", "dtype": "float64", "shape": ["rows", 5], "units": "Msun"}],
  "constraints": ["no table of values"]
}""")
GOOD = (np.zeros(3, dtype=complex), 4)


class Session:
    """Answers every call with one value, and holds files."""

    def __init__(self, answer: Any = None, files: Mapping[str, bytes] | None = None) -> None:
        self.answer, self.files = answer, dict(files or {})
        self.asked: tuple[Any, ...] = ()

    def call(self, source: str, name: str, args: Sequence[Any]) -> Any:
        assert f"def {name}(" in source
        self.asked = tuple(args)
        return self.answer

    def command(self, argv: Sequence[str], *, files: Sequence[str]) -> CommandResult:
        return CommandResult(0, b"", b"", {n: self.files[n] for n in files if n in self.files})


def ask(answer: Any, n: int = 3) -> Any:
    return Artifact(Session(answer), CONTRACT)(np.zeros((n, 2)), 1.0)  # type: ignore[arg-type]


def test_an_answer_of_the_declared_form_comes_through() -> None:
    session = Session(GOOD)
    h, count = Artifact(session, CONTRACT)(np.zeros((3, 2)), 2.0)  # type: ignore[arg-type]
    assert (h.shape, count) == ((3,), 4)
    assert session.asked[:2] == ("model.predict", "predict")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (None, "not a tuple of 2"),
        ((GOOD[0],), "not a tuple of 2"),
        (([0j] * 3, 4), "output h: list instead of"),
        ((np.zeros(3), 4), "output h: an array of float64"),
        ((np.zeros(4, dtype=complex), 4), r"output h: shape \(4,\)"),
        ((np.zeros((3, 1), dtype=complex), 4), "output h: shape"),
        ((np.array([0, np.nan, np.inf], dtype=complex), 4), "output h: 2 values are not finite"),
        ((GOOD[0], 4.5), "output count: float64 instead of one int64"),
        ((GOOD[0], "4"), "output count: str instead of"),
        ((GOOD[0], 1 << 70), "output count: "),
    ],
)
def test_an_answer_of_another_form_is_the_candidates_failure(answer: Any, sentence: str) -> None:
    with pytest.raises(CandidateContract, match=sentence):
        ask(answer)


def test_inputs_of_another_form_are_a_mistake_of_the_check() -> None:
    artifact = Artifact(Session(GOOD), CONTRACT)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"input x: shape \(3, 3\)"):
        artifact(np.zeros((3, 3)), 1.0)
    with pytest.raises(ValueError, match="input mass: 1 values are not finite"):
        artifact(np.zeros((3, 2)), np.nan)


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_a_file_is_read_by_its_declared_form() -> None:
    rows = np.arange(10.0).reshape(2, 5)
    session = Session(files={"bank.npy": npy(rows)})
    artifact = Artifact(session, CONTRACT)  # type: ignore[arg-type]
    np.testing.assert_array_equal(artifact.file("bank.npy"), rows)
    with pytest.raises(KeyError):
        artifact.file("other.npy")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "there is no such file"),
        ({"bank.npy": npy(np.zeros((2, 4)))}, r"shape \(2, 4\)"),
        ({"bank.npy": npy(np.zeros((2, 5), dtype="f4"))}, "float32 instead of"),
        ({"bank.npy": npy(np.full((2, 5), np.nan))}, "10 values are not finite"),
        ({"bank.npy": b"\x80\x04K\x01."}, "not an NPY array"),
        ({"bank.npy": npy(np.zeros((500_000, 5)))}, "more than 16 MiB"),
    ],
)
def test_another_file_is_the_candidates_failure(files: dict[str, bytes], sentence: str) -> None:
    with pytest.raises(CandidateContract, match=sentence):
        Artifact(Session(files=files), CONTRACT).file("bank.npy")  # type: ignore[arg-type]


def test_the_contract_in_words_names_all_of_it() -> None:
    text = CONTRACT.text()
    for said in ("`predict(x, mass)` in `model/predict.py`", "(n, 2) of float64, in m"):
        assert said in text
    for said in ("one float64, in kg", "`bank.npy` (npy): (rows, 5)", "no table of values"):
        assert said in text


@pytest.mark.parametrize(
    "change",
    [
        '{"entry": "predict.py:predict"}',
        '{"inputs": []}',
        '{"entry": "../p.py:f", "outputs": [{"name": "y", "dtype": "bool", "units": "1"}]}',
        '{"files": [{"path": "../x.npy", "dtype": "bool", "shape": [1], "units": "1"}]}',
        '{"files": [{"path": "x.npy", "dtype": "object", "shape": [1], "units": "1"}]}',
        '{"entry": "p.py:f", "outputs": [{"name": "y", "dtype": "bool", "units": "1"},'
        ' {"name": "y", "dtype": "bool", "units": "1"}]}',
    ],
)
def test_a_contract_that_asks_nothing_or_climbs_out_is_refused(change: str) -> None:
    with pytest.raises(ValueError):
        ContractTable.model_validate_json(change)
