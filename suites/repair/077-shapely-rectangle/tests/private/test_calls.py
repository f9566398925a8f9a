# referee-canary 077 becb7508-372d-401a-bc02-da0d1000cf7e
"""Each way to ask, and what belongs to an element-wise function beside its values."""

import numpy as np

from referee.wall import contract, probe


@probe
def every_way(points):
    import numpy as np
    import shapely

    one = shapely.multipoints(points)
    other = shapely.convex_hull(one)
    single = np.empty((), dtype=object)
    single[()] = one
    answers = {
        "oriented_envelope": shapely.oriented_envelope(one),
        "minimum_rotated_rectangle": shapely.minimum_rotated_rectangle(one),
        "by keyword": shapely.oriented_envelope(geometry=one),
        "property oriented_envelope": one.oriented_envelope,
        "property minimum_rotated_rectangle": one.minimum_rotated_rectangle,
        "property of the hull": other.minimum_rotated_rectangle,
        "from the submodule": shapely.constructive.oriented_envelope(one),
        "list": shapely.oriented_envelope([one])[0],
        "zero-dimensional": shapely.oriented_envelope(single),
        "two-dimensional": shapely.minimum_rotated_rectangle([[None, one]])[0, 1],
    }
    for name, answer in answers.items():
        assert isinstance(answer, shapely.Polygon), name
    return {name: shapely.get_coordinates(answer) for name, answer in answers.items()}


@probe
def shapes(sets):
    import numpy as np
    import shapely

    made = np.empty((2, 3), dtype=object)
    for k in range(6):
        made.flat[k] = shapely.multipoints(sets[k]) if k != 4 else None
    before = made.copy()
    whole = shapely.oriented_envelope(made)
    turned = shapely.oriented_envelope(made.T)
    part = shapely.oriented_envelope(made[:, ::2])
    made.setflags(write=False)
    locked = shapely.oriented_envelope(made)
    nothing = shapely.oriented_envelope(np.empty((0, 4), dtype=object))
    assert all(a is b for a, b in zip(made.flat, before.flat))
    assert isinstance(nothing, np.ndarray) and nothing.dtype == object

    def rows(array):
        return [None if g is None else shapely.get_coordinates(g) for g in array.ravel()]

    return {
        "shapes": [whole.shape, turned.shape, part.shape, locked.shape, nothing.shape],
        "whole": rows(whole),
        "turned": rows(turned.T),
        "part": rows(part),
        "locked": rows(locked),
    }


@probe
def with_output(sets):
    import numpy as np
    import shapely

    made = np.empty(3, dtype=object)
    made[:] = [shapely.multipoints(points) for points in sets]
    mark = shapely.Point(-5, -5)
    out = np.array([mark, mark, mark], dtype=object)
    same = shapely.oriented_envelope(made, out=out) is out
    masked = np.array([mark, mark, mark], dtype=object)
    same = same and shapely.minimum_rotated_rectangle(
        made, out=masked, where=np.array([True, False, True])
    ) is masked
    wide = np.empty((2, 3), dtype=object)
    same = same and shapely.oriented_envelope(made, out=wide) is wide
    try:
        shapely.oriented_envelope(made, out=np.empty(2, dtype=object))
        refused = False
    except ValueError:
        refused = True
    untouched = masked[1] is mark
    masked[1] = None

    def rows(array):
        return [None if g is None else shapely.get_coordinates(g) for g in array.ravel()]

    return [same, untouched, refused, rows(out), rows(masked), rows(wide)]


@probe
def in_container(sets):
    import numpy as np
    import shapely

    class Column:
        """A column of a table, which is no array but takes part in the ufunc protocol."""

        def __init__(self, cells, calls=()):
            self.cells = cells
            self.calls = list(calls)

        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("this column must not be turned into an array")

        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            assert isinstance(ufunc, np.ufunc) and method == "__call__"
            plain = [i.cells if isinstance(i, Column) else i for i in inputs]
            return Column(ufunc(*plain, **options), [*self.calls, ufunc.nin])

    cells = np.empty(len(sets), dtype=object)
    cells[:] = [shapely.multipoints(points) for points in sets]
    rows = []
    for function in (shapely.oriented_envelope, shapely.minimum_rotated_rectangle):
        answer = function(Column(cells))
        assert type(answer) is Column, type(answer)
        assert len(answer.calls) >= 1
        rows.append([shapely.get_coordinates(g) for g in answer.cells])
    return rows


