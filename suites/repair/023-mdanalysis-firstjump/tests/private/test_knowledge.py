# referee-canary 023 5adaf2f1-b30c-4e3a-b89c-8d8e02d9b976
"""What is known about real paths: constant velocity, free choice of image, rigid molecules, fractions."""

import numpy as np

from referee.wall import contract


@contract("knowledge")
def test_constant_velocity_through_each_face_at_frame_1(candidate, walk, rng):
    for box in (walk.CUBIC, walk.TRICLINIC):
        one = walk.straight(rng, 1, box)
        (answer,) = candidate(walk.watch, [walk.job(one, [walk.ALL])])
        walk.assert_path(one, answer)
        steps = np.diff(answer["found"], axis=0)
        # Every step is the same vector, also those through a face.
        assert np.abs(steps - steps[:1]).max() <= 2 * walk.NEAR


@contract("knowledge")
def test_the_image_in_later_frames_is_free(candidate, walk, rng):
    one = walk.wander(rng, walk.TRICLINIC, atoms=8)
    images = rng.integers(-2, 3, one.fractions.shape)
    images[0] = 0
    moved = one.cartesian(one.fractions % 1.0 + images)
    (answer,) = candidate(walk.watch, [{**walk.job(one, [walk.ALL]), "file": moved}])
    walk.assert_path(one, answer)


@contract("knowledge")
def test_the_image_in_frame_0_moves_the_whole_path(candidate, walk, rng):
    one = walk.wander(rng, walk.ORTHORHOMBIC)
    image = rng.integers(-2, 3, one.fractions.shape[1:])
    first = one.fractions % 1.0
    first[0] += image
    (answer,) = candidate(walk.watch, [{**walk.job(one, [walk.ALL]), "file": one.cartesian(first)}])
    expected = one.path + image @ walk.vectors(walk.ORTHORHOMBIC)
    assert np.abs(answer["found"] - expected).max() <= walk.NEAR


@contract("knowledge")
def test_a_rigid_molecule_stays_whole(candidate, walk, rng):
    # Two atoms on either side of a face: one of them crosses at frame 1, the other one later.
    heads = np.array([[0.97, 0.5, 0.5], [0.93, 0.5, 0.5]])
    heads = heads + np.cumsum(np.full((7, 1, 3), [0.05, 0.02, 0.01]), axis=0) - [0.05, 0.02, 0.01]
    one = walk.Trajectory(heads, walk.boxes(rng, walk.CUBIC, 7, False))
    (answer,) = candidate(walk.watch, [walk.job(one, [walk.ALL])])
    bond = np.linalg.norm(answer["found"][:, 0] - answer["found"][:, 1], axis=1)
    assert np.abs(bond - 0.04 * 20.0).max() <= walk.NEAR
    assert np.abs(answer["found"][0] - one.file[0]).max() <= walk.NEAR


@contract("knowledge")
def test_resting_fractions_rest_while_the_box_changes(candidate, walk, rng):
    rest = np.tile(rng.uniform(0, 1, (1, 5, 3)), (8, 1, 1))
    rest[:, 0, 0] = 0.9995 + np.where(np.arange(8) % 2, 0.2, 0.0)  # to and fro over a face
    one = walk.Trajectory(rest, walk.boxes(rng, walk.TRICLINIC, 8, True))
    (answer,) = candidate(walk.watch, [walk.job(one, [walk.ALL])])
    walk.assert_path(one, answer)
