# referee-canary 045 63cd09f1-79ac-42ad-86e2-e6b54f4886c3
"""Dimensions, labels, arguments and runs: what padding must leave alone."""

import itertools

import numpy as np
import pytest

from referee.wall import contract, probe

WIDTHS = ({"X": [1, 1], "Y": [1, 1]}, {"X": [2, 2], "Y": [2, 2]}, {"X": [2, 0], "Y": [0, 1]})


@contract("exploration")
@pytest.mark.parametrize("length", [1, 2], ids=["one-time", "two-times"])
def test_a_further_dimension_keeps_its_place(candidate, halos, rng, length):
    n, links = 3, halos.TURNED
    field = rng.normal(size=(2, n, n, length))
    orders = list(itertools.permutations(("face", "y", "x", "time")))
    jobs, wanted = [], []
    for dims in [orders[i] for i in rng.permutation(len(orders))[:6]]:
        for widths in WIDTHS:
            values = halos.laid(field, dims, ["time"])
            jobs.append({"links": links, "widths": widths, "values": values, "dims": list(dims)})
            wanted.append((dims, halos.halo(field, links, widths)))
    for answer, (dims, expected) in zip(candidate(halos.pad_all, jobs), wanted, strict=True):
        halos.agree(answer, expected, dims, ["time"])


@contract("exploration")
def test_several_further_dimensions_of_a_vector(candidate, halos, rng):
    n, links, extra = 3, halos.TURNED, ["time", "depth"]
    parts = {axis: rng.normal(size=(2, n, n, 1, 2)) for axis in "XY"}
    jobs, wanted = [], []
    for dims in (
        ("time", "depth", "face", "y", "x"),
        ("time", "face", "depth", "x", "y"),
        ("x", "time", "y", "depth", "face"),
    ):
        for widths, (along, other) in itertools.product(WIDTHS[1:], ("XY", "YX")):
            job = {"links": links, "widths": widths, "along": along, "dims": list(dims)}
            job["values"] = halos.laid(parts[along], dims, extra)
            job["partner"] = {"values": halos.laid(parts[other], dims, extra), "dims": list(dims)}
            jobs.append(job)
            wanted.append((dims, halos.vector_halo(parts, along, links, widths)))
    for answer, (dims, expected) in zip(candidate(halos.pad_all, jobs), wanted, strict=True):
        halos.agree(answer, expected, dims, extra)


