# referee-canary 072 008a47ed-341f-4d85-bbf5-ec01f6501b13
"""Colour conversion in whole numbers, images of our own, and the probes that ask the candidate.

Samples are whole numbers and all coefficients are decimal fractions, so exact values are fractions with a common
denominator. What comes back must be the nearest integer; near a tie either neighbour is right.
"""

import numpy as np

from referee.wall import probe

FULL = ("YBR_FULL", "YBR_FULL_422")
PARTIAL = ("YBR_PARTIAL_422", "YBR_PARTIAL_420")

# Double precision leaves 1e-11 for numbers of 16 bits; a thousand times more is still far from the
# 1e-2 of single precision. Only what is as close as that to a tie may go either way.
TIE = 1e-8


def _scales(space, bits):
    """Zero points and ranges (numerators over 255) of the three samples."""
    if space in PARTIAL:
        return np.array([16, 128, 128]), np.array([219, 224, 224])
    return np.array([0, 2 ** (bits - 1), 2 ** (bits - 1)]), np.array([255, 255, 255])


def ybr_of(rgb, space, bits):
    """Exact stored values (in extended precision, from whole numbers) of RGB samples."""
    r, g, b = np.moveaxis(np.asarray(rgb).astype(np.int64), -1, 0)
    luminance = 299 * r + 587 * g + 114 * b  # in thousandths
    parts = [(luminance, 1000), (1000 * b - luminance, 1772), (1000 * r - luminance, 1402)]
    zero, scale = _scales(space, bits)
    stored = [
        (n * int(s) + int(z) * d * 255, d * 255)
        for (n, d), z, s in zip(parts, zero, scale, strict=True)
    ]
    return np.stack([np.longdouble(n) / d for n, d in stored], axis=-1)


def rgb_of(ybr, space, bits):
    """Exact RGB values of stored samples."""
    zero, scale = _scales(space, bits)
    y, cb, cr = np.moveaxis((np.asarray(ybr).astype(np.int64) - zero) * 255, -1, 0)
    sy, sc = int(scale[0]), int(scale[1])
    # R = Y + 1.402 Cr, B = Y + 1.772 Cb, and G from 0.587 G = Y - 0.299 R - 0.114 B
    red = (1000 * y * sc + 1402 * cr * sy, 1000 * sy * sc)
    blue = (1000 * y * sc + 1772 * cb * sy, 1000 * sy * sc)
    green = (
        1000 * 1000 * y * sc * 587 - sy * 1000 * (299 * 1402 * cr + 114 * 1772 * cb),
        10**6 * 587 * sy * sc,
    )
    return np.stack([np.longdouble(n) / d for n, d in (red, green, blue)], axis=-1)


def exact(samples, current, desired, bits):
    if current == "RGB":
        return ybr_of(samples, desired, bits)
    return rgb_of(samples, current, bits)


def assert_nearest(seen, right, bits, tie=TIE):
    """`seen` holds whole numbers of `bits` bits, nearest to the real numbers `right`."""
    limited = np.clip(right, 0, 2**bits - 1)
    assert seen.shape == limited.shape
    distance = np.abs(seen.astype(np.longdouble) - limited)
    assert np.all(distance <= 0.5 + tie), (float(distance.max()), int(np.argmax(distance)))


def random_image(rng, bits, shape=(9, 11)):
    """Samples of the whole range, with the corners of the cube and greys among them."""
    top = 2**bits - 1
    image = rng.integers(0, top + 1, (*shape, 3))
    corners = np.array(np.meshgrid([0, top], [0, top], [0, top])).reshape(3, -1).T
    image[0, : len(corners)] = corners
    image[1, :4] = rng.integers(0, top + 1, (4, 1))
    image[2, :2] = [[0, 2 ** (bits - 1), 2 ** (bits - 1)], [top, 2 ** (bits - 1), 2 ** (bits - 1)]]
    return image


# --- asking the candidate ---------------------------------------------------------------------


@probe
def convert(image, dtype, current, desired, options=None, where="pydicom.pixels"):
    """The converted image, its dtype in words, and whether it is the array that was given."""
    import importlib

    import numpy as np

    given = np.array(image).astype(dtype)
    before = given.copy()
    found = importlib.import_module(where).convert_color_space(
        given, current, desired, **(options or {})
    )
    changed = not np.array_equal(given, before)
    return found.astype(found.dtype.newbyteorder("=")), found.dtype.str, found is given, changed


