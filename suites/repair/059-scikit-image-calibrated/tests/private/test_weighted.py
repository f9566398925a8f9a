# referee-canary 059 573bea3e-6025-4343-98c6-244d96f7381c
"""Centroids and moments that are weighted with the intensity, on grids of every kind."""

import numpy as np
import pytest

from referee.wall import contract

SHAPES = {2: (26, 34), 3: (13, 15, 17)}
CENTROIDS = ("centroid_weighted", "centroid_weighted_local")


@contract("coverage")
@pytest.mark.parametrize("ndim", [2, 3])
def test_weighted_measurements_are_sums_over_pixels(candidate, rng, bench, ndim):
    names = (*CENTROIDS, *bench.WEIGHTED)
    for _ in range(3):
        labels, size = bench.blobs(rng, SHAPES[ndim]), bench.sizes(rng, ndim)
        weights = rng.uniform(0.2, 3.0, labels.shape)
        got = candidate(bench.regions, labels, weights, names, size.tolist())
        bench.all_same(got, bench.measure(labels, weights, size), names)


@contract("coverage")
@pytest.mark.parametrize("kind", ["uint8", "int32", "float32", "bool"])
def test_weights_of_other_types(candidate, rng, bench, kind):
    labels, size = bench.blobs(rng, SHAPES[2]), bench.sizes(rng, 2)
    weights = rng.integers(1, 2 if kind == "bool" else 200, labels.shape).astype(kind)
    got = candidate(bench.regions, labels, weights, CENTROIDS, size.tolist())
    bench.all_same(got, bench.measure(labels, weights, size), CENTROIDS)


@contract("coverage")
@pytest.mark.parametrize("ndim", [2, 3])
def test_each_channel_is_measured_by_itself(candidate, rng, bench, ndim):
    names = (*CENTROIDS, *bench.WEIGHTED)
    labels, size = bench.blobs(rng, SHAPES[ndim], 2), bench.sizes(rng, ndim)
    origin = rng.uniform(-30, 30, ndim)
    weights = rng.uniform(0.2, 3.0, (*labels.shape, 3))
    got = candidate(bench.regions, labels, weights, names, size.tolist(), origin)
    assert all(row[name].shape[-1] == 3 for row in got for name in names)
    for channel in range(3):
        want = bench.measure(labels, weights[..., channel], size, origin)
        bench.all_same([{n: r[n][..., channel] for n in names} for r in got], want, names)


@contract("knowledge")
@pytest.mark.parametrize("ndim", [2, 3])
def test_equal_weights_weigh_nothing(candidate, rng, bench, ndim):
    names = ("centroid", "centroid_local", *CENTROIDS)
    for spacing, origin in (
        (bench.sizes(rng, ndim), None),
        (None, rng.integers(-50, 50, ndim)),
        (bench.sizes(rng, ndim), rng.integers(-50, 50, ndim)),
    ):
        labels = bench.blobs(rng, SHAPES[ndim])
        weights = np.full(labels.shape, rng.uniform(0.5, 4.0))
        for row in candidate(bench.regions, labels, weights, names, spacing, origin):
            bench.close(row["centroid_weighted"], row["centroid"])
            bench.close(row["centroid_weighted_local"], row["centroid_local"])


@contract("exploration")
@pytest.mark.parametrize("ndim", [2, 3])
def test_a_part_of_an_image_is_measured_where_it_lies(candidate, rng, bench, ndim):
    """A region cut out with the origin of the cut has the place that it has in the whole."""
    names = ("centroid", "centroid_weighted")
    labels, size = bench.blobs(rng, SHAPES[ndim], 1), bench.sizes(rng, ndim)
    weights = rng.uniform(0.2, 3.0, labels.shape)
    whole = candidate(bench.regions, labels, weights, names, size)
    corner = np.argwhere(labels).min(axis=0) - rng.integers(0, 2, ndim)
    cut = tuple(slice(int(c), None) for c in corner)
    part = candidate(bench.regions, labels[cut], weights[cut], names, size, corner * size)
    for name in names:
        bench.close(part[0][name], whole[0][name])
    want = bench.measure(labels, weights, size)
    bench.all_same(whole, want, ("centroid_weighted",))


@contract("generalization")
@pytest.mark.parametrize("ndim", [2, 3])
def test_a_moved_object_moves_by_as_many_pixel_sizes(candidate, rng, bench, ndim):
    labels, size = bench.blobs(rng, SHAPES[ndim], 1), bench.sizes(rng, ndim)
    weights = rng.uniform(0.2, 3.0, labels.shape)
    before = rng.integers(1, 9, ndim)
    pad = [(int(b), 2) for b in before]
    names = (*CENTROIDS, *bench.WEIGHTED)
    at, moved = (
        candidate(bench.regions, a, w, names, size)[0]
        for a, w in ((labels, weights), (np.pad(labels, pad), np.pad(weights, pad)))
    )
    bench.close(moved["centroid_weighted"], at["centroid_weighted"] + before * size)
    for name in names[1:]:
        bench.close(moved[name], at[name])


