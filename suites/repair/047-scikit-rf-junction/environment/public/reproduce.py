"""Join two lossy two-ports in each definition of waves and compare with their chain matrices.

Exit status 0: all agree. Exit status 1: at least one does not.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))
warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
import skrf  # noqa: E402

FIRST = np.array([[60 + 20j, 25 - 10j], [25 - 10j, 45 + 35j]])
SECOND = np.array([[35 - 15j, 18 + 12j], [18 + 12j, 70 + 5j]])
# port impedances of the first and of the second network
CASES = {
    "real": ([50, 75], [30, 50]),
    "complex, equal at the junction": ([50, 40 - 15j], [40 - 15j, 60]),
    "complex, different": ([50 + 10j, 40 - 15j], [25 + 20j, 60 - 5j]),
}


def chain(z):
    return np.array([[z[0, 0], np.linalg.det(z)], [1, z[1, 1]]]) / z[1, 0]


def impedances(c):
    return np.array([[c[0, 0], np.linalg.det(c)], [1, c[1, 1]]]) / c[1, 0]


def scattering(z, ports, kind):
    ports = np.asarray(ports, complex)
    front = {
        "power": 1 / np.sqrt(ports.real),
        "pseudo": np.sqrt(ports.real) / abs(ports),
        "traveling": 1 / np.sqrt(ports),
    }[kind]
    minus = ports.conj() if kind == "power" else ports
    return front[:, None] * (z - np.diag(minus)) @ np.linalg.inv(z + np.diag(ports)) / front


def main():
    wrong = 0
    band = skrf.Frequency(1, 1, 1, "ghz")
    joined = impedances(chain(FIRST) @ chain(SECOND))
    for name, (left, right) in CASES.items():
        for kind in ("power", "pseudo", "traveling"):
            one, two = (
                skrf.Network(frequency=band, s=[scattering(z, p, kind)], z0=p, s_def=kind)
                for z, p in ((FIRST, left), (SECOND, right))
            )
            error = np.abs((one**two).s[0] - scattering(joined, [left[0], right[1]], kind)).max()
            ok = error <= 1e-9
            print(f"{'ok ' if ok else 'BAD'}  {name:32} {kind:10} error {error:.1e}")
            wrong += not ok
    print(f"{wrong} of 9 are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
