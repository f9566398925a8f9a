# referee-canary 099 eea3bf13-7000-44d6-af1c-5df200cdf008
"""What shows only when one looks beyond the report: clocks, starting points, the caller's arrays."""

import numpy as np

from referee.wall import contract


@contract("exploration")
def test_the_clock_bias_does_not_move_the_receiver(candidate, sky, rng):
    mark = sky.anywhere(rng)
    biases = [-3e6, -3e5, 3e4, 3e5, 3e6]
    data = [sky.epoch(rng, mark, b) for b in biases]
    for one, answer in zip(data, candidate(sky.solve, [sky.job(d) for d in data]), strict=True):
        sky.assert_found(answer["state"], one)


@contract("exploration")
def test_the_solution_does_not_depend_on_the_start(candidate, sky, rng):
    one = sky.epoch(rng, sky.place(rng.uniform(-40, 40), rng.uniform(-180, 180)), 500.0)
    (as_is,) = candidate(sky.solve, [sky.job(one, sv_rx_time=True)])
    # The solution of the simpler model is a start from which that model would not move.
    starts = [
        as_is["state"].reshape(-1),
        np.array([*one["mark"], one["bias"]]),
        np.array([*one["mark"], 0.0]) + rng.normal(0.0, 1e4, 4),
        np.array([*(-0.2 * one["mark"]), -1e5]),
    ]
    jobs = [sky.job(one, start=s) for s in starts]
    for answer in candidate(sky.solve, jobs):
        sky.assert_found(answer["state"], one)


@contract("exploration")
def test_the_callers_arrays_are_left_alone(candidate, sky, rng):
    one = sky.epoch(rng, sky.anywhere(rng), 5.0)
    mark = np.array([*one["mark"], 0.0])
    jobs = [
        sky.job(one),
        sky.job(one, sv_rx_time=True),
        sky.job(one, only_bias=True, start=mark),
        sky.job(one, weights=np.ones((8, 1))),
    ]
    answers = candidate(sky.solve, jobs)
    assert [a["kept"] for a in answers] == [True] * 4
    assert [np.shape(a["state"]) for a in answers] == [(4, 1)] * 4
    # The answers are those for data that no call has touched.
    sky.assert_found(answers[0]["state"], one)
    sky.assert_found(answers[3]["state"], one)


@contract("exploration")
def test_tables_are_left_alone_and_solved_alike_twice(candidate, sky, rng):
    data = [sky.epoch(rng, sky.anywhere(rng), 5.0) for _ in range(2)]
    answer = candidate(sky.solve_table, sky.table(data), repeat=2)
    assert answer["kept"] is True
    for one, state in zip(data, sky.solution(answer["rows"], "wls"), strict=True):
        sky.assert_found(state, one)
    there = candidate(sky.residuals, sky.table(data), sky.states(data))
    assert there["kept"] is True
    assert np.abs(there["residuals"]).max() <= sky.NEAR
    assert candidate(sky.kalman, sky.table(data[:1]))["kept"] is True


@contract("exploration")
def test_the_bias_at_a_known_place(candidate, sky, rng):
    data = [sky.epoch(rng, sky.place(5.0, rng.uniform(-180, 180)), b) for b in (-2e5, 3.0, 9e5)]
    few = [
        {**d, "sent": d["sent"][k : k + n], "pr": d["pr"][k : k + n]}
        for d in data
        for k, n in ((1, 1), (2, 2), (0, 8))
    ]
    jobs = [sky.job(d, only_bias=True, start=np.array([*d["mark"], 0.0])) for d in few]
    for one, answer in zip(few, candidate(sky.solve, jobs), strict=True):
        state = answer["state"].reshape(-1)
        assert np.array_equal(state[:3], one["mark"])
        assert abs(state[3] - one["bias"]) <= sky.NEAR


@contract("exploration")
def test_residuals_of_an_estimate_agree_with_the_estimator(candidate, sky, rng):
    # With noise the residuals do not vanish, but they are those of the best fit.
    one = sky.epoch(rng, sky.place(rng.uniform(-40, 40), rng.uniform(-180, 180)), 300.0)
    one["pr"] = one["pr"] + rng.normal(0.0, 3.0, one["pr"].shape)
    rows = candidate(sky.solve_table, sky.table([one]))["rows"]
    best = sky.least_squares(one["sent"], one["pr"][:, 0], np.ones(8))
    expected = one["pr"][:, 0] - sky.computed_range(one["sent"], best[:3]) - best[3]
    assert np.abs(sky.solution(rows, "wls")[0] - best).max() <= sky.NEAR
    state = {
        k: v
        for k, v in rows.items()
        if k in ("gps_millis", "x_rx_wls_m", "y_rx_wls_m", "z_rx_wls_m", "b_rx_wls_m")
    }
    answer = candidate(sky.residuals, sky.table([one]), state)
    assert np.abs(answer["residuals"] - expected).max() <= sky.NEAR
