"""Colours and images that must become RGB.

Exit status 0: they do. Exit status 1: some do not.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))
warnings.simplefilter("ignore")

import numpy as np
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.pixels import convert_color_space
from pydicom.uid import ExplicitVRLittleEndian


def converted(samples, dtype, space, **options):
    arr = np.array(samples, dtype=dtype).reshape(1, -1, 3)
    return convert_color_space(arr, space, "RGB", **options).reshape(-1, 3).tolist()


def decoded(samples, bits):
    ds = Dataset()
    ds.file_meta = FileMetaDataset()
    ds.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    ds.Rows, ds.Columns, ds.SamplesPerPixel = 1, len(samples), 3
    ds.PhotometricInterpretation, ds.PlanarConfiguration = "YBR_FULL", 0
    ds.BitsAllocated, ds.BitsStored, ds.HighBit, ds.PixelRepresentation = 16, bits, bits - 1, 0
    ds.PixelData = np.array(samples, dtype="<u2").tobytes()
    return ds.pixel_array.reshape(-1, 3).tolist()


CASES = [
    ("16 bits, grey", lambda: converted([[30000, 32768, 32768]], "u2", "YBR_FULL"), [[30000] * 3]),
    (
        "12 bits, red",
        lambda: converted([[1224, 1357, 4095]], "u2", "YBR_FULL", bits_stored=12),
        [[4094, 0, 0]],
    ),
    (
        "partial range, black and white",
        lambda: converted([[16, 128, 128], [235, 128, 128]], "u1", "YBR_PARTIAL_422"),
        [[0] * 3, [255] * 3],
    ),
    ("an image of 12 bits", lambda: decoded([[2000, 2048, 2048]], 12), [[2000] * 3]),
    ("an image of 16 bits", lambda: decoded([[2000, 32768, 32768]], 16), [[2000] * 3]),
]


def main():
    wrong = 0
    for name, make, right in CASES:
        try:
            seen = make()
        except Exception as error:
            seen = f"{type(error).__name__}: {error}"
        wrong += seen != right
        print(f"{'ok ' if seen == right else 'BAD'} {name}: {seen}, should be {right}")
    print(f"{wrong} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