def named_jobs(halos, rng, vector):
    """The same padding with axes of many names, first and second in every sensible order."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    links = halos.TURNED
    values = [rng.normal(size=(2, 3, 3)) for _ in "XY"]
    jobs = []
    # One order of two names in a set is a coin's toss; 24 equal ones come once in 8 million.
    for _ in range(24):
        names = [first + "".join(rng.choice(letters, 6)) for first in "AB"]
        job = {
            "links": links, "names": names, "widths": {"X": [2, 2], "Y": [1, 2]},
            "mode": "extend", "values": values[0], "dims": ["face", "y", "x"],
        }  # fmt: skip
        if vector:
            job |= {"along": "X", "partner": {"values": values[1], "dims": ["face", "y", "x"]}}
        jobs.append(job)
    return jobs


@contract("exploration")
@pytest.mark.parametrize("kind", ["scalar", "vector"])
def test_corners_do_not_hang_on_names(candidate, halos, rng, kind):
    answers = candidate(halos.pad_all, named_jobs(halos, rng, kind == "vector"))
    first = answers[0]["values"]
    assert first.shape == (2, 6, 7)
    for answer in answers:
        assert answer["dims"] == ["face", "y", "x"]
        np.testing.assert_array_equal(answer["values"], first)


@contract("exploration")
def test_arguments_are_left_alone(candidate, halos, rng):
    n, jobs = 3, []
    for links in (halos.TURNED,):
        parts = {axis: rng.normal(size=(len(links), n, n)) for axis in "XY"}
        base = {"links": links, "dims": ["face", "y", "x"], "labels": ["x", "face"], "times": 2}
        for widths in WIDTHS:
            jobs.append({**base, "widths": widths, "values": parts["X"]})
            partner = {"values": parts["Y"], "dims": ["face", "y", "x"], "labels": ["y"]}
            jobs.append({**jobs[-1], "along": "X", "partner": {**partner, "name": "v"}})
    for answer in candidate(halos.pad_all, jobs):
        assert answer["kept"]
        assert answer["again"]


@contract("exploration")
def test_the_label_is_that_of_the_padded_field(candidate, halos, rng):
    n, jobs, wanted = 3, [], []
    attrs = {"X": {"units": "m/s", "long_name": "towards the east"}, "Y": {"units": "km/h"}}
    for links, widths in itertools.product((halos.TURNED,), WIDTHS[1:]):
        dims = ["face", "y", "x"]
        both = {
            a: {"values": rng.normal(size=(len(links), n, n)), "dims": dims, "attrs": attrs[a]}
            for a in "XY"
        }
        for along, other in ("XY", "YX"):
            for name, second in (("u", "v"), ("u", None), (None, "v")):
                job = {**both[along], "links": links, "widths": widths, "name": name}
                jobs.append({**job, "along": along, "partner": {**both[other], "name": second}})
                wanted.append((name, attrs[along]))
            jobs.append(job)
            wanted.append((name, attrs[along]))
    for answer, (name, label) in zip(candidate(halos.pad_all, jobs), wanted, strict=True):
        assert (answer["name"], answer["attrs"]) == (name, label)


@contract("generalization")
def test_kinds_of_numbers_and_lazy_data(candidate, halos, rng):
    n, links = 4, halos.TURNED
    widths = {"X": [1, 1], "Y": [1, 1]}
    whole = rng.integers(-99, 99, size=(2, n, n))
    jobs, wanted = [], []
    for dims in (("face", "y", "x"), ("x", "face", "y")):
        for field, kind, chunks in (
            (whole, "i", None),
            (whole > 0, "b", None),
            (whole.astype(complex).real.astype("f4"), "f", None),
            (whole.astype(float), "f", {"face": 1}),
            (whole, "i", {"x": 2, "y": 1}),
        ):
            job = {"links": links, "widths": widths, "mode": "extend", "dims": list(dims)}
            job |= {"values": halos.laid(field, dims)} | ({"chunks": chunks} if chunks else {})
            jobs.append(job)
            wanted.append((dims, halos.halo(field, links, widths), kind, chunks is not None))
    for answer, row in zip(candidate(halos.pad_all, jobs), wanted, strict=True):
        dims, expected, kind, lazy = row
        halos.agree(answer, expected, dims)
        assert (answer["kind"], answer["lazy"]) == (kind, lazy)


@contract("generalization")
def test_labelled_dimensions_lose_their_labels_only(candidate, halos, rng):
    n, links = 3, halos.TURNED
    field = rng.normal(size=(2, n, n, 2))
    jobs, wanted = [], []
    for dims, widths in itertools.product(
        (("time", "face", "y", "x"), ("face", "x", "y", "time")), WIDTHS[:2]
    ):
        job = {"links": links, "widths": widths, "values": halos.laid(field, dims, ["time"])}
        jobs.append({**job, "dims": list(dims), "labels": list(dims)})
        wanted.append((dims, halos.halo(field, links, widths)))
    for answer, (dims, expected) in zip(candidate(halos.pad_all, jobs), wanted, strict=True):
        halos.agree(answer, expected, dims, ["time"])
        assert answer["coords"] == []


@probe
def operate(values, dims, links, call, times):
    """Apply `call` to values at the cell centres, or to components of a vector at the left."""
    import numpy as np
    import xarray as xr
    from xgcm import Grid

    table = {
        face: {
            axis: tuple(tuple(end) if end else None for end in ends) for axis, ends in row.items()
        }
        for face, row in enumerate(links)
    }
    size = values[0].shape[dims.index("x")]
    cells = {d: np.arange(size) for d in ("x", "xl", "y", "yl")}
    grid = Grid(
        xr.Dataset(coords={**cells, "face": np.arange(len(links))}),
        coords={"X": {"center": "x", "left": "xl"}, "Y": {"center": "y", "left": "yl"}},
        face_connections={"face": table},
        boundary="extend",
        autoparse_metadata=False,
    )
    fields = [xr.DataArray(v, dims=dims) for v in values]
    partner = {"Y": fields[-1]}
    for _ in range(times):
        if call == "function":
            result = grid.apply_as_grid_ufunc(
                lambda a: a[..., 1:] - a[..., :-1],
                fields[0],
                axis=[["X"]],
                signature="(X:center)->(X:left)",
                boundary_width={"X": (1, 0)},
            )
        elif call == "vector":
            result = grid.diff({"X": fields[0]}, "X", to="left", other_component=partner)
        else:
            result = getattr(grid, call)(fields[0], "X", to="left")
    return {"dims": list(result.dims), "values": result.values, "left": len(partner)}


@contract("generalization")
def test_a_function_of_the_user_gets_the_dimensions_in_order(candidate, halos, rng):
    # The dimension that the function works on comes last, all others keep their order.
    for dims in (["time", "face", "y", "x"], ["y", "time", "face", "x"]):
        field = rng.normal(size=(2, 3, 3, 2))
        values = halos.laid(field, dims, ["time"])
        answer = candidate(operate, [values], dims, halos.TURNED, "function", 1)
        assert answer["dims"] == [*dims[:-1], "xl"]
        padded = halos.halo(field, halos.TURNED, {"X": [1, 0]})
        wanted = halos.laid(np.diff(padded, axis=2), dims, ["time"])
        # The same subtraction of the same numbers: exact.
        np.testing.assert_array_equal(answer["values"], wanted)


@contract("generalization")
def test_the_second_difference_of_a_vector_is_that_of_the_first(candidate, halos, rng):
    links = halos.CUBE
    parts = {axis: rng.normal(size=(6, 3, 3)) for axis in "XY"}
    dims = ["face", "y", "x"]
    answer = candidate(operate, [parts["X"], parts["Y"]], dims, links, "vector", 3)
    wanted = np.diff(halos.vector_halo(parts, "X", links, {"X": [1, 0]}), axis=2)
    np.testing.assert_array_equal(answer["values"], wanted)
    assert answer["left"] == 1


@contract("regression")
@pytest.mark.parametrize("call", ["diff", "interp", "min", "max"])
def test_operators_of_the_grid(candidate, halos, rng, call):
    dims = ["time", "face", "y", "x"]
    field = rng.normal(size=(6, 4, 4, 2))
    answer = candidate(operate, [halos.laid(field, dims, ["time"])], dims, halos.CUBE, call, 1)
    padded = halos.halo(field, halos.CUBE, {"X": [1, 0]})
    left, right = padded[:, :, :-1], padded[:, :, 1:]
    wanted = {
        "diff": right - left,
        "interp": 0.5 * (left + right),
        "min": np.minimum(left, right),
        "max": np.maximum(left, right),
    }[call]
    assert answer["dims"] == ["time", "face", "y", "xl"]
    # One rounding of a sum of numbers of size 1.
    np.testing.assert_allclose(answer["values"], halos.laid(wanted, dims, ["time"]), atol=1e-14)


@contract("regression")
@pytest.mark.parametrize("mode", ["fill", "extend", "periodic"])
def test_plain_grids(candidate, halos, rng, mode):
    (low, high), (left, right) = rng.integers(0, 4, size=(2, 2)).tolist()
    job = {"links": None, "mode": mode, "fill": 2.5}
    job |= {"widths": {"X": [left, right], "Y": [low, high]}, "attrs": {"units": "m"}, "name": "h"}
    field = rng.normal(size=(3, 5, 4, 4))
    jobs = [
        {**job, "values": field, "dims": ["time", "depth", "y", "x"]},
        {**job, "values": field.T, "dims": ["x", "y", "depth", "time"]},
    ]
    kind = {"fill": "constant", "extend": "edge", "periodic": "wrap"}[mode]
    options = {"constant_values": 2.5} if mode == "fill" else {}
    wanted = np.pad(field, [(0, 0), (0, 0), (low, high), (left, right)], kind, **options)
    plain, turned = candidate(halos.pad_all, jobs)
    np.testing.assert_array_equal(plain["values"], wanted)
    np.testing.assert_array_equal(turned["values"], wanted.T)
    assert [plain["dims"], turned["dims"]] == [j["dims"] for j in jobs]
    assert (plain["name"], plain["attrs"]) == ("h", {"units": "m"})


@contract("regression")
def test_no_width_no_change(candidate, halos, rng):
    field = rng.normal(size=(6, 3, 3, 2))
    dims = ["time", "x", "face", "y"]
    job = {"links": halos.CUBE, "widths": {"X": [0, 0], "Y": [0, 0]}, "dims": dims}
    job |= {"values": halos.laid(field, dims, ["time"]), "labels": ["x"]}
    (answer,) = candidate(halos.pad_all, [job])
    assert (answer["dims"], answer["coords"]) == (dims, ["x"])
    np.testing.assert_array_equal(answer["values"], job["values"])


@probe
def refused(links):
    import numpy as np
    import xarray as xr
    from xgcm import Grid
    from xgcm.padding import pad

    table = {
        face: {
            axis: tuple(tuple(end) if end else None for end in ends) for axis, ends in row.items()
        }
        for face, row in enumerate(links)
    }
    cells = {"x": np.arange(3), "y": np.arange(3), "face": np.arange(len(links))}
    grid = Grid(
        xr.Dataset(coords=cells),
        coords={"X": {"center": "x"}, "Y": {"center": "y"}},
        face_connections={"face": table},
        autoparse_metadata=False,
    )
    field = xr.DataArray(np.ones((len(links), 3, 3)), dims=("face", "y", "x"))
    words = []
    for partner in (None, {}):
        try:
            pad({"X": field}, grid, {"X": (1, 1)}, "fill", 0.0, partner)
            words.append("accepted")
        except Exception as error:
            words.append(type(error).__name__)
    return words


@contract("regression")
def test_one_component_alone_is_refused(candidate, halos):
    assert candidate(refused, halos.CUBE) == ["ValueError", "ValueError"]
