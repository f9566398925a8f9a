# referee-canary 003 05f5302b-5bb7-4cc0-b5be-8a256bbe044c
"""Stress labels become virials: forms, physics, and where they stand in a file."""

import numpy as np
import pytest

from referee.wall import contract

FORMS = ("nine", "six")


def interacting(rng, frames):
    """Four atoms with pair forces in a slanted cell, and the sum of r x f over pairs."""
    one = frames.frame(rng)
    one["energy"], one["forces"], outer = frames.pair_energy(one["coords"], one["cell"], 3.4)
    return one, outer


@contract("knowledge")
@pytest.mark.parametrize("form", FORMS)
def test_the_virial_is_the_sum_over_pairs(candidate, rng, frames, form):
    """The stress comes from the energy of a strained cell, the virial from forces and distances."""
    one, outer = interacting(rng, frames)
    step, strain = 1e-4, np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            ends = []
            for sign in (1, -1):
                bend = np.eye(3)
                bend[i, j] += sign * step / 2
                bend[j, i] += sign * step / 2
                ends.append(frames.pair_energy(one["coords"] @ bend, one["cell"] @ bend, 3.4)[0])
            strain[i, j] = (ends[0] - ends[1]) / (2 * step)
    one["stress"] = strain / np.linalg.det(one["cell"])
    got = candidate(frames.load, frames.text(one, [("stress", getattr(frames, form)(one["stress"]))]))
    # Second differences of a smooth energy: relative errors of step^2 = 1e-8 times a few hundred.
    scale = max(float(np.abs(outer).max()), 1e-3)
    np.testing.assert_allclose(got[0]["virials"][0], outer, rtol=0, atol=1e-4 * scale)


@contract("knowledge")
@pytest.mark.parametrize("form", FORMS)
def test_left_handed_cells_have_a_volume_as_well(candidate, rng, frames, form):
    one = frames.frame(rng)
    for _ in range(2):
        one["cell"] = one["cell"][rng.permutation(3)] * rng.choice([-1, 1], (3, 1))
        if np.linalg.det(one["cell"]) > 0:
            one["cell"] = -one["cell"]
        label = ("stress", getattr(frames, form)(one["stress"]))
        got = candidate(frames.load, frames.text(one, [label]))
        frames.holds(got[0], [one], [frames.virial(one)])


@contract("knowledge")
def test_a_virial_grows_with_the_cell(candidate, rng, frames):
    """Repeating a cell leaves the stress as it is; energy and virial are counted per cell."""
    one = frames.frame(rng)
    times = int(rng.integers(2, 5))
    axis = int(rng.integers(0, 3))
    copies = [one["coords"] + k * one["cell"][axis] for k in range(times)]
    long = {
        **one,
        "symbols": one["symbols"] * times,
        "coords": np.concatenate(copies),
        "forces": np.tile(one["forces"], (times, 1)),
        "cell": one["cell"] * np.where(np.arange(3) == axis, times, 1)[:, None],
    }
    label = [("stress", frames.nine(one["stress"]))]
    (small,) = candidate(frames.load, frames.text(one, label))
    (large,) = candidate(frames.load, frames.text(long, label))
    frames.same(large["virials"], times * small["virials"])
    frames.same(small["virials"], [frames.virial(one)])


@contract("knowledge")
def test_a_turned_crystal_has_a_turned_virial(candidate, rng, frames):
    one = frames.frame(rng)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turned = {
        **one,
        "cell": one["cell"] @ turn.T,
        "coords": one["coords"] @ turn.T,
        "forces": one["forces"] @ turn.T,
        "stress": turn @ one["stress"] @ turn.T,
    }
    for form in FORMS:
        got = [
            candidate(frames.load, frames.text(f, [("stress", getattr(frames, form)(f["stress"]))]))
            for f in (one, turned)
        ]
        frames.same(got[1][0]["virials"][0], turn @ got[0][0]["virials"][0] @ turn.T)


@contract("coverage")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", ["stress", "virial"])
def test_both_labels_in_both_forms(candidate, rng, frames, key, form):
    for _ in range(3):
        one = frames.frame(rng)
        tensor = one["stress"] if key == "stress" else frames.virial(one)
        got = candidate(frames.load, frames.text(one, [(key, getattr(frames, form)(tensor))]))
        frames.holds(got[0], [one], [frames.virial(one)])


