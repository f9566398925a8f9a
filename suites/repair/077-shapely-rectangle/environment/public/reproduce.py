"""Compare oriented envelopes with rectangles that anybody can lay around the same points.

Exit status 0: none of them is smaller. Exit status 1: at least one is.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import shapely

# name, points, area of a rectangle that contains them
OUTLINES = [
    ("five corners", [(0, 0), (7, 0), (7, 3), (3, 6), (0, 7)], 49.0),
    ("six corners", [(2, 2), (2, 7), (5, 7), (7, 6), (7, 5), (4, 2)], 25.0),
    ("three corners", [(0, 0), (4, 0), (1, 3)], 12.0),
]


def main():
    wrong = 0
    for name, points, known in OUTLINES:
        area = shapely.oriented_envelope(shapely.MultiPoint(points)).area
        good = area <= known * (1 + 1e-9)
        wrong += not good
        print(f"{'ok ' if good else 'BAD'}  {name:14} area {area:9.4f}, {known:g} is possible")
    print(f"{wrong} of {len(OUTLINES)} envelopes are too large")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
