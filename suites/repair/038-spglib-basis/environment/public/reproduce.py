"""Two groups in several bases: each must have one type.

Exit status 0: it has. Exit status 1: the type changes with the basis.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path.cwd() / "python"))
warnings.simplefilter("ignore")

import numpy as np
import spglib

# Number, Hall number of the conventional setting, and the edges of a conventional cell
GROUPS = [("Fdd2", 43, 212, (5.2, 6.7, 8.9)), ("I4_1/a", 88, 365, (5.5, 5.5, 8.3))]
PRIMITIVE = {
    "F": np.array([[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]),
    "I": np.array([[-0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, -0.5]]),
}
OBLIQUE = np.array([[1, -1, -1], [0, 1, -1], [0, 0, 1]])


def written(hall, basis):
    """The operations of a group in `basis`, each once."""
    inverse, found = np.linalg.inv(basis), {}
    data = spglib.get_symmetry_from_database(hall)
    for r, t in zip(data["rotations"], data["translations"]):
        rotation = np.rint(inverse @ r @ basis).astype(int)
        translation = np.round(inverse @ t, 9) % 1.0
        found[(*rotation.ravel(), *np.round(translation, 5) % 1.0)] = (rotation, translation)
    rotations, translations = zip(*found.values())
    return np.array(rotations, dtype="intc"), np.array(translations)


def main():
    wrong = 0
    for symbol, number, hall, edges in GROUPS:
        primitive = PRIMITIVE[symbol[0]]
        bases = {"conventional": np.eye(3), "primitive": primitive, "oblique": primitive @ OBLIQUE}
        for name, basis in bases.items():
            lattice = (np.diag(edges) @ basis).T
            for given in (lattice, None):
                found = spglib.get_spacegroup_type_from_symmetry(*written(hall, basis), lattice=given)
                seen = None if found is None else found.number
                wrong += seen != number
                print(
                    f"{'ok ' if seen == number else 'BAD'} {symbol:7} ({number}) {name:12} "
                    f"{'no lattice' if given is None else 'lattice   '}: {seen}"
                )
    print(f"{wrong} types are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
