# referee-canary 059 573bea3e-6025-4343-98c6-244d96f7381c
"""Which spacings are taken, and by what: regions and the functions for moments."""

import numpy as np
import pytest

from referee.wall import contract

BASIC = (
    "area", "area_bbox", "area_convex", "area_filled", "axis_major_length", "axis_minor_length",
    "centroid", "centroid_local", "centroid_weighted", "centroid_weighted_local", "coords",
    "coords_scaled", "equivalent_diameter_area", "extent", "feret_diameter_max", "inertia_tensor",
    "inertia_tensor_eigvals", "moments", "moments_central", "moments_normalized",
    "moments_weighted", "moments_weighted_central", "moments_weighted_normalized", "num_pixels",
    "solidity",
)  # fmt: skip
ONLY_2D = ("eccentricity", "orientation", "perimeter", "perimeter_crofton")
WRONG_2D = (
    [1.0], [1.0, 2.0, 3.0], [], [[1.0, 2.0]], [0.0, 1.0], [1.0, -2.0], -1.0, 0.0,
    float("nan"), float("inf"), [1.0, float("nan")], [float("inf"), 1.0], [-float("inf"), 1.0],
)  # fmt: skip


@contract("exploration")
@pytest.mark.parametrize("ndim", [2, 3])
def test_one_number_stands_for_every_axis(candidate, rng, bench, ndim):
    labels = bench.blobs(rng, {2: (20, 24), 3: (11, 12, 13)}[ndim], 2)
    weights, size = rng.uniform(0.2, 3.0, labels.shape), float(rng.choice([0.25, 1.7, 3.0]))
    names = BASIC + (ONLY_2D if ndim == 2 else ())
    one = candidate(bench.regions, labels, weights, names, size)
    full = candidate(bench.regions, labels, weights, names, [size] * ndim)
    for a, b in zip(one, full, strict=True):
        for name in names:
            np.testing.assert_allclose(a[name], b[name], rtol=1e-12, err_msg=name)
    want = bench.measure(labels, weights, np.full(ndim, size))
    bench.all_same(one, want, ("centroid_weighted", *bench.WEIGHTED))
    count = np.bincount(labels.ravel())[1:]
    bench.close([row["area"] for row in one], count * size**ndim)


@contract("exploration")
def test_one_whole_number_for_every_axis(candidate, rng, bench):
    labels = bench.blobs(rng, (20, 24), 2)
    weights = rng.uniform(0.2, 3.0, labels.shape)
    one = candidate(bench.regions, labels, weights, ("area", "centroid_weighted"), 2)
    want = bench.measure(labels, weights, np.full(2, 2.0))
    bench.all_same(one, want, ("centroid_weighted",))
    bench.close([row["area"] for row in one], 4.0 * np.bincount(labels.ravel())[1:])
    columns = candidate(bench.table, labels, weights, ["centroid_weighted"], 2)
    bench.close(columns["centroid_weighted-1"], [row["centroid_weighted"][1] for row in want])


@contract("coverage")
@pytest.mark.parametrize("ndim", [2, 3])
def test_functions_take_one_number_or_one_for_each_axis(candidate, rng, bench, ndim):
    image = rng.uniform(0.2, 2.0, (6, 7, 8)[:ndim])
    index, w = np.argwhere(image > 0), image.ravel()
    number = float(rng.uniform(0.3, 3.0))
    for spacing in (number, bench.sizes(rng, ndim).tolist()):
        size = np.broadcast_to(spacing, (ndim,))
        x, options = index * size, {"spacing": spacing}
        mean = w @ x / w.sum()
        central, tensor = bench.sums(x - mean, w), bench.inertia(bench.covariance(x, w))
        for name, args, want in (
            ("moments", [image], bench.sums(x, w)),
            ("moments_central", [image], central),
            ("moments_central", [image, mean], central),
            ("moments_normalized", [central], bench.normalized(central, size)),
            ("centroid", [image], mean),
            ("inertia_tensor", [image], tensor),
            ("inertia_tensor", [image, central], tensor),
            ("inertia_tensor_eigvals", [image], np.linalg.eigvalsh(tensor)[::-1]),
        ):
            got = candidate(bench.call, name, args, options)
            if name == "moments_central":
                # Without a given centre the release leaves out powers that add up to more than 3.
                low = np.indices(got.shape).sum(axis=0) <= 3
                got, want = got[low], want[low]
            bench.close(got, want)


