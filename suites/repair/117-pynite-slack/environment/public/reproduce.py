"""Push a braced frame sideways and look at the brace that goes slack.

Exit status 0: it follows its end nodes, by both calls. Exit status 1: it does not.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import numpy as np
from Pynite import FEModel3D

WIDTH, HEIGHT, PUSH = 4.0, 3.0, 50.0  # m, m, kN


def frame():
    model = FEModel3D()
    model.add_material("steel", 200e6, 77e6, 0.3, 78.5)
    model.add_section("tube", 0.008, 1e-4, 1e-4, 2e-4)
    model.add_section("rod", 4e-4, 1e-8, 1e-8, 2e-8)
    for name, x, y in (("A", 0, 0), ("B", 0, HEIGHT), ("C", WIDTH, HEIGHT), ("D", WIDTH, 0)):
        model.add_node(name, x, y, 0)
    for name in "AD":
        model.def_support(name, True, True, True, True, True, True)
    for name, i, j in (("left", "A", "B"), ("beam", "B", "C"), ("right", "D", "C")):
        model.add_member(name, i, j, "steel", "tube")
    for name, i, j in (("rising", "A", "C"), ("falling", "D", "B")):
        model.add_member(name, i, j, "steel", "rod", tension_only=True)
        model.def_releases(name, Ryi=True, Rzi=True, Ryj=True, Rzj=True)
    model.add_node_load("B", "FX", PUSH)
    model.analyze(check_stability=False)
    return model


def main():
    model = frame()
    rod = model.members["falling"]
    assert not rod.active["Combo 1"], "the falling brace should be slack"
    where = np.linspace(0, rod.L(), 5)
    wrong = 0
    for row, direction in enumerate(("dx", "dy", "dz")):
        axis = rod.T()[row, 0:3]
        ends = [
            float(axis @ [node.DX["Combo 1"], node.DY["Combo 1"], node.DZ["Combo 1"]])
            for node in (rod.i_node, rod.j_node)
        ]
        line = ends[0] + (ends[1] - ends[0]) * where / rod.L()
        single = np.array([rod.deflection(direction, x) for x in where], dtype=float)
        array = np.asarray(rod.deflection_array(direction, 5), dtype=float)[1]
        good = np.allclose(single, line, atol=1e-9) and np.allclose(array, line, atol=1e-9)
        wrong += not good
        print(f"{'ok ' if good else 'BAD'} {direction}, mm, at five points of the slack brace")
        for label, values in (("nodes", line), ("single", single), ("array", array)):
            print(f"      {label:7s}" + "".join(f"{1000 * v:10.4f}" for v in values))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
