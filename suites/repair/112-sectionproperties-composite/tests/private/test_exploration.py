# referee-canary 112 ef43c121-43a3-4933-8a88-fa20c83068a3
"""Axes and sections that the report does not look at."""

import numpy as np
import pytest

from referee.wall import contract


@contract("exploration")
def test_bending_about_the_vertical_axis(candidate, sections, rng):
    """Parts side by side."""
    parts = sections.mapped(sections.random_layers(rng, 3), sections.rotation(-90))
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(answer["mp"], sections.expected(parts)[:2], rtol=sections.RTOL)


@contract("exploration")
def test_principal_axes_of_sections_without_symmetry(candidate, sections, rng):
    parts = sections.angle_section(rng)
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(answer["mp_p"], sections.expected(parts)[2:], rtol=sections.RTOL)


@contract("exploration")
@pytest.mark.parametrize("degrees", [30.0, -52.0, 117.0])
def test_a_turned_section_keeps_its_principal_moments(candidate, sections, rng, degrees):
    parts = sections.angle_section(rng)
    turned = sections.mapped(parts, sections.rotation(degrees), rng.uniform(-300, 300, 2))
    answer = candidate(sections.analyse, turned)
    np.testing.assert_allclose(answer["mp_p"], sections.expected(parts)[2:], rtol=sections.RTOL)
    np.testing.assert_allclose(sections.moments(answer), sections.expected(turned), rtol=sections.RTOL)


@contract("exploration")
def test_elastic_moduli_do_not_matter_about_x_and_y(candidate, sections, rng):
    parts = sections.random_layers(rng, 3)
    other = [{**p, "E": p["E"] * 10 ** rng.uniform(-1, 1)} for p in parts]
    for some in (parts, other):
        mp = candidate(sections.analyse, some)["mp"]
        np.testing.assert_allclose(mp, sections.expected(parts)[:2], rtol=sections.RTOL)


@contract("exploration")
def test_a_part_without_strength(candidate, sections, rng):
    """Cracked concrete, or a soft core: the axis may lie anywhere in it."""
    core = rng.uniform(40, 90)
    parts = sections.layers(
        [(60, 12, rng.uniform(200, 400), 200e3), (60, core, 0.0, 3e3), (60, 12, rng.uniform(200, 400), 200e3)]
    )
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(answer["mp"], sections.expected(parts)[:2], rtol=sections.RTOL)
    # all the strength of a tension face far below a weak upper part
    parts = sections.layers([(100, 10, 500.0, 200e3), (100, 150, 5.0, 30e3), (100, 30, 0.0, 30e3)])
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(answer["mp"], sections.expected(parts)[:2], rtol=sections.RTOL)


@contract("exploration")
def test_two_plates_with_a_gap(candidate, sections, rng):
    """Two laced plates with equal forces: force times distance, wherever the axis is in the gap."""
    strong, gap = float(rng.uniform(300, 600)), float(rng.uniform(30, 120))
    parts = [
        sections.part(sections.box(-40, 0, 40, 10), strong, 200e3),
        sections.part(sections.box(-20, 10 + gap, 20, 50 + gap), strong / 2, 70e3),
    ]
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(
        answer["mp"][0], 800 * strong * (5 + gap + 20), rtol=sections.RTOL
    )
    np.testing.assert_allclose(answer["mp"], sections.expected(parts)[:2], rtol=sections.RTOL)