@contract("exploration")
def test_regions_refuse_a_spacing_that_makes_no_sense(candidate, rng, bench):
    labels = bench.blobs(rng, (20, 24), 1)
    for attribute in (None, "area", "centroid", "moments_normalized"):
        bench.refuses(candidate, "regionprops", labels, WRONG_2D, attribute)
    cube = bench.blobs(rng, (11, 12, 13), 1)
    wrong = [[1.0, 2.0], [1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 1.0], [1.0, 1.0, -1.0]]
    bench.refuses(candidate, "regionprops", cube, wrong)
    bench.refuses(candidate, "regionprops_table", labels, WRONG_2D)


@contract("exploration")
@pytest.mark.parametrize("name", ["moments", "moments_central", "moments_normalized", "centroid", "inertia_tensor"])
def test_functions_refuse_a_spacing_that_makes_no_sense(candidate, rng, bench, name):
    bench.refuses(candidate, name, rng.uniform(1.0, 2.0, (5, 5)), WRONG_2D)


@contract("regression")
def test_no_spacing_is_spacing_one(candidate, rng, bench):
    for ndim in (2, 3):
        labels = bench.blobs(rng, {2: (20, 24), 3: (11, 12, 13)}[ndim])
        weights = rng.uniform(0.2, 3.0, labels.shape)
        got = candidate(bench.regions, labels, weights, (*BASIC, "bbox"))
        size = np.ones(ndim)
        weighted = ("centroid_weighted", "centroid_weighted_local", *bench.WEIGHTED)
        bench.all_same(got, bench.measure(labels, weights, size), weighted)
        plain = ("centroid", "centroid_local", *bench.MOMENTS, "inertia_tensor")
        bench.all_same(got, bench.measure(labels, None, size), plain)
        ones = candidate(bench.regions, labels, weights, (*BASIC, "bbox"), [1] * ndim)
        for one, other in zip(got, ones, strict=True):
            for key, value in one.items():
                np.testing.assert_array_equal(value, other[key], err_msg=key)


@contract("regression")
@pytest.mark.parametrize("ndim", [2, 3])
def test_areas_coordinates_and_axes(candidate, rng, bench, ndim):
    labels = bench.blobs(rng, {2: (26, 34), 3: (11, 12, 13)}[ndim])
    size, origin = bench.sizes(rng, ndim), rng.integers(-20, 20, ndim)
    names = ("area", "area_bbox", "bbox", "coords", "coords_scaled", "num_pixels", "centroid",
             "extent", "axis_major_length", "axis_minor_length", "equivalent_diameter_area")  # fmt: skip
    got = candidate(bench.regions, labels, None, names, size.tolist(), origin)
    for label, row in enumerate(got, 1):
        index = np.argwhere(labels == label)
        low, high = index.min(axis=0), index.max(axis=0) + 1
        x, cell, n = index * size + origin, size.prod(), len(index)
        # 2-D: an axis is 4 standard deviations; 3-D: sqrt(20) of them.
        lengths = np.sqrt(np.linalg.eigvalsh(bench.covariance(x, np.ones(n)))[::-1])
        lengths *= 4 if ndim == 2 else np.sqrt(20)
        for name, want in (
            ("area", n * cell),
            ("area_bbox", (high - low).prod() * cell),
            ("bbox", [*low, *high]),
            ("coords", index + origin),
            ("coords_scaled", x),
            ("num_pixels", n),
            ("centroid", x.mean(axis=0)),
            ("extent", n / (high - low).prod()),
            ("axis_major_length", lengths[0]),
            ("equivalent_diameter_area", (2 * ndim * n * cell / np.pi) ** (1 / ndim)),
        ):
            bench.close(row[name], want)
        # The shortest axis is a difference of larger numbers and loses digits.
        assert abs(row["axis_minor_length"] - lengths[-1]) <= 1e-6 * lengths[0]


