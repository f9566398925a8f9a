# referee-canary 084 58093b9f-59c0-4b0c-ac82-213a65add153
"""Relaxations of a small cluster with pair forces, written as ABACUS leaves them, by code of our own.

A path is a dict of arrays, one row for each calculated step: `cells` (rows are the cell vectors, in
angstrom), `coords`, `energies`, `forces` and `virials` (eV, angstrom).
"""

import numpy as np

from referee.wall import probe

BOHR = 0.529177210903  # CODATA 2018, in angstrom
KBAR = 1602.176634  # one eV per cubic angstrom, from the exact elementary charge
KINDS = ["H", "O"]
COUNTS = [2, 3]
KEYS = ("cells", "coords", "energies", "forces", "virials")

# Numbers are written with 13 digits after the point, so that a position is good to 1e-11 angstrom and
# a virial to 1e-11 eV; constants of CODATA 2014 and 2018 differ by 4e-10 of a length of some angstrom.
EXACT = 2e-8


@probe
def load(files, fmt="abacus/relax", folder="run", then=None):
    """Write the files of a run below a fresh folder, load it, and pass it on to another format."""
    import os
    import tempfile
    import warnings

    import dpdata
    import numpy as np

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as top:
        base = os.path.join(top, folder)
        for name, text in files.items():
            path = os.path.join(base, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        system = dpdata.LabeledSystem(base, fmt=fmt)
        if then is not None:
            system.to(then, os.path.join(top, "out"))
            system = dpdata.LabeledSystem(os.path.join(top, "out"), fmt=then)
    found = {"symbols": [system["atom_names"][i] for i in system["atom_types"]]}
    for key in ("cells", "coords", "energies", "forces", "virials"):
        value = system.data.get(key)
        found[key] = None if value is None else np.array(value)
    return found


def labels(coords):
    """Energy, forces and virial of pairs with u(r) = 40 exp(-r): all of them push apart."""
    apart = coords[None, :] - coords[:, None]
    r = np.linalg.norm(apart, axis=-1) + np.eye(len(coords))
    push = 40.0 * np.exp(-r) * (1 - np.eye(len(coords)))
    on_second = (push / r)[..., None] * apart
    return push.sum() / 2, on_second.sum(axis=0), np.einsum("abi,abj->ij", apart, on_second) / 2


def largest_trapezoid_error(start, end):
    """Most by which the mean force times the step can miss the energy between two geometries.

    The trapezoidal rule errs by at most max |f'''| / 12 for f(t) = u(r(t)), 0 <= t <= 1. For a straight
    step d of a pair, |f'''| <= |d|^3 (|u'''| + 3 |u''| / r + 3 |u'| / r^2), which falls with r here.
    """
    a, b = (x[None, :] - x[:, None] for x in (start, end))
    d = np.linalg.norm(b - a, axis=-1)
    r = np.linalg.norm(a, axis=-1) - d + 10 * np.eye(len(start))
    return np.sum(40.0 * np.exp(-r) * (1 + 3 / r + 3 / r**2) * d**3) / 2 / 12


def path(rng, steps, size=0.05, cell_relax=False, left=False):
    """A path of a cluster of five atoms; steps are normal deviates of the given size in angstrom."""
    grid = np.array([[1, 1, 1], [3, 1, 1.5], [1.2, 3, 1], [1, 1.3, 3], [2.8, 3, 2.9]])
    coords = grid + 0.2 * rng.normal(size=(5, 3))
    cell = np.diag(rng.uniform(5, 7, 3)) + 0.4 * rng.normal(size=(3, 3))
    if left:
        cell = cell[[1, 0, 2]]
    rows = []
    for _ in range(steps):
        rows.append((cell, coords, *labels(coords)))
        coords = coords + size * rng.normal(size=(5, 3))
        if cell_relax:
            cell = cell @ (np.eye(3) + 0.01 * rng.normal(size=(3, 3)))
    return dict(zip(KEYS, map(np.array, zip(*rows, strict=True)), strict=True))


def numbers(rows, fmt="%.13f"):
    return [" ".join(fmt % x for x in row) for row in rows]


def positions(cell, coords, a0, cartesian):
    return coords / (a0 * BOHR) if cartesian else np.linalg.solve(cell.T, coords.T).T


def stru(cell, coords, a0=1.8897261254578281, cartesian=False):
    """A geometry in the format of STRU; a0 in bohr."""
    lines = ["ATOMIC_SPECIES", "H 1.008 H.upf", "O 15.999 O.upf", "", "LATTICE_CONSTANT", repr(a0), ""]
    lines += ["LATTICE_VECTORS", *numbers(cell / (a0 * BOHR)), "", "ATOMIC_POSITIONS"]
    lines += ["Cartesian" if cartesian else "Direct"]
    atoms = iter(numbers(positions(cell, coords, a0, cartesian)))
    for kind, count in zip(KINDS, COUNTS, strict=True):
        lines += ["", kind, "0.0", str(count), *(f"{next(atoms)} 1 1 1" for _ in range(count))]
    return "\n".join(lines) + "\n"


def table(one, k, a0, cartesian):
    lines = [f" {'CARTESIAN' if cartesian else 'DIRECT'} COORDINATES ", "    atom x y z mag"]
    rows = numbers(positions(one["cells"][k], one["coords"][k], a0, cartesian))
    return lines + [f"tau_{i} {row} 0.0" for i, row in enumerate(rows)]


def vectors(one, k, a0):
    cell = numbers(one["cells"][k] / (a0 * BOHR), "%+.13f")
    return [" Lattice vectors: (Cartesian coordinate: in unit of a_0)", *cell]


def block(one, k, forces=True, stress=True):
    """What is printed on forces and stress."""
    lines = []
    if forces:
        names = [f"{kind}{i + 1}" for kind, n in zip(KINDS, COUNTS, strict=True) for i in range(n)]
        rows = zip(names, numbers(one["forces"][k]), strict=True)
        lines += [" TOTAL-FORCE (eV/Angstrom)", " ----", *(" ".join(row) for row in rows), " ----"]
    if stress:
        tensor = one["virials"][k] / abs(np.linalg.det(one["cells"][k])) * KBAR
        lines += [" TOTAL-STRESS (KBAR)", " ----", *numbers(tensor), " ----"]
    return lines


def files(
    one,
    printed=(0,),
    *,
    failed=(),
    message=" convergence has NOT been achieved!",
    cell_relax=False,
    a0=1.8897261254578281,
    log_cartesian=False,
    file_cartesian=False,
    forces=None,
    stress=None,
    suffix=None,
    stru_file=None,
):
    """The files of a run, as texts by name.

    `printed` are the steps with geometry in the log; `failed` those without convergence, which print
    `message` (None: nothing); `forces` and `stress` are how many steps print them (None: all).
    """
    n = len(one["energies"])
    kind = "cell-relax" if cell_relax else "relax"
    settings = [f"calculation {kind}"]
    settings += [f"suffix {suffix}"] if suffix else []
    settings += [f"stru_file {stru_file}"] if stru_file else []
    out = f"OUT.{suffix or 'ABACUS'}"
    log = [f"             number of atom for this type = {count}" for count in COUNTS]
    log += [f"                  lattice constant (Bohr) = {a0!r}"]
    texts = {}
    for k in range(n):
        if k in printed:
            log += table(one, k, a0, log_cartesian)
            log += vectors(one, k, a0) if k == 0 or cell_relax else []
        if k not in failed:
            log += [f" final etot is {one['energies'][k]:.13f} eV"]
        elif message:
            log += [message]
        log += block(one, k, forces is None or k < forces, stress is None or k < stress)
        if k:
            # each file has a lattice constant of its own
            shape = one["cells"][k], one["coords"][k], 1.5 + 0.1 * k, file_cartesian
            texts[f"{out}/STRU_ION{k}_D"] = stru(*shape)
    texts[f"{out}/STRU_ION_D"] = stru(one["cells"][-1], one["coords"][-1] + 0.3)
    texts[f"{out}/running_{kind}.log"] = "\n".join(log) + "\n"
    texts["INPUT"] = "\n".join(["INPUT_PARAMETERS", *settings, "out_stru 1"]) + "\n"
    texts[stru_file or "STRU"] = stru(one["cells"][0], one["coords"][0])
    return texts


def holds(got, one, steps=None, keys=KEYS, tolerance=EXACT):
    """The loaded frames are these steps of the path (default: all), in order."""
    assert got["symbols"] == ["H", "H", "O", "O", "O"]
    steps = list(range(len(one["energies"]))) if steps is None else list(steps)
    assert steps
    for key in keys:
        want = one[key][steps]
        assert got[key] is not None, key
        assert np.shape(got[key]) == want.shape, key
        np.testing.assert_allclose(
            got[key], want, rtol=tolerance, atol=tolerance * np.abs(want).max(), err_msg=key
        )
