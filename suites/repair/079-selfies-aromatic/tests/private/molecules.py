# referee-canary 079 3ba9c1bf-b8c6-4cee-973c-e68247d19351
"""A small reader, writer and comparer of molecules, for the trusted side only.

`parse` reads the part of SMILES that this task needs. `difference` decides whether a Kekulé SMILES
string is the molecule that an aromatic one describes: it looks for a one-to-one map of the atoms
that keeps element, isotope, charge, hydrogens, connections, non-aromatic bond orders and the total
bond order of each atom. Resonance structures are therefore equal, species are not.
"""

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from referee.wall import probe

AROMATIC = "aromatic"
ORDERS = {"-": 1, "=": 2, "#": 3, "/": 1, "\\": 1, ":": AROMATIC}
SYMBOLS = {1: "", 2: "=", 3: "#", AROMATIC: ""}

VALENCE_ELECTRONS = {
    "H": 1, "Li": 1, "Na": 1, "K": 1,
    "B": 3, "Al": 3, "C": 4, "Si": 4, "N": 5, "P": 5, "As": 5,
    "O": 6, "S": 6, "Se": 6, "Te": 6, "F": 7, "Cl": 7, "Br": 7, "I": 7,
}  # fmt: skip
USUAL_VALENCES = {
    "B": (3,), "C": (4,), "N": (3, 5), "O": (2,), "P": (3, 5), "S": (2, 4, 6),
    "F": (1,), "Cl": (1,), "Br": (1,), "I": (1,),
}  # fmt: skip

TOKEN = re.compile(r"(\[[^\]]+\])|(Cl|Br|[BCNOPSFI]|[bcnops])|(%\d\d|\d)|([-=#:/\\])|([().])")
BRACKET = re.compile(
    r"\[(?P<isotope>\d+)?(?P<symbol>[A-Z][a-z]?|se|te|si|al|as|[bcnops])(?P<chiral>@{0,2})"
    r"(?P<h>H\d*)?(?P<charge>\+\d+|-\d+|\++|-+)?(?P<map>:\d+)?\]"
)


class Unreadable(ValueError):
    """The text is not a molecule that this reader knows."""


@dataclass(frozen=True)
class Atom:
    element: str
    aromatic: bool = False
    bracket: bool = False
    isotope: int = 0
    charge: int = 0
    hydrogens: int = 0


@dataclass
class Molecule:
    atoms: list = field(default_factory=list)
    bonds: dict = field(default_factory=dict)  # (low, high) -> 1, 2, 3 or AROMATIC

    def neighbours(self):
        table = [[] for _ in self.atoms]
        for a, b in self.bonds:
            table[a].append(b)
            table[b].append(a)
        return table

    def order(self, a, b):
        return self.bonds[min(a, b), max(a, b)]

    def copy(self):
        return Molecule(list(self.atoms), dict(self.bonds))


# --- reading ----------------------------------------------------------------------------------


def read_atom(text):
    if not text.startswith("["):
        return Atom(text.capitalize(), aromatic=text.islower())
    found = BRACKET.fullmatch(text)
    if found is None:
        raise Unreadable(f"atom {text}")
    h, charge = found["h"], found["charge"] or ""
    if charge[1:].isdigit():
        value = int(charge)
    else:
        value = charge.count("+") - charge.count("-")
    return Atom(
        found["symbol"].capitalize(),
        aromatic=found["symbol"].islower(),
        bracket=True,
        isotope=int(found["isotope"] or 0),
        charge=value,
        hydrogens=0 if h is None else int(h[1:] or 1),
    )