@contract("regression")
def test_intensities_and_order_of_regions(candidate, rng, bench):
    labels = bench.blobs(rng, (26, 34), 4)
    labels[labels == 2] = 0
    weights = rng.uniform(-2.0, 2.0, labels.shape)
    names = ("label", "intensity_max", "intensity_min", "intensity_mean")
    got = candidate(bench.regions, labels, weights, names, [0.5, 2.0])
    assert [int(row["label"]) for row in got] == [1, 3, 4]
    for row in got:
        inside = weights[labels == int(row["label"])]
        bench.close([row[n] for n in names[1:]], [inside.max(), inside.min(), inside.mean()])


@contract("regression")
def test_what_has_no_meaning_on_a_grid_is_refused(candidate, rng, bench):
    labels = bench.blobs(rng, (20, 24), 1)
    for names in (
        ("moments_hu",),
        ("moments_weighted_hu",),
        ("perimeter",),
        ("perimeter_crofton",),
    ):
        bench.raises(
            candidate, "NotImplementedError", bench.regions, labels, 1.0 * labels, names, [1.0, 2.0]
        )
    bench.raises(
        candidate, "ValueError", bench.regions, labels, None, ("area",), None, np.array([1, 2, 3])
    )
    bench.raises(candidate, "TypeError", bench.regions, 1.0 * labels, None, ("area",))
    bench.raises(candidate, "ValueError", bench.call, "moments_normalized", [np.ones((3, 3))], {})


@contract("regression")
def test_hu_moments_and_perimeters_of_square_pixels(candidate, rng, bench):
    labels = bench.blobs(rng, (20, 24), 2)
    weights = rng.uniform(0.2, 3.0, labels.shape)
    names = ("moments_hu", "moments_weighted_hu", "perimeter", "perimeter_crofton")
    plain = candidate(bench.regions, labels, weights, names)
    ones = candidate(bench.regions, labels, weights, names, [1, 1])
    for one, other in zip(plain, ones, strict=True):
        for name in names:
            np.testing.assert_array_equal(one[name], other[name])
    for row, want in zip(plain, bench.measure(labels, None, np.ones(2)), strict=True):
        nu = want["moments_normalized"]
        # The first two of Hu's invariants, by their definition.
        first = [nu[2, 0] + nu[0, 2], (nu[2, 0] - nu[0, 2]) ** 2 + 4 * nu[1, 1] ** 2]
        bench.close(row["moments_hu"][:2], first)
    scaled = candidate(bench.regions, labels, weights, names[2:], [2.5, 2.5])
    for one, other in zip(plain, scaled, strict=True):
        for name in names[2:]:
            np.testing.assert_allclose(other[name], 2.5 * one[name], rtol=1e-12)


@contract("regression")
def test_types_and_orders_of_moments(candidate, rng, bench):
    for kind, want in (("float32", "float32"), ("float64", "float64"), ("uint8", "float64")):
        image = rng.integers(1, 9, (6, 7)).astype(kind)
        for options in ({}, {"spacing": [0.5, 2.0]}):
            got = candidate(bench.call, "moments", [image], {"order": 2, **options})
            assert got.shape == (3, 3)
            assert got.dtype == want
    mu = bench.sums(rng.normal(size=(20, 2)), np.ones(20), 4)
    for order in (2, 3):
        got = candidate(bench.call, "moments_normalized", [mu], {"order": order})
        want = bench.normalized(mu, np.ones(2))
        bench.close(got[: order + 1, : order + 1], want[: order + 1, : order + 1])
