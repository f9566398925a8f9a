"""Public checks: part of what a repair has to hold."""

import numpy as np
import pytest

from referee.wall import contract, probe


@probe
def bead(spacing, names):
    import numpy as np
    from skimage.measure import regionprops

    image = np.zeros((40, 40), dtype=int)
    image[20:25, 10:20] = 1
    region = regionprops(image, intensity_image=image.astype(float), spacing=spacing)[0]
    return {name: np.asarray(region[name], dtype=float) for name in names}


@contract("knowledge")
@pytest.mark.parametrize("spacing", [(1, 0.4), (0.25, 2)])
def test_the_weighted_centre_of_an_even_bead(candidate, spacing):
    got = candidate(bead, list(spacing), ["centroid_weighted"])["centroid_weighted"]
    # Rows 20 to 24, columns 10 to 19.
    np.testing.assert_allclose(got, [22 * spacing[0], 14.5 * spacing[1]], rtol=1e-9)


@contract("knowledge")
def test_the_normalized_moments_of_a_square_bead(candidate):
    """5 x 10 pixels of 1 x 0.5 are a square of 5 x 5."""
    got = candidate(bead, [1, 0.5], ["moments_normalized"])["moments_normalized"]
    want = np.array([5**2 - 1, 0.25 * (10**2 - 1)]) / 12 / 25
    np.testing.assert_allclose([got[2, 0], got[0, 2]], want, rtol=1e-9)


@contract("regression")
def test_the_area_and_the_centre(candidate):
    got = candidate(bead, [1, 0.4], ["area", "centroid"])
    np.testing.assert_allclose(got["area"], 50 * 0.4, rtol=1e-9)
    np.testing.assert_allclose(got["centroid"], [22, 5.8], rtol=1e-9)
