# referee-canary 037 99bb6e51-2ce4-4d2d-b0d3-97823b31e44a
"""What geometry demands: order, origin and length of the third axis agree with the frames."""

import numpy as np
import pytest

from referee.wall import contract, probe


@probe
def classic(positions, orientation, spacing):
    """Affines of single-frame objects, which the library reads in another class."""
    import numpy as np
    from pydicom.dataset import Dataset

    from nibabel.nicom.dicomwrappers import wrapper_from_data

    affines = []
    for position in positions:
        dataset = Dataset()
        dataset.SOPClassUID = "1.2.840.10008.5.1.4.1.1.4"
        dataset.Rows, dataset.Columns = 4, 5
        dataset.ImagePositionPatient = position
        dataset.ImageOrientationPatient = orientation
        dataset.PixelSpacing = spacing
        dataset.SliceThickness = 2.0
        affines.append(wrapper_from_data(dataset).affine)
    return np.array(affines)


@contract("knowledge")
@pytest.mark.parametrize("direction", [1, -1], ids=["upwards", "downwards"])
@pytest.mark.parametrize("plane", ["axial", "sagittal", "coronal"])
def test_stacks_along_the_axes_of_the_patient(candidate, rng, scanner, plane, direction):
    axes = getattr(scanner, plane.upper()) * [1, 1, direction]
    series = scanner.Series(rng, axes, 6, float(np.round(rng.uniform(2.2, 4), 2)))
    series.check(candidate(scanner.read, series.description(), scanner.EVERYTHING))


@contract("knowledge")
def test_oblique_stacks(candidate, rng, scanner):
    for _ in range(6):
        axes = scanner.rotation(rng) * [1, 1, rng.choice([-1, 1])]
        series = scanner.Series(rng, axes, 7, float(rng.uniform(1, 5)))
        series.check(candidate(scanner.read, series.description(), scanner.EVERYTHING))


@contract("knowledge")
@pytest.mark.parametrize("thickness", [0.9, 3.0, 7.5], ids=["gaps", "equal", "overlap"])
def test_distance_of_planes_is_not_their_thickness(candidate, rng, scanner, thickness):
    for axes in (scanner.AXIAL, scanner.AXIAL * [1, 1, -1]):
        series = scanner.Series(rng, axes, 5, 3.0)
        description = series.description(series.measures(thickness))
        answer = candidate(scanner.read, description, scanner.EVERYTHING)
        series.check(answer)
        assert abs(answer["voxel_sizes"][2] - 3.0) < 1e-4


@contract("knowledge")
def test_distance_of_planes_is_not_what_was_asked_for(candidate, rng, scanner):
    # Positions say 2.4 mm. What stands elsewhere is another number, or is missing.
    series = scanner.Series(rng, scanner.rotation(rng), 6, 2.4)
    both = series.measures(2.0, SpacingBetweenSlices=2.9)
    spacing_only = {"PixelSpacing": [1.25, 0.75], "SpacingBetweenSlices": 2.9}
    neither = {"PixelSpacing": [1.25, 0.75]}
    for measures in (both, spacing_only, neither):
        for top in ({}, {"SpacingBetweenSlices": 3.1}):
            description = series.description(measures, top=top)
            series.check(candidate(scanner.read, description, scanner.EVERYTHING))


@contract("knowledge")
def test_enhanced_and_classic_objects_agree(candidate, rng, scanner):
    axes = scanner.rotation(rng) * [1, 1, -1]
    series = scanner.Series(rng, axes, 6, 2.7).shuffled()
    answer = candidate(scanner.read, series.description(), ["data", "affine"])
    positions = [frame["position"].tolist() for frame in series.frames]
    single = candidate(classic, positions, series.orientation(), list(series.spacing))
    for k in range(6):
        match = (series.pixels == answer["data"][:, :, k]).all(axis=(1, 2))
        assert match.sum() == 1
        n = int(np.flatnonzero(match)[0])
        for row, column in ((0, 0), (3, 1), (2, 4)):
            enhanced = answer["affine"] @ [row, column, k, 1]
            np.testing.assert_allclose(
                enhanced, single[n] @ [row, column, 0, 1], atol=scanner.NEAR
            )


