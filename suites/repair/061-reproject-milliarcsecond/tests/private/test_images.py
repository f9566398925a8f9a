# referee-canary 061 16b38cde-6db9-4a99-8c5c-c7ffae1e20ac
"""Whole images: flux, weights and averages."""

import numpy as np
import pytest

from referee.wall import contract

# A border of a pixel is misplaced by SHIFT at most; for an area in units of the pixel that is SHIFT / size,
# times the four sides. Positions go through the projections and back, so ten times that is granted.
ROOM = 40


def room(own, scale):
    return own.RTOL + ROOM * own.SHIFT / scale


@contract("knowledge")
@pytest.mark.parametrize("arcsec", [1.0, 0.03, 0.001])
def test_flux_is_conserved(candidate, own, rng, arcsec):
    scale = arcsec * own.ARCSEC
    image = rng.uniform(1, 3, (9, 8))
    place = (float(rng.uniform(0, 360)), float(rng.uniform(-70, 70)))
    inside = own.header(scale, image.shape, rng.uniform(0, 6), place)
    outside = own.header(scale * 1.3, (16, 16), rng.uniform(0, 6), place)
    (found, weight), _said = candidate(own.exact, image, inside, outside, (16, 16))
    before = float(np.sum(image * own.pixel_areas(inside, image.shape)))
    areas = own.pixel_areas(outside, (16, 16))
    after = float(np.nansum(found * weight * areas))
    assert abs(after / before - 1) <= room(own, scale)
    covered = float(np.nansum(weight * areas) / np.sum(own.pixel_areas(inside, image.shape)))
    assert abs(covered - 1) <= room(own, scale)


@contract("coverage")
@pytest.mark.parametrize("arcsec", [4.0, 0.05, 0.002])
def test_averages_and_footprints(candidate, own, rng, arcsec):
    scale = arcsec * own.ARCSEC
    image = rng.uniform(-1, 1, (5, 6))
    place = (float(rng.uniform(0, 360)), float(rng.uniform(-70, 70)))
    inside = own.header(scale, image.shape, rng.uniform(0, 6), place, ratio=rng.uniform(0.8, 1.2))
    outside = own.header(scale * rng.uniform(0.8, 1.4), (5, 5), rng.uniform(0, 6), place, flip=1)
    (found, weight), _said = candidate(own.exact, image, inside, outside, (5, 5))
    right, right_weight = own.true_image(image, inside, outside, (5, 5))
    np.testing.assert_allclose(weight, right_weight, rtol=0, atol=room(own, scale))
    # An average is as good as its weights; where they are next to nothing, it may be anything.
    sure = right_weight > 0.05
    assert np.count_nonzero(sure) >= 10
    np.testing.assert_allclose(found[sure], right[sure], rtol=0, atol=40 * room(own, scale))


@contract("generalization")
@pytest.mark.parametrize(("coarse", "fine"), [(60.0, 2.0), (40.0, 0.02), (5.0, 0.002)])
def test_a_coarse_image_on_a_fine_grid(candidate, own, rng, coarse, fine):
    # The fine grid lies across the corner of four coarse pixels and is covered everywhere.
    image = rng.uniform(1, 2, (2, 2))
    place = (float(rng.uniform(0, 360)), float(rng.uniform(-70, 70)))
    inside = own.header(coarse * own.ARCSEC, (2, 2), rng.uniform(0, 6), place)
    outside = own.header(fine * own.ARCSEC, (5, 5), rng.uniform(0, 6), place)
    (found, weight), _said = candidate(own.exact, image, inside, outside, (5, 5))
    right, _ = own.true_image(image, inside, outside, (5, 5))
    limit = room(own, fine * own.ARCSEC)
    np.testing.assert_allclose(weight, 1.0, rtol=0, atol=limit)
    np.testing.assert_allclose(found, right, rtol=0, atol=4 * limit)


@contract("generalization")
@pytest.mark.parametrize(("coarse", "fine"), [(60.0, 2.0), (40.0, 0.02), (5.0, 0.002)])
def test_a_fine_image_on_a_coarse_grid(candidate, own, rng, coarse, fine):
    image = rng.uniform(1, 2, (6, 6))
    place = (float(rng.uniform(0, 360)), float(rng.uniform(-70, 70)))
    inside = own.header(fine * own.ARCSEC, (6, 6), rng.uniform(0, 6), place)
    outside = own.header(coarse * own.ARCSEC, (2, 2), rng.uniform(0, 6), place)
    (found, weight), _said = candidate(own.exact, image, inside, outside, (2, 2))
    areas, wide = own.pixel_areas(inside, (6, 6)), own.pixel_areas(outside, (2, 2))
    limit = room(own, fine * own.ARCSEC)
    assert abs(np.sum(weight * wide) / np.sum(areas) - 1) <= limit
    assert abs(np.nansum(found * weight * wide) / np.sum(image * areas) - 1) <= limit


