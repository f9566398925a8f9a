# referee-canary 038 d97d7387-7e07-4877-a3ae-e9c786d23b89
"""All 230 types from generators, and changes of basis, in whole numbers as far as possible.

A group is a set of operations (rotation, translation in units of 1/24) in its conventional cell, closed
under multiplication modulo the lattice of that cell. A basis is a matrix of columns in conventional
coordinates. The type of a group is known by construction and cannot change with the basis.
"""

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from referee.wall import probe

# 11 pairs of types that are mirror images of each other
MIRROR = {
    a: b
    for pair in (
        (76, 78), (91, 95), (92, 96), (144, 145), (151, 153), (152, 154), (169, 170), (171, 172),
        (178, 179), (180, 181), (212, 213),
    )
    for a, b in (pair, pair[::-1])
}  # fmt: skip

FAMILIES = {
    "triclinic": range(1, 3),
    "monoclinic": range(3, 16),
    "orthorhombic": range(16, 75),
    "tetragonal": range(75, 143),
    "hexagonal": range(143, 195),
    "cubic": range(195, 231),
}


# --- asking the candidate ---------------------------------------------------------------------


@probe
def types(cases, with_lattice, symprec):
    """(number, short symbol, point group, the record that the type's Hall number leads to agrees)
    or None, for each (rotations, translations, lattice with basis vectors as rows)."""
    import warnings

    import spglib

    warnings.simplefilter("ignore")
    answers = []
    for rotations, translations, lattice in cases:
        found = spglib.get_spacegroup_type_from_symmetry(
            rotations, translations, lattice=lattice if with_lattice else None, symprec=symprec
        )
        if found is None:
            answers.append(None)
            continue
        again = spglib.get_spacegroup_type(found.hall_number)
        answers.append(
            (
                int(found.number),
                str(found.international_short),
                str(found.pointgroup_international),
                bool(again == found),
            )
        )
    return answers


@probe
def hall_numbers(cases, symprec):
    """Type numbers by way of the older function, which takes no lattice."""
    import warnings

    import spglib

    warnings.simplefilter("ignore")
    answers = []
    for rotations, translations, _lattice in cases:
        hall = spglib.get_hall_number_from_symmetry(rotations, translations, symprec=symprec)
        answers.append(int(spglib.get_spacegroup_type(hall).number) if hall else None)
    return answers


# --- groups -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    number: int
    symbol: str
    point_group: str
    rotations: np.ndarray  # (n, 3, 3), integers
    shifts: np.ndarray  # (n, 3), integers in units of 1/24


def read_operation(text):
    rotation, shift = np.zeros((3, 3), dtype=int), np.zeros(3, dtype=int)
    for row, part in enumerate(text.strip().split(",")):
        for term in part.replace("-", "+-").split("+"):
            if not term:
                continue
            if term[-1] in "xyz":
                rotation[row, "xyz".index(term[-1])] = -1 if term[0] == "-" else 1
            else:
                above, below = (int(x) for x in term.split("/"))
                shift[row] = 24 * above // below
    return rotation, shift


def closure(generators):
    start = (tuple(np.eye(3, dtype=int).ravel().tolist()), (0, 0, 0))
    known, fresh = {start}, [start]
    while fresh:
        found = []
        for rotation, shift in fresh:
            r, t = np.array(rotation).reshape(3, 3), np.array(shift)
            for gr, gt in generators:
                made = (
                    tuple((gr @ r).ravel().tolist()),
                    tuple(((gr @ t + gt) % 24).tolist()),
                )
                if made not in known:
                    known.add(made)
                    found.append(made)
        fresh = found
    return sorted(known)


@lru_cache(maxsize=None)
def group(number):
    for line in TABLE.strip().splitlines():
        n, symbol, point_group, order, *rest = line.split(" ", 4)
        if int(n) == number:
            generators = [read_operation(x) for x in rest[0].split(";")] if rest and rest[0] else []
            operations = closure(generators)
            assert len(operations) == int(order)
            return Group(
                number,
                symbol,
                point_group,
                np.array([r for r, _ in operations]).reshape(-1, 3, 3),
                np.array([t for _, t in operations]),
            )
    raise KeyError(number)


