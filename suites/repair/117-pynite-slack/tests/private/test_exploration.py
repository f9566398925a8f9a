# referee-canary 117 cdd5992d-67e4-45da-bef4-f5c0e40a0f9c
"""Results along a slack member that the report does not name."""

import numpy as np
import pytest

from referee.wall import contract


def two_winds(frames, rng, **options):
    """A frame with wind from either side, so that each brace is slack in one combination."""
    frame = frames.braced(rng, **options)
    frames.push(frame, rng.uniform(30, 80), rng.uniform(1, 3), case="east")
    frames.push(frame, -rng.uniform(30, 80), rng.uniform(1, 3), case="west")
    frame["combos"] = {
        "E": [{"east": 1.0}, ["strength", "all"]],
        "W": [{"west": 1.0}, ["strength", "all", "westerly"]],
        "W half": [{"west": 0.5}, ["service", "all"]],
    }
    return frame


@contract("exploration")
@pytest.mark.parametrize("second_order", [False, True])
def test_extremes_are_those_of_the_line(candidate, frames, rng, second_order):
    frame = frames.push(frames.braced(rng), rng.uniform(30, 80), rng.uniform(1, 3))
    frame["second_order"] = second_order
    answer = candidate(frames.solve, frame, frames.extremes("falling"))
    moved = answer["moved"]["Combo 1"]
    ends = frames.line(frame, moved, "falling", [0, frames.length(frame, "falling")])
    assert answer["active"]["Combo 1"]["falling"] is False
    frames.close(answer["answers"], [*ends.max(axis=1), *ends.min(axis=1)], moved)


@contract("exploration")
def test_envelopes_count_the_combinations_in_which_it_is_slack(candidate, frames, rng):
    frame = two_winds(frames, rng)
    asked = []
    for name in frames.BRACES:
        for tags in (["strength"], ["service"], ["westerly", "service"]):
            asked += frames.extremes(name, tags)
        for combo in frame["combos"]:
            asked += frames.extremes(name, combo)
    answer = candidate(frames.solve, frame, asked)
    given = iter(answer["answers"])
    matching = (("E", "W"), ("W half",), ("W", "W half"))
    for name in frames.BRACES:
        envelopes = [[next(given) for _ in range(6)] for _ in range(3)]
        alone = {combo: [next(given) for _ in range(6)] for combo in frame["combos"]}
        for combo, moved in answer["moved"].items():
            ends = frames.line(frame, moved, name, [0, frames.length(frame, name)])
            # a brace without loads on its length is straight when it is active, too
            frames.close(alone[combo], [*ends.max(axis=1), *ends.min(axis=1)], moved, (name, combo))
        for names, envelope in zip(matching, envelopes, strict=True):
            for k, (value, governing) in enumerate(envelope):
                values = {c: alone[c][k] for c in names}
                best = max(values.values()) if k < 3 else min(values.values())
                assert governing in names
                assert values[governing] == pytest.approx(best, abs=1e-12), (name, names, k)
                assert value == pytest.approx(best, abs=1e-12), (name, names, k)


@contract("exploration")
@pytest.mark.parametrize("second_order", [False, True])
def test_no_internal_force_by_any_question(candidate, frames, rng, second_order):
    for angle in (0.0, rng.uniform(0.4, 2.5)):
        frame = frames.push(frames.braced(rng, angle=angle), 70.0, 3.0, angle)
        frame["second_order"] = second_order
        where = np.array([0.1, 0.45, 0.8]) * frames.length(frame, "falling")
        asked = frames.forces("falling", where) + frames.single("falling", where)
        answer = candidate(frames.solve, frame, asked)
        assert answer["active"]["Combo 1"]["falling"] is False
        # it carries nothing, but goes with its nodes
        forces, way = answer["answers"][:-9], answer["answers"][-9:]
        moved = answer["moved"]["Combo 1"]
        frames.close(way, frames.line(frame, moved, "falling", where).ravel(), moved)
        # rounding of a vanishing force is far below a millionth of the load of 70 kN
        assert frames.largest(forces) <= 7e-5
        for value in forces:
            if isinstance(value, np.ndarray):
                np.testing.assert_allclose(value[0], where, rtol=1e-12)


