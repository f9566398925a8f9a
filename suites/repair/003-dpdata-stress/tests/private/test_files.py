# referee-canary 003 05f5302b-5bb7-4cc0-b5be-8a256bbe044c
"""Files as other programs write them: further columns, both labels, look-alikes, wrong labels."""

import numpy as np
import pytest

from referee.wall import contract


@contract("exploration")
def test_frames_with_further_columns(candidate, rng, frames):
    """Columns that have no place in a labeled system stand before, between and behind the others."""
    one = frames.frame(rng)
    n = len(one["symbols"])
    extra = [
        ("magmoms", "R", rng.normal(size=(n, 1))),
        ("tags", "I", rng.integers(0, 4, (n, 1)).tolist()),
        ("move_mask", "L", [["T", "F", "T"]] * n),
        ("local_stress", "R", rng.normal(size=(n, 9))),
        ("group", "S", [["a"], ["b"]] * (n // 2)),
    ]
    label = [("stress", frames.six(one["stress"]))]
    for force in ("force", "forces"):
        plain = frames.columns(one, force)
        for count in (5, 5, 3, 2):
            cols = [*plain, *[extra[i] for i in rng.permutation(5)[:count]]]
            cols = [cols[i] for i in rng.permutation(len(cols))]
            got = candidate(frames.load, frames.text(one, label, cols))
            frames.holds(got[0], [one], [frames.virial(one)])


@contract("exploration")
def test_forces_under_both_names_with_atomic_numbers(candidate, rng, frames):
    one = frames.frame(rng)
    numbers = [("Z", "I", [[{"Cu": 29, "O": 8, "Zr": 40}[s]] for s in one["symbols"]])]
    for force in ("force", "forces"):
        text = frames.text(one, [], frames.columns(one, force, numbers))
        frames.holds(candidate(frames.load, text)[0], [one], None)


@contract("exploration")
def test_a_given_virial_is_taken_before_a_stress(candidate, rng, frames):
    for form in ("nine", "six"):
        one, other = frames.frame(rng), frames.symmetric(rng, 9.0)
        labels = [("stress", frames.nine(one["stress"])), ("virial", getattr(frames, form)(other))]
        for pair in (labels, labels[::-1]):
            frames.holds(candidate(frames.load, frames.text(one, pair))[0], [one], [other])


@contract("exploration")
def test_an_empty_label_is_no_label(candidate, rng, frames):
    one = frames.frame(rng)
    stress = ("stress", frames.six(one["stress"]))
    for labels, want in (
        ([("virial", ""), stress], [frames.virial(one)]),
        ([stress, ("virial", "")], [frames.virial(one)]),
        ([("virial", ""), ("stress", "")], None),
        ([("stress", "")], None),
    ):
        frames.holds(candidate(frames.load, frames.text(one, labels))[0], [one], want)


@contract("exploration")
def test_names_that_only_look_like_the_label(candidate, rng, frames):
    one = frames.frame(rng)
    wrong = frames.nine(frames.symmetric(rng, 5.0))
    decoys = [("old_stress", wrong), ("stress_error", wrong), ("note", "stress of a bulk cell")]
    frames.holds(candidate(frames.load, frames.text(one, decoys))[0], [one], None)
    labels = [decoys[0], ("stress", frames.six(one["stress"])), *decoys[1:]]
    frames.holds(candidate(frames.load, frames.text(one, labels))[0], [one], [frames.virial(one)])


@contract("exploration")
def test_spaces_between_numbers(candidate, rng, frames):
    """Values are set apart by any number of blanks and tabulators, also before and behind."""
    one = frames.frame(rng)
    for key, tensor in (("stress", one["stress"]), ("virial", frames.virial(one))):
        for form in (frames.nine, frames.six):
            words = form(tensor).split()
            for gap in ("   ", "\t", " \t "):
                label = (key, gap + gap.join(words) + gap)
                got = candidate(frames.load, frames.text(one, [label]))
                frames.holds(got[0], [one], [frames.virial(one)])


@contract("exploration")
def test_values_in_single_quotes(candidate, rng, frames):
    one = frames.frame(rng)
    text = frames.text(one, [("stress", frames.nine(one["stress"]))]).replace('"', "'")
    frames.holds(candidate(frames.load, text)[0], [one], [frames.virial(one)])


@contract("exploration")
@pytest.mark.parametrize("key", ["stress", "virial"])
def test_a_label_that_is_no_tensor_is_refused(candidate, rng, frames, key):
    """Losing it without a word is what must not happen."""
    one = frames.frame(rng)
    for value in ("0.1", "0.1 0.2 0.3", "1 2 3 4 5", "1 2 3 4 5 6 7", "1 2 3 4 5 6 7 8 9 10",
                  " ".join(["0.5"] * 12), " ".join(["0.5"] * 18), "1 2 3 4 5 six"):  # fmt: skip
        frames.refused(candidate, "ValueError", frames.text(one, [(key, value)]))


@contract("coverage")
def test_a_stress_of_zero_is_a_label(candidate, rng, frames):
    one = {**frames.frame(rng), "stress": np.zeros((3, 3))}
    for form in (frames.nine, frames.six):
        got = candidate(frames.load, frames.text(one, [("stress", form(one["stress"]))]))
        frames.holds(got[0], [one], [np.zeros((3, 3))])


@contract("regression")
def test_full_virials_stay_row_by_row(candidate, rng, frames):
    """Nine numbers need not be symmetric: they are taken as they stand."""
    ones = [frames.frame(rng) for _ in range(3)]
    tensors = rng.normal(size=(3, 3, 3))
    text = "".join(
        frames.text(f, [("virial", frames.nine(t))])
        for f, t in zip(ones, tensors, strict=True)
    )
    (system,) = candidate(frames.load, text)
    frames.holds(system, ones, tensors)


@contract("regression")
def test_frames_without_labels_have_no_virials(candidate, rng, frames):
    ones = [frames.frame(rng) for _ in range(2)]
    text = "".join(frames.text(f, []) for f in ones)
    (system,) = candidate(frames.load, text)
    frames.holds(system, ones, None)


@contract("regression")
def test_half_labelled_systems_are_refused(candidate, rng, frames):
    first, second = frames.frame(rng), frames.frame(rng)
    with_label = frames.text(first, [("virial", frames.nine(frames.virial(first)))])
    without = frames.text(second, [])
    for text in (with_label + without, without + with_label):
        frames.refused(candidate, "RuntimeError", text)


@contract("regression")
def test_broken_files_are_refused(candidate, rng, frames):
    one = frames.frame(rng)
    good = frames.text(one, [])
    lines = good.splitlines(keepends=True)
    frames.refused(candidate, "RuntimeError", "".join(lines[:-1]))
    frames.refused(candidate, "RuntimeError", good.replace("species:S:1", "species:I:1"))
    frames.refused(candidate, "RuntimeError", good.replace("pos:R:3", "pos:S:3"))
    frames.refused(candidate, "RuntimeError", good.replace("force:R:3", "force:I:3"))
    frames.refused(candidate, "RuntimeError", good.replace("species:S:1", "names:S:1"))


@contract("regression")
def test_what_is_written(candidate, rng, frames):
    one = frames.frame(rng, ["Cu", "O"])
    data = {
        "atom_names": ["Cu", "O"],
        "atom_numbs": [1, 1],
        "atom_types": np.array([0, 1]),
        "cells": one["cell"][None],
        "coords": one["coords"][None],
        "energies": np.array([one["energy"]]),
        "forces": one["forces"][None],
        "virials": frames.virial(one)[None],
        "orig": np.zeros(3),
    }
    text = candidate(frames.written, data)
    lines = text.splitlines()
    assert len(lines) == 4
    assert lines[0].strip() == "2"
    assert [line.split()[0] for line in lines[2:]] == ["Cu", "O"]
    assert "virial=" in lines[1]
    frames.close_to(candidate(frames.load, text)[0], one)
