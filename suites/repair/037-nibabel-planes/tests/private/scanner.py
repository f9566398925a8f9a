# referee-canary 037 99bb6e51-2ce4-4d2d-b0d3-97823b31e44a
"""A scanner: descriptions of enhanced MR objects with a known geometry, and the judge of readings.

A description is plain data. `read` turns it into a DICOM object on the candidate's side. Where a
pixel was measured is worked out here from the definitions of DICOM, without an affine.
"""

import itertools

import numpy as np

from referee.wall import probe

STACK, IN_STACK, POSITION = 0x00209056, 0x00209057, 0x00200032
TIME, ECHO, B_VALUE, GRADIENT = 0x00209128, 0x00189082, 0x00189087, 0x00189089

# mm. Coordinates are written with five decimals and cosines with eight, and the positions of one
# plane may differ by 2e-4 mm; the mildest mistake moves a plane by a tenth of a millimetre or more.
NEAR = 2e-3


@probe
def read(description, asked):
    """Make the object, wrap it and give back the attributes that are asked for, in that order."""
    import io
    import warnings

    import numpy as np
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.sequence import Sequence
    from pydicom.uid import ExplicitVRLittleEndian

    from nibabel.nicom import dicomwrappers

    warnings.simplefilter("ignore")

    def item(**values):
        dataset = Dataset()
        for name, value in values.items():
            setattr(dataset, name, value)
        return dataset

    def groups(given):
        group = Dataset()
        if "position" in given:
            group.PlanePositionSequence = Sequence([item(ImagePositionPatient=given["position"])])
        if "orientation" in given:
            group.PlaneOrientationSequence = Sequence(
                [item(ImageOrientationPatient=given["orientation"])]
            )
        if "measures" in given:
            group.PixelMeasuresSequence = Sequence([item(**given["measures"])])
        if "diffusion" in given:
            group.MRDiffusionSequence = Sequence([item(DiffusionDirectionality=given["diffusion"])])
        if "scaling" in given:
            slope, intercept = given["scaling"]
            group.PixelValueTransformationSequence = Sequence(
                [item(RescaleSlope=slope, RescaleIntercept=intercept, RescaleType="US")]
            )
        if "index" in given:
            content = item(DimensionIndexValues=given["index"], StackID=given.get("stack", "1"))
            if "in_stack" in given:
                content.InStackPositionNumber = given["in_stack"]
            group.FrameContentSequence = Sequence([content])
        return group

    def enhanced(given):
        pixels = np.ascontiguousarray(given["pixels"], dtype=np.uint16)
        dataset = item(
            SOPClassUID="1.2.840.10008.5.1.4.1.1.4.1",
            SOPInstanceUID="1.2.3.4",
            SeriesInstanceUID="1.2.3",
            Rows=pixels.shape[1],
            Columns=pixels.shape[2],
            NumberOfFrames=pixels.shape[0],
            SamplesPerPixel=1,
            PhotometricInterpretation="MONOCHROME2",
            BitsAllocated=16,
            BitsStored=16,
            HighBit=15,
            PixelRepresentation=0,
            DimensionIndexSequence=Sequence(
                [item(DimensionIndexPointer=tag) for tag in given["pointers"]]
            ),
            SharedFunctionalGroupsSequence=Sequence([groups(given["shared"])]),
            PerFrameFunctionalGroupsSequence=Sequence([groups(f) for f in given["frames"]]),
            PixelData=pixels.tobytes(),
        )
        for name, value in given.get("top", {}).items():
            setattr(dataset, name, value)
        dataset.file_meta = FileMetaDataset()
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        if not given.get("as_file"):
            return dicomwrappers.wrapper_from_data(dataset)
        dataset.file_meta.MediaStorageSOPClassUID = dataset.SOPClassUID
        dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
        stream = io.BytesIO()
        dataset.save_as(stream, enforce_file_format=True)
        stream.seek(0)
        return dicomwrappers.wrapper_from_file(stream)

    wrapper = enhanced(description)
    answer = {}
    for name in asked:
        if name == "data":
            answer[name] = np.array(wrapper.get_data())
        elif name == "shape":
            answer[name] = [int(n) for n in wrapper.image_shape]
        elif name == "same_series":
            answer[name] = [
                bool(wrapper.is_same_series(enhanced(other))) for other in description["others"]
            ]
        else:
            answer[name] = np.array(getattr(wrapper, name), dtype=float)
    return answer


EVERYTHING = ["data", "affine", "voxel_sizes", "image_position", "shape"]


