"""Build a small enhanced MR object and compare where its planes should lie with where they lie.

Exit status: 0 when every plane is in its place, 1 when one is not.
"""

import os
import sys

sys.path.insert(0, os.getcwd())

import numpy as np
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.sequence import Sequence
from pydicom.uid import ExplicitVRLittleEndian

from nibabel.nicom.dicomwrappers import wrapper_from_data

PLANES, ROWS, COLUMNS = 6, 4, 5
LOWEST, STEP = -7.0, 2.5


def item(**values):
    dataset = Dataset()
    for name, value in values.items():
        setattr(dataset, name, value)
    return dataset


def brightness(plane):
    return 100 * (plane + 1)


def axial_stack():
    """Six axial planes from foot to head, each of one brightness, stored in that order."""
    frames = []
    for plane in range(PLANES):
        content = item(StackID="1", InStackPositionNumber=plane + 1)
        content.DimensionIndexValues = [1, plane + 1]
        position = item(ImagePositionPatient=[10.0, 20.0, LOWEST + STEP * plane])
        frames.append(
            item(
                FrameContentSequence=Sequence([content]),
                PlanePositionSequence=Sequence([position]),
            )
        )
    orientation = item(ImageOrientationPatient=[1, 0, 0, 0, 1, 0])
    measures = item(PixelSpacing=[1.5, 1.5], SliceThickness=2.0)
    shared = item(
        PlaneOrientationSequence=Sequence([orientation]), PixelMeasuresSequence=Sequence([measures])
    )
    pixels = np.empty((PLANES, ROWS, COLUMNS), np.uint16)
    pixels[:] = brightness(np.arange(PLANES))[:, None, None]
    dataset = item(
        SOPClassUID="1.2.840.10008.5.1.4.1.1.4.1",
        Rows=ROWS,
        Columns=COLUMNS,
        NumberOfFrames=PLANES,
        SamplesPerPixel=1,
        PhotometricInterpretation="MONOCHROME2",
        BitsAllocated=16,
        BitsStored=16,
        HighBit=15,
        PixelRepresentation=0,
        DimensionIndexSequence=Sequence(
            [item(DimensionIndexPointer=tag) for tag in (0x00209056, 0x00209057)]
        ),
        SharedFunctionalGroupsSequence=Sequence([shared]),
        PerFrameFunctionalGroupsSequence=Sequence(frames),
        PixelData=pixels.tobytes(),
    )
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    return dataset


def main():
    wrapper = wrapper_from_data(axial_stack())
    data, affine = wrapper.get_data(), wrapper.affine
    wrong = 0
    print("brightness  z by its frame  z by the affine")
    for k in range(PLANES):
        value = int(data[0, 0, k])
        by_frame = LOWEST + STEP * (value / 100 - 1)
        by_affine = float((affine @ [0, 0, k, 1])[2])
        good = abs(by_frame - by_affine) < 1e-3
        wrong += not good
        print(f"{value:10d}  {by_frame:14.2f}  {by_affine:15.2f}  {'' if good else 'differs'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
