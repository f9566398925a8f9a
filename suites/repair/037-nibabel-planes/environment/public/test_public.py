"""Public checks: part of what a repair has to hold."""

import numpy as np

from referee.wall import contract, probe

PLANES, LOWEST, STEP = 6, -7.0, 2.5
HEIGHTS = (LOWEST + STEP * np.arange(PLANES)).tolist()


@probe
def read_axial(heights):
    """Data and affine of axial planes at these heights; all pixels of frame n have the value n."""
    import numpy as np
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.sequence import Sequence
    from pydicom.uid import ExplicitVRLittleEndian

    from nibabel.nicom.dicomwrappers import wrapper_from_data

    def item(**values):
        dataset = Dataset()
        for name, value in values.items():
            setattr(dataset, name, value)
        return dataset

    frames = []
    for n, z in enumerate(heights):
        content = item(StackID="1", InStackPositionNumber=n + 1, DimensionIndexValues=[1, n + 1])
        position = item(ImagePositionPatient=[10.0, 20.0, z])
        frames.append(
            item(
                FrameContentSequence=Sequence([content]),
                PlanePositionSequence=Sequence([position]),
            )
        )
    shared = item(
        PlaneOrientationSequence=Sequence([item(ImageOrientationPatient=[1, 0, 0, 0, 1, 0])]),
        PixelMeasuresSequence=Sequence([item(PixelSpacing=[1.5, 1.5], SliceThickness=2.0)]),
    )
    pixels = np.empty((len(heights), 4, 5), np.uint16)
    pixels[:] = np.arange(len(heights))[:, None, None]
    dataset = item(
        SOPClassUID="1.2.840.10008.5.1.4.1.1.4.1",
        Rows=4,
        Columns=5,
        NumberOfFrames=len(heights),
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
    wrapper = wrapper_from_data(dataset)
    return {"data": wrapper.get_data(), "affine": wrapper.affine}


@contract("knowledge")
def test_planes_from_foot_to_head(candidate):
    result = candidate(read_axial, HEIGHTS)
    for k in range(PLANES):
        frame = int(result["data"][0, 0, k])
        z = (result["affine"] @ [0, 0, k, 1])[2]
        # Positions are written with five decimals at most.
        assert abs(z - HEIGHTS[frame]) < 1e-3


@contract("regression")
def test_directions_in_the_plane(candidate):
    affine = candidate(read_axial, HEIGHTS)["affine"]
    np.testing.assert_allclose(affine[:3, 0], [0, 1.5, 0], atol=1e-9)
    np.testing.assert_allclose(affine[:3, 1], [1.5, 0, 0], atol=1e-9)