@probe
def in_subclass(sets):
    import numpy as np
    import shapely

    class Layer(np.ndarray):
        pass

    made = np.empty(len(sets), dtype=object)
    made[:] = [shapely.multipoints(points) for points in sets]
    answer = shapely.oriented_envelope(made.view(Layer))
    return type(answer).__name__, [shapely.get_coordinates(g) for g in answer]


@probe
def references(sets, numbers):
    import numpy as np
    import shapely

    made = np.empty(len(sets), dtype=object)
    made[:] = [shapely.multipoints(points) for points in sets]
    made = shapely.set_srid(made, numbers)
    boxes = shapely.oriented_envelope(made)
    kept = shapely.get_srid(made).tolist()
    alone = [int(shapely.get_srid(g.minimum_rotated_rectangle)) for g in made]
    hulls = shapely.convex_hull(made)
    hulls = shapely.set_srid(hulls, numbers)
    of_hulls = shapely.get_srid(shapely.oriented_envelope(hulls)).tolist()
    rows = [shapely.get_coordinates(g) for g in boxes]
    return shapely.get_srid(boxes).tolist(), alone, of_hulls, kept, rows


@probe
def degenerate(direction):
    import shapely

    (ax, ay), (bx, by) = direction
    cases = {
        "two points": shapely.MultiPoint([(ax, ay), (bx, by)]),
        "line": shapely.LineString([(ax, ay), (bx, by)]),
        "line there and back": shapely.LineString([(ax, ay), (bx, by), (ax, ay)]),
        "three on an axis": shapely.MultiPoint([(ax, 2), (bx, 2), ((ax + bx) / 2, 2)]),
        "point": shapely.Point(ax, ay),
        "same point twice": shapely.LineString([(ax, ay), (ax, ay)]),
        "points in one place": shapely.MultiPoint([(bx, by)] * 3),
        "collection": shapely.GeometryCollection([shapely.Point(ax, ay), shapely.Point()]),
    }
    cases = {name: shapely.set_srid(g, 31) for name, g in cases.items()}
    rows = {}
    for name, geometry in cases.items():
        answer = shapely.oriented_envelope(geometry)
        rows[name] = [
            answer.geom_type,
            sorted(shapely.get_coordinates(answer).tolist()),
            int(shapely.get_srid(answer)),
            float(answer.area),
        ]
    return rows


@probe
def empties():
    import shapely

    kinds = ["POINT", "LINESTRING", "LINEARRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING"]
    kinds += ["MULTIPOLYGON", "GEOMETRYCOLLECTION"]
    made = [shapely.set_srid(shapely.from_wkt(kind + " EMPTY"), 8) for kind in kinds]
    answers = shapely.oriented_envelope(made)
    assert shapely.oriented_envelope(None) is None
    assert shapely.minimum_rotated_rectangle([None, None]).tolist() == [None, None]
    return [[g.wkt, int(shapely.get_srid(g))] for g in answers]


@probe
def refusals():
    import numpy as np
    import shapely

    point = shapely.Point(0, 0)
    outline = shapely.MultiPoint([(0, 0), (7, 0), (7, 3), (3, 6), (0, 7)])
    wrong = [
        "POINT (1 1)", 1.5, np.nan, 0, False, [1.0, 2.0], [point, "x"], [outline, 3], b"",
        [outline, np.nan], np.zeros((3, 2)), object(),
    ]  # fmt: skip
    names = []
    for value in wrong:
        try:
            shapely.oriented_envelope(value)
            names.append("nothing")
        except Exception as error:
            names.append(type(error).__name__)
    for options in ({"nonsense": 1}, {"out": 5}):
        try:
            shapely.oriented_envelope(outline, **options)
            names.append("nothing")
        except Exception as error:
            names.append(type(error).__name__)
    return names


@probe
def siblings(points):
    import shapely

    g = shapely.multipoints(points)
    return {
        "envelope": list(shapely.bounds(shapely.envelope(g)).tolist()),
        "hull": float(shapely.area(shapely.convex_hull(g))),
        "circle": float(shapely.minimum_bounding_radius(g)),
        "clearance": float(shapely.minimum_clearance(g)),
        "points": shapely.get_coordinates(g),
    }


def good(plane, rows, sets):
    assert len(rows) == len(sets)
    for ring, points in zip(rows, sets, strict=True):
        if points is None:
            assert ring is None
        else:
            fault = plane.fault(ring, points)
            assert not fault, fault


