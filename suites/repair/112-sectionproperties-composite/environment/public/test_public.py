"""Public checks: layered sections whose plastic moments can be added up by hand."""

import pytest

from referee.wall import contract, probe


@probe
def layered(layers):
    from sectionproperties.analysis import Section
    from sectionproperties.pre import Material
    from sectionproperties.pre.library import rectangular_section

    section, height = None, 0.0
    for number, (b, d, strength) in enumerate(layers):
        material = Material(f"layer {number}", 70e3 + 65e3 * number, 0.3, strength, 1e-6, "grey")
        layer = rectangular_section(d=d, b=b, material=material)
        layer = layer.shift_section(x_offset=-b / 2, y_offset=height)
        section = layer if section is None else section + layer
        height += d
    section.create_mesh(mesh_sizes=[100.0])
    analysis = Section(section)
    analysis.calculate_geometric_properties()
    analysis.calculate_plastic_properties()
    return [float(v) for v in (*analysis.get_mp(), *analysis.get_pc())]


@contract("knowledge")
def test_steel_plate_on_an_aluminium_block(candidate):
    mp = candidate(layered, [(40, 60, 100), (40, 10, 300)])
    assert mp[0] == pytest.approx(6.9e6, rel=1e-6)
    assert mp[3] == pytest.approx(45.0, abs=1e-3)


@contract("regression")
def test_neutral_axis_at_the_interface(candidate):
    assert candidate(layered, [(50, 20, 300), (50, 60, 100)])[0] == pytest.approx(12e6, rel=1e-6)


@contract("regression")
def test_one_yield_strength(candidate):
    mp = candidate(layered, [(40, 60, 200), (40, 20, 200)])
    assert mp[0] == pytest.approx(200 * 40 * 80**2 / 4, rel=1e-6)
    assert mp[1] == pytest.approx(200 * 80 * 40**2 / 4, rel=1e-6)
