# referee-canary 112 ef43c121-43a3-4933-8a88-fa20c83068a3
"""Shapes other than layers."""

import numpy as np

from referee.wall import contract


@contract("generalization")
def test_bars_in_concrete(candidate, sections, rng):
    """Parts inside of another part, on both sides of the neutral axis."""
    parts = sections.reinforced(rng, int(rng.integers(2, 4)))
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(sections.moments(answer), sections.expected(parts), rtol=sections.RTOL)


@contract("generalization")
def test_a_filled_tube(candidate, sections, rng):
    outer, inner = sections.ring(20, -35, 80, 24), sections.ring(20, -35, 72, 24)
    parts = [
        sections.part(outer, 355, 210e3, [inner]),
        sections.part(inner, rng.uniform(20, 40), 30e3),
        # a stiffener above, with a gap
        sections.part(sections.box(5, 46, 35, 70), 460, 210e3),
    ]
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(answer["mp"], sections.expected(parts)[:2], rtol=sections.RTOL)


@contract("generalization")
def test_polygons_with_slanted_edges(candidate, sections, rng):
    """A trapezium, a triangle and a bent profile that share edges, turned by a random angle."""
    w = rng.uniform(40, 70)
    parts = [
        sections.part([(0, 0), (2 * w, 0), (1.5 * w, 50), (0.5 * w, 50)], rng.uniform(80, 200), 70e3),
        sections.part([(0.5 * w, 50), (1.5 * w, 50), (w, 50 + w)], rng.uniform(250, 500), 200e3),
        sections.part(
            [(2 * w, 0), (2 * w + 60, 0), (2 * w + 60, 12), (2 * w + 12, 12), (1.5 * w + 12, 50), (1.5 * w, 50)],
            rng.uniform(300, 700), 210e3,
        ),
    ]  # fmt: skip
    parts = sections.joined(parts)
    for degrees in (0.0, rng.uniform(5, 85)):
        turned = sections.mapped(parts, sections.rotation(degrees))
        answer = candidate(sections.analyse, turned)
        np.testing.assert_allclose(sections.moments(answer), sections.expected(turned), rtol=sections.RTOL)


@contract("generalization")
def test_cutting_a_part_into_pieces_changes_nothing(candidate, sections, rng):
    strong, weak = rng.uniform(300, 600), rng.uniform(60, 150)
    whole = sections.layers([(60, 80, weak, 70e3), (60, 12, strong, 200e3)])
    pieces, level = [], 0.0
    for height in (25.0, 17.0, 38.0):
        for x0, x1 in ((-30, -4), (-4, 30)):
            p = sections.part(sections.box(x0, level, x1, level + height), weak, 70e3)
            pieces.append({**p, "name": "block"})
        level += height
    pieces += [
        {**sections.part(sections.box(x0, 80, x1, 92), strong, 200e3), "name": "plate"}
        for x0, x1 in ((-30, 10), (10, 30))
    ]
    pieces = sections.joined(pieces)
    one, many = candidate(sections.analyse, whole), candidate(sections.analyse, pieces)
    np.testing.assert_allclose(many["mp"], one["mp"], rtol=sections.RTOL)
    np.testing.assert_allclose(one["mp"], sections.expected(whole)[:2], rtol=sections.RTOL)


@contract("generalization")
def test_a_hybrid_girder(candidate, sections, rng):
    """Three steels of one elastic modulus, and a slab; every axis at once, at any angle."""
    tf, tw, h, b = 20.0, 10.0, float(rng.uniform(250, 400)), float(rng.uniform(150, 220))
    parts = [
        sections.part(sections.box(-b / 2, 0, b / 2, tf), 460, 210e3),
        sections.part(sections.box(-tw / 2, tf, tw / 2, tf + h), 235, 210e3),
        sections.part(sections.box(-b / 3, tf + h, b / 3, 2 * tf + h), 355, 210e3),
        sections.part(sections.box(-250, 2 * tf + h, 300, 2 * tf + h + 90), rng.uniform(20, 35), 30e3),
    ]
    parts = sections.joined(parts)
    turned = sections.mapped(parts, sections.rotation(float(rng.uniform(10, 80))))
    answer = candidate(sections.analyse, turned)
    np.testing.assert_allclose(sections.moments(answer), sections.expected(turned), rtol=sections.RTOL)
