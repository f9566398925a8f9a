"""Wrong repairs made from a reference: mutants, ablated hunks, null submissions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.author.ablate import ablations, cosmetic_lines
from referee.author.hunks import reference_hunks
from referee.author.mutate import changed_lines, generate_mutants
from referee.author.null import null_functions, null_submissions
from referee.author.operators import edits_of
from referee.author.variant import Workpiece, compiled, same_program
from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput
from referee.record.tree import REGULAR, Entry, Tree
from referee.submission.apply import Applied, apply_patch, settle
from referee.submission.policy import Policy
from referee.task.model import Cosmetic

FILL = "".join(f"# line {n}\n" for n in range(12))
OLD = f"""\
import math


def area(r):
    return 3 * r

{FILL}

def volume(r):
    return 4 * r
"""
NEW = f'''\
import math


def area(r):
    if r < 0 and not math.isinf(r):
        raise ValueError("negative radius")
    return math.pi * r**2

{FILL}

def volume(r):
    """The volume."""
    return 4 * r
'''


def workpiece(old: dict[str, str], new: dict[str, str]) -> Workpiece:
    data = {path: text.encode() for path, text in old.items()}
    base = Tree({p: Entry(REGULAR, len(d), sha256_bytes(d)) for p, d in sorted(data.items())})
    policy = Policy(writable=("**",))
    changes = {path: text.encode() for path, text in new.items()}
    reference = settle(base, data.__getitem__, changes, dict.fromkeys(changes, REGULAR), policy)
    return Workpiece(base, data.__getitem__, policy, reference)


@pytest.fixture
def work() -> Workpiece:
    return workpiece({"shapes.py": OLD, "notes.c": "int x;\n"}, {"shapes.py": NEW})


def sources(source: str, *lines: int) -> dict[str, set[str]]:
    """The edited sources by kind."""
    made: dict[str, set[str]] = {}
    for edit in edits_of(source.encode(), lines):
        made.setdefault(edit.kind, set()).add(edit.apply(source.encode()).decode())
    return made


@pytest.mark.parametrize(
    ("kind", "source", "line", "expected"),
    [
        ("operator", "y = a + b\n", 1, "y = (a - b)\n"),
        ("operator", "y += b\n", 1, "y -= b\n"),
        ("operator", "y = -b\n", 1, "y = b\n"),
        ("term", "y = a * b\n", 1, "y = a\n"),
        ("constant", "y = 3\n", 1, "y = (4)\n"),
        ("constant", "y = 2.5\n", 1, "y = (5.0)\n"),
        ("constant", "y = True\n", 1, "y = (False)\n"),
        ("comparison", "y = a < b\n", 1, "y = (a <= b)\n"),
        ("comparison", "y = a < b\n", 1, "y = (a >= b)\n"),
        ("comparison", "y = a is None\n", 1, "y = (a is not None)\n"),
        ("boolean", "y = a and b\n", 1, "y = (a or b)\n"),
        ("boolean", "y = a and b\n", 1, "y = b\n"),
        ("branch", "if a:\n    f()\n", 1, "if False:\n    f()\n"),
        ("branch", "y = [x for x in z if x > 0]\n", 1, "y = [x for x in z if True]\n"),
        ("branch", "y = a if b else c\n", 1, "y = c\n"),
        ("branch", "for x in z:\n    f(x)\n", 1, "for x in ():\n    f(x)\n"),
        ("arguments", "y = f(a, b)\n", 1, "y = f(b, a)\n"),
        ("arguments", "y = f(a, k=b)\n", 1, "y = f(a)\n"),
        ("call", "y = f(a)\n", 1, "y = a\n"),
        ("call", "y = a.copy()\n", 1, "y = a\n"),
        ("statement", "a[0] = 1\n", 1, "pass\n"),
        ("statement", "raise ValueError('x')\n", 1, "pass\n"),
        ("constant-return", "def f():\n    return x\n", 2, "def f():\n    return None\n"),
        (
            "early-return",
            "def f(a):\n    b = a\n    return b\n",
            2,
            "def f(a):\n    return a\n    b = a\n    return b\n",
        ),
    ],
)
def test_an_operator_makes_its_change(kind: str, source: str, line: int, expected: str) -> None:
    assert expected in sources(source, line)[kind]


@pytest.mark.parametrize(
    "source",
    [
        "import os\n",
        "warnings.warn('a' + b)\n",
        "y: int\n",
        "'''A docstring.'''\n",
        "y = f'{a + 1}'\n",
        "log.debug('x', 1)\n",
    ],
)
def test_what_is_no_science_is_left_alone(source: str) -> None:
    assert sources(source, 1) == {}


def test_only_changed_lines_are_touched() -> None:
    source = "a = 1 + 2\nb = 3 + 4\nc = 5 + 6\n"
    for edit in edits_of(source.encode(), [2]):
        assert edit.line == 2
        assert edit.apply(source.encode()).split(b"\n")[::2] == [b"a = 1 + 2", b"c = 5 + 6"]


def test_edits_are_placed_by_bytes() -> None:
    source = 'é = "ü"; b = a + c\n'
    assert 'é = "ü"; b = (a - c)\n' in sources(source, 1)["operator"]


@settings(max_examples=25, deadline=None)
@given(st.sets(st.integers(1, 20)), st.sampled_from(["\n", "\r\n"]))
def test_edits_of_any_lines_compile(lines: set[int], newline: str) -> None:
    source = NEW.replace(FILL, "").replace("\n", newline).encode()
    for edit in edits_of(source, lines):
        assert compiled(edit.apply(source)) is not None, edit


def test_mutants_are_the_same_every_time_and_never_the_reference(work: Workpiece) -> None:
    first, second = generate_mutants(work), generate_mutants(work)
    assert [m.id for m in first.mutants] == [m.id for m in second.mutants]
    assert len(first.mutants) >= 12
    trees = [m.applied.tree.digest for m in first.mutants]
    assert len(set(trees)) == len(trees)
    assert work.reference.tree.digest not in trees
    assert work.base.digest not in trees
    for mutant in first.mutants:
        again = apply_patch(work.base, work.read, mutant.applied.patch, work.policy)
        assert isinstance(again, Applied)
        assert again.tree.digest == mutant.applied.tree.digest


def test_a_cap_takes_every_kind_in_turn(work: Workpiece) -> None:
    whole = generate_mutants(work)
    kinds = {m.kind for m in whole.mutants}
    some = generate_mutants(work, cap=len(kinds))
    assert {m.kind for m in some.mutants} == kinds
    assert {m.id for m in some.mutants} < {m.id for m in whole.mutants}
    assert "candidates were taken" in some.notes[0]


def test_known_trees_and_cosmetic_lines_are_left_out(work: Workpiece) -> None:
    whole = generate_mutants(work)
    known = {whole.mutants[0].applied.tree.digest}
    assert whole.mutants[0].id not in {m.id for m in generate_mutants(work, known=known).mutants}
    lines = changed_lines(OLD.encode(), NEW.encode())
    assert generate_mutants(work, without={"shapes.py": lines}).mutants == ()


def test_files_that_are_no_python_are_named() -> None:
    work = workpiece({"a.rs": "let x;\n"}, {"a.rs": "let y;\n"})
    made = generate_mutants(work)
    assert made.mutants == ()
    assert made.notes == ("a.rs is neither Python nor C: only its hunks are dropped",)


def test_words_of_assertions_and_arguments_on_other_lines_are_left_alone() -> None:
    source = (
        b'def f(a, b):\n    assert a, "words"\n'
        b"    return g(\n        a,\n        b,\n        k=1,\n    )\n"
    )
    assert not [e for e in edits_of(source, [2]) if "words" in e.what and e.kind == "constant"]
    assert {e.what for e in edits_of(source, [3]) if e.kind == "arguments"} == set()
    swapped = [e for e in edits_of(source, [5]) if e.kind == "arguments"]
    assert [e.text for e in swapped] == [b"g(b, a, k=1)"]
    dropped = [e for e in edits_of(source, [6]) if e.kind == "arguments"]
    assert [e.text for e in dropped] == [b"g(a, b)"]


def test_mutants_are_made_from_c() -> None:
    old = "int f(int n) {\n    return n;\n}\n"
    work = workpiece({"a.c": old}, {"a.c": old.replace("return n", "return n + 1")})
    made = generate_mutants(work)
    assert made.notes == ()
    changed = {mutant.applied.changes["a.c"] for mutant in made.mutants}
    assert old.replace("return n", "return (n - 1)").encode() in changed
    assert old.replace("return n", "return 0").encode() in changed
    assert [hunk.path for hunk in reference_hunks(work)] == ["a.c"]


def test_each_hunk_is_dropped_in_turn(work: Workpiece) -> None:
    first, second = ablations(work, (), Path("reference.toml"))
    assert b"math.pi" not in first.applied.changes["shapes.py"]  # type: ignore[operator]
    assert b"The volume." in first.applied.changes["shapes.py"]  # type: ignore[operator]
    assert b"math.pi" in second.applied.changes["shapes.py"]  # type: ignore[operator]
    assert first.cosmetic is None
    assert str(second.cosmetic).startswith("documentation")
    assert first.hunk.name != second.hunk.name
    assert NEW.splitlines()[first.hunk.first - 1].startswith("    if r < 0")
    assert cosmetic_lines([first, second]) == {"shapes.py": {second.hunk.first}}


def test_a_hunk_is_cosmetic_by_its_name(work: Workpiece) -> None:
    hunk = reference_hunks(work)[0]
    row = Cosmetic(file=hunk.path, hunk=hunk.name, reason="a matter of taste")
    assert ablations(work, (row,), Path("x"))[0].cosmetic == "a matter of taste"
    stale = row.model_copy(update={"hunk": "0" * 12})
    with pytest.raises(BadInput, match="has no hunk 000000000000"):
        ablations(work, (stale,), Path("x"))


def test_equal_hunks_have_names_of_their_own() -> None:
    old = f"a = 1\n{FILL}a = 1\n"
    hunks = reference_hunks(workpiece({"m.py": old}, {"m.py": old.replace("1\n", "5\n")}))
    names = [hunk.name for hunk in hunks]
    assert len(names) == len(set(names)) >= 2


def test_added_and_deleted_files_are_one_hunk() -> None:
    work = workpiece({"a.py": "x = 1\n"}, {"a.py": "x = 1\n", "b.py": "y = 2\n"})
    (hunk,) = reference_hunks(work)
    assert (hunk.path, hunk.without) == ("b.py", None)


def test_programs_are_compared_without_layout() -> None:
    assert same_program(
        b"def f():\n    return 1\n", b'# x\ndef f():\n    """Doc."""\n    return 1\n'
    )
    assert not same_program(b"x = 1\n", b"x = 1.0\n")
    assert not same_program(b"x = 0.0\n", b"x = -0.0\n")
    assert not same_program(b"x = (\n", b"x = (\n")


def test_null_submissions_do_nothing_useful(work: Workpiece) -> None:
    made = {null.id: null.applied.changes["shapes.py"] for null in null_submissions(work)}
    assert set(made) == {"raise", "none", "zero", "nan", "sleep", "exit", "blank"}
    for name, value in (("none", None), ("zero", 0.0)):
        space: dict[str, object] = {}
        exec(made[name] or b"", space)
        assert space["area"](1.0) == value  # type: ignore[operator]
    space = {}
    exec(made["raise"] or b"", space)
    with pytest.raises(RuntimeError):
        space["area"](1.0)  # type: ignore[operator]


def test_null_functions_at_import_where_no_function_changes() -> None:
    work = workpiece({"a.py": "x = 1\n"}, {"a.py": "x = 2\n"})
    made = {null.id: null.applied.changes["a.py"] or b"" for null in null_submissions(work)}
    assert set(made) == {"raise", "sleep", "exit", "blank"}
    with pytest.raises(RuntimeError):
        exec(made["raise"], {})


@pytest.mark.parametrize(
    "source",
    [
        "def f(): return 1\n",
        "def f():\n    'doc'\n    return 1\n",
        "class A:\n    def f(self):\n        def g():\n            return 1\n        return g()\n",
        "def f():\n    @d\n    def g():\n        return 1\n    return g()\n",
    ],
)
def test_null_bodies_fit_every_shape_of_function(source: str) -> None:
    edited = null_functions(source.encode(), set(range(1, 9)), "return None")
    assert compiled(edited) is not None
    assert edited.count(b"return None") == 1
