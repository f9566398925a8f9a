# referee-canary 037 99bb6e51-2ce4-4d2d-b0d3-97823b31e44a
"""Other ways in which an object may say the same, derived frames, and objects that contradict."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract


def refused(candidate, scanner, description, asked):
    with pytest.raises(CandidateError) as caught:
        candidate(scanner.read, description, [asked])
    assert caught.value.is_a("WrapperError")


def with_derived(rng, scanner, storage):
    """A diffusion series with frames computed from others, and what has to be left of it."""
    series = scanner.Series(rng, scanner.rotation(rng), 4, 2.6, volumes=(3,)).shuffled()
    description = series.description()
    description["pointers"] = [scanner.STACK, scanner.IN_STACK, scanner.B_VALUE, scanner.GRADIENT]
    frames = description["frames"]
    for frame in frames:
        frame["index"].insert(2, 1)
        frame["diffusion"] = "DIRECTIONAL"
    derived = [
        {**f, "index": [*f["index"][:2], 2, 1], "diffusion": "ISOTROPIC"}
        for f in frames
        if f["index"][3] == 1
    ]
    means = rng.integers(50000, 60000, (len(derived), *series.shape)).astype(np.uint16)
    everything = frames + derived
    pixels = np.concatenate([description["pixels"], means])
    count, total = len(frames), len(everything)
    order = {
        "last": np.arange(total),
        "first": np.r_[count:total, 0:count],
        "between": rng.permutation(total),
    }[storage]
    description["frames"] = [everything[int(i)] for i in order]
    description["pixels"] = pixels[order]
    return series, description


@contract("exploration")
@pytest.mark.parametrize("storage", ["last", "first", "between"])
def test_derived_frames_are_left_out(candidate, rng, scanner, storage):
    for asked in (scanner.EVERYTHING, scanner.EVERYTHING[::-1]):
        series, description = with_derived(rng, scanner, storage)
        series.check(candidate(scanner.read, description, asked))


@contract("exploration")
@pytest.mark.parametrize("asked", ["shape", "data"])
def test_one_index_at_two_places_is_refused(candidate, rng, scanner, asked):
    series = scanner.Series(rng, scanner.rotation(rng), 4, 2.5, volumes=(2,)).shuffled()
    description = series.description()
    a, b = (
        next(f for f in description["frames"] if f["index"] == [1, i, 2]) for i in (2, 3)
    )
    # The second volume counts two planes the other way round.
    a["index"], b["index"] = b["index"], a["index"]
    refused(candidate, scanner, description, asked)


@contract("exploration")
@pytest.mark.parametrize("asked", ["shape", "data"])
def test_two_indices_at_one_place_are_refused(candidate, rng, scanner, asked):
    series = scanner.Series(rng, scanner.rotation(rng), 5, 2.5).shuffled()
    description = series.description()
    first, second = rng.choice(5, 2, replace=False).tolist()
    description["frames"][first]["position"] = description["frames"][second]["position"]
    refused(candidate, scanner, description, asked)


@contract("coverage")
@pytest.mark.parametrize(
    "per_frame",
    [("orientation",), ("measures",), ("orientation", "measures")],
    ids=["orientation", "measures", "both"],
)
def test_descriptions_that_stand_with_each_frame(candidate, rng, scanner, per_frame):
    series = scanner.Series(rng, scanner.rotation(rng) * [1, 1, -1], 6, 2.8).shuffled()
    description = series.description(per_frame=per_frame)
    series.check(candidate(scanner.read, description, scanner.EVERYTHING))


@contract("coverage")
@pytest.mark.parametrize("count", [2, 3, 17])
def test_numbers_of_planes(candidate, rng, scanner, count):
    for index_down in (False, True):
        series = scanner.Series(rng, scanner.AXIAL, count, 1.7, index_down=index_down).shuffled()
        series.check(candidate(scanner.read, series.description(), scanner.EVERYTHING))


@contract("coverage")
def test_rows_columns_and_their_distances(candidate, rng, scanner):
    for shape, spacing in (((3, 7), (0.5, 2.0)), ((9, 2), (3.0, 1.0)), ((6, 6), (1.0, 1.0))):
        series = scanner.Series(
            rng, scanner.rotation(rng), 4, 2.3, shape=shape, spacing=spacing
        ).shuffled()
        series.check(candidate(scanner.read, series.description(), scanner.EVERYTHING))


@contract("coverage")
def test_objects_read_from_a_file(candidate, rng, scanner):
    series = scanner.Series(rng, scanner.rotation(rng), 5, 2.1, volumes=(2,), index_down=True)
    description = series.shuffled().description(as_file=True)
    series.check(candidate(scanner.read, description, scanner.EVERYTHING))


@contract("generalization")
@pytest.mark.parametrize("index_down", [False, True], ids=["index-up", "index-down"])
def test_slice_index_tied_to_the_image_position(candidate, rng, scanner, index_down):
    for volumes in ((), (3,)):
        series = scanner.Series(
            rng,
            scanner.rotation(rng),
            5,
            2.2,
            volumes=volumes,
            index_down=index_down,
            slice_pointer=scanner.POSITION,
        ).shuffled()
        series.check(candidate(scanner.read, series.description(), scanner.EVERYTHING))


@contract("generalization")
def test_no_index_for_the_stack(candidate, rng, scanner):
    for volumes in ((3,), (2, 2)):
        series = scanner.Series(rng, scanner.rotation(rng), 5, 2.2, volumes=volumes).shuffled()
        description = series.description(with_stack=False)
        series.check(candidate(scanner.read, description, scanner.EVERYTHING))


@contract("generalization")
@pytest.mark.parametrize("volumes", [(2, 3), (3, 2, 2)], ids=["two", "three"])
def test_several_further_indices(candidate, rng, scanner, volumes):
    series = scanner.Series(
        rng, scanner.rotation(rng), 4, 2.9, volumes=volumes, index_down=True
    ).shuffled()
    series.check(candidate(scanner.read, series.description(), scanner.EVERYTHING))


@contract("generalization")
def test_turning_the_patient_turns_the_affine(candidate, rng, scanner):
    # Turned and moved as a whole, the same frames give the same places, turned and moved.
    axes, origin = scanner.rotation(rng), rng.uniform(-50, 50, 3)
    turn, move = scanner.rotation(rng), rng.uniform(-50, 50, 3)
    before = scanner.Series(rng, axes, 5, 2.4, origin=origin)
    order = rng.permutation(5)
    after = scanner.Series(rng, turn @ axes, 5, 2.4, origin=turn @ origin + move)
    after.pixels = before.pixels
    one, two = (
        candidate(scanner.read, s.stored(order).description(), ["data", "affine"])
        for s in (before, after)
    )
    for k in range(5):
        same = [m for m in range(5) if np.array_equal(one["data"][..., k], two["data"][..., m])]
        assert len(same) == 1
        other = same[0]
        place = (one["affine"] @ [1, 2, k, 1])[:3]
        np.testing.assert_allclose(
            (two["affine"] @ [1, 2, other, 1])[:3], turn @ place + move, atol=scanner.NEAR
        )


@contract("generalization")
def test_any_object(candidate, rng, scanner):
    for _ in range(10):
        series = scanner.Series(
            rng,
            scanner.rotation(rng) * [1, 1, rng.choice([-1, 1])],
            int(rng.integers(2, 9)),
            float(rng.uniform(0.5, 6)),
            volumes=tuple(rng.integers(2, 4, int(rng.integers(0, 3))).tolist()),
            index_down=bool(rng.integers(0, 2)),
            slice_pointer=int(rng.choice([scanner.IN_STACK, scanner.POSITION])),
        ).shuffled()
        measures = series.measures(float(np.round(rng.uniform(0.5, 6), 3)))
        with_stack = not series.volumes or bool(rng.integers(0, 2))
        description = series.description(measures, with_stack=with_stack)
        series.check(candidate(scanner.read, description, scanner.EVERYTHING))
