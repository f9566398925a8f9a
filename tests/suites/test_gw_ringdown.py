"""The ringdown task's generator, against published frequencies and the equations as printed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

np = pytest.importorskip("numpy")
h5py = pytest.importorskip("h5py")
pytest.importorskip("scipy")

GENERATOR = Path(__file__).parents[2] / "suites/gw/004-ringdown/tests/data.py"
SCHWARZSCHILD = {
    (2, 2, 0): 0.3736716844 - 0.0889623157j,
    (2, 2, 1): 0.3467109969 - 0.2739148753j,
    (3, 3, 0): 0.5994432884 - 0.0927030479j,
    (4, 4, 0): 0.8091783774 - 0.0941639610j,
}
"""Leaver (1985), table 1, with the further digits of later tables; M = 1."""


@pytest.fixture(scope="module")
def kerr() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gw_ringdown_data", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def as_printed(omega: complex, a: float, m: int, n: int, separation: complex) -> complex:
    """Leaver's continued fraction in his units (2M = 1), term by term from far out, unchanged."""
    w, spin, s = 2 * omega, a / 2, -2
    b = np.sqrt(1 - 4 * spin**2)
    p = (w / 2 - spin * m) / b
    c0 = 1 - s - 1j * w - 2j * p
    c1 = -4 + 2j * w * (2 + b) + 4j * p
    c2 = s + 3 - 3j * w - 2j * p
    c3 = w**2 * (4 + 2 * b - spin**2) - 2 * spin * m * w - s - 1 + (2 + b) * 1j * w - separation
    c3 += (4 * w + 2j) * p
    c4 = s + 1 - 2 * w**2 - (2 * s + 3) * 1j * w - (4 * w + 2j) * p
    alpha = [k**2 + (c0 + 1) * k + c0 for k in range(4001)]
    beta = [-2 * k**2 + (c1 + 2) * k + c3 for k in range(4001)]
    gamma = [k**2 + (c2 - 3) * k + c4 - c2 + 2 for k in range(4001)]
    ratio = -1 + 0j
    for k in range(4000, n, -1):
        ratio = gamma[k] / (beta[k] - alpha[k] * ratio)
    head = beta[0]
    for k in range(1, n + 1):
        head = beta[k] - alpha[k - 1] * gamma[k] / head
    return complex(head - alpha[n] * ratio)


@pytest.mark.parametrize("mode", SCHWARZSCHILD, ids=str)
def test_frequencies_are_those_of_the_tables_and_solve_the_equation_as_printed(
    kerr: ModuleType, mode: tuple[int, int, int]
) -> None:
    degree, m, n = mode
    spins = np.array([0.0, 0.4, 0.9])
    omega, separation = kerr.frequencies(spins, *mode, kerr.MODES[mode])
    assert omega[0] == pytest.approx(SCHWARZSCHILD[mode], rel=1e-9)
    assert separation[0] == pytest.approx(degree * (degree + 1) - 2, rel=1e-13)
    for place in range(3):
        at = (spins[place], m, n, separation[place])
        value = as_printed(omega[place], *at)
        slope = (as_printed(omega[place] * (1 + 1e-6), *at) - value) / (1e-6 * omega[place])
        assert abs(value / slope) < 1e-11


def test_the_fundamental_tone_has_sixteen_digits_and_its_extremal_limit(kerr: ModuleType) -> None:
    # a = 0.7 in multiple precision; the limit of the imaginary part is -sqrt((1 - a) / 2) / 2
    spins = np.array([0.7, 1 - 1e-6, 1 - 1e-9])
    omega, _ = kerr.frequencies(spins, 2, 2, 0, kerr.MODES[2, 2, 0])
    assert omega[0].real == pytest.approx(0.532600243551018, rel=1e-14)
    assert omega[0].imag == pytest.approx(-0.0807928731550077, rel=1e-13)
    ratio = omega.imag[1:] / (-np.sqrt((1 - spins[1:]) / 2) / 2)
    assert ratio[0] == pytest.approx(1, abs=3e-3)
    assert ratio[1] == pytest.approx(0.99994, abs=2e-5)


def test_another_mode_than_the_asked_one_is_an_error(kerr: ModuleType) -> None:
    with pytest.raises(ArithmeticError, match="mode 2 2 0"):
        kerr.frequencies(np.array([1 - 1e-7]), 2, 2, 0, kerr.MODES[2, 2, 1])


def test_validation_lies_between_training_and_follows_its_seed(
    kerr: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kerr, "MODES", {(2, 2, 0): kerr.MODES[2, 2, 0]})
    monkeypatch.setattr(kerr, "GRIDS", {"small": (6, 0.1, 4)})
    monkeypatch.setattr(kerr, "LAST", 3.0)

    def spins(write: str, seed: int) -> list[float]:
        getattr(kerr, write)("small", seed, tmp_path)
        name = "training" if write == "public" else "validation"
        with h5py.File(tmp_path / f"ringdown_{name}.h5", "r") as file:
            group = file["l2/m+2/n0"]
            assert dict(group.attrs) == {"l": 2, "m": 2, "n": 0}
            assert all(np.isfinite(group[part][:]).all() for part in group)
            assert (group["omega_imag"][:] < 0).all()
            return list(group["spin"][:])

    training, validation = spins("public", 42), spins("hidden", 7)
    merged = sorted([*training, *validation])
    assert merged[::2] == validation
    assert merged[1::2] == training
    assert validation[0] == 0
    assert training[-1] == pytest.approx(0.999)
    assert spins("public", 1) == training
    assert spins("hidden", 7) == validation
    assert spins("hidden", 8) != validation
