"""Public checks: part of what a repair has to hold."""

import numpy as np

from referee.wall import contract, probe

# Two faces of 4 x 4 cells: the left end of Y of face 0 meets the right end of X of face 1.
LINKS = [
    {"X": [None, None], "Y": [[1, "X", False], None]},
    {"X": [None, [0, "Y", False]], "Y": [None, None]},
]
# Two faces one after the other, in a ring along X.
RING = [{"X": [[1, "X", False], [1, "X", False]]}, {"X": [[0, "X", False], [0, "X", False]]}]
CELLS = np.arange(32.0).reshape(2, 4, 4)


@probe
def padded(values, dims, links, width):
    import numpy as np
    import xarray as xr
    from xgcm import Grid
    from xgcm.padding import pad

    table = {
        face: {axis: tuple(tuple(end) if end else None for end in ends) for axis, ends in row.items()}
        for face, row in enumerate(links)
    }
    size = values.shape[-1]
    cells = xr.Dataset(
        coords={"x": np.arange(size), "y": np.arange(size), "face": np.arange(len(links))}
    )
    grid = Grid(
        cells,
        coords={"X": {"center": "x"}, "Y": {"center": "y"}},
        face_connections={"face": table},
        autoparse_metadata=False,
    )
    field = xr.DataArray(values, dims=dims)
    result = pad(field, grid, {"X": (width, width), "Y": (width, width)}, "fill", -1.0)
    return {"dims": list(result.dims), "values": result.values}


@contract("knowledge")
def test_layout_of_a_halo_of_one_cell(candidate):
    for dims in (["face", "y", "x"], ["face", "x", "y"]):
        assert candidate(padded, CELLS, dims, LINKS, 1)["dims"] == dims


@contract("knowledge")
def test_halo_of_one_cell(candidate):
    for dims in (["face", "y", "x"], ["face", "x", "y"]):
        values = CELLS if dims[1] == "y" else CELLS.transpose(0, 2, 1)
        array = candidate(padded, values, dims, LINKS, 1)["values"]
        if dims[1] == "x":
            array = array.transpose(0, 2, 1)
        # Rows are Y. Before face 0 lies the last column of face 1, and after face 1 the first row
        # of face 0, both backwards.
        np.testing.assert_array_equal(array[0, 0, 1:5], CELLS[1, ::-1, 3])
        np.testing.assert_array_equal(array[1, 1:5, 5], CELLS[0, 0, ::-1])
        np.testing.assert_array_equal(array[0, 1:5, 0], -1.0)


@contract("regression")
def test_inner_cells_stay(candidate):
    answer = candidate(padded, CELLS, ["face", "y", "x"], RING, 2)
    assert answer["dims"] == ["face", "y", "x"]
    np.testing.assert_array_equal(answer["values"][:, 2:6, 2:6], CELLS)
