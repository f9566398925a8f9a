# referee-canary 117 cdd5992d-67e4-45da-bef4-f5c0e40a0f9c
"""What statics and kinematics say about a slack member."""

import numpy as np
import pytest

from referee.wall import contract


def slack_name(size):
    """A force to the right shortens the falling brace, a force to the left the rising one."""
    return "falling" if size > 0 else "rising"


@contract("knowledge")
@pytest.mark.parametrize("sense", [1, -1])
def test_slack_brace_follows_the_line_between_its_nodes(candidate, frames, rng, sense):
    for _ in range(3):
        frame = frames.braced(rng)
        frames.push(frame, sense * rng.uniform(30, 90), rng.uniform(-4, 4))
        name = slack_name(sense)
        where = np.linspace(0, frames.length(frame, name), 6)
        # the end itself is left to the arrays: rounding may put it outside of the member
        where[-1] *= 1 - 1e-12
        answer = candidate(frames.solve, frame, frames.single(name, where))
        moved = answer["moved"]["Combo 1"]
        assert answer["active"]["Combo 1"][name] is False
        got = np.reshape(answer["answers"], (3, -1))
        frames.close(got, frames.line(frame, moved, name, where), moved)


@contract("knowledge")
def test_prescribed_end_displacements(candidate, frames, rng):
    """Both ends are supports that settle by known amounts, so no solver stands between the
    numbers given and the numbers expected."""
    for kind, sign in (("tie", -1), ("strut", 1), ("tie", -1)):
        start, way = rng.uniform(-2, 2, 3), rng.uniform(1, 3, 3) * rng.choice([-1, 1], 3)
        along = way / np.linalg.norm(way)
        first, other = rng.uniform(-0.01, 0.01, (2, 3))
        # sideways motion at will, and a change of length that the member cannot resist
        second = other - along * (along @ (other - first)) + sign * rng.uniform(0.002, 0.008) * along
        moved = {"A": first.tolist(), "B": second.tolist()}
        frame = frames.apart(rng, start, way, first, second, kind, rng.uniform(-80, 80), True)
        where = np.sort(rng.uniform(0.02, 0.98, 5)) * np.linalg.norm(way)
        asked = frames.single("rod", where) + frames.array("rod", where)
        answer = candidate(frames.solve, frame, asked)
        assert answer["active"]["Combo 1"]["rod"] is False, kind
        expected = frames.line(frame, moved, "rod", where)
        frames.close(np.reshape(answer["answers"][:15], (3, 5)), expected, moved, kind)
        frames.close([a[1] for a in answer["answers"][15:]], expected, moved, kind)


@contract("knowledge")
def test_a_common_translation_is_added_to_the_whole_brace(candidate, frames, rng):
    """Supports that all move by the same vector carry the frame along without any force."""
    frame = frames.push(frames.braced(rng), 60.0, 2.0)
    shift = rng.uniform(-0.02, 0.02, 3)
    where = np.array([0.3, 1.1, 2.9])
    asked = frames.single("falling", where)
    still = candidate(frames.solve, frame, asked)
    for node in frame["supports"]:
        for axis, size in zip(("DX", "DY", "DZ"), shift, strict=True):
            frame["settlements"].append([node, axis, float(size)])
    carried = candidate(frames.solve, frame, asked)
    assert carried["active"] == still["active"]
    gain = np.reshape(carried["answers"], (3, 3)) - np.reshape(still["answers"], (3, 3))
    expected = np.repeat((frames.axes(frame, "falling") @ shift)[:, None], 3, axis=1)
    # two separate solutions of the equations: their rounding, amplified by a condition number of
    # about 1e5, stays below 1e-7 of the displacements of some centimetres
    np.testing.assert_allclose(gain, expected, rtol=0, atol=1e-8)


@contract("knowledge")
def test_the_direction_in_plan_does_not_matter(candidate, frames, rng):
    """The same frame, turned about the vertical with its load, gives the same local numbers."""
    seed, size, sideways = int(rng.integers(1 << 30)), rng.uniform(40, 80), rng.uniform(1, 4)
    results = []
    for angle in (0.0, *rng.uniform(0.3, 2.8, 2), np.pi / 2):
        frame = frames.braced(np.random.default_rng(seed), angle=float(angle))
        frames.push(frame, size, sideways, float(angle))
        where = np.array([0.2, 0.5, 0.9]) * frames.length(frame, "falling")
        asked = [q for name in frames.BRACES for q in frames.single(name, where)]
        asked += frames.extremes("falling")
        answer = candidate(frames.solve, frame, asked)
        assert answer["active"]["Combo 1"]["falling"] is False
        assert answer["active"]["Combo 1"]["rising"] is True
        results.append(answer["answers"])
        moved = answer["moved"]["Combo 1"]
        expected = frames.line(frame, moved, "falling", where)
        frames.close(np.reshape(answer["answers"][9:18], (3, 3)), expected, moved)
    size = np.max(np.abs(results[0]))
    # separate solutions of turned equations agree to far better than a millionth
    np.testing.assert_allclose(results[1:], [results[0]] * 3, rtol=0, atol=1e-6 * size)


@contract("knowledge")
def test_the_slope_is_the_strain_that_is_refused(candidate, frames, rng):
    """A slack tie is shortened, a slack strut is stretched, by the motion of its nodes."""
    for kind, sign in (("tie", -1), ("strut", 1)):
        frame = frames.push(frames.braced(rng, kind=kind), 55.0, 1.0)
        name = "falling" if kind == "tie" else "rising"
        where = np.array([0.25, 0.75]) * frames.length(frame, name)
        answer = candidate(frames.solve, frame, frames.single(name, where, directions=["dx"]))
        assert answer["active"]["Combo 1"][name] is False
        near, far = answer["answers"]
        moved, m = answer["moved"]["Combo 1"], frame["members"][name]
        way = np.subtract(frame["nodes"][m["j"]], frame["nodes"][m["i"]])
        grown = np.subtract(moved[m["j"]], moved[m["i"]]) @ way / np.linalg.norm(way)
        assert sign * (far - near) > 0
        frames.close([2 * (far - near)], [grown], moved)
