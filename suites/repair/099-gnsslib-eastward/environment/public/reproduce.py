"""Show where `wls` puts a receiver that stands on a known mark.

Exit status 0: on the mark. Exit status 1: at least once more than 5 mm away from it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import numpy as np

from gnss_lib_py.algorithms.snapshot import wls
from gnss_lib_py.utils.constants import OMEGA_E_DOT, C

MARKS = [("Quito", -0.2, -78.5), ("Zurich", 47.4, 8.5), ("near the pole", 89.9, 30.0)]
SKY = [(90, 0), (35, 10), (40, 80), (30, 150), (45, 200), (35, 260), (30, 320)]  # elevation, azimuth


def main():
    wrong = 0
    for name, latitude, longitude in MARKS:
        la, lo = np.radians([latitude, longitude])
        up = np.array([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)])
        east = np.array([-np.sin(lo), np.cos(lo), 0.0])
        north = np.cross(up, east)
        mark = 6.371e6 * up
        el, az = np.radians(SKY).T[:, :, None]
        look = np.sin(el) * up + np.cos(el) * (np.cos(az) * north + np.sin(az) * east)
        path = 2.2e7 + 1e5 * np.arange(len(SKY))[:, None]
        x, y, z = (mark + path * look).T  # where light came from, in the axes of reception
        turn = OMEGA_E_DOT * path[:, 0] / C  # since then the axes went eastwards by this angle
        sent = np.column_stack(
            (np.cos(turn) * x - np.sin(turn) * y, np.sin(turn) * x + np.cos(turn) * y, z)
        )
        found = wls(np.zeros((4, 1)), sent, path + 120.0)[:, 0]
        error = found[:3] - mark
        good = np.linalg.norm(error) <= 5e-3 and abs(found[3] - 120.0) <= 5e-3
        wrong += not good
        print(
            f"{'ok ' if good else 'BAD'}  {name:14} {error @ east:9.3f} m east {error @ north:9.3f} m north"
            f" {error @ up:9.3f} m up   clock {found[3] - 120.0:9.3f} m"
        )
    print(f"{wrong} of {len(MARKS)} positions are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
