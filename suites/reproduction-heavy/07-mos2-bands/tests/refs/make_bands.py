"""The evaluator's numbers for the MoS2 monolayer, by other routes than a path from a fixed density:
energies at Gamma, K and M straight from the self-consistent run on a Gamma-centred 6 x 6 mesh.

    OMP_NUM_THREADS=1 /usr/bin/python3 make_bands.py finite-differences|plane-waves > ROUTE.json
"""

# referee-canary reproduction-07 85e2b0c6-5116-4165-8d71-cc9062dbf054

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from ase import Atoms
from gpaw import FD, GPAW, PW, FermiDirac
from gpaw.spinorbit import soc_eigenstates

A, HEIGHT, TALL = 3.18, 1.56, 12.0
OCCUPIED, BANDS = 13, 18
MESH = {"size": (6, 6, 1), "gamma": True}
ROUTES = {
    "finite-differences": {"mode": FD(nn=3), "gpts": (16, 16, 60)},
    "plane-waves": {"mode": PW(400)},
}


def monolayer():
    """The 2H form, by fractions of the cell."""
    cell = [(A, 0, 0), (-A / 2, A * np.sqrt(3) / 2, 0), (0, 0, TALL)]
    rise = HEIGHT / TALL
    places = [(0, 0, 0.5), (2 / 3, 1 / 3, 0.5 + rise), (2 / 3, 1 / 3, 0.5 - rise)]
    return Atoms("MoS2", scaled_positions=places, cell=cell, pbc=True)


def at(points, wanted):
    """The point that is `wanted` up to the crystal's symmetry and reciprocal vectors."""
    x, y = wanted
    turned = {(x, y), (-y, x + y), (-x - y, x), (y, x), (x + y, -y), (-x, x + y)}
    turned |= {(-a, -b) for a, b in turned}
    for number, point in enumerate(points):
        for other in turned:
            step = point[:2] - np.array(other)
            if np.all(np.abs(step - np.round(step)) < 1e-6):
                return number
    raise SystemExit(f"the mesh has no point {wanted}")


def numbers(valence, conduction, points):
    """The gaps of the addendum from the mesh's own energies."""
    gamma, corner = at(points, (0, 0)), at(points, (1 / 3, 1 / 3))
    return {
        "gap_k": conduction[corner] - valence[corner],
        "gap": conduction.min() - valence.max(),
        "gamma_k": valence[gamma] - valence[corner],
    }


def main():
    route = sys.argv[1]
    started = time.time()
    atoms = monolayer()
    atoms.calc = calc = GPAW(
        **ROUTES[route], xc="PBE", kpts=MESH, nbands=BANDS, occupations=FermiDirac(0.05),
        convergence={"bands": BANDS - 3}, txt=f"{route}.log",
    )  # fmt: skip
    atoms.get_potential_energy()
    points = calc.get_ibz_k_points()
    bands = np.array([calc.get_eigenvalues(kpt=i) for i in range(len(points))])
    found = numbers(bands[:, OCCUPIED - 1], bands[:, OCCUPIED], points)

    coupled = soc_eigenstates(calc).eigenvalues()
    every = calc.get_bz_k_points()
    row = coupled[at(every, (1 / 3, 1 / 3))]
    found["split_gap"] = coupled[:, 2 * OCCUPIED].min() - coupled[:, 2 * OCCUPIED - 1].max()
    found["splitting"] = row[2 * OCCUPIED - 1] - row[2 * OCCUPIED - 2]
    told = {
        "route": route,
        "gpaw": version("gpaw"),
        "ase": version("ase"),
        "numpy": np.__version__,
        "seconds": round(time.time() - started),
        "electrons": int(round(calc.get_number_of_electrons())),
        "ev": {name: round(float(value), 5) for name, value in found.items()},
    }
    json.dump(told, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
