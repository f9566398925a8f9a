# referee-canary 090 49989f33-f65e-4f65-8eab-ede1ac2e1319
"""Acquisitions are read and written with their schedules."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract

COMPLEX = {"cplex": True}


def acquisition(rng, magnet, increments=(9,), count=4, **options):
    points = magnet.some_points(rng, increments, count)
    fids = magnet.whole_fids(rng, count * 2 ** len(increments))
    return points, fids, magnet.files(points, fids, **options)


def shaped(fids):
    return {"shape": list(fids.shape), **COMPLEX}


@contract("knowledge")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
@pytest.mark.parametrize("increments", [(8,), (5, 4), (3, 2, 4)])
def test_from_files_to_the_grid(candidate, rng, magnet, how, increments):
    places = magnet.some_points(rng, increments, 6)
    fids = magnet.whole_fids(rng, 6 * 2 ** len(increments))
    files = magnet.files([p[::-1] for p in places], fids)
    shape = [*(2 * n for n in increments), magnet.FID]
    answer = candidate(magnet.files_to_grid, files, shape, how, shaped(fids))
    np.testing.assert_array_equal(answer["grid"], magnet.filled(fids, shape, places))


@contract("exploration")
def test_data_that_does_not_fill_the_grid_it_is_read_with(candidate, rng, magnet):
    # The shape of the dense grid, 10 x 8, and a file that holds less: the reader warns and gives a
    # flat array.
    places = magnet.some_points(rng, (5, 4), 7)
    fids = magnet.whole_fids(rng, 28)
    shape = [10, 8, magnet.FID]
    files = magnet.files([p[::-1] for p in places], fids)
    options = {"shape": shape, **COMPLEX}
    answer = candidate(magnet.files_to_grid, files, shape, "eager", options)
    assert answer["read"] == [28 * magnet.FID]
    np.testing.assert_array_equal(answer["grid"], magnet.filled(fids, shape, places))


@contract("coverage")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
@pytest.mark.parametrize("increments", [(9,), (5, 6), (3, 4, 2)])
def test_the_schedule_is_in_the_dictionary(candidate, rng, magnet, how, increments):
    points, fids, files = acquisition(rng, magnet, increments, 5)
    answer = candidate(magnet.acquire, files, ".", how, shaped(fids))
    assert answer["plain"]
    assert answer["schedule"] == points
    assert answer["warned"] == []
    np.testing.assert_array_equal(answer["data"], fids)


@contract("exploration")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
def test_the_schedule_lies_where_the_data_lies(candidate, rng, magnet, how):
    points, fids, files = acquisition(rng, magnet)
    moved = {f"sample/7/{name}": content for name, content in files.items()}
    # other schedules in the folder that was asked for, and in the present one
    moved["sample/7/pdata/1/nuslist"] = "1\n2\n3\n4\n"
    moved["nuslist"] = "4\n3\n2\n1\n"
    for where in ("sample/7", "sample/7/pdata/1"):
        answer = candidate(magnet.acquire, moved, where, how, shaped(fids))
        assert answer["schedule"] == points
        np.testing.assert_array_equal(answer["data"], fids)


@contract("exploration")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
def test_a_lost_schedule(candidate, rng, magnet, how):
    _, fids, files = acquisition(rng, magnet, schedule=None)
    answer = candidate(magnet.acquire, files, ".", how, shaped(fids))
    assert "nuslist" not in answer["keys"]
    assert answer["warned"] == [True]
    np.testing.assert_array_equal(answer["data"], fids)


@contract("regression")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
@pytest.mark.parametrize("kind", [None, 0, 1, 3])
def test_other_acquisitions_have_no_schedule(candidate, rng, magnet, how, kind):
    for schedule in ("nuslist", None):
        _, fids, files = acquisition(rng, magnet, kind=kind, schedule=schedule)
        answer = candidate(magnet.acquire, files, ".", how, shaped(fids))
        assert answer["keys"] == ["FILE_SIZE", "acqu2s", "acqus"]
        assert answer["warned"] == []
        np.testing.assert_array_equal(answer["data"], fids)


@contract("regression")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
def test_reading_without_parameters(candidate, rng, magnet, how):
    _, fids, files = acquisition(rng, magnet)
    options = {**shaped(fids), "read_acqus": False}
    answer = candidate(magnet.acquire, files, ".", how, options)
    assert answer["keys"] == ["FILE_SIZE"]
    assert answer["warned"] == []
    np.testing.assert_array_equal(answer["data"], fids)


@contract("generalization")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
def test_the_other_byte_order(candidate, rng, magnet, how):
    points, fids, files = acquisition(rng, magnet, big=True)
    answer = candidate(magnet.acquire, files, ".", how, shaped(fids))
    assert answer["schedule"] == points
    np.testing.assert_array_equal(answer["data"], fids)


@contract("generalization")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
def test_writing_and_reading_again(candidate, rng, magnet, how):
    points, fids, files = acquisition(rng, magnet, (5, 6), 5)
    write = {"folder": "copy/1", "overwrite": [False, False, True]}
    answer = candidate(magnet.acquire, files, ".", how, shaped(fids), write)
    # the second time there are files already
    assert answer["refused"] == [False]
    assert {"acqu2s", "acqu3s", "acqus", "nuslist", "ser"} <= set(answer["written"])
    again = answer["again"]
    assert again["schedule"] == points
    assert again["warned"] == []
    np.testing.assert_array_equal(again["data"], fids)


@contract("exploration")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
def test_another_schedule_is_not_overwritten_unasked(candidate, rng, magnet, how):
    points, fids, files = acquisition(rng, magnet)
    files["copy/nuslist"] = "1\n"
    for overwrite in (False, True):
        write = {"folder": "copy", "overwrite": [overwrite]}
        answer = candidate(magnet.acquire, files, ".", how, shaped(fids), write)
        assert answer["refused"] == ([] if overwrite else [False])
        if overwrite:
            assert answer["again"]["schedule"] == points


@contract("regression")
@pytest.mark.parametrize("how", ["eager", "lowmem"])
def test_writing_other_acquisitions(candidate, rng, magnet, how):
    _, fids, files = acquisition(rng, magnet, kind=0, schedule=None)
    write = {"folder": "copy", "overwrite": [False]}
    answer = candidate(magnet.acquire, files, ".", how, shaped(fids), write)
    assert answer["refused"] == []
    assert {"acqu2s", "acqus", "ser"} <= set(answer["written"])
    assert "nuslist" not in answer["written"]
    np.testing.assert_array_equal(answer["again"]["data"], fids)


@contract("coverage")
def test_schedules_as_people_write_them(candidate, rng, magnet):
    for text, points in (
        ("3\n1\n2\n", [[3], [1], [2]]),
        ("3\n1\n2", [[3], [1], [2]]),
        ("\n  3 4\n\n1\t2  \n\n", [[3, 4], [1, 2]]),
        ("0 1 2\r\n5 4 3\r\n", [[0, 1, 2], [5, 4, 3]]),
        ("120000 7\n7 120000\n", [[120000, 7], [7, 120000]]),
        ("2\n2\n0\n", [[2], [2], [0]]),
        ("007\n010\n", [[7], [10]]),
        ("", []),
        ("\n \n", []),
    ):
        answer = candidate(magnet.schedule_file, text)
        assert answer == {"plain": True, "points": points}
    points = rng.integers(0, 300, (40, 3)).tolist()
    for name, folder in (("nuslist", "deeper"), ("other.txt", "."), ("other.txt", "deeper")):
        answer = candidate(magnet.schedule_file, magnet.text_of(points), name, folder)
        assert answer == {"plain": True, "points": points}


@contract("exploration")
def test_schedules_that_are_none(candidate, magnet):
    def refused(error, *call):
        with pytest.raises(CandidateError) as caught:
            candidate(magnet.schedule_file, *call)
        assert caught.value.is_a(error)

    for text in ("1\ntwo\n", "1.5\n2\n", "1\n2 3\n", "1 2\n3\n", "1,2\n3,4\n", "1e3\n", "2.0\n"):
        refused("ValueError", text)
    refused("FileNotFoundError", None)
    refused("FileNotFoundError", None, "nuslist", "nowhere")


@contract("generalization")
def test_writing_schedules(candidate, rng, magnet):
    one, two = rng.integers(0, 300, (6, 2)).tolist(), rng.integers(0, 300, (3, 2)).tolist()
    for name, folder in (("nuslist", "."), ("other.txt", "new/folder")):
        for overwrite in (False, True):
            answer = candidate(magnet.write_schedule, [one, two], name, folder, overwrite)
            kept, refused = (two, []) if overwrite else (one, [3])
            assert answer["points"] == kept
            assert answer["refused"] == refused
            assert [line.split() for line in answer["text"].splitlines()] == [
                [str(i) for i in p] for p in kept
            ]
    answer = candidate(magnet.write_schedule, [one, two], "nuslist", ".", None)
    assert (answer["points"], answer["refused"]) == (one, [3])