@lru_cache(maxsize=None)
def primitive_basis(number):
    """Columns of a right-handed primitive basis in conventional coordinates."""
    found = group(number)
    pure = [t / 24 for r, t in zip(found.rotations, found.shifts) if np.array_equal(r, np.eye(3))]
    vectors = [
        t + np.array(cell)
        for t in pure
        for cell in itertools.product((-1, 0, 1), repeat=3)
        if np.abs(t + np.array(cell)).max() > 1e-9 and np.abs(t + np.array(cell)).max() <= 1
    ]
    vectors.sort(key=lambda v: (float(v @ v), tuple(-v)))
    for triple in itertools.combinations(vectors, 3):
        basis = np.array(triple).T
        volume = np.linalg.det(basis)
        if abs(abs(volume) - 1 / len(pure)) < 1e-9:
            return basis if volume > 0 else -basis
    raise AssertionError("no primitive basis")


# --- bases ------------------------------------------------------------------------------------


def shear(rng, count):
    """A product of `count` elementary shears: whole numbers, determinant 1."""
    out = np.eye(3, dtype=int)
    for _ in range(count):
        i, j = rng.choice(3, size=2, replace=False)
        step = np.eye(3, dtype=int)
        step[i, j] = int(rng.choice([-1, 1]))
        out = out @ step
    return out


def lattice_of(found, rng, basis):
    """A random lattice, as rows, that the group leaves invariant, in `basis` and any direction."""
    cell = np.diag(rng.uniform(4.0, 9.0, size=3)) @ (np.eye(3) + rng.uniform(-0.2, 0.2, size=(3, 3)))
    metric = cell.T @ cell
    metric = np.mean([r.T @ metric @ r for r in found.rotations], axis=0)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn = turn * np.linalg.det(turn)
    columns = turn @ np.linalg.cholesky(metric).T @ basis
    return np.ascontiguousarray(columns.T)


def written(found, basis, rng, *, origin=None, shuffled=False, cells=False):
    """The operations of `found` in `basis`, and its lattice: one case for the candidate.

    `origin` moves the origin, `cells` adds whole lattice vectors to translations.
    """
    inverse = np.linalg.inv(basis)
    rotations, translations, seen = [], [], set()
    for r, t in zip(found.rotations, found.shifts):
        turned = inverse @ r @ basis
        whole = np.rint(turned).astype(int)
        assert np.abs(turned - whole).max() < 1e-6
        place = inverse @ (t / 24)
        # multiples of 1/24 in the old basis are multiples of 1/(24 * n) in the new one
        place = np.rint(place * 24 * 64) / (24 * 64) % 1.0
        key = (*whole.ravel().tolist(), *np.rint(place * 24 * 64).astype(int).tolist())
        if key in seen:
            continue
        seen.add(key)
        if origin is not None:
            place = (place + (whole - np.eye(3)) @ origin) % 1.0
        if cells:
            place = place + rng.integers(-2, 3, size=3)
        rotations.append(whole)
        translations.append(place)
    order = rng.permutation(len(rotations)) if shuffled else np.arange(len(rotations))
    return [
        np.array(rotations, dtype=np.int32)[order],
        np.array(translations, dtype=np.float64)[order],
        lattice_of(found, rng, basis),
    ]


def expected(number):
    found = group(number)
    return (number, found.symbol, found.point_group, True)


def wrong(answers, numbers):
    """A short account of what is not as it must be; empty if all is well."""
    assert isinstance(answers, list)
    assert len(answers) == len(numbers)
    bad = []
    for answer, number in zip(answers, numbers):
        if answer is None or tuple(answer) != expected(number):
            bad.append(f"{number} {group(number).symbol}: {answer}")
    return f"{len(bad)} of {len(numbers)}: " + "; ".join(bad[:5]) if bad else ""