@contract("exploration")
def test_relative_deflection_is_zero(candidate, frames, rng):
    frame = frames.push(frames.braced(rng, rolls=(20.0, -35.0)), 65.0, 3.0)
    where = np.array([0.0, 0.3, 0.6, 0.9]) * frames.length(frame, "falling")
    ways = ["dy", "dz"]
    asked = frames.single("falling", where, method="rel_deflection", directions=ways)
    asked += frames.array("falling", where, method="rel_deflection_array", directions=ways)
    asked += frames.array("falling", 5, method="rel_deflection_array", directions=ways)
    answer = candidate(frames.solve, frame, asked)
    assert answer["active"]["Combo 1"]["falling"] is False
    moved = answer["moved"]["Combo 1"]
    frames.close(answer["answers"][:8], np.zeros(8), moved)
    for value in answer["answers"][8:]:
        assert value.shape[0] == 2
        frames.close(value[1], np.zeros(value.shape[1]), moved)


@contract("exploration")
def test_answers_do_not_depend_on_the_order_of_the_questions(candidate, frames, rng):
    frame = two_winds(frames, rng)
    asked = []
    for name in frames.BRACES:
        where = np.array([0.2, 0.7]) * frames.length(frame, name)
        for combo in frame["combos"]:
            asked += frames.single(name, where, combo, directions=["dx", "dy"])
            asked += frames.array(name, where, combo, directions=["dy", "dz"])
            asked += frames.forces(name, where, combo)
    order = rng.permutation(len(asked)).tolist()
    straight = candidate(frames.solve, frame, asked)
    mixed = candidate(frames.solve, frame, [asked[k] for k in order])
    assert straight["active"]["E"] != straight["active"]["W"]
    for place, k in enumerate(order):
        # the same calls on the same solution: equal but for the last digits
        np.testing.assert_allclose(
            mixed["answers"][place], straight["answers"][k], rtol=1e-9, atol=1e-12, err_msg=str(asked[k])
        )
    name, combo = "falling", "E"
    again = candidate(frames.solve, frame, frames.single(name, [0.5, 1.5], "W") + frames.single(name, [0.5, 1.5], combo))
    moved = again["moved"][combo]
    expected = frames.line(frame, moved, name, [0.5, 1.5])
    frames.close(np.reshape(again["answers"][6:], (3, 2)), expected, moved)


@contract("exploration")
@pytest.mark.parametrize("kind", ["tie", "strut"])
def test_a_slack_rod_between_twisted_nodes_carries_no_torque(candidate, frames, rng, kind):
    span, twist = float(rng.uniform(2, 5)), float(rng.uniform(0.01, 0.05))
    squeeze = 0.002 if kind == "tie" else -0.002
    first, second = [squeeze, 0.003, -0.001], [0.0, 0.004, 0.002]
    frame = frames.apart(rng, [1.0, 2.0, 3.0], [span, 0.0, 0.0], first, second, kind, 0.0, True)
    frame["settlements"].append(["B", "RX", twist])
    where = np.array([0.1, 0.6, 0.9]) * span
    asked = [["rod", None, "torque_array", {"n_points": 3, "x_array": where}]]
    asked.append(["rod", 0, "deflection_array", {"Direction": "dy", "n_points": 3, "x_array": where}])
    answer = candidate(frames.solve, frame, asked)
    assert answer["active"]["Combo 1"]["rod"] is False
    torque, deflection = answer["answers"]
    np.testing.assert_allclose(torque, [where, np.zeros(3)], atol=1e-12)
    # asked of the piece itself, in the layout of the array results
    assert isinstance(deflection, np.ndarray)
    np.testing.assert_allclose(deflection, [where, 0.003 + 0.001 * where / span], rtol=1e-9)
