# referee-canary 023 5adaf2f1-b30c-4e3a-b89c-8d8e02d9b976
"""Other ways of reading with one constant step keep the first jump too."""

import numpy as np

from referee.wall import contract


@contract("generalization")
def test_strides_from_frame_0(candidate, walk, rng):
    one = walk.slow(rng)
    steps = (2, 3, 4)
    jobs = [walk.job(one, [[None, None, s]] * 2) for s in steps]
    for step, answer in zip(steps, candidate(walk.watch, jobs), strict=True):
        frames = list(range(0, 13, step)) * 2
        assert answer["frames"] == frames
        assert np.abs(answer["found"] - one.path[frames]).max() <= walk.NEAR
        assert any("step of more than 1" in text for text in answer["said"])
        assert not any("unequal" in text for text in answer["said"])


@contract("generalization")
def test_slices_that_begin_further_on(candidate, walk, rng):
    one = walk.slow(rng, box=walk.TRICLINIC, changing=True)
    slices = [[k, None, s] for k in (1, 2, 3, 5) for s in (None, 1, 2, 3)]
    jobs = [walk.job(one, [s], stand) for s in slices for stand in (0, 4)]
    for single, answer in zip(jobs, candidate(walk.watch, jobs), strict=True):
        start, _, step = single["reads"][0]
        frames = list(range(start, 13, step or 1))
        assert answer["frames"] == frames
        walk.assert_some_image(one, frames, answer["found"])


@contract("generalization")
def test_slices_one_after_the_other(candidate, walk, rng):
    one = walk.slow(rng)
    slices = [[3, None, None], [5, None, 2], [5, None, 2], [2, 9, 3], [0, None, 4]]
    (answer,) = candidate(walk.watch, [walk.job(one, slices)])
    at = 0
    for start, stop, step in slices:
        frames = list(range(13))[start:stop:step]
        assert answer["frames"][at : at + len(frames)] == frames
        walk.assert_some_image(one, frames, answer["found"][at : at + len(frames)])
        at += len(frames)
    assert at == len(answer["frames"])
    assert np.abs(answer["found"][-4:] - one.path[[0, 4, 8, 12]]).max() <= walk.NEAR


@contract("generalization")
def test_backwards(candidate, walk, rng):
    one = walk.slow(rng)
    slices = [[None, None, -1], [None, None, -3], [8, None, -2]]
    stands = (0, 12, 5)
    jobs = [walk.job(one, [s], stand, {"check_continuity": c}) for s in slices for stand in stands for c in (True, False)]
    for single, answer in zip(jobs, candidate(walk.watch, jobs), strict=True):
        start, stop, step = single["reads"][0]
        frames = list(range(13))[start:stop:step]
        assert answer["frames"] == frames
        walk.assert_some_image(one, frames, answer["found"])


@contract("generalization")
def test_back_from_where_the_trajectory_was_read(candidate, walk, rng):
    one = walk.slow(rng)
    (answer,) = candidate(walk.watch, [walk.job(one, [*range(13), *range(11, -1, -1)])])
    # The turn at frame 12 changes the step, so from there on a new image is allowed; both ways are whole.
    walk.assert_some_image(one, list(range(13)), answer["found"][:13])
    walk.assert_some_image(one, list(range(11, -1, -1)), answer["found"][13:])


@contract("generalization")
def test_analyses_see_the_real_path(candidate, walk, rng):
    one = walk.slow(rng)
    runs = [{}, {"step": 3}, {"start": 4}, {"start": 1, "step": 2}, {}]
    answers = candidate(walk.analysed, one.file, one.boxes, runs)
    for options, answer in zip(runs, answers, strict=True):
        frames = list(range(options.get("start", 0), 13, options.get("step", 1)))
        assert answer["frames"] == frames
        walk.assert_some_image(one, frames, answer["found"])
        if "start" not in options:
            assert np.abs(answer["found"] - one.path[frames]).max() <= walk.NEAR