# Number, short symbol, point group, number of operations modulo the conventional lattice, generators
TABLE = """
1 P1 1 1 
2 P-1 -1 2 -x,-y,-z
3 P2 2 2 -x,y,-z
4 P2_1 2 2 -x,y+1/2,-z
5 C2 2 4 -x,y,-z; x+1/2,y+1/2,z
6 Pm m 2 x,-y,z
7 Pc m 2 x,-y,z+1/2
8 Cm m 4 x,-y,z; x+1/2,y+1/2,z
9 Cc m 4 x,-y,z+1/2; x+1/2,y+1/2,z
10 P2/m 2/m 4 -x,-y,-z; -x,y,-z
11 P2_1/m 2/m 4 -x,-y,-z; -x,y+1/2,-z
12 C2/m 2/m 8 -x,-y,-z; -x,y,-z; x+1/2,y+1/2,z
13 P2/c 2/m 4 -x,-y,-z; -x,y,-z+1/2
14 P2_1/c 2/m 4 -x,-y,-z; -x,y+1/2,-z+1/2
15 C2/c 2/m 8 -x,-y,-z; -x,y,-z+1/2; x+1/2,y+1/2,z
16 P222 222 4 -x,-y,z; x,-y,-z
17 P222_1 222 4 -x,-y,z+1/2; x,-y,-z
18 P2_12_12 222 4 -x,-y,z; x+1/2,-y+1/2,-z
19 P2_12_12_1 222 4 -x+1/2,-y,z+1/2; x+1/2,-y+1/2,-z
20 C222_1 222 8 -x,-y,z+1/2; x,-y,-z; x+1/2,y+1/2,z
21 C222 222 8 -x,-y,z; x,-y,-z; x+1/2,y+1/2,z
22 F222 222 16 -x,-y,z; x,-y,-z; x,y+1/2,z+1/2; x+1/2,y,z+1/2
23 I222 222 8 -x,-y,z; x,-y,-z; x+1/2,y+1/2,z+1/2
24 I2_12_12_1 222 8 -x,-y+1/2,z; x,-y,-z+1/2; x+1/2,y+1/2,z+1/2
25 Pmm2 mm2 4 -x,-y,z; -x,y,z
26 Pmc2_1 mm2 4 -x,-y,z+1/2; -x,y,z
27 Pcc2 mm2 4 -x,-y,z; -x,y,z+1/2
28 Pma2 mm2 4 -x,-y,z; -x+1/2,y,z
29 Pca2_1 mm2 4 -x,-y,z+1/2; -x+1/2,y,z+1/2
30 Pnc2 mm2 4 -x,-y,z; -x,y+1/2,z+1/2
31 Pmn2_1 mm2 4 -x+1/2,-y,z+1/2; -x,y,z
32 Pba2 mm2 4 -x,-y,z; -x+1/2,y+1/2,z
33 Pna2_1 mm2 4 -x,-y,z+1/2; -x+1/2,y+1/2,z+1/2
34 Pnn2 mm2 4 -x,-y,z; -x+1/2,y+1/2,z+1/2
35 Cmm2 mm2 8 -x,-y,z; -x,y,z; x+1/2,y+1/2,z
36 Cmc2_1 mm2 8 -x,-y,z+1/2; -x,y,z; x+1/2,y+1/2,z
37 Ccc2 mm2 8 -x,-y,z; -x,y,z+1/2; x+1/2,y+1/2,z
38 Amm2 mm2 8 -x,-y,z; -x,y,z; x,y+1/2,z+1/2
39 Aem2 mm2 8 -x,-y,z; -x,y+1/2,z; x,y+1/2,z+1/2
40 Ama2 mm2 8 -x,-y,z; -x+1/2,y,z; x,y+1/2,z+1/2
41 Aea2 mm2 8 -x,-y,z; -x+1/2,y+1/2,z; x,y+1/2,z+1/2
42 Fmm2 mm2 16 -x,-y,z; -x,y,z; x,y+1/2,z+1/2; x+1/2,y,z+1/2
43 Fdd2 mm2 16 -x+1/4,y+3/4,z+3/4; -x,-y,z
44 Imm2 mm2 8 -x,-y,z; -x,y,z; x+1/2,y+1/2,z+1/2
45 Iba2 mm2 8 -x,-y,z; -x,y,z+1/2; x+1/2,y+1/2,z+1/2
46 Ima2 mm2 8 -x,-y,z; -x+1/2,y,z; x+1/2,y+1/2,z+1/2
47 Pmmm mmm 8 -x,-y,-z; -x,-y,z; x,-y,-z
48 Pnnn mmm 8 -x,-y,z; x,-y,-z; -x+1/2,-y+1/2,-z+1/2
49 Pccm mmm 8 -x,-y,-z; -x,-y,z; x,-y,-z+1/2
50 Pban mmm 8 -x,-y,z; x,-y,-z; -x+1/2,-y+1/2,-z
51 Pmma mmm 8 -x,-y,-z; -x+1/2,-y,z; x+1/2,-y,-z
52 Pnna mmm 8 -x,-y,-z; -x+1/2,-y,z; x,-y+1/2,-z+1/2
53 Pmna mmm 8 -x,-y,-z; -x+1/2,-y,z+1/2; x,-y,-z
54 Pcca mmm 8 -x,-y,-z; -x+1/2,-y,z; x+1/2,-y,-z+1/2
55 Pbam mmm 8 -x,-y,-z; -x,-y,z; x+1/2,-y+1/2,-z
56 Pccn mmm 8 -x,-y,-z; -x+1/2,-y+1/2,z; x+1/2,-y,-z+1/2
57 Pbcm mmm 8 -x,-y,-z; -x,-y,z+1/2; x,-y+1/2,-z
58 Pnnm mmm 8 -x,-y,-z; -x,-y,z; x+1/2,-y+1/2,-z+1/2
59 Pmmn mmm 8 -x,-y,z; x+1/2,-y+1/2,-z; -x+1/2,-y+1/2,-z
60 Pbcn mmm 8 -x,-y,-z; -x+1/2,-y+1/2,z+1/2; x+1/2,-y+1/2,-z
61 Pbca mmm 8 -x,-y,-z; -x+1/2,-y,z+1/2; x+1/2,-y+1/2,-z
62 Pnma mmm 8 -x,-y,-z; -x+1/2,-y,z+1/2; x+1/2,-y+1/2,-z+1/2
63 Cmcm mmm 16 -x,-y,-z; -x,-y,z+1/2; x,-y,-z; x+1/2,y+1/2,z
64 Cmce mmm 16 -x,-y,-z; -x+1/2,-y,z+1/2; x,-y,-z; x+1/2,y+1/2,z
65 Cmmm mmm 16 -x,-y,-z; -x,-y,z; x,-y,-z; x+1/2,y+1/2,z
66 Cccm mmm 16 -x,-y,-z; -x,-y,z; x,-y,-z+1/2; x+1/2,y+1/2,z
67 Cmme mmm 16 -x,-y,-z; -x+1/2,-y,z; x,-y,-z; x+1/2,y+1/2,z
68 Ccce mmm 16 -x,-y,z; x,-y,-z; -x+1/2,-y,-z+1/2; x+1/2,y+1/2,z
69 Fmmm mmm 32 -x,-y,-z; -x,-y,z; x,-y,-z; x,y+1/2,z+1/2; x+1/2,y,z+1/2
70 Fddd mmm 32 x+1/4,y+1/4,-z+1/4; x,-y,-z; -x,-y,z
71 Immm mmm 16 -x,-y,-z; -x,-y,z; x,-y,-z; x+1/2,y+1/2,z+1/2
72 Ibam mmm 16 -x,-y,-z; -x,-y,z; x,-y,-z+1/2; x+1/2,y+1/2,z+1/2
73 Ibca mmm 16 -x,-y,-z; -x,-y+1/2,z; x,-y,-z+1/2; x+1/2,y+1/2,z+1/2
74 Imma mmm 16 -x,-y,-z; -x,-y+1/2,z; x,-y,-z; x+1/2,y+1/2,z+1/2
75 P4 4 4 -y,x,z
76 P4_1 4 4 -y,x,z+1/4
77 P4_2 4 4 -y,x,z+1/2
78 P4_3 4 4 -y,x,z+3/4
79 I4 4 8 -y,x,z; x+1/2,y+1/2,z+1/2
80 I4_1 4 8 -y,x+1/2,z+1/4; x+1/2,y+1/2,z+1/2
81 P-4 -4 4 y,-x,-z
82 I-4 -4 8 y,-x,-z; x+1/2,y+1/2,z+1/2
83 P4/m 4/m 8 -y,x,z; -x,-y,-z
84 P4_2/m 4/m 8 -y,x,z+1/2; -x,-y,-z
85 P4/n 4/m 8 -y+1/2,x+1/2,z; -x+1/2,-y+1/2,-z
86 P4_2/n 4/m 8 -y+1/2,x+1/2,z+1/2; -x+1/2,-y+1/2,-z+1/2
87 I4/m 4/m 16 -y,x,z; -x,-y,-z; x+1/2,y+1/2,z+1/2
88 I4_1/a 4/m 16 -y,x+1/2,z+1/4; -x,-y+1/2,-z+1/4
89 P422 422 8 -y,x,z; x,-y,-z
90 P42_12 422 8 -y+1/2,x+1/2,z; x+1/2,-y+1/2,-z
91 P4_122 422 8 -y,x,z+1/4; x,-y,-z+1/2
92 P4_12_12 422 8 -y+1/2,x+1/2,z+1/4; x+1/2,-y+1/2,-z+3/4
93 P4_222 422 8 -y,x,z+1/2; x,-y,-z
94 P4_22_12 422 8 -y+1/2,x+1/2,z+1/2; x+1/2,-y+1/2,-z+1/2
95 P4_322 422 8 -y,x,z+3/4; x,-y,-z+1/2
96 P4_32_12 422 8 -y+1/2,x+1/2,z+3/4; x+1/2,-y+1/2,-z+1/4
97 I422 422 16 -y,x,z; x,-y,-z; x+1/2,y+1/2,z+1/2
98 I4_122 422 16 -y,x+1/2,z+1/4; x,-y+1/2,-z+1/4; x+1/2,y+1/2,z+1/2
99 P4mm 4mm 8 -y,x,z; -x,y,z
100 P4bm 4mm 8 -y,x,z; -x+1/2,y+1/2,z
101 P4_2cm 4mm 8 -y,x,z+1/2; -x,y,z+1/2
102 P4_2nm 4mm 8 -y+1/2,x+1/2,z+1/2; -x+1/2,y+1/2,z+1/2
103 P4cc 4mm 8 -y,x,z; -x,y,z+1/2
104 P4nc 4mm 8 -y,x,z; -x+1/2,y+1/2,z+1/2
105 P4_2mc 4mm 8 -y,x,z+1/2; -x,y,z
106 P4_2bc 4mm 8 -y,x,z+1/2; -x+1/2,y+1/2,z
107 I4mm 4mm 16 -y,x,z; -x,y,z; x+1/2,y+1/2,z+1/2
108 I4cm 4mm 16 -y,x,z; -x,y,z+1/2; x+1/2,y+1/2,z+1/2
109 I4_1md 4mm 16 -y,x+1/2,z+1/4; -x,y,z
110 I4_1cd 4mm 16 -y,x+1/2,z+1/4; -x,y,z+1/2
111 P-42m -42m 8 y,-x,-z; x,-y,-z
112 P-42c -42m 8 y,-x,-z; x,-y,-z+1/2
113 P-42_1m -42m 8 y,-x,-z; x+1/2,-y+1/2,-z
114 P-42_1c -42m 8 y,-x,-z; x+1/2,-y+1/2,-z+1/2
115 P-4m2 -42m 8 y,-x,-z; -x,y,z
116 P-4c2 -42m 8 y,-x,-z; -x,y,z+1/2
117 P-4b2 -42m 8 y,-x,-z; -x+1/2,y+1/2,z
118 P-4n2 -42m 8 y,-x,-z; -x+1/2,y+1/2,z+1/2
119 I-4m2 -42m 16 y,-x,-z; -x,y,z; x+1/2,y+1/2,z+1/2
120 I-4c2 -42m 16 y,-x,-z; -x,y,z+1/2; x+1/2,y+1/2,z+1/2
121 I-42m -42m 16 y,-x,-z; x,-y,-z; x+1/2,y+1/2,z+1/2
122 I-42d -42m 16 y,-x,-z; x,-y+1/2,-z+1/4
123 P4/mmm 4/mmm 16 -y,x,z; -x,-y,-z; x,-y,-z
124 P4/mcc 4/mmm 16 -y,x,z; -x,-y,-z; x,-y,-z+1/2
125 P4/nbm 4/mmm 16 -y,x,z; x,-y,-z; -x+1/2,-y+1/2,-z
126 P4/nnc 4/mmm 16 -y,x,z; x,-y,-z; -x+1/2,-y+1/2,-z+1/2
127 P4/mbm 4/mmm 16 -y,x,z; -x,-y,-z; x+1/2,-y+1/2,-z
128 P4/mnc 4/mmm 16 -y,x,z; -x,-y,-z; x+1/2,-y+1/2,-z+1/2
129 P4/nmm 4/mmm 16 -y+1/2,x+1/2,z; x+1/2,-y+1/2,-z; -x+1/2,-y+1/2,-z
130 P4/ncc 4/mmm 16 -y+1/2,x+1/2,z; x+1/2,-y+1/2,-z+1/2; -x+1/2,-y+1/2,-z
131 P4_2/mmc 4/mmm 16 -y,x,z+1/2; -x,-y,-z; x,-y,-z
132 P4_2/mcm 4/mmm 16 -y,x,z+1/2; -x,-y,-z; x,-y,-z+1/2
133 P4_2/nbc 4/mmm 16 -y+1/2,x+1/2,z+1/2; x,-y,-z+1/2; -x+1/2,-y+1/2,-z+1/2
134 P4_2/nnm 4/mmm 16 -y+1/2,x+1/2,z+1/2; x,-y,-z; -x+1/2,-y+1/2,-z+1/2
135 P4_2/mbc 4/mmm 16 -y,x,z+1/2; -x,-y,-z; x+1/2,-y+1/2,-z
136 P4_2/mnm 4/mmm 16 -y+1/2,x+1/2,z+1/2; -x,-y,-z; x+1/2,-y+1/2,-z+1/2
137 P4_2/nmc 4/mmm 16 -y+1/2,x+1/2,z+1/2; x+1/2,-y+1/2,-z+1/2; -x+1/2,-y+1/2,-z+1/2
138 P4_2/ncm 4/mmm 16 -y+1/2,x+1/2,z+1/2; x+1/2,-y+1/2,-z; -x+1/2,-y+1/2,-z+1/2
139 I4/mmm 4/mmm 32 -y,x,z; -x,-y,-z; x,-y,-z; x+1/2,y+1/2,z+1/2
140 I4/mcm 4/mmm 32 -y,x,z; -x,-y,-z; x,-y,-z+1/2; x+1/2,y+1/2,z+1/2
141 I4_1/amd 4/mmm 32 -y,x+1/2,z+1/4; -x,-y+1/2,-z+1/4; x,-y+1/2,-z+1/4
142 I4_1/acd 4/mmm 32 -y,x+1/2,z+1/4; -x,-y+1/2,-z+1/4; x+1/2,-y,-z+1/4
143 P3 3 3 -y,x-y,z
144 P3_1 3 3 -y,x-y,z+1/3
145 P3_2 3 3 -y,x-y,z+2/3
146 R3 3 9 -y,x-y,z; x+2/3,y+1/3,z+1/3
147 P-3 -3 6 y,-x+y,-z
148 R-3 -3 18 y,-x+y,-z; x+2/3,y+1/3,z+1/3
149 P312 32 6 -y,x-y,z; -y,-x,-z
150 P321 32 6 -y,x-y,z; y,x,-z
151 P3_112 32 6 -y,x-y,z+1/3; -y,-x,-z+2/3
152 P3_121 32 6 -y,x-y,z+1/3; y,x,-z
153 P3_212 32 6 -y,x-y,z+2/3; -y,-x,-z+1/3
154 P3_221 32 6 -y,x-y,z+2/3; y,x,-z
155 R32 32 18 -y,x-y,z; x+2/3,y+1/3,z+1/3; y,x,-z
156 P3m1 3m 6 -y,x-y,z; -y,-x,z
157 P31m 3m 6 -y,x-y,z; y,x,z
158 P3c1 3m 6 -y,x-y,z; -y,-x,z+1/2
159 P31c 3m 6 -y,x-y,z; y,x,z+1/2
160 R3m 3m 18 -y+2/3,-x+1/3,z+1/3; -y,x-y,z
161 R3c 3m 18 -y+2/3,-x+1/3,z+5/6; -y,x-y,z
162 P-31m -3m 12 y,-x+y,-z; -y,-x,-z
163 P-31c -3m 12 y,-x+y,-z; -y,-x,-z+1/2
164 P-3m1 -3m 12 y,-x+y,-z; y,x,-z
165 P-3c1 -3m 12 y,-x+y,-z; y,x,-z+1/2
166 R-3m -3m 36 y,-x+y,-z; y+2/3,x+1/3,-z+1/3
167 R-3c -3m 36 y,-x+y,-z; y+2/3,x+1/3,-z+5/6
168 P6 6 6 x-y,x,z
169 P6_1 6 6 x-y,x,z+1/6
170 P6_5 6 6 x-y,x,z+5/6
171 P6_2 6 6 x-y,x,z+1/3
172 P6_4 6 6 x-y,x,z+2/3
173 P6_3 6 6 x-y,x,z+1/2
174 P-6 -6 6 -x+y,-x,-z
175 P6/m 6/m 12 x-y,x,z; -x,-y,-z
176 P6_3/m 6/m 12 x-y,x,z+1/2; -x,-y,-z
177 P622 622 12 x-y,x,z; -y,-x,-z
178 P6_122 622 12 x-y,x,z+1/6; -y,-x,-z+5/6
179 P6_522 622 12 x-y,x,z+5/6; -y,-x,-z+1/6
180 P6_222 622 12 x-y,x,z+1/3; -y,-x,-z+2/3
181 P6_422 622 12 x-y,x,z+2/3; -y,-x,-z+1/3
182 P6_322 622 12 x-y,x,z+1/2; -y,-x,-z+1/2
183 P6mm 6mm 12 x-y,x,z; y,x,z
184 P6cc 6mm 12 x-y,x,z; y,x,z+1/2
185 P6_3cm 6mm 12 x-y,x,z+1/2; y,x,z
186 P6_3mc 6mm 12 x-y,x,z+1/2; y,x,z+1/2
187 P-6m2 -6m2 12 -x+y,-x,-z; -y,-x,-z
188 P-6c2 -6m2 12 -x+y,-x,-z+1/2; -y,-x,-z
189 P-62m -6m2 12 -x+y,-x,-z; y,x,z
190 P-62c -6m2 12 -x+y,-x,-z+1/2; y,x,z+1/2
191 P6/mmm 6/mmm 24 x-y,x,z; -x,-y,-z; -y,-x,-z
192 P6/mcc 6/mmm 24 x-y,x,z; -x,-y,-z; -y,-x,-z+1/2
193 P6_3/mcm 6/mmm 24 x-y,x,z+1/2; -x,-y,-z; -y,-x,-z
194 P6_3/mmc 6/mmm 24 x-y,x,z+1/2; -x,-y,-z; -y,-x,-z+1/2
195 P23 23 12 z,x,y; -x,-y,z
196 F23 23 48 z,x,y; -x,-y,z; x,y+1/2,z+1/2
197 I23 23 24 z+1/2,x+1/2,y+1/2; -x,-y,z
198 P2_13 23 12 z,x,y; -x+1/2,-y,z+1/2
199 I2_13 23 24 z,-x,-y+1/2; -x,-y+1/2,z
200 Pm-3 m-3 24 -z,-x,-y; -x,-y,z
201 Pn-3 m-3 24 -z+1/2,-x+1/2,-y+1/2; -x,-y,z
202 Fm-3 m-3 96 -z,-x,-y; -z,x,y; -z,-x+1/2,-y+1/2
203 Fd-3 m-3 96 -z+1/4,-x+1/4,-y+1/4; -z+1/4,x+1/4,y+1/4
204 Im-3 m-3 48 -z,-x,-y; -x+1/2,-y+1/2,z+1/2
205 Pa-3 m-3 24 -z,-x,-y; -x+1/2,-y,z+1/2
206 Ia-3 m-3 48 -z,-x,-y; -x,-y+1/2,z
207 P432 432 24 -y,x,z; z,x,y
208 P4_232 432 24 -y+1/2,x+1/2,z+1/2; z,x,y
209 F432 432 96 -y,x,z; z,y,-x; -y,x+1/2,z+1/2
210 F4_132 432 96 -y+1/4,x+1/4,z+1/4; -y+1/4,-x+3/4,-z+3/4; z+1/4,-y+1/4,x+1/4
211 I432 432 48 z+1/2,x+1/2,y+1/2; -y,x,z
212 P4_332 432 24 -y+3/4,x+1/4,z+3/4; z,x,y
213 P4_132 432 24 -y+1/4,x+3/4,z+1/4; z,x,y
214 I4_132 432 48 -z+1/2,x,-y; -y+1/4,x+3/4,z+1/4
215 P-43m -43m 24 y,-x,-z; z,x,y
216 F-43m -43m 96 y,-x,-z; -z,-y,x; y,-x+1/2,-z+1/2
217 I-43m -43m 48 z+1/2,x+1/2,y+1/2; y,-x,-z
218 P-43n -43m 24 y+1/2,-x+1/2,-z+1/2; z,x,y
219 F-43c -43m 96 y+1/2,-x,-z; y+1/2,x,z; -z,-y,x+1/2
220 I-43d -43m 48 z,-x,-y+1/2; y+1/4,-x+3/4,-z+1/4
221 Pm-3m m-3m 48 -z,-x,-y; -y,x,z
222 Pn-3n m-3m 48 -z+1/2,-x+1/2,-y+1/2; -y,x,z
223 Pm-3n m-3m 48 -z,-x,-y; -y+1/2,x+1/2,z+1/2
224 Pn-3m m-3m 48 -z+1/2,-x+1/2,-y+1/2; -y+1/2,x+1/2,z+1/2
225 Fm-3m m-3m 192 -z,-x,-y; -z,x,y; -z,-x+1/2,-y+1/2; -y,x,z
226 Fm-3c m-3m 192 -z,-x,-y; -z,x+1/2,y+1/2; z,-x,y; -y+1/2,x,z
227 Fd-3m m-3m 192 -z+1/4,-x+1/4,-y+1/4; -z+3/4,x+1/4,y+3/4; -y+1/4,x+1/4,z+1/4
228 Fd-3c m-3m 192 -z+3/4,-x+1/4,-y+1/4; -z+1/4,x+1/4,y+3/4; -y+1/4,x+1/4,z+1/4
229 Im-3m m-3m 96 -z,-x,-y; -z,x,y; z+1/2,x+1/2,y+1/2; -y,x,z
230 Ia-3d m-3m 96 -z,-x,-y; -z+1/2,x+1/2,y; -z+1/2,x,-y; -y+1/4,x+3/4,z+1/4
"""
