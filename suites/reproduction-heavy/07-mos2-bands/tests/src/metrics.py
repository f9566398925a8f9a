"""What the bands of a MoS2 monolayer must be: the evaluator's own GPAW numbers by another route
(tests/refs), and what follows from the candidate's own bands. Lengths in Å, energies in eV.
"""

# referee-canary reproduction-07 85e2b0c6-5116-4165-8d71-cc9062dbf054

import numpy as np

from referee.evidence.measure import Operation, Quantity

LATTICE, HEIGHT, TALL = 3.18, 1.56, 12.0
MOLYBDENUM, SULFUR = 42, 16
OCCUPIED = 13
GAMMA, K, M = (0.0, 0.0, 0.0), (1 / 3, 1 / 3, 0.0), (0.5, 0.0, 0.0)
AT = 1e-6

GAP_K, GAP, GAMMA_K = 1.66357, 1.64778, 0.0158
SPLIT_GAP, SPLITTING = 1.58249, 0.1507
"""The evaluator's numbers: finite differences in tests/refs/bands.json."""

_PLACES = Quantity(unit="Å", ndim=2, least=9, most=9)
_NUMBERS = Quantity(unit="1", ndim=1, least=3, most=3)
_ONE = Quantity(unit="1", most=1)
_POINTS = Quantity(unit="1", ndim=2, least=9, most=3000)
_ENERGIES = Quantity(unit="eV", ndim=2, least=3, most=200_000)
_NUMBER = Quantity(unit="eV", most=1)
_BANDS = {"k": _POINTS, "energies": _ENERGIES}

OPERATIONS = {
    "structure": Operation(
        quantities={"cell": _PLACES, "positions": _PLACES, "numbers": _NUMBERS},
    ),
    "filling": Operation(
        quantities={"electrons": _ONE, "occupied": _ONE, **_BANDS},
    ),
    "path": Operation(quantities=_BANDS),
    "gaps": Operation(
        quantities={**_BANDS, "gap_k": _NUMBER, "gap": _NUMBER, "gamma_k": _NUMBER},
    ),
    "splitting": Operation(quantities={**_BANDS, "splitting": _NUMBER}),
    "split_gap": Operation(quantities={**_BANDS, "gap": _NUMBER}),
    "pairs": Operation(quantities=_BANDS),
}


def derive(operation, quantities, context):
    """The result of an operation, as plain data."""
    return _DERIVE[operation](quantities)


def structure(given):
    """Departures of the cell, and of the sulfur atoms from the places of the 2H form."""
    cell, places, numbers = given["cell"], given["positions"], given["numbers"]
    if cell.shape != (3, 3) or places.shape != (3, 3):
        raise ValueError("cell and positions have three rows of three")
    first, second, third = cell
    flat = np.array([first[2], second[2], third[0], third[1]])
    lengths = [np.linalg.norm(first), np.linalg.norm(second)]
    if sorted(numbers) != [SULFUR, SULFUR, MOLYBDENUM]:
        raise ValueError("the atoms are not one of molybdenum and two of sulfur")
    metal = places[numbers == MOLYBDENUM][0]
    bonds = np.array([_nearest(cell, p - metal) for p in places[numbers == SULFUR]])
    apart = _nearest(cell, places[numbers == SULFUR][0] - places[numbers == SULFUR][1], flat=True)
    return {
        "lattice": [length - LATTICE for length in lengths],
        "angle": abs(first @ second) - LATTICE**2 / 2,
        "tall": abs(third[2]) - TALL,
        "tilted": np.max(np.abs(flat)),
        "bond": np.linalg.norm(bonds, axis=1) - np.hypot(LATTICE / np.sqrt(3), HEIGHT),
        "height": np.abs(bonds[:, 2]) - HEIGHT,
        "both_sides": bonds[0, 2] + bonds[1, 2],
        "over_one_another": np.linalg.norm(apart),
    }


def filling(given):
    """Electrons and bands as told, and how far the 13th band lies below the 14th at Gamma, where
    the two do not touch in the 2H form."""
    _points(given["k"], given["energies"])
    at_gamma = given["energies"][_at(given["k"], GAMMA)]
    return {
        "electrons": _one(given["electrons"]),
        "occupied": _one(given["occupied"]),
        "bands": int(at_gamma.size),
        "apart": at_gamma[OCCUPIED] - at_gamma[OCCUPIED - 1],
    }


