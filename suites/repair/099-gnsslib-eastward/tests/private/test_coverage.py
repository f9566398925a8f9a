# referee-canary 099 eea3bf13-7000-44d6-af1c-5df200cdf008
"""The reported estimators on other inputs: orbits, epochs, weights, marks that are known."""

import numpy as np

from referee.wall import contract


@contract("coverage")
def test_orbits_from_low_to_geosynchronous(candidate, sky, rng):
    orbits = [sky.LOW, 1.2e7, 2.55e7, 2.96e7, sky.GEOSYNCHRONOUS]
    data = [sky.epoch(rng, sky.anywhere(rng), 20.0, orbit=o) for o in orbits]
    start = [np.array([*(0.9 * d["mark"]), 0.0]) for d in data]
    jobs = [sky.job(d, start=s) for d, s in zip(data, start, strict=True)]
    for one, answer in zip(data, candidate(sky.solve, jobs), strict=True):
        sky.assert_found(answer["state"], one)


@contract("coverage")
def test_receivers_above_the_ground(candidate, sky, rng):
    data = [sky.epoch(rng, sky.anywhere(rng, r), -7.0) for r in (6.38e6, 6.9e6, 8.0e6)]
    for one, answer in zip(data, candidate(sky.solve, [sky.job(d) for d in data]), strict=True):
        sky.assert_found(answer["state"], one)


@contract("coverage")
def test_weights_of_the_normal_equations(candidate, sky, rng):
    one = sky.epoch(rng, sky.place(10.0, rng.uniform(-180, 180)), 300.0)
    one["pr"] = one["pr"] + rng.normal(0.0, 5.0, one["pr"].shape)
    weights = rng.uniform(0.1, 3.0, (8, 1))
    best = sky.least_squares(one["sent"], one["pr"][:, 0], weights[:, 0])
    (answer,) = candidate(sky.solve, [sky.job(one, weights=weights)])
    # Noise of metres changes travel times by 1e-8 s: nothing at the level of millimetres.
    assert np.abs(answer["state"].reshape(-1) - best).max() <= sky.NEAR
    rows = {**sky.table([one]), "trust": weights[:, 0]}
    answer = candidate(sky.solve_table, rows, options={"weight_type": "trust"})
    assert np.abs(sky.solution(answer["rows"], "wls")[0] - best).max() <= sky.NEAR


@contract("coverage")
def test_an_epoch_after_the_other(candidate, sky, rng):
    mark = sky.place(rng.uniform(-40, 40), rng.uniform(-180, 180))
    data = [sky.epoch(rng, mark + 300.0 * k, 1e3 * k, count=6 + k % 3) for k in range(6)]
    answer = candidate(sky.solve_table, sky.table(data))
    found = sky.solution(answer["rows"], "wls")
    assert found.shape == (6, 4)
    for one, state in zip(data, found, strict=True):
        sky.assert_found(state, one)
    assert answer["said"] == []


@contract("coverage")
def test_an_epoch_with_too_few_satellites_spoils_no_other(candidate, sky, rng):
    data = [sky.epoch(rng, sky.anywhere(rng), 50.0, count=n) for n in (7, 3, 7)]
    answer = candidate(sky.solve_table, sky.table(data))
    found = sky.solution(answer["rows"], "wls")
    assert np.isnan(found[1]).all()
    sky.assert_found(found[0], data[0])
    sky.assert_found(found[2], data[2])
    assert any("four satellites" in text for text in answer["said"])


@contract("coverage")
def test_satellites_without_a_position_take_no_part(candidate, sky, rng):
    one = sky.epoch(rng, sky.anywhere(rng), 50.0)
    rows = sky.table([one])
    rows["y_sv_m"][3] = np.nan
    answer = candidate(sky.solve_table, rows)
    sky.assert_found(sky.solution(answer["rows"], "wls")[0], one)


@contract("coverage")
def test_tables_with_a_known_place(candidate, sky, rng):
    data = [sky.epoch(rng, sky.place(0.0, rng.uniform(-180, 180)), b) for b in (-80.0, 4e5)]
    answer = candidate(
        sky.solve_table, sky.table(data), options={"only_bias": True}, receiver=sky.states(data)
    )
    for one, state in zip(data, sky.solution(answer["rows"], "wls"), strict=True):
        sky.assert_found(state, one)


@contract("coverage")
def test_tables_in_the_axes_of_reception(candidate, sky, rng):
    data = [sky.epoch(rng, sky.anywhere(rng), -80.0) for _ in range(3)]
    options = {"sv_rx_time": True}
    answer = candidate(sky.solve_table, sky.table(data, "seen"), options=options)
    for one, state in zip(data, sky.solution(answer["rows"], "wls"), strict=True):
        sky.assert_found(state, one)
    answer = candidate(
        sky.solve_table,
        sky.table(data, "seen"),
        options={**options, "only_bias": True},
        receiver=sky.states(data),
    )
    for one, state in zip(data, sky.solution(answer["rows"], "wls"), strict=True):
        sky.assert_found(state, one)
