# referee-canary 061 16b38cde-6db9-4a99-8c5c-c7ffae1e20ac
"""Laws that overlaps keep, whatever the pixels are."""

import numpy as np
import pytest

from referee.wall import contract

SCALES = [3600.0, 200.0, 1.0, 0.03, 0.001]


@contract("knowledge")
@pytest.mark.parametrize("arcsec", [3600.0, 200.0, 0.03, 0.001])
def test_a_mosaic_of_pixels_covers_a_pixel_once(candidate, own, rng, arcsec):
    # Pixels of a grid do not overlap and leave nothing out: the parts of a pixel add up to the whole.
    size = arcsec * own.ARCSEC
    plane = own.random_plane(rng)
    step = size * rng.uniform(0.3, 1.5)
    turn = rng.uniform(0, 2 * np.pi)
    pixel = own.random_pixel(rng, size, 0.1)
    cells = [
        own.rectangle(np.array([i, j]) * step, step, step, 0.0)
        for i in range(-8, 9)
        for j in range(-8, 9)
    ]
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    cells = [cell @ turned for cell in cells]
    seen = own.ask(candidate, [plane] * len(cells), [pixel] * len(cells), cells)
    whole = own.true_overlap(pixel, pixel)
    # Each border of the grid inside the pixel may be misplaced by SHIFT, but for both of its sides.
    assert np.all(seen >= 0)
    assert abs(seen.sum() - whole) <= own.RTOL * whole + 8 * own.SHIFT * size


@contract("knowledge")
@pytest.mark.parametrize("arcsec", SCALES)
def test_a_pixel_overlaps_itself_as_a_whole(candidate, own, rng, arcsec):
    pixels = [own.random_pixel(rng, arcsec * own.ARCSEC) for _ in range(16)]
    again = [np.roll(p[:: rng.choice([-1, 1])], rng.integers(4), axis=0) for p in pixels]
    own.assert_right(candidate, [own.random_plane(rng) for _ in pixels], pixels, again)


@contract("knowledge")
def test_the_place_on_the_sky_does_not_matter(candidate, own, rng):
    for arcsec in SCALES:
        p, q = (own.random_pixel(rng, arcsec * own.ARCSEC, 0.1) for _ in "pq")
        planes = [own.random_plane(rng, highest=np.pi / 2) for _ in range(12)]
        seen = own.ask(candidate, planes, [p] * 12, [q] * 12)
        right = own.true_overlap(p, q)
        assert np.all(np.abs(seen - right) <= own.RTOL * right + own.SHIFT * own.perimeter(p))


@contract("knowledge")
def test_shrinking_shrinks_by_the_square(candidate, own, rng):
    # Below an arcminute the roundness of the sky is worth less than 1e-7.
    shapes = [own.random_pixel(rng, 1.0, 0.1) for _ in "pq"]
    scales = own.ARCSEC * np.array([50.0, 3.0, 0.2, 0.01, 0.001])
    plane = own.random_plane(rng)
    seen = own.ask(
        candidate, [plane] * 5, [s * shapes[0] for s in scales], [s * shapes[1] for s in scales]
    )
    unit = seen / scales**2
    room = own.RTOL * unit[0] + own.SHIFT * own.perimeter(shapes[0]) / scales
    assert unit[0] > 0.3
    assert np.all(np.abs(unit - unit[0]) <= room)


@contract("coverage")
def test_two_halves_make_a_whole(candidate, own, rng):
    for arcsec in (600.0, 5.0, 0.04, 0.03, 0.01, 0.003, 0.002, 0.001):
        plane, size = own.random_plane(rng), arcsec * own.ARCSEC
        p = own.random_pixel(rng, size, 0.1)
        q = own.random_pixel(rng, size, 0.1)
        t = rng.uniform(0.2, 0.8)
        a, b, c, d = q
        up, down = a + t * (b - a), d + t * (c - d)
        parts = [q, np.array([a, up, down, d]), np.array([up, b, c, down])]
        whole, *halves = own.ask(candidate, [plane] * 3, [p] * 3, parts)
        assert abs(whole - sum(halves)) <= own.RTOL * whole + 2 * own.SHIFT * own.perimeter(q)
        assert min(halves) < whole