def parse(smiles):
    """The molecule that `smiles` describes, with implied hydrogens filled in."""
    if not isinstance(smiles, str) or not smiles or len(smiles) > 20_000:
        raise Unreadable(f"not a SMILES string: {smiles!r:.80}")
    molecule, branches, rings = Molecule(), [], {}
    previous, bond, position = None, None, 0

    def connect(a, b, symbol):
        key = (min(a, b), max(a, b))
        if a == b or key in molecule.bonds:
            raise Unreadable("two bonds between the same atoms")
        both = molecule.atoms[a].aromatic and molecule.atoms[b].aromatic
        molecule.bonds[key] = ORDERS[symbol] if symbol else AROMATIC if both else 1

    while position < len(smiles):
        found = TOKEN.match(smiles, position)
        if found is None:
            raise Unreadable(f"{smiles!r} at {position}")
        bracket, plain, ring, symbol, mark = found.groups()
        position = found.end()
        if bracket or plain:
            molecule.atoms.append(read_atom(bracket or plain))
            current = len(molecule.atoms) - 1
            if previous is not None:
                connect(previous, current, bond)
            previous, bond = current, None
        elif ring:
            number = int(ring.lstrip("%"))
            if previous is None:
                raise Unreadable("ring number before any atom")
            if number in rings:
                other, other_bond = rings.pop(number)
                connect(other, previous, bond or other_bond)
            else:
                rings[number] = (previous, bond)
            bond = None
        elif symbol:
            bond = symbol
        elif mark == "(":
            branches.append(previous)
        elif mark == ")":
            if not branches:
                raise Unreadable("branch closed twice")
            previous = branches.pop()
        else:
            previous = None
    if rings or branches or bond:
        raise Unreadable(f"{smiles!r} ends too early")
    fill_hydrogens(molecule)
    return molecule


def sigma(molecule):
    """Bond order of each atom with aromatic bonds counted as single ones."""
    total = [0] * len(molecule.atoms)
    for (a, b), order in molecule.bonds.items():
        value = 1 if order == AROMATIC else order
        total[a] += value
        total[b] += value
    return total


def fill_hydrogens(molecule):
    for i, (atom, used) in enumerate(zip(molecule.atoms, sigma(molecule), strict=True)):
        if atom.bracket:
            continue
        if atom.aromatic:
            h = max(0, 3 - used) if atom.element == "C" else 0
        else:
            fitting = [v for v in USUAL_VALENCES[atom.element] if v >= used]
            h = fitting[0] - used if fitting else 0
        molecule.atoms[i] = replace(atom, hydrogens=h)


# --- electrons --------------------------------------------------------------------------------


def is_bare_radical(atom, sigma_order):
    """The convention of this task: an arene's carbon (or silicon) that lost its hydrogen atom."""
    return (
        atom.aromatic
        and atom.bracket
        and atom.element in ("C", "Si")
        and (atom.charge, atom.hydrogens, sigma_order) == (0, 0, 2)
    )


def total_orders(molecule):
    """Bond order of each atom in every Kekulé structure of the molecule."""
    totals = sigma(molecule)
    for i, atom in enumerate(molecule.atoms):
        if not atom.aromatic:
            continue
        left = VALENCE_ELECTRONS[atom.element] - atom.charge - atom.hydrogens - totals[i]
        if left % 2 == 1 or is_bare_radical(atom, totals[i]):
            totals[i] += 1
    return totals


def unpaired(molecule):
    """Atoms that carry an unpaired electron, as a list of indices."""
    totals = total_orders(molecule)
    return [
        i
        for i, atom in enumerate(molecule.atoms)
        if (VALENCE_ELECTRONS[atom.element] - atom.charge - atom.hydrogens - totals[i]) % 2
    ]


def census(molecule):
    """Element counts (hydrogen included) and net charge."""
    counts = Counter(a.element for a in molecule.atoms)
    counts["H"] += sum(a.hydrogens for a in molecule.atoms)
    return +counts, sum(a.charge for a in molecule.atoms)


# --- comparing --------------------------------------------------------------------------------


def labels(molecule):
    return [
        (a.element, a.isotope, a.charge, a.hydrogens, order)
        for a, order in zip(molecule.atoms, total_orders(molecule), strict=True)
    ]


def difference(given, returned):
    """Why the Kekulé SMILES `returned` is not the molecule `given`; "" if it is."""
    if isinstance(returned, dict):
        return f"{given}: {returned.get('error')}"
    try:
        b = parse(returned)
    except (Unreadable, KeyError, RecursionError) as error:
        return f"{given} -> {returned!r:.200}: unreadable ({error})"
    if any(atom.aromatic for atom in b.atoms) or AROMATIC in b.bonds.values():
        return f"{given} -> {returned}: still aromatic"
    a = parse(given)
    if census(a) != census(b):
        return f"{given} -> {returned}: atoms, hydrogens or charge differ"
    if sorted(labels(a)) != sorted(labels(b)):
        return f"{given} -> {returned}: an atom has other hydrogens, charge or bonds"
    if not isomorphic(a, b):
        return f"{given} -> {returned}: connected differently"
    return ""


