"""Public checks: the outlines of the report, and two that must stay right."""

import numpy as np

from referee.wall import contract, probe


@probe
def area(points):
    import shapely

    return float(shapely.oriented_envelope(shapely.multipoints(points)).area)


@probe
def of_a_line():
    import shapely

    line = shapely.oriented_envelope(shapely.LineString([(0, 0), (3, 3), (1, 1)]))
    return line.geom_type, shapely.get_coordinates(line)


@contract("knowledge")
def test_area_of_the_reported_outlines(candidate):
    five = np.array([(0, 0), (7, 0), (7, 3), (3, 6), (0, 7)], dtype=float)
    six = np.array([(2, 2), (2, 7), (5, 7), (7, 6), (7, 5), (4, 2)], dtype=float)
    assert abs(candidate(area, five) - 49) <= 1e-9
    assert abs(candidate(area, six) - 25) <= 1e-9


@contract("knowledge")
def test_a_triangle_fills_half_of_its_rectangle(candidate):
    triangle = np.array([(0, 0), (4, 0), (1, 3)], dtype=float)
    assert abs(candidate(area, triangle) - 12) <= 1e-9


@contract("regression")
def test_points_on_a_line_give_the_line(candidate):
    kind, ends = candidate(of_a_line)
    assert kind == "LineString"
    assert sorted(ends.tolist()) == [[0.0, 0.0], [3.0, 3.0]]
