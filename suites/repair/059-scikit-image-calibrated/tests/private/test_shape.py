# referee-canary 059 573bea3e-6025-4343-98c6-244d96f7381c
"""Normalized moments and directions: what belongs to a shape and not to its grid."""

import numpy as np
import pytest

from referee.wall import contract

GRIDS = [(0.3, 0.3), (0.5, 0.15), (0.2, 0.6), (0.25, 0.75)]


def ellipse(radii, turn, size, middle=0.37):
    """Pixels whose middle lies in an ellipse with its longer axis at `turn` from the rows' axis."""
    half = max(radii) + 2 * max(size)
    n = [int(np.ceil(half / s)) for s in size]
    y, x = np.meshgrid(
        *[(np.arange(-k, k + 1) + middle) * s for k, s in zip(n, size, strict=True)],
        indexing="ij",
    )
    along, across = y * np.cos(turn) + x * np.sin(turn), x * np.cos(turn) - y * np.sin(turn)
    return ((along / radii[0]) ** 2 + (across / radii[1]) ** 2 <= 1).astype(int)


@contract("knowledge")
def test_normalized_moments_of_an_ellipse(candidate, rng, bench):
    """The covariance of a full ellipse is radius^2 / 4 along its axes; its area is pi a b."""
    radii, turn = (
        (float(rng.uniform(8, 11)), float(rng.uniform(4, 6))),
        float(rng.uniform(0.3, 1.2)),
    )
    axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    cov = axes @ np.diag(np.square(radii)) @ axes.T / 4 / (np.pi * radii[0] * radii[1])
    for size in GRIDS:
        mask = ellipse(radii, turn, size)
        names = ("moments_normalized", "moments_weighted_normalized")
        row = candidate(bench.regions, mask, 1.0 * mask, names, list(size))[0]
        for name in names:
            nu = row[name]
            # 600 to 3000 pixels: the border costs up to a percent; the fault is a factor of 2.
            got = np.array([[nu[2, 0], nu[1, 1]], [nu[1, 1], nu[0, 2]]])
            np.testing.assert_allclose(got, cov, atol=0.03 * np.abs(cov).max())


@contract("knowledge")
def test_normalized_moments_of_an_ellipsoid(candidate, rng, bench):
    """The variance of a full ellipsoid is radius^2 / 5 along an axis; its volume 4 pi abc / 3."""
    radii = rng.permutation([4.0, 5.0, 6.5])
    for size in ([0.4, 0.4, 0.4], [0.9, 0.3, 0.4], [0.35, 0.8, 0.5]):
        grid = np.stack(np.meshgrid(*[np.arange(-8, 8, s) for s in size], indexing="ij"), axis=-1)
        mask = ((grid / radii) ** 2).sum(axis=-1) <= 1
        nu = candidate(bench.regions, mask.astype(int), None, ("moments_normalized",), size)
        nu = nu[0]["moments_normalized"]
        want = radii**2 / 5 / (4 / 3 * np.pi * radii.prod()) ** (2 / 3)
        # About 4000 voxels: a few per cent for the border.
        np.testing.assert_allclose([nu[2, 0, 0], nu[0, 2, 0], nu[0, 0, 2]], want, rtol=0.06)


@contract("knowledge")
def test_normalized_moments_of_boxes(candidate, rng, bench):
    """n points in a row with distance s have the variance s^2 (n^2 - 1) / 12."""
    for ndim in (2, 3):
        size, n = bench.sizes(rng, ndim), rng.integers(2, 9, ndim)
        box = np.pad(np.ones(n, dtype=int), 2)
        nu = candidate(bench.regions, box, None, ("moments_normalized",), size)[0]
        got = [nu["moments_normalized"][tuple(2 * row)] for row in np.eye(ndim, dtype=int)]
        volume = (n * size).prod()
        bench.close(got, size**2 * (n**2 - 1) / 12 / volume ** (2 / ndim))


