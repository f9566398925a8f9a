"""Compare plastic moments of layered sections with sums done by hand.

Exit status 0: they agree. Exit status 1: at least one does not.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd() / "src"))

from sectionproperties.analysis import Section
from sectionproperties.pre import Material
from sectionproperties.pre.library import rectangular_section

# name; layers from below: width and height in mm, yield strength in MPa; plastic moment in Nmm.
# All sums: yield force of each piece times the distance of its centre from the neutral axis.
SECTIONS = [
    # 240 kN in the block, 120 kN in the plate: the axis lies 45 mm above the lower edge
    ("plate on top", [(40, 60, 100), (40, 10, 300)], 180e3 * 22.5 + 60e3 * 7.5 + 120e3 * 20),
    # 300 kN in each layer: the axis is the interface
    ("equal forces", [(50, 20, 300), (50, 60, 100)], 300e3 * 10 + 300e3 * 30),
    # one strength: the axis halves the area
    ("one strength", [(40, 60, 200), (40, 20, 200)], 200 * 40 * 80**2 / 4),
]


def plastic_moment(layers):
    """About the horizontal direction, in Nmm."""
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
    return analysis.get_mp()[0]


def main():
    wrong = 0
    for name, layers, by_hand in SECTIONS:
        found = plastic_moment(layers)
        good = abs(found - by_hand) <= 1e-6 * by_hand
        wrong += not good
        print(
            f"{'ok ' if good else 'BAD'} {name:13} by hand {by_hand / 1e6:8.4f} kNm, "
            f"found {found / 1e6:8.4f} kNm ({found / by_hand - 1:+.2%})"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
