"""Read small peptides in which some atoms have two conformers, and count the pieces.

Exit status: 0 when each is one molecule with the right number of bonds, 1 otherwise.
"""

import io
import os
import sys
import warnings

sys.path.insert(0, os.getcwd())
warnings.simplefilter("ignore")

import biotite.structure.io.pdbx as pdbx
import networkx as nx

COLUMNS = (
    "group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_seq_id "
    "pdbx_PDB_ins_code Cartn_x Cartn_y Cartn_z occupancy auth_seq_id auth_asym_id "
    "pdbx_PDB_model_num"
).split()
PARTNER = ("label_asym_id", "label_comp_id", "label_seq_id", "label_atom_id")


def peptide(comps, disordered, bridge=None):
    """An mmCIF file; residues in `disordered` have conformers A (0.4) and B (0.6)."""
    lines = ["data_T", "loop_", *(f"_atom_site.{name}" for name in COLUMNS)]
    number = 0
    for seq, comp in enumerate(comps, start=1):
        for name in ("N", "CA", "C", "O", "CB", *(["SG"] if comp == "CYS" else [])):
            for letter, share in [("A", 0.4), ("B", 0.6)] if seq in disordered else [(".", 1.0)]:
                number += 1
                place = f"{3.8 * seq:.2f} {number % 7}.0 {0.5 * (letter == 'B')}"
                row = f"ATOM {number} {name[0]} {name} {letter} {comp} A {seq} ? {place} {share}"
                lines.append(f"{row} {seq} A 1")
    lines.append("#")
    if bridge:
        names = [f"ptnr{k}_{name}" for k in (1, 2) for name in PARTNER]
        lines += ["loop_", *(f"_struct_conn.{name}" for name in ("id", "conn_type_id", *names))]
        lines.append("d1 disulf " + " ".join(f"A CYS {seq} SG" for seq in bridge))
        lines.append("#")
    return pdbx.CIFFile.read(io.StringIO("\n".join(lines) + "\n"))


def pieces(file):
    atoms = pdbx.get_structure(file, model=1, altloc="occupancy", include_bonds=True)
    graph = atoms.bonds.as_graph()
    graph.add_nodes_from(range(atoms.array_length()))
    return nx.number_connected_components(graph), graph.number_of_edges(), atoms.array_length()


def main():
    bad = 0
    cases = {
        "alanines": (peptide(["ALA"] * 4, (2, 3)), 0),
        "cysteines": (peptide(["CYS", "ALA", "ALA", "CYS"], (4,), bridge=(1, 4)), 1),
    }
    for name, (file, rings) in cases.items():
        try:
            parts, bonds, atoms = pieces(file)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}")
            bad += 1
            continue
        bad += parts != 1 or bonds != atoms - 1 + rings
        print(
            f"{name}: {atoms} atoms, {bonds} bonds, {parts} molecule(s), {rings} ring(s) expected"
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
