# referee-canary gw-007 735db40a-a61b-4e5b-a917-1393d44b170d
"""A bank, read as data and tried on binaries that its maker has not seen."""

import hashlib
import json
import math

import numpy as np
import pytest

from referee.metric.gw.bank import (
    THRESHOLD,
    bank_score,
    multimode_overlaps,
    normalised,
    orthonormal_modes,
    overlaps,
)
from referee.metric.gw.xhm import GROUPS, plus
from referee.wall import contract

MOST_ROWS = 2000
PUBLIC_SEED, HIDDEN_SEED = 1729, 2718
SUMMARY = "run_summary.json"
NUMBERS = (
    "n_bank",
    "overlap_evaluations",
    "public_train_size",
    "public_eval_size",
    "public_eval_threshold",
    "public_eval_target_coverage",
    "public_eval_coverage_fraction",
    "public_eval_median_best_overlap",
    "public_eval_prefix_length_to_50pct",
)
EDGE = 1e-9


class Setting:
    """Frequencies and weights of the task, and signals on them."""

    def __init__(self, folder):
        self.f = np.load(folder / "f_amp.npy", allow_pickle=False)
        self.amplitude, self.weights = np.load(folder / "Aref_weights.npy", allow_pickle=False)
        self.pool = np.load(folder / "bank_wf_params.npy", allow_pickle=False)
        assert np.isfinite(self.f).all()
        assert np.isfinite(self.amplitude).all()
        assert np.isfinite(self.pool).all()
        content = np.concatenate([self.f, self.amplitude, self.weights]).tobytes()
        self.digest = hashlib.sha256(content).hexdigest()

    def signals(self, rows):
        return normalised(plus(rows, self.f) / self.amplitude, self.weights)[0]

    def templates(self, rows):
        """Three orthonormal ones for each row."""
        modes = [plus(rows, self.f, group) / self.amplitude for group in GROUPS]
        return orthonormal_modes(np.stack(modes, axis=1), self.weights)


def with_phases(rows, seed):
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, size=len(rows))
    return np.column_stack([rows, phases])


def inside(bank):
    """Which rows lie in the box; a row that does not is never handed to LALSimulation."""
    m1, m2, s1z, s2z, phase = bank.T
    with np.errstate(all="ignore"):
        mass, ratio = m1 + m2, m1 / m2
        return (
            (mass >= 200 - EDGE)
            & (mass <= 300 + EDGE)
            & (ratio >= 3 - EDGE)
            & (ratio <= 8 + EDGE)
            & (m2 > 0)
            & (s1z >= -0.3 - EDGE)
            & (s1z <= 0.6 + EDGE)
            & (np.abs(s2z) <= 0.3 + EDGE)
            & (phase >= -EDGE)
            & (phase <= 2 * np.pi + EDGE)
        )


@pytest.fixture
def setting(public_data):
    return Setting(public_data)


@pytest.fixture
def tests(hidden_data):
    rows = np.load(hidden_data / "bank_wf_params_test.npy", allow_pickle=False)
    assert np.isfinite(rows).all()
    return with_phases(rows, HIDDEN_SEED)


def told(candidate):
    """The summary, an object of plain numbers and texts."""
    data = candidate.command(["true"], files=[SUMMARY]).files.get(SUMMARY)
    assert data is not None, f"there is no {SUMMARY}"
    assert len(data) <= 65536
    try:
        summary = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise AssertionError(f"{SUMMARY} is no JSON") from None
    assert isinstance(summary, dict)
    return summary


def number(value):
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return plain and math.isfinite(value)


def chosen(artifact, setting):
    """Both sets of rows, or a failed check."""
    sets = [artifact.file(f"{name}_indices.npy") for name in ("train", "eval")]
    both = np.concatenate(sets)
    assert all(each.size for each in sets)
    assert ((both >= 0) & (both < len(setting.pool))).all()
    assert np.unique(both).size == both.size
    return sets


@contract("interface")
def test_the_bank_lies_in_the_box(artifact):
    bank = artifact.file("bank_params.npy")
    assert 1 <= len(bank) <= MOST_ROWS
    assert inside(bank).all()


@contract("interface")
def test_the_rows_to_build_on_and_to_try_are_apart(artifact, setting):
    chosen(artifact, setting)


@contract("interface")
def test_the_summary_fits_the_files(artifact, candidate, setting):
    summary = told(candidate)
    train, tried = chosen(artifact, setting)
    assert isinstance(summary.get("method"), str)
    assert summary["method"].strip()
    for name in NUMBERS[:-1]:
        assert number(summary.get(name)), name
    last = summary.get(NUMBERS[-1], "missing")
    assert last is None or number(last)
    assert summary["n_bank"] == len(artifact.file("bank_params.npy"))
    assert (summary["public_train_size"], summary["public_eval_size"]) == (train.size, tried.size)


@contract("score")
def test_score(artifact, candidate, setting, tests, hidden_data, measure):
    bank = artifact.file("bank_params.npy")
    assert 1 <= len(bank) <= MOST_ROWS
    signals = np.zeros((len(bank), setting.f.size), dtype=complex)
    fine = inside(bank)
    signals[fine] = setting.signals(bank[fine])
    score = bank_score(overlaps(setting.signals(tests), signals, setting.weights))
    rows = np.load(hidden_data / "calpha_grid_params.npy", allow_pickle=False)
    goal = scheme(setting, rows, tests)
    public = public_facts(artifact, setting, signals)
    flags = differences(candidate, public)
    if not score.reached:
        flags["target_not_reached"] = 1
    if not fine.all():
        flags["outside_the_box"] = int((~fine).sum())
    measure(
        score.relative_efficiency(goal),
        list(score.best),
        components={
            "k_50": float(score.k) if score.reached else None,
            "k_reference": float(goal),
            "n_bank": float(score.n_bank),
            "coverage_fraction": score.coverage,
            "median_best_overlap": float(np.median(score.best)),
            "min_best_overlap": min(score.best),
            **public,
        },
        flags=flags,
        data={"grid_sha256": setting.digest},
    )
    assert score.reached, "half of the signals are never covered"


def scheme(setting, rows, tests):
    """K of the reference scheme on the same signals."""
    modes = setting.templates(np.column_stack([rows, np.zeros(len(rows))]))
    found = bank_score(multimode_overlaps(setting.signals(tests), modes, setting.weights))
    assert found.reached, "the reference scheme does not reach half: the data are no good"
    return found.k


def public_facts(artifact, setting, signals):
    """What the summary claims, worked out; None where the rows to try it on are no good."""
    names = [name for name in NUMBERS if name.endswith(("fraction", "overlap", "50pct"))]
    try:
        _, tried = chosen(artifact, setting)
    except AssertionError:
        return dict.fromkeys(names)
    rows = with_phases(setting.pool[tried], PUBLIC_SEED)
    score = bank_score(overlaps(setting.signals(rows), signals, setting.weights))
    found = (score.coverage, float(np.median(score.best)), float(score.k) if score.reached else None)
    return dict(zip(names, found, strict=True))


def differences(candidate, public):
    """Claims that are not so; each is noted and none moves the score."""
    try:
        summary = told(candidate)
    except AssertionError:
        return {"claim_missing": 1}
    wrong = {"claim_threshold": summary.get("public_eval_threshold") != THRESHOLD}
    for name, true in public.items():
        claim = summary.get(name)
        same = claim is None if true is None else number(claim) and abs(claim - true) <= 0.02 * true
        wrong[f"claim_{name}"] = not same
    return {name: 1 for name, is_so in wrong.items() if is_so}
