# referee-canary 061 16b38cde-6db9-4a99-8c5c-c7ffae1e20ac
"""Pairs of pixels against the exact solid angle of their overlap."""

import numpy as np
import pytest

from referee.wall import contract

PAIRS = 24


def planes(own, rng, count=PAIRS):
    return [own.random_plane(rng) for _ in range(count)]


def random_pairs(own, candidate, rng, size):
    ps, qs = ([own.random_pixel(rng, size) for _ in range(PAIRS)] for _ in "pq")
    own.assert_right(candidate, planes(own, rng), ps, qs)


@contract("coverage")
@pytest.mark.parametrize("arcsec", [10.0, 1.0, 0.1, 0.01, 0.001])
def test_small_pixels(candidate, own, rng, arcsec):
    random_pairs(own, candidate, rng, arcsec * own.ARCSEC)


@contract("coverage")
def test_pixels_of_every_size(candidate, own, rng):
    sizes = own.ARCSEC * 10 ** rng.uniform(-3, 4, PAIRS)
    ps, qs = ([own.random_pixel(rng, size) for size in sizes] for _ in "pq")
    own.assert_right(candidate, planes(own, rng), ps, qs)


@contract("regression")
@pytest.mark.parametrize("arcmin", [20, 600])
def test_large_pixels(candidate, own, rng, arcmin):
    random_pairs(own, candidate, rng, 60 * arcmin * own.ARCSEC)


@contract("regression")
def test_very_large_pixels(candidate, own, rng):
    # A third of a radian: here the sky is round, and its plane image a fifth too large.
    ps, qs = ([own.random_pixel(rng, 0.35) for _ in range(PAIRS)] for _ in "pq")
    own.assert_right(candidate, planes(own, rng), ps, qs)


@contract("generalization")
@pytest.mark.parametrize(
    ("big", "small"), [(3600, 1), (600, 0.1), (60, 0.01), (60, 1), (25, 0.003), (1, 0.001)]
)
def test_two_sizes_across_a_border(candidate, own, rng, big, small):
    ps, qs = [], []
    for _ in range(PAIRS):
        turn = rng.uniform(0, 2 * np.pi)
        out = np.array([np.cos(turn), np.sin(turn)])
        offset = (big / 2 + small * rng.uniform(-0.4, 0.4)) * out
        p = own.rectangle(offset * own.ARCSEC, big * own.ARCSEC, 1.1 * big * own.ARCSEC, turn)
        q = own.random_pixel(rng, small * own.ARCSEC, 0.1)
        pair = [p, q] if rng.random() < 0.5 else [q, p]
        ps.append(pair[0])
        qs.append(pair[1])
    own.assert_right(candidate, planes(own, rng), ps, qs)


@contract("generalization")
@pytest.mark.parametrize("arcsec", [100.0, 1.0, 0.02])
def test_long_thin_pixels(candidate, own, rng, arcsec):
    width, ps, qs = arcsec * own.ARCSEC, [], []
    for _ in range(PAIRS):
        turn, ratio = rng.uniform(0, 2 * np.pi), rng.uniform(20, 100)
        ps.append(own.rectangle(np.zeros(2), width, ratio * width, turn))
        qs.append(own.rectangle(np.zeros(2), ratio * width, width, turn + rng.uniform(-0.7, 0.7)))
    own.assert_right(candidate, planes(own, rng), ps, qs)


@contract("generalization")
@pytest.mark.parametrize("arcsec", [10.0, 0.5, 0.005])
def test_close_to_the_poles_and_to_longitude_zero(candidate, own, rng, arcsec):
    size, places = arcsec * own.ARCSEC, []
    for i in range(PAIRS):
        pole = (np.pi / 2 - size * rng.uniform(0, 3)) * rng.choice([-1, 1])
        turn, lat = rng.uniform(0, 2 * np.pi), rng.uniform(-1.2, 1.2)
        places.append(
            own.Plane(rng.uniform(0, 2 * np.pi), pole, turn)
            if i % 2
            else own.Plane(size * rng.uniform(-0.5, 0.5), lat, turn)
        )
    ps, qs = ([own.random_pixel(rng, size) for _ in range(PAIRS)] for _ in "pq")
    own.assert_right(candidate, places, ps, qs)


@contract("exploration")
@pytest.mark.parametrize("arcsec", [7200.0, 60.0, 1.0, 0.01])
def test_shared_borders(candidate, own, rng, arcsec):
    # Shifted along a side by a part of it: two sides lie on one great circle. The overlap is the rest.
    size, ps, qs = arcsec * own.ARCSEC, [], []
    for i in range(2 * PAIRS):
        turn, part = rng.uniform(0, 2 * np.pi), rng.choice([0.25, 0.5, 0.75, -0.5])
        along = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])[i % 2]
        ps.append(own.rectangle(np.zeros(2), size, size, turn)[:: rng.choice([-1, 1])])
        qs.append(own.rectangle(along * part * size, size, size, turn)[:: rng.choice([-1, 1])])
    own.assert_right(candidate, planes(own, rng, 2 * PAIRS), ps, qs)


