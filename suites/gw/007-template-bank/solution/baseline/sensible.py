# referee-canary gw-007 735db40a-a61b-4e5b-a917-1393d44b170d
"""A greedy bank: each template covers most of what those before it left of a part of the pool."""

import json
from pathlib import Path

import lal
import lalsimulation as sim
import numpy as np

DATA = Path("/data")
TRAIN = 1250
DRAWS = 3
TEMPLATES = 320
THRESHOLD, TARGET = 0.97, 0.5
MODES = [(2, 2), (2, -2), (2, 1), (2, -1), (3, 3), (3, -3), (3, 2), (3, -2), (4, 4), (4, -4)]


def main():
    pool = np.load(DATA / "bank_wf_params.npy")
    train, tried = np.split(np.arange(len(pool)), [min(TRAIN, len(pool) * 5 // 6)])
    rows = np.concatenate([phased(pool[train], seed) for seed in range(DRAWS)])
    signals = waveforms(rows)
    covers = np.abs(signals @ signals.conj().T) >= THRESHOLD
    order = in_turn(covers)
    best = np.abs(waveforms(phased(pool[tried], 1729)) @ signals[order].conj().T)
    reached = np.maximum.accumulate(best, axis=1) >= THRESHOLD
    enough = np.flatnonzero(reached.mean(axis=0) >= TARGET)
    summary = {
        "method": "greedy covering of the rows to build on, each with three phases",
        "n_bank": len(order),
        "overlap_evaluations": int(covers.size + best.size),
        "public_train_size": int(train.size),
        "public_eval_size": int(tried.size),
        "public_eval_threshold": THRESHOLD,
        "public_eval_target_coverage": TARGET,
        "public_eval_coverage_fraction": float(reached[:, -1].mean()),
        "public_eval_median_best_overlap": float(np.median(best.max(axis=1))),
        "public_eval_prefix_length_to_50pct": int(enough[0]) + 1 if enough.size else None,
    }
    np.save("bank_params.npy", rows[order])
    np.save("train_indices.npy", train.astype(np.int64))
    np.save("eval_indices.npy", tried.astype(np.int64))
    Path("run_summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    print(json.dumps(summary))


def phased(rows, seed):
    """Rows with a phase each."""
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, size=len(rows))
    return np.column_stack([rows, phases])


def waveforms(rows):
    """Signals times the square root of the weights, each of norm 1."""
    amplitude, weights = np.load(DATA / "Aref_weights.npy")
    f = np.load(DATA / "f_amp.npy")
    sequence = lal.CreateREAL8Sequence(f.size)
    sequence.data = f
    options, modes = lal.CreateDict(), sim.SimInspiralCreateModeArray()
    for degree, order in MODES:
        sim.SimInspiralModeArrayActivateMode(modes, degree, order)
    sim.SimInspiralWaveformParamsInsertModeArray(options, modes)
    sim.SimInspiralWaveformParamsInsertPhenomXPrecVersion(options, 102)
    found = np.empty((len(rows), f.size), dtype=complex)
    for place, (m1, m2, s1z, s2z, phase) in enumerate(rows.tolist()):
        masses, spins = (m1 * lal.MSUN_SI, m2 * lal.MSUN_SI), (0, 0, s1z, 0, 0, s2z)
        seen = (50.0, 1e6 * lal.PC_SI, np.pi / 2)
        plus, _ = sim.SimInspiralChooseFDWaveformSequence(
            phase, *masses, *spins, *seen, options, sim.IMRPhenomXHM, sequence
        )
        found[place] = plus.data.data / amplitude * np.sqrt(weights)
    return found / np.linalg.norm(found, axis=1)[:, None]


def in_turn(covers):
    left, order = np.ones(len(covers), dtype=bool), []
    gain = covers.sum(axis=0)
    while len(order) < TEMPLATES and gain.max() > 0:
        order.append(int(gain.argmax()))
        new = left & covers[:, order[-1]]
        left &= ~new
        gain = gain - covers[new].sum(axis=0)
    return order


main()
