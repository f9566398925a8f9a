"""The dynamics task's generator, against limits that are printed elsewhere and its own averages."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import pytest

np = pytest.importorskip("numpy")
h5py = pytest.importorskip("h5py")
pytest.importorskip("scipy")

GENERATOR = Path(__file__).parents[2] / "suites/gw/003-dynamics/tests/data.py"
BINARY = (2.0, 0.2, -0.1, 0.4, 1.0, 0.0085)


@pytest.fixture(scope="module")
def model() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gw_dynamics_data", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("chi", [0.0, 0.5])
def test_a_circle_decays_as_printed_for_circles(model: ModuleType, chi: float) -> None:
    """Arun and others, Phys. Rev. D 79, 104023 (2009), for equal masses and spins."""
    nu = 0.25
    second = 34103 / 18144 + 13661 * nu / 2016 + 59 * nu**2 / 18 + 5 * chi**2
    half = -math.pi * (4159 / 672 + 189 * nu / 8)
    terms = {2: -743 / 336 - 11 * nu / 4, 3: 4 * math.pi - 47 * chi / 6, 4: second}
    if chi == 0:
        terms[5] = half
    for x in (1e-4, 1e-2):
        rate, squares, _ = model.Rates(1.0, chi, chi).averaged(x, 0.0)
        expected = 1 + sum(term * x ** (power / 2) for power, term in terms.items())
        tolerance = 1e-12 if chi == 0 else 60 * x**2.5
        assert rate / (64 / 5 * nu * x**5) == pytest.approx(expected, abs=tolerance)
        assert squares == 0


@pytest.mark.parametrize("e", [0.1, 0.5])
def test_rates_at_first_order_are_those_printed_in_x(model: ModuleType, e: float) -> None:
    """Hinder and others, Phys. Rev. D 82, 024033 (2010), appendix."""
    nu, s, inside = 2 / 9, e**2, 1 - e**2
    leading = 2 * (37 * e**4 + 292 * s + 96) / (15 * inside**3.5)
    first = -(e**6) * (8288 * nu - 11717) - 14 * e**4 * (10122 * nu - 12217)
    first += -120 * s * (1330 * nu - 731) - 16 * (924 * nu + 743)
    first /= 420 * inside**4.5
    slower = -e * (121 * s + 304) / (15 * inside**2.5)
    change = e**4 * (93184 * nu - 125361) + 12 * s * (54271 * nu - 59834)
    change = e * (change + 8 * (28588 * nu + 8451)) / (2520 * inside**3.5)

    def beyond(x: float) -> tuple[float, float]:
        dx, ds, _ = model.Rates(2.0, 0.0, 0.0).averaged(x, s)
        return (dx / (nu * x**5) - leading) / x, (ds / (2 * e * nu * x**4) - slower) / x

    # what is left are tails, which fall as the root of x
    near, far = beyond(1e-6), beyond(4e-6)
    for of_near, of_far, printed in zip(near, far, (first, change), strict=True):
        assert 2 * of_near - of_far == pytest.approx(printed, rel=1e-3)


def test_the_mean_motion_lags_by_the_advance_of_the_periastron(model: ModuleType) -> None:
    """A circle of a test particle: n = omega sqrt(1 - 6 x)."""
    x = 1e-3
    _, _, n = model.Rates(1e9, 0.0, 0.0).averaged(x, 0.0)
    assert n / x**1.5 == pytest.approx(math.sqrt(1 - 6 * x), abs=100 * x**3)


@pytest.mark.parametrize("e", [0.05, 0.5])
def test_the_periodic_part_has_no_mean(model: ModuleType, e: float) -> None:
    rates = model.Rates(3.0, 0.1, 0.2)
    x = 0.02
    angles = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    mean, _, _ = rates.averaged(x, e**2)
    times = 1 - e * np.cos(angles)
    inside = np.array([rates(0.0, (x, e**2, u))[0] for u in angles])
    assert np.mean(inside * times) == pytest.approx(mean, rel=1e-12)
    assert inside.max() / inside.min() > 1 + e


def test_an_orbit_starts_as_asked_and_ends_at_a_sixth(
    model: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    t, e, zeta, x = model.orbit(np.array(BINARY), 200)
    assert (t[0], e[0], zeta[0]) == pytest.approx((0, 0.4, 1.0), abs=1e-12)
    assert x[0] == pytest.approx(0.0085 ** (2 / 3), rel=1e-14)
    assert x[-1] == 1 / 6
    assert (np.diff(t) > 0).all()
    assert (np.diff(x) > 0).all()
    assert (np.diff(zeta) > 0).all()
    assert 0 < e[-1] < 0.2
    monkeypatch.setattr(model, "TOLERANCE", 1e-9)
    loose = model.orbit(np.array(BINARY), 200)
    np.testing.assert_allclose(loose[3], x, rtol=1e-6)


def test_every_parameter_moves_x(model: ModuleType) -> None:
    x = model.orbit(np.array(BINARY), 100)
    steps = (0.5, 0.2, 0.2, -0.2, 1.5, -0.0005)
    for place, step in enumerate(steps):
        other = np.array(BINARY)
        other[place] += step
        t, *_, moved = model.orbit(other, 100)
        assert np.abs(np.interp(t, x[0], x[3]) / moved - 1).max() > 1e-3


def test_files_follow_their_seed_and_stay_in_range(
    model: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "SIZES", {"small": (3, 20)})

    def read(seed: int) -> tuple[list[float], list[float]]:
        model.hidden("small", seed, tmp_path)
        with h5py.File(tmp_path / "dynamics_validation.h5", "r") as file:
            assert file.attrs["n_simulations"] == 3
            assert str(seed) not in file.attrs["sampling"]
            for name, (low, high) in model.RANGES.items():
                column = file[f"metadata/{name}"][:]
                assert ((column >= low) & (column <= high)).all()
                assert column[1] == file["sim_0001"].attrs[name]
            return list(file["metadata/q"][:]), list(file["sim_0002/x"][:])

    assert read(11) == read(11)
    assert read(11) != read(12)
