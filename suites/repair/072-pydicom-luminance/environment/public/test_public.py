"""Public checks: a few colours whose RGB values are plain."""

import numpy as np

from referee.wall import contract, probe


@probe
def to_rgb(samples, space, options):
    from pydicom.pixels import convert_color_space

    return convert_color_space(samples, space, "RGB", **options)


@contract("knowledge")
def test_grey_of_sixteen_and_twelve_bits(candidate):
    deep = np.array([[[30000, 32768, 32768]]], dtype="u2")
    np.testing.assert_array_equal(candidate(to_rgb, deep, "YBR_FULL", {}), [[[30000] * 3]])
    less = np.array([[[3000, 2048, 2048]]], dtype="u2")
    seen = candidate(to_rgb, less, "YBR_FULL", {"bits_stored": 12})
    np.testing.assert_array_equal(seen, [[[3000] * 3]])


@contract("knowledge")
def test_black_and_white_of_video(candidate):
    samples = np.array([[[16, 128, 128], [235, 128, 128]]], dtype="u1")
    seen = candidate(to_rgb, samples, "YBR_PARTIAL_422", {})
    np.testing.assert_array_equal(seen, [[[0] * 3, [255] * 3]])


@contract("regression")
def test_grey_of_eight_bits(candidate):
    samples = np.array([[[77, 128, 128]]], dtype="u1")
    np.testing.assert_array_equal(candidate(to_rgb, samples, "YBR_FULL", {}), [[[77] * 3]])
