# referee-canary 026 d073393c-0f11-4e02-8a05-40bbf69ac3a6
"""Poisson relation, own columns, and an atmosphere in which interpolation is exact."""

import numpy as np

from referee.wall import contract


@contract("knowledge")
def test_pressure_and_temperature_belong_to_the_label(candidate, air, rng):
    job, _, _, _ = air.sigma_job(rng)
    answer = candidate(air.isentropic, job)
    assert np.allclose(answer["labels"], job["levels"], rtol=0, atol=1e-9)
    th = air.theta(answer["pressure"], answer["temperature"])
    wanted = np.asarray(answer["labels"])[:, None, None, None]
    assert np.isfinite(th).any()
    assert np.nanmax(np.abs(th - wanted)) <= 1e-6


@contract("knowledge")
def test_sigma_columns_against_their_own_solution(candidate, air, rng):
    for _ in range(2):
        job, p, t, q = air.sigma_job(rng)
        expected = air.surfaces(job["levels"], p, t, q)
        air.assert_same(candidate(air.isentropic, job), expected, "q")


@contract("knowledge")
def test_exact_atmosphere_does_not_know_its_levels(candidate, air, rng):
    """T = A + B ln p: surfaces lie where they lie, on any set of levels around them."""
    a, b = air.exact(rng, (2, 1, 3, 4))
    levels = np.sort(rng.uniform(318.0, 335.0, size=3))
    answers = []
    for nz, rising in ((30, False), (17, False), (23, True)):
        sigma, p = air.sigma_pressure(rng, nz=nz)
        if rising:
            sigma, p = sigma[::-1], p[:, ::-1]
        t = a + b * np.log(p / 1000.0)
        job = {
            "fields": {"T": air.field(t, "K"), "p": air.field(p, "hPa")},
            "data": ["T"],
            "pressure": "p",
            "lev": np.ascontiguousarray(sigma),
            "lev_attrs": {"units": "1"},
            "levels": levels,
        }
        answers.append(candidate(air.isentropic, job)["pressure"])
    grid = np.linspace(1000.0, 40.0, 40)
    job["fields"] = {"T": air.field(a + b * np.log(grid / 1000.0)[:, None, None], "K")}
    job |= {"lev": grid, "lev_attrs": {"units": "hPa"}, "pressure": None}
    job["fields"]["T"]["values"] = np.moveaxis(job["fields"]["T"]["values"], 1, 0)
    job["fields"]["T"]["dims"] = ["lev", "time", "y", "x"]
    answers.append(candidate(air.isentropic, job)["pressure"])
    for answer in answers:
        assert answer.shape == (3, 2, 3, 4)
        assert np.all(np.isfinite(answer))
        assert np.abs(answer - answers[0]).max() <= air.PRESSURE_HPA


@contract("knowledge")
def test_level_ground_makes_sigma_levels_pressure_levels(candidate, air, rng):
    sigma, p = air.sigma_pressure(rng, nt=1, ny=1, nx=1)
    p = np.broadcast_to(p, (1, p.shape[1], 3, 4))
    t = air.stable(rng, p)[0]
    q = rng.uniform(0, 10, size=t.shape)
    levels = air.levels_within(rng, p, t[None])
    dims = ("lev", "y", "x")
    fields = {"T": air.field(t, "K", dims), "q": air.field(q, "g/kg", dims)}
    fields["p"] = air.field(p[0].copy(), "hPa", dims)
    job = {"fields": fields, "data": ["T", "q"], "levels": levels, "out": {"q": "g/kg"}}
    by_sigma = candidate(
        air.isentropic, {**job, "lev": sigma, "lev_attrs": {"units": "1"}, "pressure": "p"}
    )
    by_pressure = candidate(
        air.isentropic, {**job, "lev": p[0, :, 0, 0].copy(), "lev_attrs": {"units": "hPa"}}
    )
    for name in ("pressure", "temperature", "q"):
        one, other = by_sigma[name], by_pressure[name]
        assert one.shape == (4, 3, 4)
        assert np.array_equal(np.isnan(one), np.isnan(other))
        assert np.nanmax(np.abs(one - other)) <= 1e-9


@contract("knowledge")
def test_surfaces_below_the_ground_and_above_the_top_are_missing(candidate, air, rng):
    job, p, t, q = air.sigma_job(rng)
    th = air.theta(p, t)
    levels = np.array([th[:, 0].mean(), th[:, 0].max() + 1.0, np.median(th[:, -1])])
    answer = candidate(air.isentropic, {**job, "levels": levels})
    expected = air.surfaces(levels, p, t, q)
    assert np.isnan(expected[0, 0]).any()
    assert np.isnan(expected[0, 2]).any()
    air.assert_same(answer, expected, "q")
