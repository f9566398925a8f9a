# referee-canary reproduction-06 5b0a0c5e-7f0d-4f0e-9a53-3f0b1f6f2e61
"""The evaluator's own lattice: tridiagonal bisection, closed forms, spectral sums, its own draws.

Units: energies in t2, lengths in 1/t2. Formulas: Su, Schrieffer and Heeger, PRL 42, 1698 (1979);
asymptotics of the end state from H_BA a = 0.
"""

from functools import cache

import numpy as np
from scipy.linalg import eigh_tridiagonal

from referee.evidence.measure import Operation, Quantity

N = 20
LENGTHS = np.arange(6, 21)
DISORDER = 0.2
PHASES = {"topological": (0.5, 1.0), "trivial": (1.0, 0.5)}


def plain(*names, least=1):
    return {name: Quantity(unit="1", ndim=1, least=least) for name in names}


OPERATIONS = {
    "hamiltonian": Operation(quantities=plain("row", "column", "value")),
    "spectrum": Operation(quantities=plain("energy")),
    "winding": Operation(quantities=plain("t1", "by_phase", "by_states", "gap_t1", "half_gap")),
    "end_state": Operation(quantities=plain("cell", "a", "b")),
    "splitting": Operation(quantities=plain("cells", "splitting")),
    "survival": Operation(quantities=plain("z", "survival", "norm")),
    "second": Operation(quantities=plain("first", "again")),
    "draws": Operation(quantities=plain("draw", "seed", "largest")),
    "disorder": Operation(quantities=plain("draw", "largest", least=2)),
    "wall": Operation(quantities=plain("site", "amplitude", "energy")),
}


def chain(t1, t2, cells):
    bonds = np.full(2 * cells - 1, t2, dtype=float)
    bonds[::2] = t1
    return bonds


def levels(bonds, sites=None):
    return eigh_tridiagonal(np.zeros(len(bonds) + 1) if sites is None else sites, bonds)


def equal(got, wanted, what):
    if got.shape != np.shape(wanted):
        raise ValueError(f"{what} has {got.size} values, and {np.size(wanted)} are asked for")
    return float(np.abs(got - wanted).max())


def hamiltonian(row, column, value):
    if not row.shape == column.shape == value.shape:
        raise ValueError("row, column and value differ in length")
    i, j = row.astype(int), column.astype(int)
    if (i != row).any() or (j != column).any() or min(i.min(), j.min()) < 0 or max(i.max(), j.max()) >= 2 * N:
        raise ValueError("a row or column is no site")
    matrix = np.zeros((2 * N, 2 * N))
    np.add.at(matrix, (i, j), value)
    bonds = chain(0.5, 1.0, N)
    wanted = np.diag(bonds, 1) + np.diag(bonds, -1)
    same = (np.add.outer(np.arange(2 * N), np.arange(2 * N)) % 2) == 0
    return {
        "difference": float(np.abs(matrix - wanted).max()),
        "asymmetry": float(np.abs(matrix - matrix.T).max()),
        "within_sublattices": float(np.abs(matrix[same]).max()),
    }


def spectrum(energy):
    """How far the levels are from those of either phase."""
    found = {}
    for name, (t1, t2) in PHASES.items():
        wanted, _ = levels(chain(t1, t2, N))
        found[name] = equal(energy, wanted, "energy")
    return {**found, "mirror": float(np.abs(energy + energy[::-1]).max())}


def winding(t1, by_phase, by_states, gap_t1, half_gap):
    asked, wanted = np.array([0.5, 0.9, 1.1, 2.0]), np.array([1.0, 1.0, 0.0, 0.0])
    gaps = np.array([0.5, 0.9, 1.0, 1.1, 2.0])
    # The sense in which k runs is a convention: one sign for all.
    return {
        "t1": equal(t1, asked, "t1"),
        "phase": min(equal(sign * by_phase, wanted, "by_phase") for sign in (1, -1)),
        "states": min(equal(sign * by_states, wanted, "by_states") for sign in (1, -1)),
        "gap_t1": equal(gap_t1, gaps, "t1 of the gaps"),
        "gap": equal(half_gap, np.abs(gaps - 1), "half_gap"),
    }


