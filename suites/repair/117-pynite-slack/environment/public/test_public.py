"""Public checks: one braced frame, pushed to the right."""

import numpy as np

from referee.wall import contract, probe


@probe
def frame(push):
    from Pynite import FEModel3D

    model = FEModel3D()
    model.add_material("steel", 200e6, 77e6, 0.3, 78.5)
    model.add_section("tube", 0.008, 1e-4, 1e-4, 2e-4)
    model.add_section("rod", 4e-4, 1e-8, 1e-8, 2e-8)
    for name, x, y in (("A", 0, 0), ("B", 0, 3.0), ("C", 4.0, 3.0), ("D", 4.0, 0)):
        model.add_node(name, x, y, 0)
    for name in "AD":
        model.def_support(name, True, True, True, True, True, True)
    for name, i, j in (("left", "A", "B"), ("beam", "B", "C"), ("right", "D", "C")):
        model.add_member(name, i, j, "steel", "tube")
    for name, i, j in (("rising", "A", "C"), ("falling", "D", "B")):
        model.add_member(name, i, j, "steel", "rod", tension_only=True)
        model.def_releases(name, Ryi=True, Rzi=True, Ryj=True, Rzj=True)
    model.add_node_load("B", "FX", push)
    model.analyze(check_stability=False)
    slack, tense = model.members["falling"], model.members["rising"]
    top = model.nodes["B"]
    return {
        "slack": not slack.active["Combo 1"],
        "top": [float(top.DX["Combo 1"]), float(top.DY["Combo 1"])],
        "single": [[float(slack.deflection(d, x)) for x in (0.0, 2.5, 5.0)] for d in ("dx", "dy")],
        "array": [slack.deflection_array(d, 3)[1].tolist() for d in ("dx", "dy")],
        "force": [float(tense.axial(1.0)), float(slack.axial(1.0))],
        "stretch": float(tense.deflection("dx", 5.0) - tense.deflection("dx", 0.0)),
    }


def line(answer):
    """`dx` and `dy` of the falling brace at its foot (fixed), its middle and its top."""
    u, v = answer["top"]
    along, across = -0.8 * u + 0.6 * v, 0.6 * u + 0.8 * v
    return np.outer([along, across], [0, 0.5, 1])


@contract("coverage")
def test_single_values_follow_the_nodes(candidate):
    answer = candidate(frame, 50.0)
    assert answer["slack"]
    np.testing.assert_allclose(answer["single"], line(answer), atol=1e-9)


@contract("coverage")
def test_arrays_follow_the_nodes(candidate):
    answer = candidate(frame, 50.0)
    np.testing.assert_allclose(answer["array"], line(answer), atol=1e-9)


@contract("regression")
def test_the_tense_brace_obeys_hooke(candidate):
    answer = candidate(frame, 50.0)
    tense, slack = answer["force"]
    assert slack == 0
    # compression is positive; E A / L of the rod is 200e6 * 4e-4 / 5 kN/m
    np.testing.assert_allclose(tense, -16000 * answer["stretch"], rtol=1e-9)