def refine(a, b):
    """Colours of the atoms of both molecules, equal where the neighbourhoods are equal."""
    tables = (a.neighbours(), b.neighbours())
    colours = (labels(a), labels(b))
    count = 0
    while True:
        names = {c: i for i, c in enumerate(sorted(set(colours[0]) | set(colours[1])))}
        numbered = tuple([names[c] for c in colour] for colour in colours)
        if len(names) == count:
            return numbered
        count = len(names)
        colours = tuple(
            [(c[i], tuple(sorted(c[j] for j in table[i]))) for i in range(len(c))]
            for c, table in zip(numbered, tables, strict=True)
        )


def walk(molecule):
    """Atoms in an order in which each has an earlier neighbour, if its part has one."""
    table, seen, order = molecule.neighbours(), set(), []
    for root in range(len(molecule.atoms)):
        queue = [root] if root not in seen else []
        seen.add(root)
        while queue:
            atom = queue.pop(0)
            order.append(atom)
            for other in table[atom]:
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
    return order


def isomorphic(a, b):
    """Backtracking search for a map of `a` onto `b`, guided by refined colours."""
    if len(a.bonds) != len(b.bonds):
        return False
    colour_a, colour_b = refine(a, b)
    if Counter(colour_a) != Counter(colour_b):
        return False
    table_a, table_b, order = a.neighbours(), b.neighbours(), walk(a)
    image, used = {}, set()

    def fits(i, j):
        if j in used or colour_a[i] != colour_b[j]:
            return False
        for k in table_a[i]:
            if k in image:
                if image[k] not in table_b[j]:
                    return False
                want, have = a.order(i, k), b.order(j, image[k])
                if have != want and not (want == AROMATIC and have in (1, 2)):
                    return False
        return True

    def candidates(i):
        anchors = [image[k] for k in table_a[i] if k in image]
        return iter(table_b[anchors[0]] if anchors else range(len(b.atoms)))

    stack = [candidates(order[0])] if order else []
    while stack:
        i = order[len(stack) - 1]
        if i in image:
            used.discard(image.pop(i))
        for j in stack[-1]:
            if fits(i, j):
                image[i] = j
                used.add(j)
                if len(image) == len(order):
                    return True
                stack.append(candidates(order[len(stack)]))
                break
        else:
            stack.pop()
    return not order


# --- asking the candidate --------------------------------------------------------------------


@probe
def round_trip(strings):
    import selfies as sf

    back = []
    for smiles in strings:
        try:
            back.append(sf.decoder(sf.encoder(smiles)))
        except sf.EncoderError:
            back.append({"error": "EncoderError"})
    return back


def assert_kept(candidate, strings):
    """Every string of `strings` comes back as the molecule that it describes."""
    strings = list(strings)
    returned = candidate(round_trip, strings)
    assert isinstance(returned, list)
    assert len(returned) == len(strings)
    wrong = [w for w in map(difference, strings, returned) if w]
    assert not wrong, f"{len(wrong)} of {len(strings)} not kept: " + "; ".join(wrong[:4])


# --- building and writing ---------------------------------------------------------------------


def open_positions(molecule):
    """Aromatic carbon atoms with one implied hydrogen."""
    return [
        i
        for i, a in enumerate(molecule.atoms)
        if a.aromatic and not a.bracket and a.element == "C" and a.hydrogens == 1
    ]


def take_hydrogen(molecule, i, isotope=0):
    """Turn position `i` into a radical centre."""
    molecule.atoms[i] = replace(molecule.atoms[i], bracket=True, hydrogens=0, isotope=isotope)


def attach(molecule, i, fragment):
    """Replace the hydrogen atom of position `i` by `fragment`, bound by its first atom."""
    other, shift = parse(fragment), len(molecule.atoms)
    molecule.atoms.extend(other.atoms)
    molecule.bonds.update({(p + shift, q + shift): o for (p, q), o in other.bonds.items()})
    molecule.bonds[i, shift] = 1
    molecule.atoms[i] = replace(molecule.atoms[i], hydrogens=0)
    head = molecule.atoms[shift]
    if not head.bracket:
        molecule.atoms[shift] = replace(head, hydrogens=max(0, head.hydrogens - 1))