def path(given):
    """Where the points lie, how many bands there are, and whether they ascend."""
    k, energies = given["k"], given["energies"]
    _points(k, energies)
    first = np.abs(k[:, 0] - k[:, 1])
    second = np.abs(2 * k[:, 0] + k[:, 1] - 1)
    on_first = (first <= AT) & (k[:, 1] <= 1 / 3 + AT) & (k[:, 1] >= -AT)
    on_second = (second <= AT) & (k[:, 1] <= 1 / 3 + AT) & (k[:, 1] >= -AT)
    off = (~(on_first | on_second)) | (np.abs(k[:, 2]) > AT)
    steps = [np.max(np.diff(np.sort(k[on, 1])), initial=0.0) for on in (on_first, on_second)]
    return {
        "ends": [float(np.min(_distance(k, point))) for point in (GAMMA, K, M)],
        "step": max(steps),
        "off": int(off.sum()),
        "bands": int(energies.shape[1]),
        "order": float(np.min(np.diff(energies, axis=1))),
    }


def gaps(given):
    """Reported gaps against ours and against the candidate's own bands."""
    own = _gaps(given["k"], given["energies"], OCCUPIED)
    ours = {"gap_k": GAP_K, "gap": GAP, "gamma_k": GAMMA_K}
    told = {name: _one(given[name]) for name in ours}
    return {
        name: {"error": told[name] - ours[name], "own": told[name] - own[name]} for name in ours
    }


def splitting(given):
    """Splitting of the highest occupied band at K."""
    at_k = given["energies"][_at_k(given)]
    own = at_k[2 * OCCUPIED - 1] - at_k[2 * OCCUPIED - 2]
    told = _one(given["splitting"])
    return {"error": told - SPLITTING, "own": told - own}


def split_gap(given):
    """The gap with spin-orbit coupling."""
    own = _gaps(given["k"], given["energies"], 2 * OCCUPIED)["gap"]
    told = _one(given["gap"])
    return {"error": told - SPLIT_GAP, "own": told - own}


def pairs(given):
    """Largest distance in a pair of occupied energies at Gamma and M, and at K, where they split."""
    k, energies = given["k"], given["energies"]
    _points(k, energies)
    found = {}
    for name, point in (("gamma", GAMMA), ("m", M), ("k", K)):
        row = energies[_at(k, point)][: 2 * OCCUPIED]
        found[name] = float(np.max(row[1::2] - row[::2]))
    return found


_DERIVE = {
    "structure": structure,
    "filling": filling,
    "path": path,
    "gaps": gaps,
    "splitting": splitting,
    "split_gap": split_gap,
    "pairs": pairs,
}


def _nearest(cell, step, flat=False):
    """The shortest image of a step; without its part along z if `flat`."""
    shifts = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)])
    whole = np.linalg.solve(cell.T, step)
    images = (whole - np.round(whole) + shifts) @ cell
    if flat:
        images = images[:, :2]
    return images[np.argmin(np.linalg.norm(images, axis=1))]


def _points(k, energies):
    if k.shape[1] != 3 or k.shape[0] != energies.shape[0]:
        raise ValueError("bands need three fractions and one row of energies for each point")
    if energies.shape[1] <= OCCUPIED:
        raise ValueError("there is no empty band")


def _distance(k, point):
    return np.max(np.abs(k - np.array(point)), axis=1)


def _at(k, point):
    there = int(np.argmin(_distance(k, point)))
    if not _distance(k, point)[there] <= AT:
        raise ValueError("a special point is not among the points")
    return there


def _at_k(given):
    _points(given["k"], given["energies"])
    if given["energies"].shape[1] <= 2 * OCCUPIED:
        raise ValueError("there is no empty band")
    return _at(given["k"], K)


def _gaps(k, energies, occupied):
    _points(k, energies)
    if energies.shape[1] <= occupied:
        raise ValueError("there is no empty band")
    valence, conduction = energies[:, occupied - 1], energies[:, occupied]
    gamma, corner = _at(k, GAMMA), _at(k, K)
    return {
        "gap_k": conduction[corner] - valence[corner],
        "gap": np.min(conduction) - np.max(valence),
        "gamma_k": valence[gamma] - valence[corner],
    }


def _one(values):
    return float(np.ravel(values)[0])
