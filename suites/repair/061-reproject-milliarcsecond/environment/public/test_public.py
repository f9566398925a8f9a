"""Public checks: one pair of turned pixels at several scales."""

import numpy as np

from referee.wall import contract, probe


@probe
def octagons(sizes):
    """Overlap of a square pixel with itself turned by 45 degrees, over its own solid angle."""
    import numpy as np
    from reproject.spherical_intersect.overlap import compute_overlap

    half = np.array(sizes)[:, None] / 2
    lon, lat = np.array([[-1, 1, 1, -1]]) * half, np.array([[1, 1, -1, -1]]) * half
    turned = (
        np.sqrt(2) * np.array([[0, 1, 0, -1]]) * half,
        np.sqrt(2) * np.array([[1, 0, -1, 0]]) * half,
    )
    return compute_overlap(lon, lat, *turned)[0] / np.array(sizes) ** 2


ARCSEC = np.pi / 180 / 3600
# A square and its double turned by 45 degrees have an octagon in common.
OCTAGON = 2 * (np.sqrt(2) - 1)


@contract("knowledge")
def test_an_octagon_at_a_tenth_of_an_arcsecond(candidate):
    np.testing.assert_allclose(candidate(octagons, [0.1 * ARCSEC]), OCTAGON, rtol=1e-6)


@contract("knowledge")
def test_an_octagon_at_one_and_ten_milli_arcseconds(candidate):
    sizes = [0.01 * ARCSEC, 0.001 * ARCSEC]
    np.testing.assert_allclose(candidate(octagons, sizes), OCTAGON, rtol=1e-6)


@contract("regression")
def test_an_octagon_at_two_arcminutes(candidate):
    np.testing.assert_allclose(candidate(octagons, [120 * ARCSEC]), OCTAGON, rtol=1e-6)
