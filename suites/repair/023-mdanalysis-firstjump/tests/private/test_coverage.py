# referee-canary 023 5adaf2f1-b30c-4e3a-b89c-8d8e02d9b976
"""The reported case in other boxes, files and lengths."""

import numpy as np

from referee.wall import contract


@contract("coverage")
def test_first_crossings_in_all_boxes(candidate, walk, rng):
    data = [
        walk.straight(rng, first, box, changing=c)
        for first in (1, 2, 3)
        for box in walk.BOXES
        for c in (False, True)
    ]
    answers = candidate(walk.watch, [walk.job(d, [walk.ALL]) for d in data])
    for one, answer in zip(data, answers, strict=True):
        walk.assert_path(one, answer)


@contract("coverage")
def test_large_steps_just_below_half_a_box(candidate, walk, rng):
    data = [walk.wander(rng, b, frames=20, atoms=30, reach=0.48) for b in walk.BOXES]
    answers = candidate(walk.watch, [walk.job(d, [walk.ALL]) for d in data])
    for one, answer in zip(data, answers, strict=True):
        walk.assert_path(one, answer)


@contract("coverage")
def test_short_trajectories(candidate, walk, rng):
    data = [walk.wander(rng, frames=n) for n in (1, 2, 3)]
    jobs = [walk.job(d, [walk.ALL] * 2, options={"check_continuity": c}) for d in data for c in (True, False)]
    for k, answer in enumerate(candidate(walk.watch, jobs)):
        walk.assert_path(data[k // 2], answer, passes=2)


@contract("coverage")
def test_without_the_check_of_continuity(candidate, walk, rng):
    one = walk.wander(rng, walk.TRICLINIC, frames=8, changing=True)
    options = {"check_continuity": False}
    for answer in candidate(walk.watch, [walk.job(one, [walk.ALL] * 3, s, options) for s in (0, 4)]):
        walk.assert_path(one, answer, passes=3)
        assert answer["said"] == []


@contract("coverage")
def test_other_kinds_of_files(candidate, walk, rng):
    # XTC rounds to 0.01 Angstrom; DCD files keep the lengths and cosines of the box.
    data = [walk.wander(rng, walk.ORTHORHOMBIC, frames=6) for _ in range(2)]
    jobs = [walk.job(d, [walk.ALL] * 2, kind=k) for d, k in zip(data, ("dcd", "xtc"), strict=True)]
    for one, answer in zip(data, candidate(walk.watch, jobs), strict=True):
        assert answer["frames"] == [*range(6)] * 2
        assert np.abs(answer["found"] - np.tile(one.path, (2, 1, 1))).max() <= 0.05
