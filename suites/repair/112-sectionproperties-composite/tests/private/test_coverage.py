# referee-canary 112 ef43c121-43a3-4933-8a88-fa20c83068a3
"""Layers of other numbers, proportions and orders, about the axis of the report."""

import numpy as np
import pytest

from referee.wall import contract


@contract("coverage")
@pytest.mark.parametrize("count", [2, 3, 5])
def test_layers_of_any_number(candidate, sections, rng, count):
    parts = sections.random_layers(rng, count)
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(answer["mp"], sections.expected(parts)[:2], rtol=sections.RTOL)


@contract("coverage")
def test_a_strong_part_below_or_above(candidate, sections, rng):
    """Turning the section upside down keeps the moments; which side is `top` must not matter."""
    parts = sections.layers([(50, 30, 500, 200e3), (30, 90, 100, 70e3), (45, 12, 320, 210e3)])
    values = []
    for matrix in (np.eye(2), -np.eye(2)):
        moved = sections.mapped(parts, matrix, rng.uniform(-50, 50, 2))
        values.append(candidate(sections.analyse, moved)["mp"])
    np.testing.assert_allclose(values, [sections.expected(parts)[:2]] * 2, rtol=sections.RTOL)


@contract("coverage")
def test_the_order_of_the_parts_does_not_matter(candidate, sections, rng):
    parts = sections.random_layers(rng, 4)
    wanted = sections.expected(parts)[:2]
    for _ in range(2):
        mixed = [parts[k] for k in rng.permutation(4)]
        np.testing.assert_allclose(candidate(sections.analyse, mixed)["mp"], wanted, rtol=sections.RTOL)


@contract("coverage")
def test_position_and_mesh_do_not_matter(candidate, sections, rng):
    parts = sections.random_layers(rng, 3)
    wanted = sections.expected(parts)[:2]
    for mesh in (None, 120.0):
        moved = sections.mapped(parts, np.eye(2), rng.uniform(-2000, 2000, 2))
        answer = candidate(sections.analyse, moved, mesh)
        np.testing.assert_allclose(answer["mp"], wanted, rtol=sections.RTOL)


@contract("coverage")
def test_a_slight_difference_of_strength(candidate, sections, rng):
    """Close to the section of one material, where the error is small and may hide."""
    parts = sections.layers([(60, 50, 300.0, 200e3), (60, 20, 306.0, 200e3), (30, 40, 291.0, 200e3)])
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(answer["mp"], sections.expected(parts)[:2], rtol=sections.RTOL)
    extreme = sections.layers([(60, 100, 5.0, 10e3), (60, 2, 1500.0, 200e3), (60, 60, 30.0, 12e3)])
    answer = candidate(sections.analyse, extreme)
    np.testing.assert_allclose(answer["mp"], sections.expected(extreme)[:2], rtol=sections.RTOL)