@contract("coverage")
def test_each_place_of_the_short_form(candidate, frames, rng):
    one = frames.frame(rng)
    volume = abs(np.linalg.det(one["cell"]))
    places = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    for n, (i, j) in enumerate(places):
        values = " ".join("1.0" if k == n else "0.0" for k in range(6))
        want = np.zeros((3, 3))
        want[i, j] = want[j, i] = 1.0
        got = candidate(frames.load, frames.text(one, [("virial", values)]))
        frames.same(got[0]["virials"], [want])
        got = candidate(frames.load, frames.text(one, [("stress", values)]))
        frames.same(got[0]["virials"], [-volume * want])


@contract("coverage")
def test_all_names_of_the_format(candidate, rng, frames):
    one = frames.frame(rng)
    for fmt in frames.FORMATS:
        text = frames.text(one, [("stress", frames.six(one["stress"]))])
        frames.holds(candidate(frames.load, text, fmt)[0], [one], [frames.virial(one)])


@contract("coverage")
def test_many_frames_each_with_its_own_cell(candidate, rng, frames):
    ones = [frames.frame(rng) for _ in range(6)]
    text = ""
    for n, one in enumerate(ones):
        label = [
            ("stress", frames.six(one["stress"])),
            ("stress", frames.nine(one["stress"])),
            ("virial", frames.nine(frames.virial(one))),
        ][n % 3]
        text += frames.text(one, [label])
    (system,) = candidate(frames.load, text)
    frames.holds(system, ones, [frames.virial(one) for one in ones])


@contract("generalization")
def test_several_formulas_in_one_file(candidate, rng, frames):
    """Each formula is a system by itself; one of them has no labels, and keeps having none."""
    first, second = [frames.frame(rng, ["Al", "Al", "Ni"]) for _ in range(2)]
    other, bare = frames.frame(rng, ["Al", "Ni", "Ni"]), frames.frame(rng, ["Ni"])
    text = frames.text(first, [("stress", frames.six(first["stress"]))])
    text += frames.text(bare, [])
    text += frames.text(other, [("stress", frames.nine(other["stress"]))])
    text += frames.text(second, [("stress", frames.six(second["stress"]))])
    systems = {tuple(s["symbols"]): s for s in candidate(frames.load, text)}
    assert len(systems) == 3
    frames.holds(
        systems["Al", "Al", "Ni"], [first, second], [frames.virial(f) for f in (first, second)]
    )
    frames.holds(systems["Al", "Ni", "Ni"], [other], [frames.virial(other)])
    frames.holds(systems["Ni",], [bare], None)


@contract("generalization")
def test_the_order_of_the_comment_line_does_not_matter(candidate, rng, frames):
    for form in FORMS:
        one = frames.frame(rng)
        label = [("stress", getattr(frames, form)(one["stress"]))]
        for _ in range(4):
            text = frames.text(one, label, order=rng.permutation(5))
            frames.holds(candidate(frames.load, text)[0], [one], [frames.virial(one)])


@contract("generalization")
@pytest.mark.parametrize("fmt", ["extxyz", "deepmd/raw", "deepmd/npy"])
def test_virials_reach_other_files(candidate, rng, frames, fmt):
    ones = [frames.frame(rng) for _ in range(3)]
    text = "".join(frames.text(f, [("stress", frames.nine(f["stress"]))]) for f in ones)
    got = candidate(frames.pass_on, text, fmt)
    # The training formats keep single precision by default: 6e-8 of a number.
    tolerance = 1e-11 if fmt == "extxyz" else 2e-6
    want = np.array([frames.virial(f) for f in ones])
    scale = float(np.abs(want).max())
    np.testing.assert_allclose(got["virials"], want, rtol=0, atol=tolerance * scale)


@contract("generalization")
def test_tiny_and_large_stresses(candidate, rng, frames):
    for scale in (1e-9, 1.0, 1e4):
        one = {**frames.frame(rng), "stress": frames.symmetric(rng, scale)}
        want = frames.virial(one)
        for form in FORMS:
            label = [("stress", getattr(frames, form)(one["stress"]))]
            got = candidate(frames.load, frames.text(one, label))[0]["virials"][0]
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12 * np.abs(want).max())
