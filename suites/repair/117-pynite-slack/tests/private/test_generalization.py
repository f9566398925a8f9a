# referee-canary 117 cdd5992d-67e4-45da-bef4-f5c0e40a0f9c
"""Members that nodes split into pieces, the pieces themselves, and larger frames."""

import numpy as np
import pytest

from referee.wall import contract


def crossed(frames, rng, second_order=False, sense=1):
    """Braces that share a node where they cross. The tense one holds it, and the side load on it
    bends it out of the line between the corners."""
    frame = frames.push(frames.braced(rng, crossed=True), sense * rng.uniform(40, 80), 2.0)
    frame["loads"].append(["M1", "FZ", float(rng.uniform(0.1, 0.3)), "Case 1"])
    frame["second_order"] = second_order
    return frame


def locations(frames, frame, name, rng):
    """Three locations in each half, away from the node between them."""
    half = frames.length(frame, name) / 2
    return np.sort(np.concatenate([rng.uniform(0.05, 0.95, 3) * half, half + rng.uniform(0.05, 0.95, 3) * half]))


@contract("generalization")
@pytest.mark.parametrize("second_order", [False, True])
def test_each_piece_is_straight(candidate, frames, rng, second_order):
    for sense, name in ((1, "falling"), (-1, "rising")):
        frame = crossed(frames, rng, second_order, sense)
        where = locations(frames, frame, name, rng)
        answer = candidate(frames.solve, frame, frames.single(name, where) + frames.array(name, where))
        assert answer["active"]["Combo 1"][name] is False
        moved, given = answer["moved"]["Combo 1"], answer["answers"]
        expected = frames.line(frame, moved, name, where, through=["M1"])
        whole = frames.line(frame, moved, name, where)
        # the kink must be there, or the check could not tell the pieces from the whole
        assert np.abs(expected - whole).max() > 1e-3 * frames.scale(moved)
        frames.close(np.reshape(given[:18], (3, 6)), expected, moved)
        for row, value in zip(expected, given[18:], strict=True):
            np.testing.assert_allclose(value[0], where, rtol=1e-9)
            frames.close(value[1], row, moved)


@contract("generalization")
def test_extremes_of_a_split_member(candidate, frames, rng):
    frame = crossed(frames, rng)
    name = "falling"
    answer = candidate(frames.solve, frame, frames.extremes(name))
    moved, span = answer["moved"]["Combo 1"], frames.length(frame, name)
    stops = frames.line(frame, moved, name, [0, span / 2, span], through=["M1"])
    frames.close(answer["answers"], [*stops.max(axis=1), *stops.min(axis=1)], moved)


@contract("generalization")
@pytest.mark.parametrize("second_order", [False, True])
def test_a_split_member_carries_nothing(candidate, frames, rng, second_order):
    frame = crossed(frames, rng, second_order)
    where = locations(frames, frame, "falling", rng)
    asked = frames.forces("falling", where)
    count = len(asked)
    asked += frames.single("falling", where, method="rel_deflection", directions=["dy", "dz"])
    asked += frames.single("falling", where)
    answer = candidate(frames.solve, frame, asked)
    assert answer["active"]["Combo 1"]["falling"] is False
    # rounding of vanishing forces and displacements, beside loads of 40 kN and more
    assert frames.largest(answer["answers"][:count]) <= 4e-5
    moved = answer["moved"]["Combo 1"]
    line = frames.line(frame, moved, "falling", where, through=["M1"])
    expected = np.concatenate([np.zeros(2 * len(where)), line.ravel()])
    frames.close(answer["answers"][count:], expected, moved)


