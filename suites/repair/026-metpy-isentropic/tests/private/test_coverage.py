# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""The same path with other units, orders of levels, kinds of vertical coordinate, and pressure."""

import numpy as np

from referee.wall import contract


def columns(air, rng):
    job, p, t, q = air.sigma_job(rng)
    return job, air.surfaces(job["levels"], p, t, q)


@contract("coverage")
def test_units_of_pressure_temperature_and_surfaces(candidate, air, rng):
    for unit, factor in (("Pa", 100.0), ("kPa", 0.1), ("mbar", 1.0)):
        job, expected = columns(air, rng)
        job["fields"]["p"] = air.field(job["fields"]["p"]["values"] * factor, unit)
        job["fields"]["T"] = air.field(job["fields"]["T"]["values"] - 273.15, "degC")
        air.assert_same(candidate(air.isentropic, job), expected, "q")


@contract("coverage")
def test_levels_from_the_top_down_or_in_no_order(candidate, air, rng):
    for _ in range(2):
        job, expected = columns(air, rng)
        order = rng.permutation(job["lev"].size)
        for name, one in job["fields"].items():
            job["fields"][name] = air.field(
                np.ascontiguousarray(one["values"][:, order]), one["units"]
            )
        job["lev"] = np.ascontiguousarray(job["lev"][order])
        air.assert_same(candidate(air.isentropic, job), expected, "q")
    job, expected = columns(air, rng)
    for name, one in job["fields"].items():
        job["fields"][name] = air.field(np.ascontiguousarray(one["values"][:, ::-1]), one["units"])
    job["lev"] = np.ascontiguousarray(job["lev"][::-1])
    air.assert_same(candidate(air.isentropic, job), expected, "q")


@contract("coverage")
def test_kinds_of_vertical_coordinates(candidate, air, rng):
    kinds = (
        ({"units": "1", "standard_name": "atmosphere_hybrid_sigma_pressure_coordinate"}, None),
        ({"units": "m", "standard_name": "height", "positive": "up"}, "height"),
        ({"long_name": "model level"}, "number"),
        ({"units": "", "positive": "down"}, None),
    )
    for attrs, kind in kinds:
        job, expected = columns(air, rng)
        if kind == "height":
            job["lev"] = -7500.0 * np.log(job["lev"])
        if kind == "number":
            job["lev"] = np.arange(1.0, job["lev"].size + 1)
        air.assert_same(candidate(air.isentropic, {**job, "lev_attrs": attrs}), expected, "q")


@contract("coverage")
def test_given_pressure_goes_before_a_pressure_coordinate(candidate, air, rng):
    """A nominal pressure as the coordinate must not win over the pressure that is given."""
    job, expected = columns(air, rng)
    job |= {"lev": 1000.0 * job["lev"], "lev_attrs": {"units": "hPa"}}
    air.assert_same(candidate(air.isentropic, job), expected, "q")


@contract("coverage")
def test_pressure_without_coordinates_of_its_own(candidate, air, rng):
    job, expected = columns(air, rng)
    air.assert_same(candidate(air.isentropic, {**job, "pressure_coords": False}), expected, "q")


@contract("coverage")
def test_single_column_and_single_surface(candidate, air, rng):
    sigma, p = air.sigma_pressure(rng, nt=1, ny=1, nx=1)
    t = air.stable(rng, p)
    levels = air.levels_within(rng, p, t, count=1)
    expected = air.surfaces(levels, p, t, t)[:2, :, 0, 0]
    job = {
        "fields": {
            "T": air.field(t[0, :, 0].copy(), "K", ("lev", "x")),
            "p": air.field(p[0, :, 0].copy(), "hPa", ("lev", "x")),
        },
        "data": ["T"],
        "pressure": "p",
        "lev": sigma,
        "lev_attrs": {"units": "1"},
        "levels": levels,
    }
    air.assert_same(candidate(air.isentropic, job), expected)


@contract("coverage")
def test_search_from_the_top(candidate, air, rng):
    """In stable columns there is one crossing, so the direction of the search changes nothing."""
    job, expected = columns(air, rng)
    for options in ({"bottom_up_search": False}, {"max_iters": 80, "eps": 1e-8}):
        air.assert_same(candidate(air.isentropic, {**job, "options": options}), expected, "q")
