# referee-canary 045 63cd09f1-79ac-42ad-86e2-e6b54f4886c3
"""Halos of linked faces in plain numpy, random tables of links, and the probe that pads.

Here a field is an array (face, y, x, ...), and a table of links is a list over faces of
{"X": [left, right], "Y": [left, right]}, each None or [face, axis, reversed].
"""

import numpy as np

from referee.wall import probe

CUBE = [
    {"X": [[3, "X", False], [1, "X", False]], "Y": [[4, "Y", False], [5, "Y", False]]},
    {"X": [[0, "X", False], [2, "X", False]], "Y": [[4, "X", False], [5, "X", True]]},
    {"X": [[1, "X", False], [3, "X", False]], "Y": [[4, "Y", True], [5, "Y", True]]},
    {"X": [[2, "X", False], [0, "X", False]], "Y": [[4, "X", True], [5, "X", False]]},
    {"X": [[3, "Y", True], [1, "Y", False]], "Y": [[2, "Y", True], [0, "Y", False]]},
    {"X": [[3, "Y", False], [1, "Y", True]], "Y": [[0, "Y", False], [2, "Y", True]]},
]
# Every edge of face 0 is linked to the other axis.
TURNED = [
    {"X": [[1, "Y", False], [1, "Y", False]], "Y": [[1, "X", True], [1, "X", True]]},
    {"X": [[0, "Y", True], [0, "Y", True]], "Y": [[0, "X", False], [0, "X", False]]},
]


def random_links(rng, faces, open_edges):
    """A random table: edges are paired at random, except for `open_edges` of them."""
    edges = [(face, axis, end) for face in range(faces) for axis in "XY" for end in (0, 1)]
    order = rng.permutation(len(edges)).tolist()
    table = [{"X": [None, None], "Y": [None, None]} for _ in range(faces)]
    kept = order[open_edges:]
    for i, j in zip(kept[::2], kept[1::2], strict=False):
        (f, a, s), (g, b, t) = edges[i], edges[j]
        table[f][a][s] = [g, b, s == t]
        table[g][b][t] = [f, a, s == t]
    return table


def halo(field, links, widths, mode="fill", fill=0.0):
    """The padded field, with NaN in the corners. `widths` is {axis: [left, right]}; `fill` a
    number or {axis: number}."""
    return _halo({"X": field}, "X", links, widths, mode, fill, vector=False)


def vector_halo(parts, along, links, widths, mode="fill", fill=0.0):
    """The padded component `along` of the vector field {"X": ..., "Y": ...}."""
    return _halo(parts, along, links, widths, mode, fill, vector=True)


def _halo(parts, along, links, widths, mode, fill, vector):
    own = np.asarray(parts[along], dtype=float)
    faces, n = own.shape[:2]
    (left, right), (low, high) = widths.get("X", (0, 0)), widths.get("Y", (0, 0))
    shape = (faces, n + low + high, n + left + right, *own.shape[3:])
    out = np.full(shape, np.nan)
    out[:, low : low + n, left : left + n] = own
    for face in range(faces):
        for axis, ends in links[face].items():
            before = widths.get(axis, (0, 0))[0]
            for end, link in enumerate(ends):
                for d in range(widths.get(axis, (0, 0))[end]):
                    line = _line(parts, along, face, axis, end, link, d, mode, fill, vector)
                    at = before + n + d if end else before - 1 - d
                    if axis == "X":
                        out[face, low : low + n, at] = line
                    else:
                        out[face, at, left : left + n] = line
    return out


def _line(parts, along, face, axis, end, link, d, mode, fill, vector):
    """The halo cells of one face at distance d from one edge, in the order of the cells beside."""
    if link is None:
        own = np.asarray(parts[along], dtype=float)[face]
        n = own.shape[0]
        if mode == "fill":
            value = fill[axis] if isinstance(fill, dict) else fill
            return np.full((n, *own.shape[2:]), float(value))
        if mode == "extend":
            at = n - 1 if end else 0
        else:
            at = d if end else n - 1 - d
        return own[:, at] if axis == "X" else own[at]
    other, turned, reverse = link
    name = along
    if vector and turned != axis:
        name = "Y" if along == "X" else "X"
    source = np.asarray(parts[name], dtype=float)[other]
    n = source.shape[0]
    from_left = (end == 1) != reverse
    at = d if from_left else n - 1 - d
    line = source[:, at] if turned == "X" else source[at]
    if turned != axis and not reverse:
        line = line[::-1]
    if vector and (
        (reverse and along == axis) or (turned != axis and not reverse and along != axis)
    ):
        line = -line
    return line


