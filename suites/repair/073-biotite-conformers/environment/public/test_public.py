"""Public checks: part of what a repair has to hold."""

from referee.wall import contract, probe


@probe
def bonds_of(letters, shares):
    """Three alanines, the atoms of the second with these conformers. The names of the atoms, as
    (residue, name), and the bonds between them."""
    import io

    import biotite.structure.io.pdbx as pdbx

    columns = (
        "group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id "
        "label_seq_id pdbx_PDB_ins_code Cartn_x Cartn_y Cartn_z occupancy auth_seq_id "
        "auth_asym_id pdbx_PDB_model_num"
    ).split()
    lines = ["data_T", "loop_", *(f"_atom_site.{name}" for name in columns)]
    number = 0
    for seq in (1, 2, 3):
        for name in ("N", "CA", "C", "O", "CB"):
            for letter, share in zip(letters, shares) if seq == 2 else [(".", 1.0)]:
                number += 1
                place = f"{seq}.5 {number}.0 0.5"
                row = f"ATOM {number} {name[0]} {name} {letter} ALA A {seq} ? {place} {share}"
                lines.append(f"{row} {seq} A 1")
    file = pdbx.CIFFile.read(io.StringIO("\n".join(lines) + "\n#\n"))
    atoms = pdbx.get_structure(file, model=1, altloc="occupancy", include_bonds=True)
    names = [[int(seq), str(name)] for seq, name in zip(atoms.res_id, atoms.atom_name)]
    return {"atoms": names, "bonds": [[names[i], names[j]] for i, j, _ in atoms.bonds.as_array()]}


def expected():
    bonds = []
    for seq in (1, 2, 3):
        bonds += [{(seq, a), (seq, b)} for a, b in (("N", "CA"), ("CA", "C"), ("C", "O"))]
        bonds.append({(seq, "CA"), (seq, "CB")})
    return bonds + [{(1, "C"), (2, "N")}, {(2, "C"), (3, "N")}]


def check(answer):
    assert len(answer["atoms"]) == 15
    found = [{tuple(a), tuple(b)} for a, b in answer["bonds"]]
    assert len(found) == len(expected())
    assert all(bond in found for bond in expected())


@contract("reported-case")
def test_the_better_second_conformer_is_bonded(candidate):
    check(candidate(bonds_of, "AB", [0.3, 0.7]))


@contract("interface")
def test_the_better_first_conformer_is_bonded(candidate):
    check(candidate(bonds_of, "AB", [0.7, 0.3]))


@contract("interface")
def test_without_conformers(candidate):
    check(candidate(bonds_of, ".", [1.0]))