def rotation(rng):
    """A random rotation matrix."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else q[:, [1, 0, 2]]


AXIAL = np.eye(3)
SAGITTAL = np.array([[0.0, 0, -1], [1, 0, 0], [0, -1, 0]])
CORONAL = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])


class Series:
    """Frames of parallel planes. Columns of `axes` are: direction in which the column index grows,
    direction in which the row index grows, direction in which the planes are counted."""

    def __init__(self, rng, axes, planes, step, volumes=(), index_down=False, **options):
        self.rng = rng
        self.volumes = tuple(volumes)
        self.planes = planes
        self.axes = np.round(axes, 8)
        self.spacing = options.get("spacing", (1.25, 0.75))
        self.shape = options.get("shape", (4, 5))
        origin = np.array(options.get("origin", rng.uniform(-80, 80, 3)))
        self.frames = []
        for volume in itertools.product(*(range(n) for n in self.volumes)):
            for plane in range(planes):
                position = origin + step * plane * axes[:, 2]
                noise = rng.uniform(-1, 1, 3) * options.get("noise", 0)
                index = planes - plane if index_down else plane + 1
                self.frames.append(
                    {
                        "volume": volume,
                        "position": np.round(position + noise, 5),
                        "in_stack": index,
                    }
                )
        count = len(self.frames)
        size = self.shape[0] * self.shape[1]
        # All pixels of the object have different values.
        self.pixels = rng.permutation(count * size).reshape(count, *self.shape).astype(np.uint16)
        self.pointers = [STACK, options.get("slice_pointer", IN_STACK)]
        self.pointers += [TIME, ECHO, GRADIENT][: len(self.volumes)]
        self.order = np.arange(count)

    def shuffled(self):
        self.order = self.rng.permutation(len(self.frames))
        return self

    def stored(self, order):
        self.order = np.asarray(order)
        return self

    def orientation(self):
        return [float(c) for c in np.concatenate([self.axes[:, 0], self.axes[:, 1]])]

    def measures(self, thickness=2.0, **more):
        return {"PixelSpacing": list(self.spacing), "SliceThickness": thickness, **more}

    def description(self, measures=None, per_frame=(), with_stack=True, **more):
        """`per_frame`: what stands with each frame and not in the shared groups."""
        common = {
            "orientation": self.orientation(),
            "measures": self.measures() if measures is None else measures,
        }
        frames = []
        for n in self.order:
            frame = self.frames[n]
            index = [1, frame["in_stack"], *(v + 1 for v in frame["volume"])]
            one = {
                "index": [int(v) for v in (index if with_stack else index[1:])],
                "in_stack": int(frame["in_stack"]),
                "position": frame["position"].tolist(),
            }
            one.update({name: common[name] for name in per_frame})
            frames.append(one)
        return {
            "pixels": self.pixels[self.order],
            "pointers": self.pointers if with_stack else self.pointers[1:],
            "shared": {k: v for k, v in common.items() if k not in per_frame},
            "frames": frames,
            **more,
        }

    def place(self, n, row, column):
        """Where a pixel of frame n was measured, in mm."""
        along_columns = column * self.spacing[1] * self.axes[:, 0]
        return self.frames[n]["position"] + along_columns + row * self.spacing[0] * self.axes[:, 1]

    def check(self, answer, data=None):
        """Every frame once, under its own indices, and every corner of it in its place."""
        data = answer["data"] if data is None else data
        affine = answer["affine"]
        assert data.shape == (*self.shape, self.planes, *self.volumes)
        assert affine.shape == (4, 4)
        np.testing.assert_array_equal(affine[3], [0, 0, 0, 1])
        by_content = {tuple(p.ravel().tolist()): n for n, p in enumerate(self.pixels)}
        seen = set()
        rows, columns = self.shape
        for index in np.ndindex(*data.shape[2:]):
            content = data[(slice(None), slice(None), *index)]
            n = by_content.get(tuple(content.ravel().tolist()))
            assert n is not None
            assert self.frames[n]["volume"] == index[1:]
            seen.add(n)
            for row, column in ((0, 0), (rows - 1, 0), (0, columns - 1), (rows - 1, columns - 1)):
                place = (affine @ [row, column, index[0], 1])[:3]
                distance = float(np.linalg.norm(place - self.place(n, row, column)))
                assert distance <= NEAR
        assert len(seen) == len(self.frames)
        if "voxel_sizes" in answer:
            lengths = np.linalg.norm(affine[:3, :3], axis=0)
            # Cosines of eight decimals: lengths of a few mm agree to 1e-6.
            np.testing.assert_allclose(answer["voxel_sizes"], lengths, atol=1e-6)
        if "image_position" in answer:
            np.testing.assert_allclose(answer["image_position"], affine[:3, 3], atol=1e-9)
        if "shape" in answer:
            assert tuple(answer["shape"]) == data.shape
