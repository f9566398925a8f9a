# referee-canary 003 05f5302b-5bb7-4cc0-b5be-8a256bbe044c
"""Periodic frames with energies, forces and stresses, written as extended XYZ by code of our own.

A frame is a dict with `symbols`, `cell` (rows are the cell vectors, in angstrom), `coords`, `forces`,
`energy` and `stress` (3x3, symmetric, in eV per cubic angstrom, positive under tension).
"""

import numpy as np
import pytest

from referee.wall import CandidateError, probe

FORMATS = (
    "extxyz", "quip/gap/xyz", "quip/gap/xyz_file", "gpumd/xyz", "nequip/xyz", "mace/xyz",
)  # fmt: skip

# Numbers are written with 15 digits after the point of a power of ten, so that reading costs less
# than 1e-14 of the largest of them; the product with the volume adds a few units in the last place.
EXACT = 1e-12


@probe
def load(text, fmt="extxyz"):
    """The labeled systems of a file, as a list of plain dicts sorted by formula."""
    import os
    import tempfile

    import dpdata
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "set.xyz")
        with open(path, "w") as file:
            file.write(text)
        found = dpdata.MultiSystems().load_systems_from_file(path, fmt=fmt)
        answer = []
        for _, system in sorted(found.systems.items()):
            data = system.data
            symbols = [data["atom_names"][i] for i in data["atom_types"]]
            row = {"symbols": symbols, "has_virial": bool(system.has_virial())}
            for key in ("cells", "coords", "energies", "forces", "virials"):
                value = data.get(key)
                row[key] = None if value is None else np.array(value)
            answer.append(row)
    return answer


@probe
def pass_on(text, fmt):
    """Read extended XYZ, write it in another format or the same, and read that again."""
    import os
    import tempfile

    import dpdata
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "set.xyz")
        with open(path, "w") as file:
            file.write(text)
        (system,) = dpdata.MultiSystems().load_systems_from_file(path, fmt="extxyz")
        out = os.path.join(folder, "out")
        system.to(fmt, out)
        if fmt == "extxyz":
            (again,) = dpdata.MultiSystems().load_systems_from_file(out, fmt=fmt)
        else:
            again = dpdata.LabeledSystem(out, fmt=fmt)
        return {k: np.array(again.data[k]) for k in ("cells", "virials", "forces", "energies")}


@probe
def written(system):
    """The text that is written for a labeled system with the given data."""
    import os
    import tempfile

    import dpdata

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.xyz")
        dpdata.LabeledSystem(data=dict(system)).to("extxyz", path)
        with open(path) as file:
            return file.read()


def cell(rng):
    """A slanted cell with vectors of 5 to 9 angstrom; its determinant is positive."""
    matrix = np.diag(rng.uniform(5.0, 9.0, 3)) + rng.uniform(-1.0, 1.0, (3, 3))
    return matrix


def symmetric(rng, scale=0.05):
    matrix = rng.uniform(-scale, scale, (3, 3))
    return (matrix + matrix.T) / 2


def frame(rng, symbols=("Cu", "O", "Cu", "Zr")):
    n = len(symbols)
    box = cell(rng)
    return {
        "symbols": list(symbols),
        "cell": box,
        "coords": rng.uniform(0, 1, (n, 3)) @ box,
        "forces": rng.normal(size=(n, 3)),
        "energy": float(rng.uniform(-60, -5)),
        "stress": symmetric(rng),
    }


def virial(one):
    """What the frame's stress is as a virial, in eV: the triple product gives the volume."""
    a, b, c = one["cell"]
    return -abs(float(np.dot(a, np.cross(b, c)))) * one["stress"]


def nine(tensor):
    return " ".join(f"{v:.15e}" for v in np.asarray(tensor).ravel())


def six(tensor):
    t = np.asarray(tensor)
    order = (t[0, 0], t[1, 1], t[2, 2], t[1, 2], t[0, 2], t[0, 1])
    return " ".join(f"{v:.15e}" for v in order)


def columns(one, force="force", extra=()):
    """Columns of the atoms as (name, type, values with one row for each atom)."""
    made = [
        ("species", "S", [[s] for s in one["symbols"]]),
        ("pos", "R", one["coords"]),
        (force, "R", one["forces"]),
    ]
    return [*made[:2], *extra, made[2]]


def text(one, labels, cols=None, order=None):
    """One frame; `labels` are pairs for the comment line beside lattice, energy and columns."""
    cols = columns(one) if cols is None else cols
    names = ":".join(f"{name}:{kind}:{len(rows[0])}" for name, kind, rows in cols)
    pairs = [
        f'Lattice="{nine(one["cell"])}"',
        f"Properties={names}",
        f"energy={one['energy']:.15e}",
        *[f'{key}="{value}"' for key, value in labels],
        'pbc="T T T"',
    ]
    if order is not None:
        pairs = [pairs[i] for i in order]
    lines = [str(len(one["symbols"])), " ".join(pairs)]
    for i in range(len(one["symbols"])):
        cells = [v for _, _, rows in cols for v in rows[i]]
        lines.append(" ".join(f"{v:.15e}" if isinstance(v, float) else str(v) for v in cells))
    return "\n".join(lines) + "\n"


def same(got, want):
    want = np.asarray(want)
    assert got is not None
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=EXACT * max(1.0, float(np.abs(want).max())))


def holds(system, ones, virials):
    """The system has just these frames; `virials` is None where it must have none."""
    assert system["symbols"] == ones[0]["symbols"]
    same(system["cells"], [one["cell"] for one in ones])
    same(system["coords"], [one["coords"] for one in ones])
    same(system["forces"], [one["forces"] for one in ones])
    same(system["energies"], [one["energy"] for one in ones])
    assert system["has_virial"] == (virials is not None)
    if virials is None:
        assert system["virials"] is None
    else:
        same(system["virials"], virials)


def close_to(system, one):
    """As `holds`, for text that the candidate wrote, with 11 or more digits."""
    np.testing.assert_allclose(system["cells"], [one["cell"]], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(system["coords"], [one["coords"]], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(system["forces"], [one["forces"]], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(system["virials"], [virial(one)], rtol=1e-9, atol=1e-9)


def refused(candidate, exception, content):
    """Reading the text raises `exception` or a class that is derived from it."""
    with pytest.raises(CandidateError) as caught:
        candidate(load, content)
    assert caught.value.is_a(exception), caught.value


def pair_energy(coords, box, cutoff, depth=0.4, length=1.6):
    """Energy, forces and sum of r x f of particles that attract each other smoothly, in pairs.

    The energy of a pair is depth * (r^2 - cutoff^2)^3 / length^6 inside the cutoff. Images of
    neighbours are summed one cell around, which suffices while the cutoff is below every height.
    """
    shifts = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]) @ box
    energy, forces, outer = 0.0, np.zeros_like(coords), np.zeros((3, 3))
    for i in range(len(coords)):
        for j in range(len(coords)):
            for shift in shifts:
                r = coords[i] - coords[j] - shift
                d2 = float(r @ r)
                if 0 < d2 < cutoff**2:
                    # Each pair is met twice, so that it counts one half here.
                    energy += 0.5 * depth * (d2 - cutoff**2) ** 3 / length**6
                    f = -depth * 6 * (d2 - cutoff**2) ** 2 * r / length**6
                    forces[i] += f
                    outer += 0.5 * np.outer(r, f)
    return energy, forces, outer