@contract("exploration")
@pytest.mark.parametrize("arcsec", [7200.0, 60.0, 1.0, 0.01])
def test_quarters_and_halves(candidate, own, rng, arcsec):
    # A finer grid of half the size, lined up: two sides of each small pixel lie on sides of the large one.
    size, ps, qs = arcsec * own.ARCSEC, [], []
    for _ in range(PAIRS):
        turn = rng.uniform(0, 2 * np.pi)
        step = np.array([rng.choice([-1, 1]), rng.choice([-1, 0, 1])]) * size / 4
        step = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ step
        pair = [
            own.rectangle(np.zeros(2), size, size, turn),
            own.rectangle(step, size / 2, size / 2, turn),
        ]
        pair = pair[:: rng.choice([-1, 1])]
        ps.append(pair[0])
        qs.append(np.roll(pair[1], rng.integers(4), axis=0))
    own.assert_right(candidate, planes(own, rng), ps, qs)


@contract("exploration")
def test_neighbours_share_nothing(candidate, own, rng):
    for arcsec in (3600.0, 60.0, 1.0, 0.01):
        size, ps, qs = arcsec * own.ARCSEC, [], []
        for _ in range(PAIRS):
            turn = rng.uniform(0, 2 * np.pi)
            step = np.array([rng.choice([-1, 1]), rng.choice([-1, 0, 1])]) * size
            step = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ step
            ps.append(own.rectangle(np.zeros(2), size, size, turn))
            qs.append(own.rectangle(step, size, size, turn))
        seen = own.ask(candidate, planes(own, rng), ps, qs)
        # Rounding of the corners may open a sliver along one side, but no more.
        assert np.all(seen >= 0)
        assert np.all(seen <= own.RTOL * size**2 + own.SHIFT * size)


@contract("regression")
def test_pixels_apart_share_nothing(candidate, own, rng):
    for arcsec in (3600.0, 60.0, 1.0, 0.01):
        size = arcsec * own.ARCSEC
        turns = rng.uniform(0, 2 * np.pi, PAIRS)
        far = 10 ** rng.uniform(0.5, 2, PAIRS)
        ps = [own.random_pixel(rng, size) for _ in turns]
        qs = [
            own.random_pixel(rng, size) + f * size * np.array([np.cos(t), np.sin(t)])
            for t, f in zip(turns, far, strict=True)
        ]
        assert np.array_equal(own.ask(candidate, planes(own, rng), ps, qs), np.zeros(PAIRS))


@contract("regression")
def test_the_other_side_of_the_sky(candidate, own, rng):
    plane = own.random_plane(rng)
    lon, lat = plane.angles(own.rectangle(np.zeros(2), 0.2, 0.2, 0.3))
    area, ratio = candidate(
        own.overlaps, lon[None], lat[None], np.mod(lon + np.pi, 2 * np.pi)[None], -lat[None]
    )
    assert area.tolist() == [0.0]
    assert ratio.tolist() == [1.0]


@contract("exploration")
@pytest.mark.parametrize("arcsec", [36000.0, 60.0, 0.5])
def test_pixels_with_two_corners_at_the_pole(candidate, own, rng, arcsec):
    # As in cylindrical maps: the side at the pole has no length, and the pixel is a triangle.
    size, areas, asked = arcsec * own.ARCSEC, [], []
    for top, flip, start in [(t, f, s) for t in (1, -1) for f in (1, -1) for s in range(4)]:
        lon = rng.uniform(0, 2 * np.pi) + np.array([0, 0.4, 0.4, 0])
        lat = top * np.array([np.pi / 2, np.pi / 2, np.pi / 2 - size, np.pi / 2 - size])
        asked.append([np.roll(a[::flip], start) for a in (lon, lat)])
        # The spherical triangle between two sides `size` that are 0.4 rad apart at the pole.
        half = np.tan(size / 2) ** 2
        areas.append(2 * np.arctan2(half * np.sin(0.4), 1 + half * np.cos(0.4)))
    lon, lat = (np.array(a) for a in zip(*asked, strict=True))
    seen = candidate(own.overlaps, lon, lat, lon, lat)[0]
    # The pole is at 1e-16 of its place in double precision.
    np.testing.assert_allclose(seen, areas, rtol=own.RTOL, atol=own.SHIFT * 3 * size)
