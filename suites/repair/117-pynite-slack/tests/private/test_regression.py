# referee-canary 117 cdd5992d-67e4-45da-bef4-f5c0e40a0f9c
"""What is right must stay right: active members, the solution itself, refusals."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract


@contract("regression")
def test_active_braces_obey_hooke(candidate, frames, rng):
    for kind, name in (("tie", "rising"), ("strut", "falling")):
        frame = frames.push(frames.braced(rng, kind=kind), 60.0, 2.0)
        span = frames.length(frame, name)
        where = np.array([0.2, 0.5, 0.8]) * span
        asked = frames.single(name, where) + frames.array(name, where)
        asked += [[name, None, "axial", {"x": float(where[1])}]]
        asked += [[name, None, "axial_array", {"n_points": 3, "x_array": where}]]
        answer = candidate(frames.solve, frame, asked)
        assert answer["active"]["Combo 1"][name] is True
        moved, given = answer["moved"]["Combo 1"], answer["answers"]
        # pinned and free of loads along its length, an active brace is straight as well
        expected = frames.line(frame, moved, name, where)
        frames.close(np.reshape(given[:9], (3, 3)), expected, moved)
        frames.close([v[1] for v in given[9:12]], expected, moved)
        section = frame["members"][name]["section"]
        strain = (expected[0, 2] - expected[0, 0]) / (where[2] - where[0])
        force = -frames.E * frames.AREA[section] * strain
        # the strain is a difference of displacements ten times its size
        np.testing.assert_allclose([given[12], *given[13][1]], force, rtol=1e-6)


@contract("regression")
def test_the_right_braces_go_slack_and_reactions_balance_the_loads(candidate, frames, rng):
    for kind in ("tie", "strut"):
        for sense in (1, -1):
            frame = frames.push(frames.braced(rng, kind=kind, storeys=2), sense * 50.0, 1.5)
            frames.push(frame, sense * 30.0, 1.0, level=2)
            answer = candidate(frames.solve, frame, [])
            active = answer["active"]["Combo 1"]
            tense = "rising" if sense > 0 else "falling"
            for tail in ("", "2"):
                for name in frames.BRACES:
                    assert active[name + tail] is ((name == tense) == (kind == "tie")), (kind, sense)
            total = np.sum(list(answer["reactions"]["Combo 1"].values()), axis=0)
            # 80 kN and 2.5 kN in all; the solver's rounding is smaller by many orders
            np.testing.assert_allclose(total, [-sense * 80.0, 0, -2.5], atol=1e-5)


@contract("regression")
def test_forces_of_an_active_frame_balance_at_a_node(candidate, frames, rng):
    """The horizontal load at the top is the shear of the columns and the pull of one brace."""
    frame = frames.push(frames.braced(rng), 60.0)
    asked = []
    for name in ("left", "right"):
        asked.append([name, None, "shear_array", {"Direction": "Fy", "n_points": 3}])
    asked.append(["rising", None, "axial_array", {"n_points": 3}])
    answer = candidate(frames.solve, frame, asked)
    left, right, pull = (v[1, 1] for v in answer["answers"])
    along = frames.axes(frame, "rising")[0]
    # local y of a rising column is global -X: a positive shear acts on the lower part towards -X
    np.testing.assert_allclose(abs(left + right) + abs(pull) * along[0], 60.0, rtol=1e-6)


@contract("regression")
def test_a_loaded_beam_still_bends(candidate, frames, rng):
    """Closed forms of a simply supported beam under a uniform load."""
    span, load = float(rng.uniform(4, 8)), float(rng.uniform(5, 20))
    frame = frames.empty()
    frame["nodes"] = {"A": [0, 0, 0], "B": [span, 0, 0]}
    frame["supports"] = {
        "A": [True, True, True, True, False, False],
        "B": [False, True, True, False, False, False],
    }
    frame["members"]["beam"] = frames.member("A", "B")
    frame["lines"] = [["beam", "Fy", -load, "Case 1"]]
    where = np.array([0.25, 0.5, 0.75]) * span
    ways = ["dy"]
    asked = frames.single("beam", where, directions=ways) + frames.array("beam", where, directions=ways)
    asked += frames.single("beam", where, method="rel_deflection", directions=ways)
    asked += frames.array("beam", where, method="rel_deflection_array", directions=ways)
    asked += frames.extremes("beam", directions=ways)
    asked += [["beam", None, "moment", {"Direction": "Mz", "x": span / 2}]]
    asked += [["beam", None, "shear_array", {"Direction": "Fy", "n_points": 2}]]
    for piece in (None, 0):
        asked.append(["beam", piece, "moment_array", {"Direction": "Mz", "n_points": 3, "x_array": where}])
        asked.append(["beam", piece, "deflection_array", {"Direction": "dy", "n_points": 3, "x_array": where}])
    given = candidate(frames.solve, frame, asked)["answers"]
    stiffness = frames.E * frames.INERTIA["tube"]
    sag = -load * where * (span**3 - 2 * span * where**2 + where**3) / (24 * stiffness)
    deepest = 5 * load * span**4 / (384 * stiffness)
    for got in (given[0:3], given[3][1], given[4:7], given[7][1]):
        np.testing.assert_allclose(got, sag, rtol=1e-7)
    assert abs(given[8]) <= 1e-9 * deepest
    # a hundred samples come within a ten-thousandth of the deepest point
    np.testing.assert_allclose(given[9], -deepest, rtol=1e-3)
    np.testing.assert_allclose(abs(given[10]), load * span**2 / 8, rtol=1e-7)
    np.testing.assert_allclose(np.abs(given[11][1]), load * span / 2, rtol=1e-7)
    for bending, deflection in (given[12:14], given[14:16]):
        np.testing.assert_allclose(np.abs(bending[1]), load * where * (span - where) / 2, rtol=1e-7)
        np.testing.assert_allclose(deflection[1], sag, rtol=1e-7)


@contract("regression")
def test_a_shaft_still_carries_its_torque(candidate, frames, rng):
    span, torque = float(rng.uniform(2, 5)), float(rng.uniform(1, 9))
    frame = frames.empty()
    frame["nodes"] = {"A": [0, 0, 0], "B": [span, 0, 0]}
    frame["supports"] = {"A": [True] * 6}
    frame["members"]["shaft"] = frames.member("A", "B")
    frame["loads"].append(["B", "MX", torque, "Case 1"])
    asked = [["shaft", None, "torque_array", {"n_points": 3}]]
    for got in candidate(frames.solve, frame, asked)["answers"]:
        np.testing.assert_allclose(np.abs(got[1]), torque, rtol=1e-9)


@contract("regression")
@pytest.mark.parametrize("name", ["rising", "falling"])
def test_locations_outside_of_a_member_are_refused(candidate, frames, name):
    frame = frames.push(frames.braced(np.random.default_rng(1)), 60.0)
    span = frames.length(frame, name)
    for asked in (
        [[name, None, "deflection_array", {"Direction": "dy", "n_points": 3, "x_array": np.array([0.5, span + 0.5])}]],
        [[name, None, "axial_array", {"n_points": 3, "x_array": np.array([-0.5, 0.5])}]],
        [[name, None, "deflection", {"Direction": "dy", "x": span + 0.5}]],
    ):
        with pytest.raises(CandidateError) as caught:
            candidate(frames.solve, frame, asked)
        assert caught.value.is_a("ValueError")


@contract("regression")
def test_active_split_members_keep_their_two_ways_of_asking(candidate, frames, rng):
    frame = frames.push(frames.braced(rng, crossed=True), 60.0, 3.0)
    frame["loads"].append(["M1", "FZ", 0.2, "Case 1"])
    half = frames.length(frame, "rising") / 2
    where = np.array([0.2, 0.5, 0.8, 1.2, 1.5, 1.8]) * half
    asked = frames.single("rising", where) + frames.array("rising", where)
    answer = candidate(frames.solve, frame, asked)
    assert answer["active"]["Combo 1"]["rising"] is True
    moved, given = answer["moved"]["Combo 1"], answer["answers"]
    frames.close([v[1] for v in given[18:]], np.reshape(given[:18], (3, 6)), moved)
    # along the axis an unloaded rod is stretched evenly in each piece
    frames.close(given[18][1], frames.line(frame, moved, "rising", where, through=["M1"])[0], moved)


@contract("regression")
def test_active_members_of_a_second_order_analysis(candidate, frames, rng):
    """Both ways of asking agree, and the ends of a column are its nodes."""
    frame = frames.push(frames.braced(rng), 60.0, 2.0)
    frame["second_order"] = True
    for name in ("left", "rising"):
        span = frames.length(frame, name)
        where = np.array([0.0, 0.3, 0.7]) * span
        answer = candidate(frames.solve, frame, frames.single(name, where) + frames.array(name, where))
        moved, given = answer["moved"]["Combo 1"], answer["answers"]
        assert answer["active"]["Combo 1"][name] is True
        single = np.reshape(given[:9], (3, 3))
        frames.close([v[1] for v in given[9:]], single, moved)
        frames.close(single[:, 0], frames.line(frame, moved, name, [0.0])[:, 0], moved)
        assert np.abs(single).max() <= 3 * frames.scale(moved)
