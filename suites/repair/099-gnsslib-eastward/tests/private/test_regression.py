# referee-canary 099 eea3bf13-7000-44d6-af1c-5df200cdf008
"""What is right stays: interfaces, errors, rows, and the places of arguments."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract


def refused(candidate, probe, name, *args, **kwargs):
    with pytest.raises(CandidateError) as caught:
        candidate(probe, *args, **kwargs)
    return caught.value.is_a(name)


@contract("regression")
def test_errors_keep_their_types(candidate, sky, rng):
    one = sky.epoch(rng, sky.anywhere(rng), 5.0, count=5)
    few = {**one, "sent": one["sent"][:3], "pr": one["pr"][:3]}
    assert refused(candidate, sky.solve, "RuntimeError", [sky.job(few)])
    assert refused(candidate, sky.solve, "TypeError", [sky.job(one, weights=np.ones((4, 1)))])
    assert refused(candidate, sky.solve, "TypeError", [sky.job(one, weights="ones")])
    rows = sky.table([one])
    assert refused(candidate, sky.solve_table, "TypeError", rows, options={"weight_type": "no_row"})
    assert refused(candidate, sky.solve_table, "RuntimeError", rows, options={"only_bias": True})
    del rows["z_sv_m"]
    assert refused(candidate, sky.solve_table, "KeyError", rows)


@contract("regression")
def test_places_of_arguments(candidate, sky, rng):
    # Two epochs thirty milliseconds apart are one epoch when times are rounded to -2 decimals, and two
    # with 0 decimals. A receiver at a pole, where coordinates of either axes give the same answer.
    one = sky.epoch(rng, sky.place(90.0, 0.0), 8.0)
    rows = sky.table([one, one], step_ms=30.0)
    apart = candidate(sky.solve_table, rows, (None, False, None, 1e-7, 20, 0))
    assert apart["rows"]["gps_millis"].size == 2
    merged = candidate(sky.solve_table, rows, (None, False, None, 1e-7, 20))
    assert merged["rows"]["gps_millis"].size == 1
    one_step = candidate(sky.solve_table, sky.table([one]), (None, False, None, 1e-7, 1))
    assert one_step["said"] == ["RuntimeWarning: Newton Raphson did not converge."]


@contract("regression")
def test_places_of_arguments_of_residuals_and_filter(candidate, sky, rng):
    one = sky.epoch(rng, sky.place(-90.0, 0.0), 8.0)
    answer = candidate(sky.residuals, sky.table([one]), sky.states([one]), (False,))
    assert (answer["answer"], answer["added"]) == (["gps_millis", "residuals_m"], [])
    answer = candidate(sky.residuals, sky.table([one]), sky.states([one]), (True,))
    assert (answer["answer"], answer["added"]) == (None, ["residuals_m"])
    answer = candidate(sky.kalman, sky.table([one]), arguments=[{"motion_type": "stationary"}, 0])
    assert answer["rows"]["gps_millis"].size == 1


@contract("regression")
def test_rows_of_the_answers(candidate, sky, rng):
    data = [sky.epoch(rng, sky.place(90.0, 0.0), 8.0) for _ in range(2)]
    rows = candidate(sky.solve_table, sky.table(data))["rows"]
    position = ["x_rx_wls_m", "y_rx_wls_m", "z_rx_wls_m", "b_rx_wls_m"]
    angles = ["lat_rx_wls_deg", "lon_rx_wls_deg", "alt_rx_wls_deg"]
    assert sorted(rows) == sorted(["gps_millis", *position, *angles])
    assert rows["gps_millis"].tolist() == [1.3e12, 1.3e12 + 1000.0]
    # A receiver on the axis: latitude 90, and a height above the ellipsoid's polar radius.
    assert np.abs(rows["lat_rx_wls_deg"] - 90.0).max() <= 1e-3
    # The row is called degrees but holds metres; the name stays.
    assert np.abs(rows["alt_rx_wls_deg"] - (6.371e6 - 6356752.3145)).max() <= 1.0
    rows = candidate(sky.kalman, sky.table(data))["rows"]
    assert {"vx_rx_ekf_mps", "vy_rx_ekf_mps", "vz_rx_ekf_mps", "lat_rx_ekf_deg"} <= set(rows)


@contract("regression")
def test_steps_that_do_not_converge_are_said(candidate, sky, rng):
    one = sky.epoch(rng, sky.place(90.0, 0.0), 8.0)
    answer = candidate(sky.solve_table, sky.table([one]), options={"max_count": 2})
    assert answer["said"] == ["RuntimeWarning: Newton Raphson did not converge."]
    loose = candidate(sky.solve_table, sky.table([one]), options={"tol": 1e9})
    # One step is enough when any step is small enough: far from the mark, and no warning.
    assert loose["said"] == []
    assert np.linalg.norm(sky.solution(loose["rows"], "wls")[0, :3] - one["mark"]) >= 1e3


@contract("regression")
def test_without_any_solution_a_warning_comes(candidate, sky, rng):
    one = sky.epoch(rng, sky.anywhere(rng), 8.0, count=3)
    answer = candidate(sky.solve_table, sky.table([one]))
    assert np.isnan(sky.solution(answer["rows"], "wls")).all()
    assert any("No valid state" in text for text in answer["said"])


@contract("regression")
def test_steps_of_one_epoch(candidate, sky, rng):
    one = sky.epoch(rng, sky.place(90.0, 0.0), 8.0)
    truth = np.array([*one["mark"], one["bias"]])
    near = truth + np.array([0.3, -0.4, 0.2, 0.0])
    jobs = [
        sky.job(one),
        sky.job(one, start=near),
        # Half a metre is no step that ends the search, so the second step is one too many here.
        sky.job(one, start=near, max_count=2),
        sky.job(one, start=near, max_count=2, tol=1.0),
    ]
    assert [a["said"] for a in candidate(sky.solve, jobs)] == [0, 0, 1, 0]


@contract("regression")
def test_the_filter_looks_for_its_start_in_times_that_are_one_when_rounded(candidate, sky, rng):
    # Three satellites at 0 ms and three at 30 ms make a start together; those at 600 ms, which see another
    # place, are not asked.
    mark, far = sky.place(90.0, 0.0), sky.place(-90.0, 0.0)
    one, other = sky.epoch(rng, mark, 8.0, count=6), sky.epoch(rng, far, 8.0, count=6)
    parts = [{**one, "sent": one["sent"][k : k + 3], "pr": one["pr"][k : k + 3]} for k in (0, 3)]
    rows = sky.table([*parts, other])
    rows["gps_millis"] = 1.3e12 + np.repeat([0.0, 30.0, 600.0], [3, 3, 6])
    found = sky.solution(candidate(sky.kalman, rows)["rows"], "ekf")
    for state in found[:2]:
        sky.assert_found(state, one, sky.FILTER)
