"""The data of 007: a pool in a box, weights, and a reference bank that does what it should."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from referee.metric.gw.bank import bank_score, normalised, overlaps
from referee.metric.gw.xhm import plus

pytest.importorskip("lalsimulation")

TASK = Path(__file__).resolve().parents[2] / "suites/gw/007-template-bank"


@pytest.fixture(scope="module")
def data() -> ModuleType:
    """The generator of the task."""
    spec = importlib.util.spec_from_file_location("gw_bank_data", TASK / "tests/data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_files_repeat_and_lie_in_the_box(data: ModuleType, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        data.public("small", 42, tmp_path / folder)
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {"bank_wf_params.npy", "f_amp.npy", "Aref_weights.npy"}
    for name in names:
        np.testing.assert_array_equal(
            np.load(tmp_path / "one" / name), np.load(tmp_path / "two" / name)
        )
    m1, m2, s1z, s2z = np.load(tmp_path / "one/bank_wf_params.npy").T
    assert m1.size == data.POOL["small"]
    for values, (low, high) in zip((m1 + m2, m1 / m2, s1z, s2z), data.BOX.values(), strict=True):
        assert (values >= low - 1e-9).all()
        assert (values <= high + 1e-9).all()
    assert np.load(tmp_path / "one/Aref_weights.npy")[1].sum() == pytest.approx(1)


def test_tests_and_pool_are_other_binaries_also_with_one_seed(data: ModuleType) -> None:
    tests, pool = data.binaries(50, "tests", 42), data.binaries(50, "pool", 42)
    assert not np.isin(tests, pool).any()


def test_few_frequencies_give_the_overlaps_of_many(
    data: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = np.column_stack([data.binaries(12, "pool", 3), np.linspace(0, 6, 12)])

    def found() -> np.ndarray:
        f, amplitude, weights = data.grid()
        signals, fit = normalised(plus(rows, f) / amplitude, weights)
        assert fit.all()
        return overlaps(signals, signals, weights)

    coarse = found()
    monkeypatch.setattr(data, "FREQUENCIES", 4001)
    np.testing.assert_allclose(coarse, found(), atol=2e-3)


def test_each_column_and_the_order_of_a_bank_move_its_score(data: ModuleType) -> None:
    f, amplitude, weights = data.grid()
    rng = np.random.default_rng(5)
    tests = np.column_stack([data.binaries(60, "tests", 5), rng.uniform(0, 2 * np.pi, 60)])
    filler = np.column_stack([data.binaries(40, "pool", 6), rng.uniform(0, 2 * np.pi, 40)])
    bank = np.concatenate([tests, filler])

    def k(rows: np.ndarray) -> int:
        signals = normalised(plus(tests, f) / amplitude, weights)[0]
        templates = normalised(plus(rows, f) / amplitude, weights)[0]
        return bank_score(overlaps(signals, templates, weights)).k

    best = k(bank)
    assert best <= 30
    assert k(bank[::-1]) > best
    for column in range(5):
        other = bank.copy()
        low, high = bank[:, column].min(), bank[:, column].max()
        other[:, column] = low + high - bank[:, column]
        assert k(other) > best, column


def test_the_turns_of_a_covering_are_greedy(data: ModuleType) -> None:
    covers = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 1, 1]], dtype=bool)
    assert data.in_turn(covers, 9) == [0, 1]
    assert data.in_turn(covers, 1) == [0]
