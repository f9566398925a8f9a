"""The remnants of 002: inspirals against `precession`, symmetries, and what moves the score."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from referee.metric.gw.errors import nrmse
from referee.task.package import load_task

precession = pytest.importorskip("precession")
h5py = pytest.importorskip("h5py")

TASK = Path(__file__).resolve().parents[2] / "suites/gw/002-remnant"
STEPS = 64


@pytest.fixture(scope="module")
def data() -> ModuleType:
    """The generator of the task."""
    spec = importlib.util.spec_from_file_location("gw_remnant_data", TASK / "tests/data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def binaries(data: ModuleType) -> np.ndarray:
    """Parameters (300, 8)."""
    drawn: np.ndarray = data.drawn(300, np.random.default_rng([9, 1]))
    return drawn


@pytest.mark.parametrize("row", [0, 7])
def test_spins_evolve_as_in_the_package(data: ModuleType, row: int) -> None:
    binary = np.array(
        [[1.7, 0.3, -0.2, 0.4, -0.1, 0.5, 0.2, 0.019], [3.0, -0.4, 0.5, -0.3, 0.2, 0.3, 0.1, 0.016]]
    )[[row % 2]]
    q, spins, omega0 = 1 / binary[:, 0], (binary[:, 1:4], binary[:, 4:7]), binary[:, 7]
    end = data.evolved(q, *spins, omega0, 256)
    sizes = [np.linalg.norm(chi, axis=1) for chi in spins]
    expected = precession.inspiral_orbav(
        Lh=[[0.0, 0.0, 1.0]],
        S1h=spins[0] / sizes[0][:, None],
        S2h=spins[1] / sizes[1][:, None],
        r=[[omega0[0] ** (-2 / 3), 10.0]],
        q=q,
        chi1=sizes[0],
        chi2=sizes[1],
    )
    # the package integrates to about 1e-8
    np.testing.assert_allclose(end.normal[0], expected["Lh"][-1], atol=1e-6)
    np.testing.assert_allclose(end.chi1[0] / sizes[0], expected["S1h"][-1], atol=1e-6)
    np.testing.assert_allclose(end.chi2[0] / sizes[1], expected["S2h"][-1], atol=1e-6)


def test_aligned_binaries_have_the_kick_of_the_package(data: ModuleType) -> None:
    binaries = np.zeros((4, 8))
    binaries[:, 0] = [1.0, 1.5, 2.5, 6.0]
    binaries[:, 3] = [0.5, -0.7, 0.2, 0.8]
    binaries[:, 6] = [-0.5, 0.3, -0.6, 0.1]
    binaries[:, 7] = 0.02
    theta = [np.where(binaries[:, column] > 0, 0.0, np.pi) for column in (3, 6)]
    expected = precession.remnantkick(
        *theta, np.zeros(4), 1 / binaries[:, 0], *np.abs(binaries[:, [3, 6]].T)
    )
    np.testing.assert_allclose(data.remnants(binaries, STEPS)["vf_mag"], expected, rtol=1e-9)


def test_equal_holes_without_spin_are_not_kicked(data: ModuleType) -> None:
    binary = np.array([[1.0, 0, 0, 0, 0, 0, 0, 0.02]])
    found = data.remnants(binary, STEPS)
    assert found["vf_mag"][0] < 1e-12
    # a published value of numerical relativity: 0.9516 of the mass, a spin of 0.6864
    assert found["Mf"][0] == pytest.approx(0.9516, abs=1e-3)
    assert found["chif_mag"][0] == pytest.approx(0.6864, abs=1e-3)


def test_half_a_turn_and_other_names_of_equal_holes_change_no_speed(
    data: ModuleType, binaries: np.ndarray
) -> None:
    turned = binaries.copy()
    turned[:, [1, 2, 4, 5]] *= -1
    expected = data.remnants(binaries, STEPS)["vf_mag"]
    np.testing.assert_allclose(data.remnants(turned, STEPS)["vf_mag"], expected, atol=1e-12)
    equal = binaries.copy()
    equal[:, 0] = 1
    renamed = equal[:, [0, 4, 5, 6, 1, 2, 3, 7]] * [1, -1, -1, 1, -1, -1, 1, 1]
    np.testing.assert_allclose(
        data.remnants(renamed, STEPS)["vf_mag"],
        data.remnants(equal, STEPS)["vf_mag"],
        atol=1e-12,
    )


def test_every_parameter_moves_the_score_beyond_the_requirement(
    data: ModuleType, binaries: np.ndarray
) -> None:
    artifact = load_task(TASK).agent.file.referee.artifact
    assert artifact is not None
    assert artifact.requirement is not None
    true = data.remnants(binaries, STEPS)["vf_mag"]
    assert nrmse(true, true).value == 0
    for column in range(8):
        other = binaries.copy()
        other[:, column] = binaries[:, column].mean()
        moved = nrmse(data.remnants(other, STEPS)["vf_mag"], true).value
        assert moved > 5 * artifact.requirement, data.COLUMNS[column]
    swapped = binaries[:, [0, 4, 5, 6, 1, 2, 3, 7]]
    assert nrmse(data.remnants(swapped, STEPS)["vf_mag"], true).value > 5 * artifact.requirement


def test_the_files_have_the_published_layout_twice_and_do_not_repeat(
    data: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "COUNT", 30)
    np.random.seed(1)
    data.public("small", 42, tmp_path)
    data.hidden("small", 42, tmp_path)
    again = tmp_path / "again"
    again.mkdir()
    np.random.seed(2)
    data.public("small", 42, again)
    with (
        h5py.File(tmp_path / "remnant_training.h5") as training,
        h5py.File(tmp_path / "remnant_validation.h5") as validation,
        h5py.File(again / "remnant_training.h5") as second,
    ):
        names = {*data.COLUMNS, "Mf", "chif_mag", "vf_mag", "delta_Mf", "delta_chif", "delta_vf"}
        names |= {"sxs_id", "lev_high", "lev_low"}
        assert set(training) == {*names, "metadata"}
        assert set(training["metadata"]) == names
        for name in names:
            assert training[name].shape == (30,)
            np.testing.assert_array_equal(training[name][:], training["metadata"][name][:])
            np.testing.assert_array_equal(training[name][:], second[name][:])
        assert training.attrs["n_simulations"] == 30
        assert not np.isin(training["q"][:], validation["q"][:]).all()
        # the integration's own error is far below the requirement
        assert validation["delta_vf"][:].max() < 1e-5