@contract("generalization")
def test_each_way_to_ask_gives_the_smallest(candidate, plane, rng):
    for _ in range(4):
        points = plane.hard(rng)
        for name, ring in candidate(every_way, points).items():
            fault = plane.fault(ring, points)
            assert not fault, f"{name}: {fault}"


@contract("generalization")
def test_arrays_of_any_shape_and_layout(candidate, plane, rng):
    sets = [plane.hard(rng) for _ in range(6)]
    answer = candidate(shapes, sets)
    assert [tuple(s) for s in answer["shapes"]] == [(2, 3), (3, 2), (2, 2), (2, 3), (0, 4)]
    sets[4] = None
    for name in ("whole", "turned", "locked"):
        good(plane, answer[name], sets)
    good(plane, answer["part"], [sets[0], sets[2], sets[3], sets[5]])


@contract("exploration")
def test_output_arrays_and_masks(candidate, plane, rng):
    sets = [plane.hard(rng) for _ in range(3)]
    same, untouched, refused, out, masked, wide = candidate(with_output, sets)
    assert same is True
    assert untouched is True
    assert refused is True
    good(plane, out, sets)
    good(plane, masked, [sets[0], None, sets[2]])
    good(plane, wide, sets + sets)


@contract("exploration")
def test_containers_that_take_over_ufuncs(candidate, plane, rng):
    sets = [plane.hard(rng) for _ in range(4)]
    for rows in candidate(in_container, sets):
        good(plane, rows, sets)


@contract("exploration")
def test_subclasses_of_arrays_stay_subclasses(candidate, plane, rng):
    sets = [plane.hard(rng) for _ in range(4)]
    name, rows = candidate(in_subclass, sets)
    assert name == "Layer"
    good(plane, rows, sets)


@contract("exploration")
def test_the_spatial_reference_stays_with_each_geometry(candidate, plane, rng):
    sets = [plane.hard(rng) for _ in range(5)]
    numbers = [4326, 0, int(rng.integers(2000, 32000)), 3857, int(rng.integers(1, 2000))]
    together, alone, of_hulls, kept, rows = candidate(references, sets, numbers)
    good(plane, rows, sets)
    assert kept == numbers
    assert together == numbers
    assert alone == numbers
    assert of_hulls == numbers


@contract("regression")
def test_points_and_lines_stay_points_and_lines(candidate, rng):
    ends = np.sort(np.round(rng.normal(size=(2, 2)), 3), axis=0)
    ends[1] += 1
    rows = candidate(degenerate, ends)
    a, b = ends.tolist()
    line = sorted([a, b])
    flat = [[a[0], 2.0], [b[0], 2.0]]
    expected = {
        "two points": ["LineString", line],
        "line": ["LineString", line],
        "line there and back": ["LineString", line],
        "three on an axis": ["LineString", flat],
        "point": ["Point", [a]],
        "same point twice": ["Point", [a]],
        "points in one place": ["Point", [b]],
        "collection": ["Point", [a]],
    }
    assert rows.keys() == expected.keys()
    for name, (kind, coordinates) in expected.items():
        assert rows[name] == [kind, coordinates, 31, 0.0], name


@contract("regression")
def test_missing_and_empty_geometries(candidate):
    assert candidate(empties) == [["POLYGON EMPTY", 8]] * 8


@contract("regression")
def test_what_is_no_geometry_is_refused(candidate):
    assert set(candidate(refusals)) == {"TypeError"}


@contract("regression")
def test_neighbouring_functions_are_left_alone(candidate, plane, rng):
    for _ in range(5):
        points = plane.hard(rng)
        answer = candidate(siblings, points)
        assert answer["envelope"] == [*points.min(axis=0).tolist(), *points.max(axis=0).tolist()]
        assert (answer["points"] == points).all()
        corners = plane.hull(points)
        closed = np.concatenate([corners, corners[:1]])
        # A dozen products of numbers of the order 1.
        assert abs(answer["hull"] - plane.area(closed)) <= 1e-13
        gaps = np.hypot(*(points[:, None] - points[None]).T)
        assert abs(answer["clearance"] - gaps[np.triu_indices(len(points), 1)].min()) <= 1e-13
        # No circle is smaller than half the largest distance, nor larger than Jung's bound.
        assert gaps.max() / 2 - 1e-12 <= answer["circle"] <= gaps.max() / np.sqrt(3) + 1e-12
