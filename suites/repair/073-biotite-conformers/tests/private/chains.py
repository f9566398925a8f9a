# referee-canary 073 416556f8-2ed0-4be9-9788-aa474139630e
"""Molecules with alternate conformers: their files, the bonds of their chemistry, and the probe.

A residue is a dict: chain, comp, seq, ids (the letters of its conformers in the order of the file,
"" for none), names (the atoms that have conformers), shares {letter: occupancy}, order ("atom":
conformers of an atom stand together; "residue": those of a residue do; "mixed": they stand
together, but each atom in another order), and spots {(name, letter): position}. Names of atoms are
(chain, seq, name), by label. Authors call chain "A" "Ax" and count from 101.

A record is (kind, atom, atom, letters), letters being one string for each atom, "?" for none.
"""

import numpy as np

from referee.wall import probe

BACKBONE = [("N", "CA", 1), ("CA", "C", 1), ("C", "O", 2)]
SUGAR = [
    ("P", "O5'", 1),
    ("O5'", "C5'", 1),
    ("C5'", "C4'", 1),
    ("C4'", "C3'", 1),
    ("C3'", "O3'", 1),
]
SINGLE, DOUBLE, COORDINATION = 1, 2, 8
BONDS = {
    "GLY": BACKBONE,
    "ALA": [*BACKBONE, ("CA", "CB", 1)],
    "SER": [*BACKBONE, ("CA", "CB", 1), ("CB", "OG", 1)],
    "CYS": [*BACKBONE, ("CA", "CB", 1), ("CB", "SG", 1)],
    "ASN": [*BACKBONE, ("CA", "CB", 1), ("CB", "CG", 1), ("CG", "OD1", 2), ("CG", "ND2", 1)],
    "NAG": [("C1", "C2", 1), ("C1", "O5", 1), ("O5", "C5", 1)],
    "ZN": [],
    "G": SUGAR,
    "C": SUGAR,
    "DA": SUGAR,
}
NUCLEOTIDES = {"G", "C", "DA"}
SMALL = {"NAG", "ZN"}
ORDERS = {1: "sing", 2: "doub"}


def atoms_of(comp):
    return list(dict.fromkeys(n for a, b, _ in BONDS[comp] for n in (a, b))) or [comp]


def residue(rng, chain, comp, seq, ids="", names=None, best=None, order="atom"):
    """The conformer `best` has the highest occupancy, by default a drawn one."""
    names = atoms_of(comp) if names is None else names
    shares = {letter: 0.2 + 0.01 * i for i, letter in enumerate(ids)}
    if ids:
        shares[best or ids[rng.integers(len(ids))]] = 0.5
    spots = {
        (name, letter): np.round(rng.normal(size=3) * 9, 3)
        for name in atoms_of(comp)
        for letter in (ids if ids and name in names else ".")
    }
    return {
        "chain": chain, "comp": comp, "seq": seq, "ids": ids, "names": names, "shares": shares,
        "order": order, "spots": spots, "turn": int(rng.integers(1, 9)),
    }  # fmt: skip


def chain(rng, comps, conformers, name="A", **more):
    """Residues in a row; `conformers` has the letters for each of them."""
    return [
        residue(rng, name, comp, seq, ids, **more)
        for seq, (comp, ids) in enumerate(zip(comps, conformers, strict=True), start=1)
    ]


def moved(rng, molecule, **more):
    """The same molecule with other positions and other shares: another model."""
    keys = ("chain", "comp", "seq", "ids", "names")
    return [
        residue(rng, *(one[key] for key in keys), order=one["order"], **more)
        | {"turn": one["turn"]}
        for one in molecule
    ]


def listed(one):
    """(name, letter) of a residue in the order of the file."""
    atoms = atoms_of(one["comp"])
    if one["order"] == "residue" and one["ids"]:
        rest = [(n, letter) for letter in one["ids"] for n in atoms if n in one["names"]]
        return [(n, ".") for n in atoms if n not in one["names"]] + rest
    out = []
    for k, name in enumerate(atoms):
        letters = one["ids"] if one["ids"] and name in one["names"] else "."
        if one["order"] == "mixed":
            at = (one["turn"] * k) % len(letters)
            letters = letters[at:] + letters[:at]
        out += [(name, letter) for letter in letters]
    return out


