# referee-canary 117 cdd5992d-67e4-45da-bef4-f5c0e40a0f9c
"""The two calls of the report, with other inputs."""

import numpy as np
import pytest

from referee.wall import contract


@contract("coverage")
def test_single_values_and_arrays_agree(candidate, frames, rng):
    frame = frames.push(frames.braced(rng), rng.uniform(30, 80), rng.uniform(1, 3))
    span = frames.length(frame, "falling")
    own = np.sort(rng.uniform(0, span, 9))
    asked = frames.single("falling", own) + frames.array("falling", own)
    asked += frames.array("falling", 2) + frames.array("falling", 11)
    asked += [["falling", piece, "axial_array", {"n_points": 4}] for piece in (None, 0)]
    answer = candidate(frames.solve, frame, asked)
    moved, given = answer["moved"]["Combo 1"], answer["answers"]
    expected = frames.line(frame, moved, "falling", own)
    frames.close(np.reshape(given[:27], (3, 9)), expected, moved)
    for row, value in zip(expected, given[27:30], strict=True):
        assert value.shape == (2, 9)
        np.testing.assert_allclose(value[0], own, rtol=1e-12)
        frames.close(value[1], row, moved)
    for count, values in ((2, given[30:33]), (11, given[33:36])):
        places = np.linspace(0, span, count)
        for row, value in zip(frames.line(frame, moved, "falling", places), values, strict=True):
            assert value.shape == (2, count)
            np.testing.assert_allclose(value[0], places, rtol=1e-9, atol=1e-9)
            frames.close(value[1], row, moved)
    # a slack member carries nothing; loads are of 30 kN and more
    for value in given[36:38]:
        np.testing.assert_allclose(value[1], np.zeros(4), rtol=0, atol=1e-9)


@contract("coverage")
def test_compression_only_members(candidate, frames, rng):
    for sense in (1, -1):
        frame = frames.push(frames.braced(rng, kind="strut"), sense * 60.0, 2.0)
        name = "rising" if sense > 0 else "falling"
        where = np.array([0.1, 0.5, 0.95]) * frames.length(frame, name)
        asked = frames.single(name, where) + frames.array(name, where) + frames.extremes(name)
        answer = candidate(frames.solve, frame, asked + frames.forces(name, where))
        assert answer["active"]["Combo 1"][name] is False
        moved, given = answer["moved"]["Combo 1"], answer["answers"]
        expected = frames.line(frame, moved, name, where)
        frames.close(np.reshape(given[:9], (3, 3)), expected, moved)
        frames.close([v[1] for v in given[9:12]], expected, moved)
        ends = frames.line(frame, moved, name, [0, frames.length(frame, name)])
        frames.close(given[12:18], [*ends.max(axis=1), *ends.min(axis=1)], moved)
        assert frames.largest(given[18:]) <= 6e-5


@contract("coverage")
def test_second_order_analysis(candidate, frames, rng):
    for kind, name in (("tie", "falling"), ("strut", "rising")):
        frame = frames.push(frames.braced(rng, kind=kind), 60.0, 3.0)
        frame["second_order"] = True
        where = np.array([0.15, 0.55, 0.9]) * frames.length(frame, name)
        answer = candidate(frames.solve, frame, frames.single(name, where) + frames.array(name, where))
        assert answer["active"]["Combo 1"][name] is False
        moved, given = answer["moved"]["Combo 1"], answer["answers"]
        expected = frames.line(frame, moved, name, where)
        frames.close(np.reshape(given[:9], (3, 3)), expected, moved)
        frames.close([v[1] for v in given[9:]], expected, moved)


@contract("coverage")
@pytest.mark.parametrize("reverse", [False, True])
def test_rolled_braces_in_any_plane(candidate, frames, rng, reverse):
    angle = float(rng.uniform(0.2, 3.0))
    rolls = rng.uniform(15, 75, 2) * rng.choice([-1, 1], 2)
    frame = frames.braced(rng, angle=angle, rolls=rolls, reverse=reverse)
    frames.push(frame, -60.0, 4.0, angle)
    where = np.array([0.1, 0.5, 0.95]) * frames.length(frame, "rising")
    answer = candidate(frames.solve, frame, frames.single("rising", where) + frames.array("rising", where))
    assert answer["active"]["Combo 1"]["rising"] is False
    moved, given = answer["moved"]["Combo 1"], answer["answers"]
    expected = frames.line(frame, moved, "rising", where)
    frames.close(np.reshape(given[:9], (3, 3)), expected, moved)
    frames.close([v[1] for v in given[9:]], expected, moved)


@contract("coverage")
def test_vertical_and_horizontal_members(candidate, frames, rng):
    """Members along the global axes, whose local axes have rules of their own."""
    for way in ([0, 3.0, 0], [0, -3.0, 0], [4.0, 0, 0], [0, 0, -5.0]):
        for kind, sign in (("tie", -1), ("strut", 1)):
            along = np.array(way) / np.linalg.norm(way)
            first, other = rng.uniform(-0.01, 0.01, (2, 3))
            second = other - along * (along @ (other - first)) + sign * 0.004 * along
            moved = {"A": first.tolist(), "B": second.tolist()}
            start, roll = [0.5, 1.0, -2.0], rng.uniform(0, 60)
            frame = frames.apart(rng, start, way, first, second, kind, roll, False)
            where = np.array([0.0, 0.4, 1.9])
            asked = frames.single("rod", where) + frames.array("rod", where) + frames.forces("rod", where)
            answer = candidate(frames.solve, frame, asked)
            assert answer["active"]["Combo 1"]["rod"] is False
            expected = frames.line(frame, moved, "rod", where)
            given = answer["answers"]
            frames.close(np.reshape(given[:9], (3, 3)), expected, moved, (way, kind))
            frames.close([v[1] for v in given[9:12]], expected, moved, (way, kind))
            # the refused force, E A times the strain of 0.004 / 5 or more, is 80 kN or more
            assert frames.largest(given[12:]) <= 1e-4