@contract("coverage")
@pytest.mark.parametrize("ndim", [2, 3])
def test_unweighted_moments_are_sums_over_pixels(candidate, rng, bench, ndim):
    names = ("centroid", "centroid_local", *bench.MOMENTS, "inertia_tensor")
    for _ in range(3):
        labels = bench.blobs(rng, {2: (26, 34), 3: (13, 15, 17)}[ndim])
        size = bench.sizes(rng, ndim)
        got = candidate(bench.regions, labels, None, names, size.tolist())
        bench.all_same(got, bench.measure(labels, None, size), names)


@contract("coverage")
@pytest.mark.parametrize("ndim", [2, 3, 4])
def test_the_function_for_normalized_moments(candidate, rng, bench, ndim):
    for order in (2, 3, 4):
        size = bench.sizes(rng, ndim)
        mu = bench.sums(rng.normal(size=(30, ndim)) * size, rng.uniform(1, 2, 30), order)
        got = candidate(
            bench.call, "moments_normalized", [mu], {"order": order, "spacing": size.tolist()}
        )
        bench.close(got, bench.normalized(mu, size))


@contract("exploration")
def test_directions_of_diagonal_objects(candidate, rng, bench):
    """Lines through pixel middles that lie at 45 degrees to both axes, on grids where they do."""
    n = int(rng.integers(5, 12))
    for down, right, size in (
        (1, 1, [1.0, 1.0]),
        (1, 1, [3.0, 3.0]),
        (1, 2, [2.0, 1.0]),
        (2, 1, [0.5, 1.0]),
        (4, 1, [0.25, 1.0]),
    ):
        mask = np.zeros((down * n + 3, right * n + 4), dtype=int)
        for i in range(n):
            mask[1 + down * i, 2 + right * i] = 1
        for image, sign in (
            (mask, 1),
            (mask[::-1], -1),
            (mask[:, ::-1], -1),
            (mask[::-1, ::-1], 1),
        ):
            got = candidate(
                bench.regions, np.ascontiguousarray(image), None, ("orientation",), size
            )
            assert float(got[0]["orientation"]) == pytest.approx(sign * np.pi / 4, abs=1e-9)


@contract("exploration")
def test_directions_change_little_with_the_grid(candidate, rng, bench):
    """A diagonal ellipse, on a grid where its second moments are alike and on others."""
    radii = (float(rng.uniform(8, 11)), float(rng.uniform(3, 5)))
    for sign in (1, -1):
        for size in ([0.5, 0.5], [0.5, 0.25], [0.2, 0.5], [0.5, 0.5001]):
            mask = ellipse(radii, sign * np.pi / 4, size, middle=0.0)
            got = candidate(bench.regions, mask, None, ("orientation",), size)[0]["orientation"]
            # Several hundred pixels: less than a degree; the fault turns by 90 degrees.
            assert bench.angle_between(float(got), sign * np.pi / 4) < 0.03


@contract("knowledge")
def test_directions_of_random_objects(candidate, rng, bench):
    """The direction is that of the eigenvector with the largest variance; a mirror turns its sign."""
    for unit in (1.0, 1e-6, 1e6):
        labels, size = bench.blobs(rng, (26, 34)), bench.sizes(rng, 2) * unit
        got = candidate(bench.regions, labels, None, ("orientation",), size)
        mirrored = candidate(
            bench.regions, np.ascontiguousarray(labels[:, ::-1]), None, ("orientation",), size
        )
        for label, (one, other) in enumerate(zip(got, mirrored, strict=True), 1):
            x, _ = bench.points(labels, label, size)
            values, vectors = np.linalg.eigh(bench.covariance(x, np.ones(len(x))))
            # A nearly round object has no direction worth a comparison.
            if values[1] > 1.05 * values[0]:
                want = np.arctan2(vectors[1, 1], vectors[0, 1])
                assert bench.angle_between(float(one["orientation"]), want) < 1e-7
                assert bench.angle_between(float(other["orientation"]), -want) < 1e-7
