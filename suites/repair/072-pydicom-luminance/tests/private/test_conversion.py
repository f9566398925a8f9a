# referee-canary 072 008a47ed-341f-4d85-bbf5-ec01f6501b13
"""The conversion function: every space, depth and direction against whole-number arithmetic."""

import numpy as np
import pytest

from referee.wall import contract

SPACES = ["YBR_FULL", "YBR_FULL_422", "YBR_PARTIAL_422", "YBR_PARTIAL_420"]


def check(candidate, own, image, dtype, current, desired, bits, options=None):
    seen, kept, same, changed = candidate(own.convert, image, dtype, current, desired, options)
    own.assert_nearest(seen, own.exact(image, current, desired, bits), bits)
    assert np.dtype(kept) == np.dtype(dtype)
    assert not same and not changed
    return seen


@contract("coverage")
@pytest.mark.parametrize("space", SPACES[:2])
def test_sixteen_bits(candidate, own, rng, space):
    # 30 000 pixels: in single precision hundreds of them are rounded to the wrong side.
    image = own.random_image(rng, 16, (100, 300))
    for dtype in ("<u2", ">u2"):
        check(candidate, own, image, dtype, "RGB", space, 16)
        check(candidate, own, image, dtype, space, "RGB", 16)


@contract("generalization")
@pytest.mark.parametrize("bits", [9, 10, 12, 15, 16])
def test_bits_in_two_bytes(candidate, own, rng, bits):
    image = own.random_image(rng, bits, (40, 50))
    for pair in (("RGB", "YBR_FULL"), ("YBR_FULL", "RGB"), ("YBR_FULL_422", "RGB")):
        check(candidate, own, image, "u2", *pair, bits, {"bits_stored": bits})


@contract("exploration")
@pytest.mark.parametrize("bits", range(1, 9))
def test_few_bits(candidate, own, rng, bits):
    image = own.random_image(rng, bits)
    for dtype in ("u1", "u2"):
        check(candidate, own, image, dtype, "RGB", "YBR_FULL_422", bits, {"bits_stored": bits})
        check(candidate, own, image, dtype, "YBR_FULL", "RGB", bits, {"bits_stored": bits})


@contract("coverage")
@pytest.mark.parametrize("space", SPACES[2:])
def test_partial_range(candidate, own, rng, space):
    # The whole range of stored values, headroom and beyond.
    image = own.random_image(rng, 8, (60, 60))
    check(candidate, own, image, "u1", "RGB", space, 8)
    check(candidate, own, image, "u1", space, "RGB", 8)


@contract("generalization")
def test_partial_range_in_two_bytes(candidate, own, rng):
    image = own.random_image(rng, 8)
    for space in own.PARTIAL:
        for dtype in ("<u2", ">u2"):
            for pair in (("RGB", space), (space, "RGB")):
                check(candidate, own, image, dtype, *pair, 8, {"bits_stored": 8})


@contract("regression")
def test_eight_bits(candidate, own, rng):
    image = own.random_image(rng, 8, (60, 60))
    for space in own.FULL:
        for pair in (("RGB", space), (space, "RGB")):
            seen, kept, same, changed = candidate(own.convert, image, "u1", *pair)
            # As much as single precision leaves of 8 bits.
            own.assert_nearest(seen, own.exact(image, *pair, 8), 8, tie=1e-3)
            assert (kept, same, changed) == ("|u1", False, False)


@contract("knowledge")
def test_grey_stays_grey(candidate, own, rng):
    for bits, dtype, spaces in ((8, "u1", SPACES), (12, "u2", SPACES[:2]), (16, "u2", SPACES[:2])):
        grey = np.sort(rng.integers(0, 2**bits, (20, 20)))[..., None].repeat(3, axis=-1)
        half = 2 ** (bits - 1)
        for space in spaces:
            options = {"bits_stored": bits}
            ybr = candidate(own.convert, grey, dtype, "RGB", space, options)[0]
            assert np.all(ybr[..., 1:] == half)
            # Luminance rises with the grey, and by the full range from black to white.
            assert np.all(np.diff(ybr[..., 0].astype(int), axis=1) >= 0)
            back = candidate(own.convert, ybr, dtype, space, "RGB", options)[0].astype(int)
            assert np.all(back == back[..., :1])
            assert np.abs(back - grey).max() <= (1 if space in own.PARTIAL else 0)


@contract("knowledge")
def test_black_white_and_the_ends_of_chrominance(candidate, own):
    for bits, dtype in ((8, "u1"), (10, "u2"), (16, "u2")):
        top, half = 2**bits - 1, 2 ** (bits - 1)
        ends = np.array(
            [[[0] * 3, [top] * 3, [0, 0, top], [top, 0, 0], [top, top, 0], [0, top, top]]]
        )
        seen = candidate(own.convert, ends, dtype, "RGB", "YBR_FULL", {"bits_stored": bits})[0][0]
        assert seen[:2].tolist() == [[0, half, half], [top, half, half]]
        # Blue and red lie half a range above the middle, which is one half too much for the bits.
        assert seen[2, 1] == seen[3, 2] == top
        assert {int(seen[4, 1]), int(seen[5, 2])} <= {0, 1}
    video = candidate(
        own.convert, [[[0] * 3, [255] * 3, [0, 0, 255], [255, 255, 0]]], "u1", "RGB", SPACES[3]
    )
    assert video[0][0, :, 0].tolist() == [16, 235, 41, 210]
    assert video[0][0, :, 1].tolist() == [128, 128, 240, 16]


