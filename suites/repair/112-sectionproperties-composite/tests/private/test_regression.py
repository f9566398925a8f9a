# referee-canary 112 ef43c121-43a3-4933-8a88-fa20c83068a3
"""What is right stays as it is."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract, probe


@probe
def refused(question, plastic):
    from sectionproperties.analysis import Section
    from sectionproperties.pre import Material
    from sectionproperties.pre.library import rectangular_section

    steel = Material("steel", 200e3, 0.3, 355, 1e-6, "grey")
    composite = question in ("get_s", "get_sp", "get_sf", "get_sf_p")
    geometry = rectangular_section(d=40, b=20, material=steel if composite else None)
    geometry.create_mesh(mesh_sizes=[0])
    section = Section(geometry)
    if plastic != "no geometric analysis":
        section.calculate_geometric_properties()
    if plastic != "no plastic analysis":
        section.calculate_plastic_properties()
    return float(getattr(section, question)()[0])


@contract("regression")
def test_rectangles_and_their_shape_factors(candidate, sections, rng):
    b, d = rng.uniform(20, 200, 2) * [1, 2.5]
    parts = [sections.part(sections.box(3, -7, 3 + b, -7 + d), 1.0, 1.0)]
    answer = candidate(sections.analyse, parts, None, True)
    np.testing.assert_allclose(answer["s"], [b * d**2 / 4, d * b**2 / 4], rtol=sections.RTOL)
    np.testing.assert_allclose(answer["sf"], [1.5] * 4, rtol=1e-5)
    np.testing.assert_allclose(answer["sf_p"], [1.5] * 4, rtol=1e-5)
    np.testing.assert_allclose(sorted(answer["sp"]), sorted(answer["s"]), rtol=sections.RTOL)
    np.testing.assert_allclose(answer["pc"], [3 + b / 2, -7 + d / 2], atol=1e-3)


@contract("regression")
def test_section_moduli_of_a_geometric_section(candidate, sections, rng):
    """Parts without materials: the integral of the distance from the line that halves the area."""
    parts = [{**p, "E": 1.0, "fy": 1.0} for p in sections.angle_section(rng)]
    parts = sections.mapped(parts, sections.rotation(rng.uniform(10, 70)))
    answer = candidate(sections.analyse, parts, None, True)
    np.testing.assert_allclose([*answer["s"], *answer["sp"]], sections.expected(parts), rtol=sections.RTOL)
    np.testing.assert_allclose(answer["pc"][1], sections.neutral_axis(parts, 0.0), atol=1e-3)
    np.testing.assert_allclose(answer["pc"][0], -sections.neutral_axis(parts, 90.0), atol=1e-3)


@contract("regression")
def test_one_yield_strength_is_strength_times_modulus(candidate, sections, rng):
    strength = float(rng.uniform(100, 500))
    parts = [{**p, "fy": strength} for p in sections.angle_section(rng)]
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(sections.moments(answer), sections.expected(parts), rtol=sections.RTOL)
    alone = candidate(sections.analyse, parts[:1])
    np.testing.assert_allclose(sections.moments(alone), sections.expected(parts[:1]), rtol=sections.RTOL)


@contract("regression")
def test_plastic_centroids_stay(candidate, sections, rng):
    """They lie where the forces balance, not where the areas do."""
    parts = sections.angle_section(rng)
    answer = candidate(sections.analyse, parts)
    np.testing.assert_allclose(answer["pc"][1], sections.neutral_axis(parts, 0.0), atol=2e-3)
    np.testing.assert_allclose(answer["pc"][0], -sections.neutral_axis(parts, 90.0), atol=2e-3)
    angle = sections.elastic(parts)[2]
    for degrees in (angle, angle + 90):
        a = np.radians(degrees)
        level = np.array(answer["pc_p"]) @ [-np.sin(a), np.cos(a)]
        np.testing.assert_allclose(level, sections.neutral_axis(parts, degrees), atol=2e-3)


@contract("regression")
def test_directions_of_the_principal_axes_stay_elastic(candidate, sections, rng):
    parts = sections.angle_section(rng)
    turn = (candidate(sections.analyse, parts)["phi"][0] - sections.elastic(parts)[2]) % 180
    assert min(turn, 180 - turn) <= 1e-5


@contract("regression")
@pytest.mark.parametrize(
    ("question", "plastic", "error"),
    [
        ("get_mp", "both", "RuntimeError"),
        ("get_mp_p", "both", "RuntimeError"),
        ("get_s", "both", "RuntimeError"),
        ("get_sp", "both", "RuntimeError"),
        ("get_sf", "both", "RuntimeError"),
        ("get_sf_p", "both", "RuntimeError"),
        ("get_mp", "no geometric analysis", "RuntimeError"),
    ],
)
def test_questions_that_do_not_apply_are_refused(candidate, question, plastic, error):
    with pytest.raises(CandidateError) as caught:
        candidate(refused, question, plastic)
    assert caught.value.is_a(error)
