# referee-canary 077 becb7508-372d-401a-bc02-da0d1000cf7e
"""What a smallest rectangle is, by the laws of plane geometry."""

import numpy as np

from referee.wall import contract, probe


@probe
def rings(sets):
    import numpy as np
    import shapely

    made = np.empty(len(sets), dtype=object)
    made[:] = [shapely.multipoints(points) for points in sets]
    boxes = shapely.oriented_envelope(made)
    assert boxes.shape == made.shape
    return [shapely.get_coordinates(box) for box in boxes]


@probe
def edges_of_hull(points):
    import shapely

    hull = shapely.convex_hull(shapely.multipoints(points))
    return shapely.get_coordinates(shapely.oriented_envelope(hull))


def all_good(plane, found, sets, best=None):
    assert len(found) == len(sets)
    best = [None] * len(sets) if best is None else best
    faults = [plane.fault(r, p, b) for r, p, b in zip(found, sets, best, strict=True)]
    faults = [f for f in faults if f]
    assert not faults, f"{len(faults)} of {len(sets)}: " + "; ".join(faults[:3])


@contract("knowledge")
def test_outline_of_the_report_and_its_mirror_image(candidate, plane):
    five = np.array([(0, 0), (7, 0), (7, 3), (3, 6), (0, 7)], dtype=float)
    sets = [five, five[:, ::-1], five * [-1, 1], five[::-1] + 3]
    all_good(plane, candidate(rings, sets), sets, [49.0] * 4)


@contract("knowledge")
def test_triangles_fill_half_of_their_rectangles(candidate, plane, rng):
    sets, best = [], []
    for _ in range(60):
        triangle = rng.normal(size=(3, 2)) * [rng.uniform(0.2, 4), 1]
        (ax, ay), (bx, by), (cx, cy) = triangle
        sets.append(triangle)
        best.append(abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)))
    all_good(plane, candidate(rings, sets), sets, best)


@contract("knowledge")
def test_regular_polygons_have_the_rectangles_of_the_formula(candidate, plane, rng):
    sets, best = [], []
    for n in range(3, 16):
        radius, turn = rng.uniform(0.5, 20), rng.uniform(0, 7)
        angle = turn + 2 * np.pi * np.arange(n) / n
        sets.append(radius * np.column_stack([np.cos(angle), np.sin(angle)]))
        # Width across the edge, and along it.
        if n % 2:
            across = 1 + np.cos(np.pi / n)
            along = 2 * np.cos(np.pi / (2 * n))
        else:
            across = 2 * np.cos(np.pi / n)
            along = 2 * np.cos(np.pi / n) if n % 4 == 0 else 2.0
        best.append(radius**2 * across * along)
    all_good(plane, candidate(rings, sets), sets, best)


@contract("knowledge")
def test_no_rectangle_at_any_angle_is_smaller(candidate, plane, rng):
    sets = [plane.hard(rng) for _ in range(40)]
    angles = np.linspace(0, np.pi / 2, 4001)
    for ring, points in zip(candidate(rings, sets), sets, strict=True):
        width, height = plane.extents(points, angles)
        assert plane.area(ring) <= np.min(width * height) * (1 + 1e-11)


@contract("knowledge")
def test_a_side_lies_along_an_edge_of_the_hull(candidate, plane, rng):
    sets = [plane.hard(rng) for _ in range(40)]
    for ring, points in zip(candidate(rings, sets), sets, strict=True):
        angles = plane.edge_angles(points)
        width, height = plane.extents(plane.hull(points), angles)
        # The edges that give the smallest area, to within rounding of the area.
        angles = angles[width * height <= np.min(width * height) * (1 + 1e-10)]
        side = np.asarray(ring)[1] - np.asarray(ring)[0]
        off = (np.arctan2(side[1], side[0]) - angles + np.pi / 4) % (np.pi / 2) - np.pi / 4
        # Edges shorter than 1e-4 are rare here, so directions are good to 1e-12 and better.
        assert np.min(np.abs(off)) <= 1e-9


@contract("knowledge")
def test_similar_figures_have_similar_rectangles(candidate, plane, rng):
    sets, best = [], []
    for _ in range(12):
        points = plane.hard(rng)
        smallest = plane.smallest_area(points)
        for mirror in (False, True):
            scale = float(10 ** rng.uniform(-3, 3))
            shift = rng.normal(size=2) * scale
            sets.append(plane.moved(points, rng.uniform(0, 7), scale, shift, mirror))
            best.append(smallest * scale**2)
    all_good(plane, candidate(rings, sets), sets, best)


@contract("knowledge")
def test_the_rectangle_of_the_rectangle_is_itself(candidate, plane, rng):
    sets = [plane.hard(rng) for _ in range(20)]
    first = candidate(rings, sets)
    second = candidate(rings, first)
    for once, twice, points in zip(first, second, sets, strict=True):
        assert not plane.fault(once, points)
        # Only the rounding of one more rotation of numbers of the order 1.
        gap = np.abs(np.asarray(once)[:4, None] - np.asarray(twice)[None, :4]).max(axis=2)
        assert gap.min(axis=1).max() <= 1e-12


@contract("generalization")
def test_random_outlines_that_are_hard(candidate, plane, rng):
    sets = [plane.hard(rng) for _ in range(150)]
    all_good(plane, candidate(rings, sets), sets)


@contract("generalization")
def test_outlines_of_many_corners(candidate, plane, rng):
    sets = [rng.normal(size=(n, 2)) for n in (40, 200, 400)]
    for n in (20, 45, 80):
        # A hard outline with its corners rounded off: a small circle around each.
        angle = np.sort(rng.uniform(0, 2 * np.pi, n))
        circle = 0.01 * np.column_stack([np.cos(angle), np.sin(angle)])
        points = plane.hard(rng, margin=1.08)[:, np.newaxis] + circle
        sets.append(points.reshape(-1, 2))
    all_good(plane, candidate(rings, sets), sets)


@contract("generalization")
def test_every_edge_of_the_hull_may_be_the_one(candidate, plane, rng):
    # The same outline, its corners listed from each of them, in both directions.
    sets = []
    for _ in range(6):
        corners = plane.hull(plane.hard(rng))
        for k in range(len(corners)):
            sets += [np.roll(corners, k, axis=0), np.roll(corners[::-1], k, axis=0)]
    all_good(plane, candidate(rings, sets), sets)
    for points in sets[::5]:
        assert not plane.fault(candidate(edges_of_hull, points), points)