@contract("knowledge")
def test_there_and_back(candidate, own, rng):
    # Half a step of luminance and 1.772 or 1.402 half steps of chrominance: two steps at most, for partial range
    # a seventh more and half a step from the last rounding.
    for space, bits, dtype in (
        ("YBR_FULL", 16, "u2"),
        ("YBR_FULL", 11, "u2"),
        (SPACES[2], 8, "u1"),
    ):
        rgb = own.random_image(rng, bits) // 2 + 2 ** (bits - 2)
        options = {"bits_stored": bits}
        ybr = candidate(own.convert, rgb, dtype, "RGB", space, options)[0]
        back = candidate(own.convert, ybr, dtype, space, "RGB", options)[0]
        assert np.abs(back.astype(int) - rgb).max() <= 2


@contract("knowledge")
def test_one_bit_more_is_twice_the_resolution(candidate, own, rng):
    image = own.random_image(rng, 12)
    coarse = candidate(own.convert, image, "u2", "YBR_FULL", "RGB", {"bits_stored": 12})[0].astype(
        int
    )
    fine = candidate(own.convert, 2 * image, "u2", "YBR_FULL", "RGB", {"bits_stored": 13})[
        0
    ].astype(int)
    # One rounding, doubled, and another one; at the upper limit 8191 stands for 2 x 4095.
    assert np.abs(fine - 2 * coarse).max() <= 1


@contract("generalization")
def test_the_old_place_of_the_function(candidate, own, rng):
    image = own.random_image(rng, 14)
    seen = candidate(
        own.convert,
        image,
        "u2",
        "YBR_FULL",
        "RGB",
        {"bits_stored": 14},
        "pydicom.pixels.processing",
    )[0]
    own.assert_nearest(seen, own.exact(image, "YBR_FULL", "RGB", 14), 14)


@contract("generalization")
@pytest.mark.parametrize("per_frame", [True, False])
def test_frames(candidate, own, rng, per_frame):
    frames = np.stack([own.random_image(rng, 12) for _ in range(3)])
    options = {"per_frame": per_frame, "bits_stored": 12}
    seen, kept, same, changed = candidate(own.convert, frames, "u2", "YBR_FULL", "RGB", options)
    own.assert_nearest(seen, own.exact(frames, "YBR_FULL", "RGB", 12), 12)
    assert (np.dtype(kept), same, changed) == (np.dtype("u2"), per_frame, per_frame)


@contract("regression")
def test_frames_of_eight_bits(candidate, own, rng):
    frames = np.stack([own.random_image(rng, 8) for _ in range(3)])
    for per_frame in (True, False):
        seen, _kept, same, _changed = candidate(
            own.convert, frames, "u1", "RGB", "YBR_FULL", {"per_frame": per_frame}
        )
        own.assert_nearest(seen, own.exact(frames, "RGB", "YBR_FULL", 8), 8, tie=1e-3)
        assert same is per_frame


@contract("coverage")
def test_nothing_to_convert(candidate, own, rng):
    image = own.random_image(rng, 8)
    groups = [["RGB"], SPACES[:2], SPACES[2:]]
    for dtype in ("u1", "u2"):
        for current, desired in [(a, b) for group in groups for a in group for b in group]:
            options = {"bits_stored": 8}
            seen, _, same, changed = candidate(own.convert, image, dtype, current, desired, options)
            assert same and not changed
            np.testing.assert_array_equal(seen, image)


@contract("coverage")
def test_conversions_that_do_not_exist(candidate, own, rng):
    image = own.random_image(rng, 8)
    pairs = [(a, b) for a in SPACES[:2] for b in SPACES[2:]]
    pairs += [(b, a) for a, b in pairs] + [
        ("RGB", "YBR_ICT"),
        ("YBR_RCT", "RGB"),
        ("HSV", "YBR_FULL"),
    ]
    for pair in pairs:
        assert "NotImplementedError" in candidate(own.failure, image, "u1", *pair)


@contract("coverage")
@pytest.mark.parametrize("dtype", ["i1", "i2", "u4", "u8", "f4", "f8", "?"])
def test_other_dtypes_are_refused(candidate, own, dtype):
    for pair in (("RGB", "YBR_FULL"), ("YBR_FULL", "RGB")):
        assert "ValueError" in candidate(own.failure, np.ones((2, 2, 3), "u1"), dtype, *pair)


@contract("exploration")
def test_impossible_depths_are_refused(candidate, own):
    image = np.ones((2, 2, 3), "u1")
    for dtype, bits in (("u1", 0), ("u1", 9), ("u1", -1), ("u1", 16), ("u2", 0), ("u2", 17)):
        for pair in (("RGB", "YBR_FULL"), ("YBR_FULL_422", "RGB")):
            assert "ValueError" in candidate(
                own.failure, image, dtype, *pair, {"bits_stored": bits}
            )


@contract("exploration")
def test_partial_range_has_eight_bits(candidate, own):
    image = np.ones((2, 2, 3), "u1")
    for space in own.PARTIAL:
        for pair in (("RGB", space), (space, "RGB")):
            assert "ValueError" in candidate(own.failure, image, "u2", *pair)
            for dtype, bits in (("u2", 16), ("u2", 9), ("u2", 7), ("u1", 7), ("u1", 1)):
                options = {"bits_stored": bits}
                assert "ValueError" in candidate(own.failure, image, dtype, *pair, options)