@contract("exploration")
@pytest.mark.parametrize("arcsec", [300.0, 1.0, 0.02])
def test_a_shift_by_half_a_pixel(candidate, own, rng, arcsec):
    # Lined-up grids, half a pixel apart: two pixels with half the weight each.
    image = rng.uniform(1, 2, (6, 6))
    place = (float(rng.uniform(0, 360)), float(rng.uniform(-70, 70)))
    inside = own.header(arcsec * own.ARCSEC, (6, 6), 0.0, place)
    outside = {**inside, "crpix": [inside["crpix"][0] - 0.5, inside["crpix"][1]]}
    (found, weight), _said = candidate(own.exact, image, inside, outside, (6, 5))
    # Pixels of 5' at the rim are smaller by (18')^2 / 4 and not quite even: 1e-6 and less.
    limit = 10 * room(own, arcsec * own.ARCSEC)
    np.testing.assert_allclose(weight, 1.0, rtol=0, atol=limit)
    np.testing.assert_allclose(found, (image[:, :-1] + image[:, 1:]) / 2, rtol=0, atol=limit)


@contract("generalization")
def test_flux_between_coordinate_systems(candidate, own, rng):
    # Galactic to equatorial: 12 h 51.4 min, +27.13 degrees is the galactic pole; the field lies around it.
    for arcsec in (20.0, 0.1):
        scale = arcsec * own.ARCSEC
        image = rng.uniform(1, 3, (7, 7))
        inside = own.header(scale, (7, 7), 0.3, (30.0, 89.999999), kind="G:TAN")
        outside = own.header(scale * 0.9, (15, 15), 1.0, (192.85948, 27.12825))
        (found, weight), _said = candidate(own.exact, image, inside, outside, (15, 15))
        wide = own.pixel_areas(outside, (15, 15))
        before = float(np.sum(image * own.pixel_areas(inside, (7, 7))))
        limit = room(own, scale)
        assert abs(np.nansum(found * weight * wide) / before - 1) <= limit


@contract("exploration")
def test_nobody_is_warned_of_what_is_right(candidate, own, rng):
    for arcsec in (0.04, 0.001):
        header = own.header(arcsec * own.ARCSEC, (3, 3), 0.2)
        wide = own.header(own.ARCSEC, (3, 3), 0.2)
        for pair in ((header, header), (header, wide), (wide, header)):
            assert candidate(own.exact, rng.uniform(size=(3, 3)), *pair, (3, 3))[1] == []


@contract("regression")
def test_a_uniform_field_stays_uniform(candidate, own, rng):
    for arcsec in (60.0, 0.01):
        inside = own.header(arcsec * own.ARCSEC, (7, 7), rng.uniform(0, 6))
        outside = own.header(1.2 * arcsec * own.ARCSEC, (9, 9), rng.uniform(0, 6))
        (found, weight), _said = candidate(own.exact, np.full((7, 7), 2.5), inside, outside, (9, 9))
        assert np.array_equal(np.isnan(found), weight == 0)
        np.testing.assert_allclose(found[weight > 0], 2.5, rtol=1e-9)
        assert np.count_nonzero(weight) > 20


@contract("regression")
def test_a_pixel_without_value_spoils_what_it_touches(candidate, own, rng):
    image = np.ones((6, 6))
    image[2, 3] = np.nan
    header = own.header(60 * own.ARCSEC, (6, 6), 0.0)
    shifted = {**header, "crpix": [header["crpix"][0] - 0.25, header["crpix"][1] + 0.25]}
    (found, _weight), _said = candidate(own.exact, image, header, shifted, (6, 6))
    assert np.isnan(found[2, 2]) and np.isnan(found[3, 3])
    assert np.count_nonzero(np.isfinite(found)) >= 24


@contract("regression")
def test_cubes_and_options(candidate, own, rng):
    cube = rng.uniform(1, 2, (3, 6, 5))
    inside = own.header(300 * own.ARCSEC, (6, 5), 0.4)
    outside = own.header(330 * own.ARCSEC, (4, 7), 1.1)
    (found, weight), _said = candidate(own.exact, cube, inside, outside, (3, 4, 7))
    assert found.shape == weight.shape == (3, 4, 7)
    assert found.dtype == weight.dtype == np.float64
    for plane, seen, own_weight in zip(cube, found, weight, strict=True):
        right, right_weight = own.true_image(plane, inside, outside, (4, 7))
        np.testing.assert_allclose(own_weight, right_weight, rtol=0, atol=own.RTOL)
        sure = right_weight > 0.05
        np.testing.assert_allclose(seen[sure], right[sure], rtol=0, atol=40 * own.RTOL)
    alone, _said = candidate(
        own.exact, cube[1], inside, outside, (4, 7), {"return_footprint": False}
    )
    assert len(alone) == 1
    np.testing.assert_array_equal(alone[0], found[1])