def laid(array, dims, extra=()):
    """An array (face, y, x, *extra) in the order `dims`."""
    return np.ascontiguousarray(
        np.transpose(array, [("face", "y", "x", *extra).index(d) for d in dims])
    )


def agree(answer, expected, dims, extra=()):
    """The answer has the dimensions `dims` in this order, and the expected values outside of the
    corners: values are copied, or copied with another sign, so they are equal exactly."""
    assert answer["dims"] == list(dims), f"{answer['dims']} for {list(dims)}"
    wanted = laid(expected, dims, extra)
    assert answer["values"].shape == wanted.shape
    known = ~np.isnan(wanted)
    got = np.asarray(answer["values"], dtype=float)
    np.testing.assert_array_equal(got[known], wanted[known])
    # Corners are not laid down, but something stands there.
    assert not np.isnan(got).any()


@probe
def pad_all(jobs):
    """Do the jobs, each {"links", "names", "values", "dims", "widths", ...}, and describe each
    result. Dimensions "x", "y" are centres of the axes, "xl", "yl" points at the left."""
    import numpy as np
    import xarray as xr
    from xgcm import Grid
    from xgcm.padding import pad

    def array(what):
        made = xr.DataArray(
            what["values"], dims=what["dims"], name=what.get("name"), attrs=what.get("attrs")
        )
        for dim in what.get("labels", []):
            made = made.assign_coords({dim: np.arange(made.sizes[dim]) * 10})
        return made.chunk(what["chunks"]) if "chunks" in what else made

    def grid_of(job, size):
        names = job.get("names", ["X", "Y"])
        called = dict(zip("XY", names, strict=True))
        table = None
        if job["links"] is not None:
            table = {}
            for face, row in enumerate(job["links"]):
                table[face] = {}
                for axis, ends in row.items():
                    table[face][called[axis]] = tuple(
                        (end[0], called[end[1]], end[2]) if end else None for end in ends
                    )
        cells = {d: np.arange(size) for d in ("x", "xl", "y", "yl")}
        cells["face"] = np.arange(job.get("faces", 1 if table is None else len(table)))
        return Grid(
            xr.Dataset(coords=cells),
            coords={
                names[0]: {"center": "x", "left": "xl"},
                names[1]: {"center": "y", "left": "yl"},
            },
            face_connections=None if table is None else {"face": table},
            periodic=False,
            autoparse_metadata=False,
        )

    def describe(result):
        return {
            "dims": [str(d) for d in result.dims],
            "values": result.values,
            "name": result.name,
            "attrs": {str(k): str(v) for k, v in result.attrs.items()},
            "kind": result.dtype.kind,
            "coords": [str(c) for c in result.coords],
            "lazy": result.chunks is not None,
        }

    answers = []
    for job in jobs:
        field = array(job)
        sizes = [field.sizes[d] for d in ("x", "xl", "y", "yl") if d in field.dims]
        grid = grid_of(job, sizes[0])
        called = dict(zip("XY", job.get("names", ["X", "Y"]), strict=True))
        widths = {called[axis]: tuple(pair) for axis, pair in job["widths"].items()}
        fill = job.get("fill", 0.0)
        if isinstance(fill, dict):
            fill = {called[axis]: value for axis, value in fill.items()}
        partner = data = None
        if "along" in job:
            data = {called[job["along"]]: field}
            if "partner" in job:
                other = "Y" if job["along"] == "X" else "X"
                partner = {called[other]: array(job["partner"])}
        else:
            data = field
        before = [field.copy(deep=True), dict(widths), None, None]
        if partner is not None:
            before[2:] = [dict(partner), next(iter(partner.values())).copy(deep=True)]
        results = []
        for _ in range(job.get("times", 1)):
            results.append(
                pad(
                    data,
                    grid,
                    boundary_width=widths,
                    boundary=job.get("mode", "fill"),
                    fill_value=fill,
                    other_component=partner,
                )
            )
        answer = describe(results[0])
        answer["again"] = all(r.identical(results[0]) for r in results)
        kept = field.identical(before[0]) and widths == before[1]
        if "along" in job:
            kept = (
                kept and list(data) == [called[job["along"]]] and next(iter(data.values())) is field
            )
        if partner is not None:
            kept = kept and list(partner) == list(before[2])
            kept = kept and next(iter(partner.values())).identical(before[3])
        answer["kept"] = bool(kept)
        answers.append(answer)
    return answers
