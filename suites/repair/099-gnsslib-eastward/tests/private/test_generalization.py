# referee-canary 099 eea3bf13-7000-44d6-af1c-5df200cdf008
"""The functions beside the reported ones stand on the same model of the path of light."""

import numpy as np

from referee.wall import contract


def at_rest(sky, rng, count=6):
    """Epochs of a receiver at rest near the equator, where the turn matters most."""
    mark = sky.place(rng.uniform(-20, 20), rng.uniform(-180, 180))
    return [sky.epoch(rng, mark, 40.0) for _ in range(count)]


def assert_rests(sky, answer, data):
    found = sky.solution(answer["rows"], "ekf")
    assert found.shape == (len(data), 4)
    for one, state in zip(data, found, strict=True):
        sky.assert_found(state, one, sky.FILTER)


@contract("generalization")
def test_residuals_of_any_state(candidate, sky, rng):
    data = [sky.epoch(rng, sky.anywhere(rng), 30.0) for _ in range(3)]
    claimed = [{"mark": d["mark"] + rng.normal(0.0, 100.0, 3), "bias": -60.0} for d in data]
    answer = candidate(
        sky.residuals, sky.table(data), sky.states(claimed), options={"inplace": False}
    )
    expected = [
        d["pr"][:, 0] - sky.computed_range(d["sent"], c["mark"]) - c["bias"]
        for d, c in zip(data, claimed, strict=True)
    ]
    assert np.abs(answer["residuals"] - np.concatenate(expected)).max() <= sky.NEAR
    assert answer["answer"] == ["gps_millis", "residuals_m"]
    assert answer["added"] == []


@contract("generalization")
def test_residuals_of_high_and_low_orbits(candidate, sky, rng):
    data = [
        sky.epoch(rng, sky.place(0.0, rng.uniform(-180, 180)), orbit=o)
        for o in (sky.LOW, sky.GEOSYNCHRONOUS)
    ]
    answer = candidate(sky.residuals, sky.table(data), sky.states(data))
    assert np.abs(answer["residuals"]).max() <= sky.NEAR


@contract("generalization")
def test_residuals_of_a_single_satellite(candidate, sky, rng):
    one = sky.epoch(rng, sky.place(0.0, rng.uniform(-180, 180)), 12.0)
    alone = {**one, "sent": one["sent"][2:3], "pr": one["pr"][2:3]}
    answer = candidate(sky.residuals, sky.table([alone]), sky.states([one]))
    assert answer["residuals"].shape == (1,)
    assert abs(answer["residuals"][0]) <= sky.NEAR


@contract("generalization")
def test_residuals_in_the_axes_of_reception(candidate, sky, rng):
    data = [sky.epoch(rng, sky.anywhere(rng), 30.0) for _ in range(2)]
    answer = candidate(
        sky.residuals, sky.table(data, "seen"), sky.states(data), options={"sv_rx_time": True}
    )
    assert np.abs(answer["residuals"]).max() <= sky.NEAR


@contract("generalization")
def test_the_filter_begins_where_the_receiver_is(candidate, sky, rng):
    data = at_rest(sky, rng)
    assert_rests(sky, candidate(sky.kalman, sky.table(data)), data)


@contract("generalization")
def test_the_filter_rests_on_a_good_state(candidate, sky, rng):
    data = at_rest(sky, rng)
    initial = {"state_0": [*data[0]["mark"], 0.0, 0.0, 0.0, 40.0], "sigma_0": np.eye(7) * 100.0}
    assert_rests(sky, candidate(sky.kalman, sky.table(data), initial), data)


@contract("generalization")
def test_the_filter_in_the_axes_of_reception(candidate, sky, rng):
    data = at_rest(sky, rng, 4)
    answer = candidate(sky.kalman, sky.table(data, "seen"), options={"sv_rx_time": True})
    assert_rests(sky, answer, data)


@contract("generalization")
def test_the_filter_with_other_sets_of_satellites(candidate, sky, rng):
    data = at_rest(sky, rng, 5)
    for one, keep in zip(data[1:], (5, 3, 1, 8), strict=True):
        one["sent"], one["pr"] = one["sent"][:keep], one["pr"][:keep]
    assert_rests(sky, candidate(sky.kalman, sky.table(data)), data)