@contract("generalization")
@pytest.mark.parametrize("second_order", [False, True])
def test_the_pieces_answer_for_themselves(candidate, frames, rng, second_order):
    frame = crossed(frames, rng, second_order)
    name = "falling"
    half = frames.length(frame, name) / 2
    where = np.sort(rng.uniform(0.05, 0.95, 3)) * half
    asked = []
    for piece in (0, 1):
        asked += frames.single(name, where, piece=piece) + frames.array(name, where, piece=piece)
        asked += frames.array(name, 4, piece=piece) + frames.extremes(name, piece=piece)
        ways = ["dy", "dz"]
        asked += frames.array(name, where, piece=piece, method="rel_deflection_array", directions=ways)
        asked += frames.forces(name, where, piece=piece)
    answer = candidate(frames.solve, frame, asked)
    moved, count = answer["moved"]["Combo 1"], len(asked) // 2
    for piece in (0, 1):
        given = answer["answers"][piece * count : (piece + 1) * count]
        expected = frames.line(frame, moved, name, piece * half + where, through=["M1"])
        frames.close(np.reshape(given[:9], (3, 3)), expected, moved)
        frames.close([v[1] for v in given[9:12]], expected, moved)
        even = frames.line(frame, moved, name, piece * half + np.linspace(0, half, 4), through=["M1"])
        frames.close([v[1] for v in given[12:15]], even, moved)
        ends = even[:, [0, -1]]
        frames.close(given[15:21], [*ends.max(axis=1), *ends.min(axis=1)], moved)
        frames.close([v[1] for v in given[21:23]], np.zeros((2, 3)), moved)
        assert frames.largest(given[23:]) <= 4e-5


@contract("generalization")
def test_every_slack_brace_of_a_tower(candidate, frames, rng):
    for second_order in (False, True):
        angle = float(rng.uniform(0.2, 2.9))
        frame = frames.braced(rng, storeys=3, angle=angle, rolls=(30.0, 0.0))
        for level in (1, 2, 3):
            frames.push(frame, rng.uniform(15, 35), rng.uniform(0.2, 1), angle, level)
        frame["second_order"] = second_order
        names = ["falling", "falling2", "falling3"]
        asked, places = [], {}
        for name in names:
            places[name] = np.array([0.1, 0.6, 0.9]) * frames.length(frame, name)
            asked += frames.single(name, places[name]) + frames.array(name, places[name])
            asked += frames.extremes(name) + frames.forces(name, places[name])
        answer = candidate(frames.solve, frame, asked)
        moved, count = answer["moved"]["Combo 1"], len(asked) // 3
        for k, name in enumerate(names):
            assert answer["active"]["Combo 1"][name] is False
            given = answer["answers"][k * count : (k + 1) * count]
            expected = frames.line(frame, moved, name, places[name])
            frames.close(np.reshape(given[:9], (3, 3)), expected, moved, name)
            frames.close([v[1] for v in given[9:12]], expected, moved, name)
            ends = frames.line(frame, moved, name, [0, frames.length(frame, name)])
            frames.close(given[12:18], [*ends.max(axis=1), *ends.min(axis=1)], moved, name)
            assert frames.largest(given[18:]) <= 1e-4


@contract("generalization")
def test_a_member_read_from_its_other_end(candidate, frames, rng):
    """Exchanging the ends mirrors the locations and the direction of local x and z."""
    seed = int(rng.integers(1 << 30))
    rows = []
    for reverse in (False, True):
        frame = frames.braced(np.random.default_rng(seed), reverse=reverse)
        frames.push(frame, 60.0, 3.0)
        span = frames.length(frame, "falling")
        where = np.array([0.2, 0.5, 0.7]) * span
        where = np.sort(span - where) if reverse else where
        answer = candidate(frames.solve, frame, frames.array("falling", where))
        assert answer["active"]["Combo 1"]["falling"] is False
        rows.append(np.array([v[1] for v in answer["answers"]]))
        moved = answer["moved"]["Combo 1"]
        frames.close(rows[-1], frames.line(frame, moved, "falling", where), moved)
    mirrored = rows[1][:, ::-1] * np.array([-1, 1, -1])[:, None]
    # two separate solutions of the same equations in another order
    np.testing.assert_allclose(mirrored, rows[0], rtol=0, atol=1e-6 * np.abs(rows[0]).max())
