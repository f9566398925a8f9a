# referee-canary 023 5adaf2f1-b30c-4e3a-b89c-8d8e02d9b976
"""What a pass gives does not depend on anything that was read before it."""

import numpy as np

from referee.wall import contract


@contract("exploration")
def test_every_pass_is_alike_and_silent(candidate, walk, rng):
    data = [walk.wander(rng, b, changing=c) for b in walk.BOXES for c in (False, True)]
    answers = candidate(walk.watch, [walk.job(d, [walk.ALL] * 3) for d in data])
    for one, answer in zip(data, answers, strict=True):
        walk.assert_path(one, answer, passes=3)
        assert answer["said"] == []


@contract("exploration")
def test_the_transformation_is_added_further_on(candidate, walk, rng):
    one = walk.wander(rng, frames=8)
    stands = (1, 2, 5, 7)
    for answer in candidate(walk.watch, [walk.job(one, [walk.ALL] * 2, s) for s in stands]):
        walk.assert_path(one, answer, passes=2)
        assert answer["said"] == []


@contract("exploration")
def test_reading_the_current_frame_again_changes_nothing(candidate, walk, rng):
    one = walk.wander(rng, walk.TRICLINIC, frames=7, changing=True)
    reads = [0, 0, 0, 1, 1, 2, 3, 3, 3, 4, 5, 5, 6, 6]
    again, uneven = candidate(
        walk.watch, [walk.job(one, reads), walk.job(one, reads, options={"check_continuity": False})]
    )
    for answer in (again, uneven):
        assert answer["frames"] == reads
        assert np.abs(answer["found"] - one.path[reads]).max() <= walk.NEAR
        assert answer["said"] == []


@contract("exploration")
def test_a_pass_after_a_part_of_one(candidate, walk, rng):
    one = walk.wander(rng, frames=8)
    before = [[0, 1, 2, 3], [0, 4], [3], [2, 5, 1], [1, 0, 1], [7, 6, 5], [2, 4, 6], [1, 2, 0, 0]]
    checks = [True, False]
    jobs = [
        walk.job(one, [*reads, walk.ALL], options={"check_continuity": c}) for reads in before for c in checks
    ]
    for single, answer in zip(jobs, candidate(walk.watch, jobs), strict=True):
        skip = len(single["reads"]) - 1
        rest = {"frames": answer["frames"][skip:], "found": answer["found"][skip:]}
        walk.assert_path(one, rest)


@contract("exploration")
def test_a_pass_after_slices_and_back(candidate, walk, rng):
    one = walk.wander(rng, frames=9, reach=0.2)
    slices = [[None, None, 2], [3, None, None], [None, None, -1], [2, 7, 3]]
    jobs = [walk.job(one, [s, walk.ALL]) for s in slices]
    for answer in candidate(walk.watch, jobs):
        rest = {"frames": answer["frames"][-9:], "found": answer["found"][-9:]}
        walk.assert_path(one, rest)


@contract("exploration")
def test_frame_by_frame_back_to_the_start(candidate, walk, rng):
    one = walk.wander(rng, frames=6)
    reads = [0, 1, 2, 3, 0, 1, 2, 0, 1, 0, 1, 2, 3, 4, 5]
    (answer,) = candidate(walk.watch, [walk.job(one, reads)])
    assert np.abs(answer["found"] - one.path[reads]).max() <= walk.NEAR
    assert answer["said"] == []