def write_atom(atom):
    symbol = atom.element.lower() if atom.aromatic else atom.element
    if not atom.bracket:
        return symbol
    h = "" if not atom.hydrogens else "H" if atom.hydrogens == 1 else f"H{atom.hydrogens}"
    sign = "+" if atom.charge > 0 else "-"
    charge = "" if not atom.charge else sign + (str(abs(atom.charge)) if abs(atom.charge) > 1 else "")
    return f"[{atom.isotope or ''}{symbol}{h}{charge}]"


def write(molecule, rng=None):
    """A SMILES string of `molecule`; with `rng` in a random order of atoms."""
    table = molecule.neighbours()
    order = list(range(len(molecule.atoms)))
    if rng is not None:
        order = [int(i) for i in rng.permutation(len(order))]
        table = [[row[int(k)] for k in rng.permutation(len(row))] for row in table]
    children, closures, seen = {}, {}, set()

    def explore(root):
        seen.add(root)
        stack = [(root, None, iter(table[root]))]
        while stack:
            atom, parent, rest = stack[-1]
            for other in rest:
                if other == parent:
                    continue
                if other not in seen:
                    seen.add(other)
                    children.setdefault(atom, []).append(other)
                    stack.append((other, atom, iter(table[other])))
                    break
                pair = (min(atom, other), max(atom, other))
                closures.setdefault(pair, (other, atom))
            else:
                stack.pop()

    def symbol(a, b):
        value = molecule.order(a, b)
        both = molecule.atoms[a].aromatic and molecule.atoms[b].aromatic
        return "-" if value == 1 and both else SYMBOLS[value]

    def digits(atom, numbers):
        text = ""
        for pair in closures:
            if atom not in pair:
                continue
            if pair in numbers:
                number = numbers.pop(pair)
            else:
                number = next(n for n in range(1, 100) if n not in numbers.values())
                numbers[pair] = number
                text += symbol(*pair)
            text += str(number) if number < 10 else f"%{number}"
        return text

    def emit(root, numbers):
        text, stack = "", [("", root, "")]
        while stack:
            before, atom, after = stack.pop()
            text += before
            if atom is None:
                continue
            text += write_atom(molecule.atoms[atom]) + digits(atom, numbers) + after
            below = children.get(atom, [])
            for k, child in reversed(list(enumerate(below))):
                last = k == len(below) - 1
                if last:
                    stack.append((symbol(atom, child), child, ""))
                else:
                    stack.append((")", None, ""))
                    stack.append(("(" + symbol(atom, child), child, ""))
        return text

    parts = []
    for root in order:
        if root not in seen:
            explore(root)
            parts.append(emit(root, {}))
    return ".".join(parts)


SUBSTITUENTS = (
    "C", "CC", "F", "Cl", "Br", "O", "N", "OC", "C#N", "C(F)(F)F", "C(=O)O", "C(=O)[O-]", "[O-]",
    "[N+](=O)[O-]", "[NH3+]", "S(C)(=O)=O", "C=C", "C1CC1", "SC", "N(C)C", "C(C)(C)C", "B(O)O",
)  # fmt: skip


def decorate(scaffold, radicals, substituents, rng):
    """A random molecule from `scaffold`: so many radical centres and substituents."""
    molecule = parse(scaffold)
    places = [int(i) for i in rng.permutation(open_positions(molecule))]
    for i in places[:radicals]:
        take_hydrogen(molecule, i)
    for i in places[radicals : radicals + substituents]:
        attach(molecule, i, SUBSTITUENTS[int(rng.integers(len(SUBSTITUENTS)))])
    return molecule


def every_radical(scaffold):
    """One SMILES string for each position of `scaffold` that can lose its hydrogen atom."""
    strings = []
    for i in open_positions(parse(scaffold)):
        molecule = parse(scaffold)
        take_hydrogen(molecule, i)
        strings.append(write(molecule))
    return strings