def end_state(cell, a, b):
    if not cell.shape == a.shape == b.shape == (N,):
        raise ValueError(f"{N} cells are asked for")
    order = np.argsort(cell)
    a, b = a[order], b[order]
    total = float(np.sum(a**2) + np.sum(b**2))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = a[1:11] / a[:10]
    return {
        "norm": abs(total - 1),
        "polarisation": float(np.sum(a**2) - np.sum(b**2)) / total,
        "ratio": float(np.abs(ratios + 0.5).max()),
        "at_the_end": float(a[0] ** 2),
    }


@cache
def splittings():
    found = []
    for cells in LENGTHS:
        energy, _ = levels(chain(0.5, 1.0, int(cells)))
        found.append(float(energy[cells] - energy[cells - 1]))
    return np.array(found)


def splitting(cells, splitting):
    order = np.argsort(cells)
    equal(cells[order], LENGTHS, "cells")
    told = splitting[order]
    if not (told > 0).all():
        raise ValueError("a splitting is not above zero")
    slope = np.polyfit(LENGTHS[4:], np.log(told[4:]), 1)[0]
    return {
        "cells": float(np.abs(cells[order] - LENGTHS).max()),
        "difference": float(np.abs(told / splittings() - 1).max()),
        "slope": float(slope / np.log(0.5)),
    }


def survival(z, survival, norm):
    """How far the power in A1 is from that of either phase."""
    asked = np.linspace(0, 20, 201)
    found = {"z": equal(z, asked, "z"), "norm": equal(norm, np.ones(201), "norm")}
    for name, (t1, t2) in PHASES.items():
        energy, states = levels(chain(t1, t2, N))
        amplitude = np.exp(1j * np.outer(asked, energy)) @ (states[0] ** 2)
        found[name] = equal(survival, np.abs(amplitude) ** 2, "survival")
    return found


def second(first, again):
    if first.shape != again.shape:
        raise ValueError("the two computations have different lengths")
    difference = float(np.abs(first - again).max())
    return {"difference": difference, "is_another": difference > 0}


@cache
def ensemble(kind, count=4000):
    rng = np.random.default_rng(20260806)
    found = np.empty(count)
    bonds = chain(0.5, 1.0, N)
    for place in range(count):
        if kind == "couplings":
            energy, _ = levels(bonds + DISORDER * rng.uniform(-1, 1, bonds.size))
        else:
            energy, _ = levels(bonds, DISORDER * rng.uniform(-1, 1, 2 * N))
        found[place] = np.sort(np.abs(energy))[1]
    return np.log10(np.maximum(found, 1e-18)) if kind == "couplings" else found


def draws(draw, seed, largest):
    """How many there are, and how many are different."""
    if not draw.shape == seed.shape == largest.shape:
        raise ValueError("draw, seed and largest differ in length")
    return {
        "draws": int(np.unique(draw).size),
        "seeds": int(np.unique(seed).size),
        "values": int(np.unique(largest).size),
    }


def disorder(draw, largest):
    """Mean and spread against the evaluator's own draws of either kind, in standard errors of the
    difference; in decades for couplings, where the level is a product of many factors."""
    if draw.shape != largest.shape or not (largest > 0).all():
        raise ValueError("each draw needs a level above zero")
    found = {}
    for kind in ("couplings", "sites"):
        own = ensemble(kind)
        told = np.log10(largest) if kind == "couplings" else largest
        error = own.std() * np.sqrt(1 / told.size + 1 / own.size)
        found[kind] = {
            "mean_sigmas": float(abs(told.mean() - own.mean()) / error),
            "spread_ratio": float(told.std(ddof=1) / own.std()),
        }
    return found


def wall(site, amplitude, energy):
    bonds = np.array([1.0 if (i % 2 == 1) == (i <= 20) else 0.5 for i in range(1, 41)])
    wanted, states = levels(bonds)
    zero = states[:, 20]
    order = np.argsort(site)
    told = amplitude[order]
    if told.shape != zero.shape:
        raise ValueError("41 sites are asked for")
    return {
        "levels": equal(energy, wanted, "energy"),
        "zero": float(np.abs(energy).min()),
        "overlap": 1 - float(np.dot(told, zero) ** 2),
        "norm": abs(float(np.dot(told, told)) - 1),
    }


def derive(operation, quantities, context):
    return globals()[operation](**quantities)