def chosen(one, altloc):
    """The letter of the conformer that is kept."""
    if not one["ids"]:
        return "."
    if altloc == "occupancy":
        return max(one["shares"], key=one["shares"].get)
    return next(letter for _, letter in listed(one) if letter != ".")


def text(models, records=(), conformers=True, bonds=True, site_conformers=True, twice=False):
    """A file. `conformers` and `site_conformers` say whether records and atoms have a column for
    them, `bonds` whether the bonds within residues are listed, `twice` repeats the last atom."""
    lines = ["data_T"]
    names = (
        "group_PDB id type_symbol label_atom_id label_comp_id label_asym_id label_seq_id "
        "auth_seq_id auth_comp_id auth_asym_id auth_atom_id pdbx_PDB_ins_code Cartn_x Cartn_y "
        "Cartn_z occupancy B_iso_or_equiv pdbx_PDB_model_num"
    )
    names = names.split() + ["label_alt_id"] * site_conformers
    lines += ["loop_", *(f"_atom_site.{name}" for name in names)]
    number = 0
    for model, molecule in enumerate(models, start=1):
        for one in molecule:
            for name, letter in listed(one):
                number += 1
                small = one["comp"] in SMALL
                words = ["HETATM" if small else "ATOM", number, name[0], f'"{name}"', one["comp"]]
                words += [one["chain"], "." if small else one["seq"], one["seq"] + 100]
                words += [one["comp"], one["chain"] + "x", f'"{name}"', "?"]
                words += [f"{x:.3f}" for x in one["spots"][name, letter]]
                words += [one["shares"].get(letter, 1.0), number, model]
                lines.append(" ".join(map(str, [*words, *([letter] * site_conformers)])))
    lines += lines[-1:] * twice
    lines.append("#")
    if records:
        columns = ["id", "conn_type_id", "ptnr1_symmetry", "ptnr2_symmetry"]
        for k in (1, 2):
            columns += [f"ptnr{k}_{n}" for n in ("label_asym_id", "label_comp_id", "label_seq_id")]
            columns += [f"ptnr{k}_label_atom_id", f"ptnr{k}_auth_asym_id", f"ptnr{k}_auth_seq_id"]
            columns += [f"pdbx_ptnr{k}_label_alt_id"] * conformers
        lines += ["loop_", *(f"_struct_conn.{name}" for name in columns)]
        comps = {(one["chain"], one["seq"]): one["comp"] for one in models[0]}
        for at, (kind, *ends, letters) in enumerate(records):
            kind, _, symmetry = kind.partition(" ")
            words = [at + 1, kind, "1_555", symmetry or "1_555"]
            for (chain_, seq, name), letter in zip(ends, letters, strict=True):
                comp = comps.get((chain_, seq), "CYS")
                words += [chain_, comp, "." if comp in SMALL else seq, f'"{name}"']
                words += [chain_ + "x", seq + 100, *([letter] * conformers)]
            lines.append(" ".join(map(str, words)))
        lines.append("#")
    if bonds:
        columns = ["comp_id", "atom_id_1", "atom_id_2", "value_order", "pdbx_aromatic_flag"]
        lines += ["loop_", *(f"_chem_comp_bond.{name}" for name in columns)]
        for comp in BONDS:
            lines += [f'{comp} "{a}" "{b}" {ORDERS[order]} N' for a, b, order in BONDS[comp]]
        lines.append("#")
    return "\n".join(lines) + "\n"


def wanted(molecule, records, altloc):
    """The kept atoms, [(name, position)] in order, and their bonds {(name, name): type}."""
    atoms = []
    bonds = {}
    for one in molecule:
        letter = chosen(one, altloc)
        key = (one["chain"], one["seq"])
        kept = [(n, c) for n, c in listed(one) if c in (".", letter)]
        atoms += [((*key, n), one["spots"][n, c]) for n, c in kept]
        bonds |= {pair((*key, a), (*key, b)): order for a, b, order in BONDS[one["comp"]]}
    for one, other in zip(molecule, molecule[1:], strict=False):
        kinds = {one["comp"] in NUCLEOTIDES, other["comp"] in NUCLEOTIDES}
        if one["chain"] != other["chain"] or {one["comp"], other["comp"]} & SMALL or len(kinds) > 1:
            continue
        ends = ("O3'", "P") if kinds == {True} else ("C", "N")
        here = (one["chain"], one["seq"], ends[0])
        bonds[pair(here, (other["chain"], other["seq"], ends[1]))] = SINGLE
    letter_of = {}
    for one in molecule:
        for name in one["names"]:
            letter_of[one["chain"], one["seq"], name] = chosen(one, altloc)
    kept = {name for name, _ in atoms}
    for kind, a, b, letters in records:
        fits = all(c in ("?", ".", letter_of.get(n, ".")) for n, c in zip((a, b), letters))
        if kind in ("disulf", "covale", "metalc") and fits and {a, b} <= kept:
            bonds[pair(a, b)] = COORDINATION if kind == "metalc" else SINGLE
    return atoms, bonds