@contract("generalization")
def test_pixels_cut_into_parts(candidate, rng, bench):
    """Each pixel becomes k x m smaller ones; their middle lies where the middle of the pixel lies."""
    labels, size = bench.blobs(rng, (14, 17), 2), bench.sizes(rng, 2)
    weights = rng.uniform(0.2, 3.0, labels.shape)
    parts = rng.choice([2, 3, 4, 5], 2, replace=False)
    fine_labels, fine_weights = (
        np.repeat(np.repeat(image, parts[0], axis=0), parts[1], axis=1)
        for image in (labels, weights)
    )
    names = ("centroid_weighted", "moments_weighted_central")
    coarse = candidate(bench.regions, labels, weights, names, size)
    fine = candidate(bench.regions, fine_labels, fine_weights, names, size / parts)
    # The first small pixel lies at the old origin, half a pixel less half a small one off its middle.
    shift = (size - size / parts) / 2
    # Variance of k points that are evenly spread over a pixel.
    spread = (size**2 - (size / parts) ** 2) / 12
    for old, new in zip(coarse, fine, strict=True):
        bench.close(new["centroid_weighted"], old["centroid_weighted"] + shift)
        a, b = old["moments_weighted_central"], new["moments_weighted_central"] / parts.prod()
        bench.close(b[2, 0], a[2, 0] + a[0, 0] * spread[0])
        bench.close(b[0, 2], a[0, 2] + a[0, 0] * spread[1])
        bench.close(b[1, 1] + a[0, 0], a[1, 1] + a[0, 0])


@contract("generalization")
def test_swapped_axes_swap_the_measurements(candidate, rng, bench):
    labels, size = bench.blobs(rng, SHAPES[3], 2), bench.sizes(rng, 3)
    weights, origin = rng.uniform(0.2, 3.0, labels.shape), rng.uniform(-9, 9, 3)
    order = rng.permutation(3)
    names = (*CENTROIDS, *bench.WEIGHTED)
    got = candidate(bench.regions, labels, weights, names, size, origin)
    swapped = candidate(
        bench.regions,
        np.ascontiguousarray(labels.transpose(order)),
        np.ascontiguousarray(weights.transpose(order)),
        names,
        size[order],
        origin[order],
    )
    for one, other in zip(got, swapped, strict=True):
        for name in CENTROIDS:
            bench.close(other[name], one[name][order])
        for name in bench.WEIGHTED:
            bench.close(other[name], one[name].transpose(order))


@contract("generalization")
def test_a_change_of_units(candidate, rng, bench):
    labels, size = bench.blobs(rng, SHAPES[2], 2), bench.sizes(rng, 2)
    weights, k = rng.uniform(0.2, 3.0, labels.shape), float(rng.uniform(20.0, 900.0))
    names = (*CENTROIDS, "moments_weighted_normalized", "moments_normalized")
    got = candidate(bench.regions, labels, weights, names, size)
    other = candidate(bench.regions, labels, weights, names, k * size)
    for one, two in zip(got, other, strict=True):
        for name in CENTROIDS:
            bench.close(two[name], k * one[name])
        for name in names[2:]:
            bench.close(two[name], one[name])
    bench.all_same(got, bench.measure(labels, weights, size), names[:3])


@contract("exploration")
@pytest.mark.parametrize("channels", [0, 1, 2])
def test_a_table_holds_what_the_regions_hold(candidate, rng, bench, channels):
    labels, size = bench.blobs(rng, SHAPES[2]), bench.sizes(rng, 2)
    weights = rng.uniform(0.2, 3.0, labels.shape + (channels,) * bool(channels))
    names = ["centroid", *CENTROIDS, "moments_weighted", "moments_weighted_normalized", "area"]
    got = candidate(bench.regions, labels, weights, names, size)
    columns = candidate(bench.table, labels, weights, names, size)
    wanted = set()
    for name in names:
        shape = got[0][name].shape
        for index in np.ndindex(shape):
            key = "-".join([name, *map(str, index)])
            wanted.add(key)
            column = np.array([row[name][index] for row in got])
            np.testing.assert_array_equal(columns[key], column)
    assert set(columns) == wanted


@contract("exploration")
def test_a_table_under_older_names(candidate, rng, bench):
    labels, size = bench.blobs(rng, SHAPES[2]), bench.sizes(rng, 2)
    weights = rng.uniform(0.2, 3.0, labels.shape)
    columns = candidate(bench.table, labels, weights, ["weighted_centroid"], size)
    want = bench.measure(labels, weights, size)
    for axis in range(2):
        bench.close(
            columns[f"weighted_centroid-{axis}"], [r["centroid_weighted"][axis] for r in want]
        )
