# referee-canary 099 eea3bf13-7000-44d6-af1c-5df200cdf008
"""What the geometry of light and rotation says about a solution."""

import numpy as np

from referee.wall import contract


@contract("knowledge")
def test_receivers_anywhere_on_earth_are_found(candidate, sky, rng):
    data = [sky.epoch(rng, sky.anywhere(rng), rng.uniform(-1e3, 1e3)) for _ in range(12)]
    for one, answer in zip(data, candidate(sky.solve, [sky.job(d) for d in data]), strict=True):
        sky.assert_found(answer["state"], one)


@contract("knowledge")
def test_equal_travel_times_turn_the_solution_by_one_angle(candidate, sky, rng):
    # With equal paths all coordinates move by the same angle, so the solution that takes coordinates
    # of transmission as they are is the true one turned eastwards by that angle: a closed form.
    mark = sky.place(rng.uniform(-50, 50), rng.uniform(-180, 180))
    one = sky.epoch(rng, mark, 75.0, path=rng.uniform(2.0e7, 2.5e7))
    default, as_is = candidate(sky.solve, [sky.job(one), sky.job(one, sv_rx_time=True)])
    sky.assert_found(default["state"], one)
    shifted = sky.turned(mark, one["turn"][0])
    assert np.linalg.norm(shifted - mark) > 10.0  # a check of this check: metres, not millimetres
    sky.assert_found(as_is["state"], {"mark": shifted, "bias": one["bias"]})


@contract("knowledge")
def test_at_the_poles_nothing_depends_on_the_turn(candidate, sky, rng):
    data = [sky.epoch(rng, sky.place(side * 90.0, 0.0), -40.0) for side in (1, -1)]
    for one in data:
        one["mark"][:2] = 0.0
        one["pr"] = (np.linalg.norm(one["seen"] - one["mark"], axis=1) - 40.0)[:, None]
    jobs = [sky.job(d, sv_rx_time=flag) for d in data for flag in (False, True)]
    answers = [a["state"] for a in candidate(sky.solve, jobs)]
    for one, (default, as_is) in zip(data, [answers[:2], answers[2:]], strict=True):
        sky.assert_found(default, one)
        # Turning a satellite about the axis does not change its range to a point of the axis, so the
        # mark fits the data exactly with coordinates of either axes.
        sky.assert_found(as_is, one)


@contract("knowledge")
def test_turning_everything_turns_the_solution(candidate, sky, rng):
    one = sky.epoch(rng, sky.anywhere(rng), 10.0)
    angles = rng.uniform(-np.pi, np.pi, 4)
    jobs = [sky.job({**one, "sent": sky.turned(one["sent"], a)}) for a in angles]
    for angle, answer in zip(angles, candidate(sky.solve, jobs), strict=True):
        sky.assert_found(answer["state"], {**one, "mark": sky.turned(one["mark"], angle)})


@contract("knowledge")
def test_residuals_of_the_truth_vanish(candidate, sky, rng):
    data = [sky.epoch(rng, sky.anywhere(rng), rng.uniform(-1e4, 1e4)) for _ in range(4)]
    answer = candidate(sky.residuals, sky.table(data), sky.states(data))
    assert answer["answer"] is None  # the rows are added in place when nothing is said
    assert answer["residuals"].shape == (32,)
    assert np.abs(answer["residuals"]).max() <= sky.NEAR