def pair(a, b):
    return tuple(sorted((a, b)))


def found(answer, author=True):
    """Names of the atoms and their bonds, as `wanted` gives them."""
    names = []
    for chain_, seq, name in zip(answer["chain"], answer["seq"], answer["name"], strict=True):
        names.append((chain_[:-1], seq - 100, name) if author else (chain_, seq, name))
    bonds = {pair(names[i], names[j]): int(kind) for i, j, kind in answer["bonds"]}
    assert len(bonds) == len(answer["bonds"]), "a bond stands twice, or is one of a double atom"
    return names, bonds


def check(answer, molecule, records, altloc, author=True):
    """The atoms of the chosen conformers, where the file has them, and exactly their bonds."""
    atoms, bonds = wanted(molecule, records, altloc)
    names, got = found(answer, author)
    assert names == [name for name, _ in atoms]
    # The file has three decimals, positions of at most some tens have a float32 error of 4e-6.
    np.testing.assert_allclose(answer["coord"], [spot for _, spot in atoms], rtol=0, atol=1e-4)
    assert got == bonds, (
        f"missing {bonds.items() - got.items()}, extra {got.items() - bonds.items()}"
    )


@probe
def read_all(jobs):
    """Read the file of each job once for each of its "options", and describe what was read: a list
    over jobs and options."""
    import io
    import warnings

    import biotite.structure.io.pdbx as pdbx
    import numpy as np

    warnings.simplefilter("ignore")

    def typed(name, column):
        if column.mask is not None:
            return pdbx.BinaryCIFColumn(column.data.array, column.mask.array)
        number = name.endswith(("seq_id", "_num")) or name == "id" or name.startswith("Cartn")
        kind = np.float64 if name.startswith("Cartn") else np.int32
        return pdbx.BinaryCIFColumn(column.as_array(kind if number else str))

    def binary(text):
        block = pdbx.BinaryCIFBlock()
        for name, category in text.block.items():
            columns = {key: typed(key, column) for key, column in category.items()}
            block[name] = pdbx.BinaryCIFCategory(columns)
        file = pdbx.BinaryCIFFile()
        file["T"] = block
        stream = io.BytesIO()
        file.write(stream)
        stream.seek(0)
        return pdbx.BinaryCIFFile.read(stream)

    def read(file, assembly=False, **options):
        function = pdbx.get_assembly if assembly else pdbx.get_structure
        return function(file, **{"include_bonds": True, "model": 1, **options})

    def described(atoms):
        categories = atoms.get_annotation_categories()
        return {
            "kind": type(atoms).__name__,
            "chain": [str(x) for x in atoms.chain_id],
            "seq": [int(x) for x in atoms.res_id],
            "name": [str(x) for x in atoms.atom_name],
            "conformer": [str(x) for x in atoms.altloc_id] if "altloc_id" in categories else None,
            "share": [float(x) for x in atoms.occupancy] if "occupancy" in categories else None,
            "copy": [int(x) for x in atoms.sym_id] if "sym_id" in categories else None,
            "coord": np.asarray(atoms.coord, dtype=float),
            "bonds": None if atoms.bonds is None else atoms.bonds.as_array().tolist(),
        }

    answers = []
    for job in jobs:
        for options in job["options"]:
            file = pdbx.CIFFile.read(io.StringIO(job["text"]))
            file = binary(file) if job.get("binary") else file
            try:
                answers.append(described(read(file, **options)))
            except Exception as error:
                if not job.get("may_fail"):
                    raise
                answers.append({"error": type(error).__name__})
    return answers