@probe
def failure(image, dtype, current, desired, options=None):
    """The name of what a conversion raises."""
    import numpy as np
    from pydicom.pixels import convert_color_space

    try:
        convert_color_space(np.array(image).astype(dtype), current, desired, **(options or {}))
    except Exception as error:
        return [base.__name__ for base in type(error).__mro__]
    return []


@probe
def decode(image, meta, way, options=None):
    """What decoding makes of an image: samples, dtype, and what is said of them afterwards.

    `image` has frames, rows, columns and samples; `meta` has interpretation, allocated and stored bits,
    and `packed` ("native", "big" or "rle").
    """
    import struct
    import warnings

    import numpy as np
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.encaps import encapsulate
    from pydicom.pixels import get_decoder, iter_pixels, pixel_array
    from pydicom.uid import ExplicitVRBigEndian, ExplicitVRLittleEndian, RLELossless

    warnings.simplefilter("ignore")
    frames, rows, columns, _ = image.shape
    width = meta["allocated"] // 8

    def run_length(frame):
        # Segments are the bytes of each sample, most significant first; all runs are literal.
        segments = []
        for sample in range(3):
            for byte in range(width):
                plane = (frame[..., sample].ravel() >> (8 * (width - 1 - byte))) & 255
                data = plane.astype("u1").tobytes()
                coded = b"".join(
                    bytes([len(data[i : i + 128]) - 1]) + data[i : i + 128]
                    for i in range(0, len(data), 128)
                )
                segments.append(coded + b"\x80" * (len(coded) % 2))
        starts = [64 + sum(map(len, segments[:i])) for i in range(len(segments))]
        return struct.pack("<16L", len(segments), *starts, *[0] * (15 - len(segments))) + b"".join(
            segments
        )

    ds = Dataset()
    ds.file_meta = FileMetaDataset()
    order = ">" if meta["packed"] == "big" else "<"
    ds.file_meta.TransferSyntaxUID = {
        "native": ExplicitVRLittleEndian,
        "big": ExplicitVRBigEndian,
        "rle": RLELossless,
    }[meta["packed"]]
    ds.Rows, ds.Columns, ds.SamplesPerPixel, ds.PlanarConfiguration = rows, columns, 3, 0
    ds.PhotometricInterpretation = meta["interpretation"]
    ds.BitsAllocated, ds.BitsStored, ds.HighBit = 8 * width, meta["stored"], meta["stored"] - 1
    ds.PixelRepresentation, ds.NumberOfFrames = 0, frames
    ds.SOPInstanceUID = ds.file_meta.MediaStorageSOPInstanceUID = "1.2.3"
    if meta["packed"] == "rle":
        ds.PixelData = encapsulate([run_length(frame) for frame in image])
        ds["PixelData"].is_undefined_length = True
    elif meta["interpretation"] == "YBR_FULL_422":
        pairs = image.reshape(-1, 2, 3)
        stored = np.stack([pairs[:, 0, 0], pairs[:, 1, 0], pairs[:, 0, 1], pairs[:, 0, 2]], axis=-1)
        ds.PixelData = stored.astype(f"{order}u{width}").tobytes()
    else:
        ds.PixelData = image.astype(f"{order}u{width}").tobytes()
    ds["PixelData"].VR = "OB" if width == 1 and meta["packed"] != "big" else "OW"

    options = options or {}
    told = None
    if way == "dataset":
        ds.pixel_array_options(**options)
        found = ds.pixel_array
    elif way == "function":
        found = pixel_array(ds, **options)
    elif way == "second":
        found, image = pixel_array(ds, index=1, **options), image[1:]
    elif way == "frames":
        found = np.stack(list(iter_pixels(ds, **options)))
    elif way == "decoder":
        found, about = get_decoder(ds.file_meta.TransferSyntaxUID).as_array(ds, **options)
        told = str(about["photometric_interpretation"])
    else:
        ds.decompress(**options)
        told = str(ds.PhotometricInterpretation)
        ds.pixel_array_options(raw=True)
        found = ds.pixel_array
    return found.astype(found.dtype.newbyteorder("=")).reshape(image.shape), told
