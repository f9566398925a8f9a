# referee-canary 077 becb7508-372d-401a-bc02-da0d1000cf7e
"""Only positions count: kinds of geometry, extra points, third coordinates, places and sizes."""

import numpy as np

from referee.wall import contract, probe


@probe
def ring_of(kind, points, options):
    import numpy as np
    import shapely
    from shapely import geometry

    points = np.asarray(points)
    half = len(points) // 2
    if kind == "multipoint":
        made = geometry.MultiPoint(points)
    elif kind == "linestring":
        made = geometry.LineString(points)
    elif kind == "linearring":
        made = geometry.LinearRing(points)
    elif kind == "multilinestring":
        made = geometry.MultiLineString([points[:half], points[half:]])
    elif kind == "polygon":
        made = geometry.Polygon(points)
    elif kind == "polygon with hole":
        middle = points.mean(axis=0)
        made = geometry.Polygon(points, [middle + (points - middle) * 0.1])
    elif kind == "multipolygon":
        size = options["size"]
        made = geometry.MultiPolygon([geometry.box(x, y, x + size, y + size) for x, y in points])
    else:
        made = geometry.GeometryCollection(
            [
                geometry.Point(points[0]),
                geometry.Point(),
                geometry.LineString(points[1:3]),
                geometry.GeometryCollection([geometry.MultiPoint(points[2:])]),
            ]
        )
    box = shapely.oriented_envelope(made)
    assert type(box) is geometry.Polygon, type(box)
    assert len(box.interiors) == 0
    return shapely.get_coordinates(box), bool(box.has_z)


def good(candidate, plane, kind, points, around=None, **options):
    ring, has_z = candidate(ring_of, kind, points, options)
    flat = np.asarray(points if around is None else around)[:, :2]
    fault = plane.fault(ring, flat)
    assert not fault, f"{kind}: {fault}"
    assert has_z is False


@contract("coverage")
def test_lines_rings_and_points(candidate, plane, rng):
    for _ in range(4):
        points = plane.hard(rng)
        for kind in ("multipoint", "linestring", "multilinestring", "collection"):
            good(candidate, plane, kind, points)
        good(candidate, plane, "linearring", plane.hull(points))


@contract("coverage")
def test_convex_polygons_with_and_without_holes(candidate, plane, rng):
    for _ in range(8):
        corners = plane.hull(plane.hard(rng))
        good(candidate, plane, "polygon", corners)
        good(candidate, plane, "polygon with hole", corners)


@contract("coverage")
def test_concave_polygons_follow_their_hull(candidate, plane, rng):
    for _ in range(12):
        good(candidate, plane, "polygon", plane.star(plane.hard(rng), rng))


@contract("coverage")
def test_several_polygons_share_one_rectangle(candidate, plane, rng):
    for _ in range(10):
        while True:
            points = plane.hard(rng, margin=1.05)
            around = np.concatenate([points + [a, b] for a in (0, 0.01) for b in (0, 0.01)])
            if plane.area_of_narrowest(around) > 1.01 * plane.smallest_area(around):
                break
        good(candidate, plane, "multipolygon", points, around, size=0.01)


@contract("coverage")
def test_repeated_inner_and_shuffled_points_change_nothing(candidate, plane, rng):
    for _ in range(10):
        points = plane.hard(rng)
        weights = rng.dirichlet(np.ones(len(points)), 30)
        more = np.concatenate([points, points[:3], 0.98 * (weights @ points) + 0.02 * points.mean(0)])
        good(candidate, plane, "multipoint", more[rng.permutation(len(more))], points)
        # Points in the middle of straight edges are not corners of the hull.
        corners = np.round(plane.hull(points) * 64)
        split = np.stack([corners, (corners + np.roll(corners, -1, axis=0)) / 2], axis=1)
        good(candidate, plane, "polygon", split.reshape(-1, 2), corners)


@contract("coverage")
def test_a_third_coordinate_has_no_effect(candidate, plane, rng):
    for _ in range(5):
        points = plane.hard(rng)
        high = np.column_stack([points, rng.uniform(-50, 50, len(points))])
        good(candidate, plane, "multipoint", high)
        good(candidate, plane, "linestring", high)
        corners = plane.hull(points)
        high = np.column_stack([corners, rng.uniform(-50, 50, len(corners))])
        good(candidate, plane, "polygon", high)


@contract("exploration")
def test_small_figures_far_from_the_origin(candidate, plane, rng):
    # Buildings in metres in a map projection, leaves in a mosaic of images.
    for size, x, y in ((15.0, 4.2e5, 5.1e6), (0.4, -7.7e5, 9.9e6), (3e3, 1.2e7, -4e6)):
        for _ in range(4):
            points = plane.hard(rng, margin=1.05) * size + [x, y]
            good(candidate, plane, "multipoint", points)
            good(candidate, plane, "polygon", plane.hull(points))


@contract("exploration")
def test_very_small_and_very_large_figures(candidate, plane, rng):
    for power in (-12, -7, 7, 12):
        points = plane.hard(rng) * 10.0**power
        good(candidate, plane, "multipoint", points)
        good(candidate, plane, "polygon", plane.star(points, rng))


@contract("exploration")
def test_narrow_figures(candidate, plane, rng):
    for _ in range(12):
        points = plane.hard(rng)
        points = plane.moved(points * [1, 10.0 ** rng.uniform(-6, -2)], rng.uniform(0, 7))
        good(candidate, plane, "linestring", points)
