# referee-canary 037 99bb6e51-2ce4-4d2d-b0d3-97823b31e44a
"""Within the plane, without positions, with one plane, and what is refused today."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract, probe


@probe
def read_classic(top):
    import numpy as np
    from pydicom.dataset import Dataset

    from nibabel.nicom.dicomwrappers import wrapper_from_data

    dataset = Dataset()
    for name, value in top.items():
        setattr(dataset, name, value)
    wrapper = wrapper_from_data(dataset)
    return {
        "affine": wrapper.affine,
        "indicator": float(wrapper.slice_indicator),
        "shape": [int(n) for n in wrapper.image_shape],
        "sizes": np.array(wrapper.voxel_sizes),
    }


def error_of(candidate, scanner, description, asked):
    with pytest.raises(CandidateError) as caught:
        candidate(scanner.read, description, [asked])
    return caught.value


@contract("regression")
def test_directions_and_sizes_within_the_plane(candidate, rng, scanner):
    series = scanner.Series(rng, scanner.rotation(rng), 5, 2.5).shuffled()
    answer = candidate(scanner.read, series.description(), scanner.EVERYTHING)
    affine = answer["affine"]
    np.testing.assert_allclose(affine[:3, 0], series.spacing[0] * series.axes[:, 1], atol=1e-7)
    np.testing.assert_allclose(affine[:3, 1], series.spacing[1] * series.axes[:, 0], atol=1e-7)
    np.testing.assert_allclose(answer["voxel_sizes"][:2], series.spacing, atol=1e-9)
    assert answer["shape"] == [4, 5, 5]


@contract("regression")
@pytest.mark.parametrize("volumes", [(), (3,)], ids=["one-volume", "three-volumes"])
def test_objects_without_positions_follow_their_indices(candidate, rng, scanner, volumes):
    series = scanner.Series(rng, scanner.AXIAL, 4, 2.5, volumes=volumes).shuffled()
    description = series.description()
    for frame in description["frames"]:
        del frame["position"]
    answer = candidate(scanner.read, description, ["data", "shape", "voxel_sizes"])
    assert tuple(answer["shape"]) == (4, 5, 4, *volumes)
    for n, frame in enumerate(series.frames):
        index = (frame["in_stack"] - 1, *frame["volume"])
        np.testing.assert_array_equal(
            answer["data"][(slice(None), slice(None), *index)], series.pixels[n]
        )
    np.testing.assert_allclose(answer["voxel_sizes"], [1.25, 0.75, 2.0], atol=1e-9)
    assert error_of(candidate, scanner, description, "affine").is_a("WrapperError")
    assert error_of(candidate, scanner, description, "image_position").is_a("WrapperError")


@contract("regression")
def test_objects_with_empty_positions_follow_their_indices(candidate, rng, scanner):
    series = scanner.Series(rng, scanner.rotation(rng), 4, 2.5).shuffled()
    description = series.description()
    for frame in description["frames"]:
        frame["position"] = None
    answer = candidate(scanner.read, description, ["data", "voxel_sizes"])
    for n, frame in enumerate(series.frames):
        np.testing.assert_array_equal(
            answer["data"][:, :, frame["in_stack"] - 1], series.pixels[n]
        )
    np.testing.assert_allclose(answer["voxel_sizes"], [1.25, 0.75, 2.0], atol=1e-9)


@contract("regression")
def test_one_plane_without_a_slice_index(candidate, rng, scanner):
    series = scanner.Series(rng, scanner.rotation(rng), 1, 1.0, volumes=(5,)).shuffled()
    description = series.description()
    description["pointers"].remove(scanner.IN_STACK)
    for frame in description["frames"]:
        del frame["index"][1]
    answer = candidate(scanner.read, description, ["data", "shape", "image_position"])
    assert answer["shape"] == [4, 5, 5]
    for n, frame in enumerate(series.frames):
        np.testing.assert_array_equal(
            answer["data"][:, :, frame["volume"][0]], series.pixels[n]
        )
    np.testing.assert_allclose(
        answer["image_position"], series.frames[0]["position"], atol=scanner.NEAR
    )


@contract("regression")
def test_size_of_a_single_plane(candidate, rng, scanner):
    # One plane at several times: only the thickness tells how large a voxel is.
    series = scanner.Series(rng, scanner.rotation(rng), 1, 1.0, volumes=(4,)).shuffled()
    description = series.description(series.measures(3.5))
    answer = candidate(scanner.read, description, scanner.EVERYTHING)
    series.check(answer)
    np.testing.assert_allclose(answer["voxel_sizes"], [1.25, 0.75, 3.5], atol=1e-9)
    description = series.description({"PixelSpacing": [1.25, 0.75]})
    description["top"] = {"SpacingBetweenSlices": 4.5}
    answer = candidate(scanner.read, description, ["voxel_sizes"])
    np.testing.assert_allclose(answer["voxel_sizes"], [1.25, 0.75, 4.5], atol=1e-9)
    del description["top"]
    assert error_of(candidate, scanner, description, "voxel_sizes").is_a("WrapperError")


@contract("regression")
def test_position_of_a_single_plane_in_the_shared_groups(candidate, rng, scanner):
    series = scanner.Series(rng, scanner.rotation(rng), 1, 1.0, volumes=(3,))
    description = series.description()
    for frame in description["frames"]:
        description["shared"]["position"] = frame.pop("position")
    series.check(candidate(scanner.read, description, scanner.EVERYTHING))


@contract("regression")
def test_scaling(candidate, rng, scanner):
    series = scanner.Series(rng, scanner.AXIAL * [1, 1, -1], 5, 2.0)
    description = series.description()
    for frame in description["frames"]:
        frame["scaling"] = [2.5, -7.0]
    answer = candidate(scanner.read, description, ["data", "affine"])
    # Exact in binary: halves of whole numbers below 2 ** 20.
    stored = (answer["data"] + 7.0) / 2.5
    values = np.sort(np.round(stored).astype(int).ravel())
    np.testing.assert_allclose(stored, np.round(stored), atol=1e-9)
    np.testing.assert_array_equal(values, np.sort(series.pixels.astype(int).ravel()))


@contract("regression")
def test_two_stacks_are_refused(candidate, rng, scanner):
    series = scanner.Series(rng, scanner.AXIAL, 6, 2.0)
    description = series.description()
    for n, frame in enumerate(description["frames"]):
        frame["stack"] = "1" if n < 3 else "2"
    for asked in ("shape", "data"):
        assert error_of(candidate, scanner, description, asked).is_a("WrapperError")


@contract("regression")
def test_what_is_missing_is_named(candidate, rng, scanner):
    series = scanner.Series(rng, scanner.AXIAL, 4, 2.0)
    description = series.description()
    del description["shared"]["orientation"]
    assert error_of(candidate, scanner, description, "affine").is_a("WrapperError")
    # Order and values of what is left are still given.
    assert candidate(scanner.read, description, ["shape"])["shape"] == [4, 5, 4]
    description = series.description()
    del description["shared"]["measures"]
    assert error_of(candidate, scanner, description, "voxel_sizes").is_a("WrapperError")


@contract("regression")
def test_classic_objects(candidate, rng):
    position = np.round(rng.uniform(-50, 50, 3), 3)
    answer = candidate(
        read_classic,
        {
            "SOPClassUID": "1.2.840.10008.5.1.4.1.1.4",
            "Rows": 6,
            "Columns": 7,
            "ImagePositionPatient": position.tolist(),
            "ImageOrientationPatient": [1, 0, 0, 0, 1, 0],
            "PixelSpacing": [2.0, 3.0],
            "SliceThickness": 4.0,
            "SpacingBetweenSlices": 5.0,
        },
    )
    expected = np.array([[0, 3.0, 0], [2.0, 0, 0], [0, 0, -5.0]])
    np.testing.assert_allclose(answer["affine"][:3, :3], expected, atol=1e-12)
    np.testing.assert_allclose(answer["affine"][:3, 3], position, atol=1e-12)
    assert abs(answer["indicator"] + position[2]) < 1e-9
    assert answer["shape"] == [6, 7]
    np.testing.assert_allclose(answer["sizes"], [2.0, 3.0, 5.0])
