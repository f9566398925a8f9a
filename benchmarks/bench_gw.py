"""Gravitational-wave metrics beside PyCBC and beside plain loops, measured in turn in one run.

What is compared gets the same inputs and one thread, and is timed in processor time, so that a busy
machine is busy for both; figures are ratios of totals. `mismatch` times what a new reference and a
new length cost too (spectrum and noise curve), `mismatch_cached` a prediction for a reference that
is ready. PyCBC's time-and-phase maximised match is timed on some of the pairs, ours on all of them.
`reevaluation` is the wall time in which 250 waveforms are scored anew, and `large_bank` the memory
of a process that scores 2,000 tests with 10,000 templates.
Needs the extra `gw-compare`. Usage: python benchmarks/bench_gw.py [--pairs N] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from pycbc.filter import match
from pycbc.psd import aLIGOZeroDetHighPower
from pycbc.types import FrequencySeries, TimeSeries

from referee.metric.gw.bank import bank_score, maximised_overlaps, normalised, overlaps
from referee.metric.gw.constants import F_HIGH, F_LOW, MASSES, MSUN_SEC
from referee.metric.gw.mismatch import reference

DT = 0.1
LENGTHS = (32_000, 99_600)
TEMPLATES, BINS, DF = 200, 2049, 0.5
SAMPLED_ROWS, SAMPLED_COLUMNS = 20, 20
CUT = {"low_frequency_cutoff": F_LOW, "high_frequency_cutoff": F_HIGH}
TARGETS = {
    "mismatch": 17.0,
    "mismatch_cached": 25.0,
    "bank_overlap": 50.0,
    "bank_maximised": 60.0,
}
LARGEST_DIFFERENCE = 1e-12
REEVALUATED, REEVALUATION_S = 250, 10.0
LARGE_TESTS, LARGE_BANK, LARGE_GIB = 2_000, 10_000, 2.0
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ROUNDS = 5

Result = TypeVar("Result")


def timed(call: Callable[[], Result]) -> tuple[float, Result]:
    """Processor time of a call in seconds, and what it returned."""
    begun = time.process_time()
    result = call()
    return time.process_time() - begun, result


def inspiral(points: int, q: float) -> np.ndarray[Any, Any]:
    """A chirp of leading order with a damped end, peak 100 M before the last of `points` steps."""
    t = (np.arange(points) - points + 1) * DT + 100
    nu = q / (1 + q) ** 2
    theta = nu * (np.maximum(-t, 0) + 5) / 5
    late = np.maximum(t, 0)
    return theta**-0.25 * np.exp(-late / 12 - 2j * theta**0.625 / nu + 0.5j * late)


def by_pycbc(predicted: np.ndarray[Any, Any], true: np.ndarray[Any, Any]) -> list[float]:
    """The published evaluator's loop over masses."""
    found = []
    for mass in MASSES:
        step = DT * mass * MSUN_SEC
        one, other = (TimeSeries(series.real, delta_t=step) for series in (predicted, true))
        n = len(one)
        curve = aLIGOZeroDetHighPower(n // 2 + 1, 1.0 / n / step, F_LOW)
        found.append(1 - match(one, other, psd=curve, **CUT)[0])
    return found


def measure_mismatch(pairs: int) -> dict[str, float]:
    """`pairs` pairs of different lengths, a prediction being its reference with q 2 % off."""
    rng = np.random.default_rng(1)
    times = {"pycbc": 0.0, "new": 0.0, "cached": 0.0}
    worst = 0.0
    reference(inspiral(LENGTHS[0], 1.0), DT)  # imports, and the table of the noise curve
    by_pycbc(inspiral(LENGTHS[0], 1.0), inspiral(LENGTHS[0], 1.1))
    for number in range(pairs):
        points, q = int(rng.integers(*LENGTHS)), 1 + 7 * number / pairs
        true, predicted = inspiral(points, q), inspiral(points, 1.02 * q)
        took, want = timed(lambda p=predicted, t=true: by_pycbc(p, t))
        times["pycbc"] += took
        took, (ready, got) = timed(lambda p=predicted, t=true: _both(p, t))
        times["new"] += took
        took, again = timed(lambda p=predicted, r=ready: r.mismatch(p))
        times["cached"] += took
        assert again == got
        worst = max(worst, float(np.abs(np.subtract(got.parts, want)).max()))
    return times | {"difference": worst}


def _both(predicted: np.ndarray[Any, Any], true: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    ready = reference(true, DT)
    return ready, ready.mismatch(predicted)


def spectra(rows: int, weights: np.ndarray[Any, Any], seed: int) -> np.ndarray[Any, Any]:
    """Normalised inspirals in the frequency domain with chirp masses of 5 to 40 solar masses."""
    f = np.maximum(np.arange(BINS) * DF, DF)
    chirp_mass = np.random.default_rng(seed).uniform(5, 40, rows)[:, None] * MSUN_SEC
    phase = 3 / 128 * (np.pi * chirp_mass * f) ** (-5 / 3)
    return normalised(f ** (-7 / 6) * np.exp(-1j * phase), weights)[0]


def measure_bank() -> dict[str, float]:
    """Overlaps of 200 tests with 200 templates: a plain loop, PyCBC, and products of matrices."""
    curve = aLIGOZeroDetHighPower(BINS, DF, F_LOW)
    first, last = int(F_LOW / DF), int(F_HIGH / DF)
    weights = np.zeros(BINS)
    weights[first:last] = 4 * DF / curve.numpy()[first:last]
    tests, bank = spectra(TEMPLATES, weights, 1), spectra(TEMPLATES, weights, 2)
    overlaps(tests, bank, weights), maximised_overlaps(tests[:1], bank, weights, 2 * (BINS - 1))

    times: dict[str, list[float]] = {"loop": [], "gemm": [], "pycbc": [], "batched": []}
    for _ in range(ROUNDS):
        took, want = timed(lambda: _loop(tests, bank, weights))
        times["loop"].append(took)
        took, got = timed(lambda: overlaps(tests, bank, weights))
        times["gemm"].append(took)
        took, want_match = timed(lambda: _matches(tests, bank, curve))
        times["pycbc"].append(took / want_match.size)
        took, got_match = timed(lambda: maximised_overlaps(tests, bank, weights, 2 * (BINS - 1)))
        times["batched"].append(took / got_match.size)
    assert bank_score(got).covered == bank_score(want).covered
    sampled = got_match[:SAMPLED_ROWS, :SAMPLED_COLUMNS]
    middle = {name: statistics.median(values) for name, values in times.items()}
    return middle | {
        "difference": float(np.abs(got - want).max()),
        "difference_maximised": float(np.abs(sampled - want_match).max()),
    }


def _loop(tests: Any, bank: Any, weights: Any) -> np.ndarray[Any, Any]:
    return np.array([[abs(np.sum(h * np.conj(t) * weights)) for t in bank] for h in tests])


def _matches(tests: Any, bank: Any, curve: Any) -> np.ndarray[Any, Any]:
    one = [FrequencySeries(row, delta_f=DF) for row in tests[:SAMPLED_ROWS]]
    other = [FrequencySeries(row, delta_f=DF) for row in bank[:SAMPLED_COLUMNS]]
    return np.array([[match(h, t, psd=curve, **CUT)[0] for t in other] for h in one])


def measure_reevaluation() -> float:
    """Seconds in which the predictions of 250 waveforms are scored, references made anew."""
    rng = np.random.default_rng(3)
    waveforms = [
        (inspiral(int(rng.integers(*LENGTHS)), q), q) for q in np.linspace(1, 8, REEVALUATED)
    ]
    reference(waveforms[0][0], DT)
    begun = time.monotonic()
    scores = [_both(true * np.exp(0.1j * q), true)[1].value for true, q in waveforms]
    took = time.monotonic() - begun
    assert np.isfinite(scores).all()
    return took


def large_bank() -> None:
    """Score a large bank; what a process of its own does, whose memory is then looked at."""
    weights = np.ones(BINS)
    tests, bank = (
        spectra(rows, weights, seed) for rows, seed in ((LARGE_TESTS, 1), (LARGE_BANK, 2))
    )
    score = bank_score(overlaps(tests, bank, weights))
    assert len(score.covered) == LARGE_BANK
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def measure_memory() -> float:
    """GiB that a process takes for a bank of 10,000 templates and 2,000 tests, all of it."""
    done = subprocess.run(
        [sys.executable, __file__, "--large-bank"], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def measure(pairs: int) -> dict[str, Any]:
    """All figures, each with its target and whether it was met."""
    mismatch, bank = measure_mismatch(pairs), measure_bank()
    ratios = {
        "mismatch": mismatch["pycbc"] / mismatch["new"],
        "mismatch_cached": mismatch["pycbc"] / mismatch["cached"],
        "bank_overlap": bank["loop"] / bank["gemm"],
        "bank_maximised": bank["pycbc"] / bank["batched"],
    }
    worst = max(mismatch["difference"], bank["difference"], bank["difference_maximised"])
    result: dict[str, Any] = {"pairs": pairs, "load": round(os.getloadavg()[0], 2)}
    for name, ratio in ratios.items():
        target = TARGETS[name]
        result[name] = {"times": round(ratio, 1), "target": target, "met": ratio >= target}
    result["largest_difference"] = {
        "value": worst,
        "target": LARGEST_DIFFERENCE,
        "met": worst < LARGEST_DIFFERENCE,
    }
    took, gib = measure_reevaluation(), measure_memory()
    result["reevaluation"] = {
        "seconds": round(took, 2),
        "target": REEVALUATION_S,
        "met": took < REEVALUATION_S,
    }
    result["large_bank"] = {"gib": round(gib, 3), "target": LARGE_GIB, "met": gib < LARGE_GIB}
    result["milliseconds"] = {
        "pycbc_per_pair_of_waveforms": round(1e3 * mismatch["pycbc"] / pairs, 2),
        "new_reference_per_pair": round(1e3 * mismatch["new"] / pairs, 2),
        "ready_reference_per_pair": round(1e3 * mismatch["cached"] / pairs, 2),
        "loop_of_overlaps": round(1e3 * bank["loop"], 2),
        "product_of_matrices": round(1e3 * bank["gemm"], 2),
        "pycbc_match_per_pair": round(1e3 * bank["pycbc"], 4),
        "batched_match_per_pair": round(1e3 * bank["batched"], 4),
    }
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--large-bank", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.large_bank:
        large_bank()
        return
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        # Libraries read these at import, so the measurement is made in a process of its own.
        alone = os.environ | dict.fromkeys(ONE_THREAD, "1")
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=alone).returncode)
    result = measure(options.pairs)
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:20} {value}")


if __name__ == "__main__":
    main()
