# referee-canary 072 008a47ed-341f-4d85-bbf5-ec01f6501b13
"""Decoded images, by every way that leads to pixels."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract

WAYS = ["dataset", "function", "frames", "decoder", "decompress"]


def film(own, rng, bits, space):
    """Two frames; pairs of pixels share their chrominance where the file holds it once for both."""
    image = np.stack([own.random_image(rng, bits, (3, 12)) for _ in range(2)])
    if space == "YBR_FULL_422":
        image[:, :, 1::2, 1:] = image[:, :, ::2, 1:]
    return image


def meta(space, allocated, stored, packed="native"):
    return {"interpretation": space, "allocated": allocated, "stored": stored, "packed": packed}


def check(candidate, own, image, about, way, options=None):
    seen, told = candidate(own.decode, image, about, way, options)
    bits = about["stored"]
    own.assert_nearest(seen, own.rgb_of(image, about["interpretation"], bits), bits)
    assert seen.dtype == np.dtype(f"u{about['allocated'] // 8}")
    assert told in (None, "RGB")


@contract("coverage")
@pytest.mark.parametrize("stored", [16, 12, 10])
@pytest.mark.parametrize("space", ["YBR_FULL", "YBR_FULL_422"])
def test_deep_images(candidate, own, rng, space, stored):
    # Frames of a file that holds chrominance once for two pixels cannot be read one by one, at any depth.
    for way in ("dataset", "function", "decoder", *["frames"] * (space == "YBR_FULL")):
        check(candidate, own, film(own, rng, stored, space), meta(space, 16, stored), way)


@contract("coverage")
@pytest.mark.parametrize("space", ["YBR_PARTIAL_422", "YBR_PARTIAL_420"])
def test_video_images(candidate, own, rng, space):
    for way in WAYS:
        check(candidate, own, film(own, rng, 8, space), meta(space, 8, 8, "rle"), way)


@contract("generalization")
def test_compressed_deep_images(candidate, own, rng):
    for stored, way in ((16, "dataset"), (12, "decompress"), (14, "decoder"), (16, "frames")):
        about = meta("YBR_FULL", 16, stored, "rle")
        check(candidate, own, film(own, rng, stored, "YBR_FULL"), about, way)


@contract("exploration")
def test_big_endian_images(candidate, own, rng):
    for space, stored in (("YBR_FULL", 16), ("YBR_FULL_422", 12)):
        for way in ("dataset", "decoder"):
            check(
                candidate, own, film(own, rng, stored, space), meta(space, 16, stored, "big"), way
            )


@contract("exploration")
def test_fewer_bits_than_a_byte(candidate, own, rng):
    for stored in (5, 7):
        for way in ("dataset", "function"):
            image = film(own, rng, stored, "YBR_FULL")
            check(candidate, own, image, meta("YBR_FULL", 8, stored), way)


@contract("exploration")
def test_one_frame_of_several(candidate, own, rng):
    image = film(own, rng, 12, "YBR_FULL")
    about = meta("YBR_FULL", 16, 12)
    for options in ({}, {"view_only": True}):
        seen = candidate(own.decode, image, about, "second", options)[0]
        own.assert_nearest(seen, own.rgb_of(image[1:], "YBR_FULL", 12), 12)


@contract("generalization")
@pytest.mark.parametrize("way", ["dataset", "function", "decoder", "frames"])
def test_raw_is_raw(candidate, own, rng, way):
    cases = [
        ("YBR_FULL", 16, 16),
        ("YBR_FULL", 16, 12),
        ("YBR_PARTIAL_422", 8, 8),
        ("YBR_FULL", 8, 8),
    ]
    for space, allocated, stored in cases:
        image = film(own, rng, stored, space)
        for options in ({"raw": True}, {"as_rgb": False}):
            seen, told = candidate(own.decode, image, meta(space, allocated, stored), way, options)
            np.testing.assert_array_equal(seen, image)
            assert told in (None, space)


@contract("generalization")
def test_partial_images_of_another_depth_are_handed_on(candidate, own, rng):
    for space in own.PARTIAL:
        for allocated, stored in ((16, 16), (16, 9), (8, 7)):
            image = film(own, rng, stored, space)
            for way in ("dataset", "decoder", "decompress"):
                about = meta(space, allocated, stored, "rle" if way == "decompress" else "native")
                seen, told = candidate(own.decode, image, about, way)
                np.testing.assert_array_equal(seen, image)
                assert told in (None, space)


@contract("coverage")
def test_partial_images_of_eight_bits_in_sixteen(candidate, own, rng):
    for space in own.PARTIAL:
        check(candidate, own, film(own, rng, 8, space), meta(space, 16, 8), "decoder")


@contract("generalization")
def test_forced_to_rgb(candidate, own, rng):
    options = {"force_rgb": True, "as_rgb": False}
    for space, allocated, stored in (
        ("YBR_FULL", 16, 12),
        ("YBR_PARTIAL_420", 8, 8),
        ("YBR_PARTIAL_422", 16, 8),
    ):
        about = meta(space, allocated, stored)
        check(candidate, own, film(own, rng, stored, space), about, "decoder", options)
    # What calls itself RGB and is not is taken for full range.
    for allocated, stored in ((16, 11), (8, 8)):
        image = film(own, rng, stored, "RGB")
        seen, told = candidate(
            own.decode, image, meta("RGB", allocated, stored), "decoder", options
        )
        own.assert_nearest(seen, own.rgb_of(image, "YBR_FULL", stored), stored)
        assert told == "RGB"


@contract("exploration")
@pytest.mark.parametrize("space", ["YBR_PARTIAL_422", "YBR_PARTIAL_420"])
def test_forcing_what_does_not_exist(candidate, own, rng, space):
    for allocated, stored in ((16, 12), (8, 6)):
        image = film(own, rng, stored, space)
        with pytest.raises(CandidateError) as caught:
            candidate(
                own.decode, image, meta(space, allocated, stored), "decoder", {"force_rgb": True}
            )
        assert caught.value.is_a("ValueError")


@contract("generalization")
def test_forced_to_ybr(candidate, own, rng):
    for allocated, stored in ((16, 16), (16, 12), (8, 8), (8, 6)):
        image = film(own, rng, stored, "RGB")
        seen, told = candidate(
            own.decode, image, meta("RGB", allocated, stored), "decoder", {"force_ybr": True}
        )
        own.assert_nearest(seen, own.ybr_of(image, "YBR_FULL", stored), stored)
        assert told == "YBR_FULL"


@contract("regression")
@pytest.mark.parametrize("way", WAYS)
def test_images_of_eight_bits(candidate, own, rng, way):
    image = film(own, rng, 8, "YBR_FULL")
    about = meta("YBR_FULL", 8, 8, "rle")
    seen, told = candidate(own.decode, image, about, way)
    own.assert_nearest(seen, own.rgb_of(image, "YBR_FULL", 8), 8, tie=1e-3)
    assert told in (None, "RGB")


@contract("regression")
def test_rgb_images_stay_as_they_are(candidate, own, rng):
    for allocated, stored in ((8, 8), (16, 16), (16, 12)):
        image = film(own, rng, stored, "RGB")
        for way in WAYS[:-1]:
            seen, told = candidate(own.decode, image, meta("RGB", allocated, stored), way)
            np.testing.assert_array_equal(seen, image)
            assert told in (None, "RGB")


@contract("regression")
def test_subsampled_images_of_eight_bits(candidate, own, rng):
    image = film(own, rng, 8, "YBR_FULL_422")
    seen, _ = candidate(own.decode, image, meta("YBR_FULL_422", 8, 8), "dataset")
    own.assert_nearest(seen, own.rgb_of(image, "YBR_FULL", 8), 8, tie=1e-3)
