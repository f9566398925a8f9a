"""Public checks: the schedule of an acquisition, and two small grids."""

import numpy as np

from referee.wall import contract, probe


@probe
def schedule_of(text):
    import tempfile
    from pathlib import Path

    import numpy as np
    import nmrglue as ng

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        lines = ["##TITLE= x", "##$AQ_mod= 3", "##$FnTYPE= 2", "##$TD= 64", "##END="]
        (folder / "acqus").write_text("\n".join(lines) + "\n")
        (folder / "nuslist").write_text(text)
        np.zeros(512, "<i4").tofile(folder / "ser")
        dic, _ = ng.bruker.read(str(folder), shape=(8, 32), cplex=True, read_pulseprogram=False)
    return [list(point) for point in dic["nuslist"]]


@probe
def expand(data, shape, schedule):
    import nmrglue as ng

    return ng.proc_base.expand_nus(data, tuple(shape), [tuple(point) for point in schedule])


@contract("knowledge")
def test_the_schedule_is_read_with_the_data(candidate):
    assert candidate(schedule_of, "5\n0\n7\n2\n") == [[5], [0], [7], [2]]


@contract("knowledge")
def test_one_indirect_dimension(candidate):
    fids = np.arange(1.0, 41.0).reshape(8, 5)
    grid = np.zeros((16, 5))
    for row, point in enumerate([5, 0, 7, 2]):
        grid[2 * point : 2 * point + 2] = fids[2 * row : 2 * row + 2]
    answer = candidate(expand, fids, [16, 5], [[5], [0], [7], [2]])
    np.testing.assert_array_equal(answer, grid)


@contract("knowledge")
def test_the_example_with_two_indirect_dimensions(candidate):
    fids = np.arange(1.0, 25.0).reshape(8, 3)
    grid = np.zeros((6, 4, 3))
    places = [(4, 2), (4, 3), (5, 2), (5, 3), (0, 0), (0, 1), (1, 0), (1, 1)]
    for place, fid in zip(places, fids):
        grid[place] = fid
    answer = candidate(expand, fids, [6, 4, 3], [[1, 2], [0, 0]])
    np.testing.assert_array_equal(answer, grid)
