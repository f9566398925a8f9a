# referee-canary 023 5adaf2f1-b30c-4e3a-b89c-8d8e02d9b976
"""What is right today stays: refusals, warnings, resets, trajectories in memory."""

import numpy as np

from referee.wall import contract


@contract("regression")
def test_frames_without_a_usable_box_are_refused(candidate, walk):
    for frame in (0, 1, 3):
        assert candidate(walk.refused, None, frame) == ["NoDataError", frame]
    assert candidate(walk.refused, [9.0, 9.0, 9.0, 90.0, 90.0, 90.0], 3) is None


@contract("regression")
def test_a_change_of_the_interval_sets_the_reference_anew(candidate, walk, rng):
    one = walk.slow(rng)
    reads = [0, 1, 2, 3, 6, 8, 9, 10]
    (answer,) = candidate(walk.watch, [walk.job(one, reads)])
    assert sum("unequal" in text for text in answer["said"]) in (2, 3)
    # Frame 6 ends the interval of one frame. The step from 6 to 8 makes an interval of two frames, which
    # ends at 9. There the positions are those of the file; 8 and 10 follow 6 and 9.
    found = answer["found"]
    for read, frame in ((4, 6), (6, 9)):
        assert np.abs(found[read] - one.file[frame]).max() <= walk.NEAR
        following = reads[read + 1]
        step = one.path[following] - one.path[frame]
        assert np.abs(found[read + 1] - found[read] - step).max() <= walk.NEAR


@contract("regression")
def test_without_the_check_the_path_goes_on(candidate, walk, rng):
    one = walk.wander(rng, frames=14, reach=0.12)
    reads = [2, 3, 6, 8, 9, 5]
    found, quiet = candidate(
        walk.watch,
        [
            walk.job(one, reads, 2, {"check_continuity": False}),
            walk.job(one, reads, 2, arguments=[False]),
        ],
    )
    for answer in (found, quiet):
        walk.assert_some_image(one, reads, answer["found"])
        assert answer["said"] == []


@contract("regression")
def test_steps_of_more_than_one_frame_are_said(candidate, walk, rng):
    one = walk.wander(rng, frames=13, reach=0.1)
    # Three steps each. The transformation was added at the frame where reading begins.
    jobs = [walk.job(one, reads, reads[0]) for reads in ([12, 10, 8, 6], [1, 3, 5, 7])]
    for answer in candidate(walk.watch, jobs):
        assert sum("step of more than 1" in text for text in answer["said"]) >= 2


@contract("regression")
def test_trajectories_in_memory(candidate, walk, rng):
    one = walk.wander(rng, walk.TRICLINIC, changing=True)
    walk.assert_path(one, candidate(walk.in_memory, one.file, one.boxes), passes=2)


@contract("regression")
def test_paths_inside_the_box_stay(candidate, walk, rng):
    inside = 0.5 + rng.uniform(-0.2, 0.2, (7, 5, 3))
    one = walk.Trajectory(inside, walk.boxes(rng, walk.TRICLINIC, 7, True))
    (answer,) = candidate(walk.watch, [walk.job(one, [walk.ALL, walk.ALL])])
    walk.assert_path(one, answer, passes=2)