@contract("exploration")
@pytest.mark.parametrize("index_down", [False, True], ids=["index-up", "index-down"])
@pytest.mark.parametrize("storage", ["reversed", "interleaved", "shuffled"])
def test_order_of_storage_and_direction_of_the_index(candidate, rng, scanner, storage, index_down):
    for axes in (scanner.AXIAL, scanner.AXIAL * [1, 1, -1], scanner.rotation(rng)):
        series = scanner.Series(rng, axes, 8, 2.5, index_down=index_down)
        order = {
            "reversed": np.arange(8)[::-1],
            "interleaved": np.r_[0:8:2, 1:8:2],
            "shuffled": rng.permutation(8),
        }[storage]
        description = series.stored(order).description()
        series.check(candidate(scanner.read, description, scanner.EVERYTHING))


@contract("exploration")
@pytest.mark.parametrize("index_down", [False, True], ids=["index-up", "index-down"])
@pytest.mark.parametrize("storage", ["volumes", "planes", "shuffled"])
def test_time_series(candidate, rng, scanner, storage, index_down):
    # "planes": all times of one plane, then all times of the next one.
    axes = scanner.rotation(rng)
    series = scanner.Series(rng, axes, 4, 3.1, volumes=(5,), index_down=index_down)
    order = {
        "volumes": np.arange(20),
        "planes": np.arange(20).reshape(5, 4).T.ravel(),
        "shuffled": rng.permutation(20),
    }[storage]
    description = series.stored(order).description()
    series.check(candidate(scanner.read, description, scanner.EVERYTHING))


@contract("exploration")
def test_whatever_is_asked_for_first(candidate, rng, scanner):
    # Attributes are remembered by the reader; no order of asking may change an answer.
    series = scanner.Series(rng, scanner.rotation(rng), 5, 2.2, volumes=(2,)).shuffled()
    for _ in range(4):
        asked = rng.permutation(scanner.EVERYTHING).tolist()
        series.check(candidate(scanner.read, series.description(), asked))


@contract("exploration")
def test_last_digits_of_positions(candidate, rng, scanner):
    # The same plane with slightly different numbers in each volume. The origin lies such that
    # rounding to a fixed number of decimals does not bring them together again.
    for origin in ([3.00005, -2.0, 5.0], [0.0005, 0.00005, -0.00095], [1.5, 2.5, -7.49995]):
        for axes in (scanner.AXIAL, scanner.rotation(rng)):
            series = scanner.Series(
                rng, axes, 5, 1.3, volumes=(4,), noise=5e-5, origin=origin
            ).shuffled()
            series.check(candidate(scanner.read, series.description(), scanner.EVERYTHING))


@contract("exploration")
def test_planes_that_lie_close(candidate, rng, scanner):
    series = scanner.Series(rng, scanner.rotation(rng), 12, 0.1, volumes=(2,)).shuffled()
    description = series.description(series.measures(0.2))
    series.check(candidate(scanner.read, description, scanner.EVERYTHING))


@contract("exploration")
def test_series_with_other_distances_are_other_series(candidate, rng, scanner):
    axes = scanner.rotation(rng)
    series = scanner.Series(rng, axes, 5, 2.0)
    wider = scanner.Series(rng, axes, 5, 2.5)
    again = scanner.Series(rng, axes, 5, 2.0, origin=[1.0, 2.0, 3.0]).shuffled()
    # All of them have layers of 2 mm.
    others = [wider.description(), again.description()]
    answer = candidate(scanner.read, series.description(others=others), ["same_series"])
    assert answer["same_series"] == [False, True]
