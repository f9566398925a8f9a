"""Mutation operators for C."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from referee.author.operators_c import c_edits_of

SOURCE = b"""\
#include <stdio.h>

double g(double a, double b) { return a - b; }

double f(double a, int n) {
    int i;
    double s = 0;
    for (i = 0; i < n; i++) {
        if (a > 1.0 && n != 3) {
            s += g(a, s) * 2;
        }
        printf("%d\\n", i + 1);
    }
    return n ? s : -a;
}
"""


def whats(*lines: int) -> list[str]:
    return [edit.what for edit in c_edits_of(SOURCE, lines, "f.c")]


def test_each_operator_makes_its_changes() -> None:
    assert whats(9) == [
        "`(a > 1.0 && n != 3)` becomes `(0)`",
        "`(a > 1.0 && n != 3)` becomes `(1)`",
        "`a > 1.0 && n != 3` becomes `(a > 1.0 || n != 3)`",
        "`a > 1.0 && n != 3` becomes `(a > 1.0)`",
        "`a > 1.0 && n != 3` becomes `(n != 3)`",
        "`a > 1.0` becomes `a >= 1.0`",
        "`a > 1.0` becomes `a <= 1.0`",
        "`1.0` becomes `(1.0 + 1)`",
        "`1.0` becomes `(1.0 - 1)`",
        "`n != 3` becomes `n == 3`",
        "`3` becomes `(3 + 1)`",
        "`3` becomes `(3 - 1)`",
    ]
    assert "`g(a, s)` becomes `g(s, a)`" in whats(10)
    assert "`s += g(a, s) * 2` becomes `s -= g(a, s) * 2`" in whats(10)
    assert "`s += g(a, s) * 2;` becomes `;`" in whats(10)
    assert "`-a` becomes `(a)`" in whats(14)


def test_only_the_lines_asked_for_are_changed_and_words_are_left_alone() -> None:
    assert whats(1, 2, 4, 11, 15) == []
    assert whats(12) == []
    assert {edit.line for edit in c_edits_of(SOURCE, [3, 8, 14], "f.c")} == {3, 8, 14}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_every_mutant_of_a_sound_source_builds(tmp_path: Path) -> None:
    edits = list(c_edits_of(SOURCE, range(1, 20), "f.c"))
    assert len(edits) > 30
    joined = [edit.apply(SOURCE) for edit in edits]
    assert SOURCE not in joined
    for index, mutant in enumerate(joined):
        (tmp_path / f"m{index}.c").write_bytes(mutant)
    done = subprocess.run(
        ["gcc", "-fsyntax-only", *map(str, sorted(tmp_path.glob("m*.c")))],
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_what_is_not_c_is_refused() -> None:
    with pytest.raises(ValueError, match="not C"):
        list(c_edits_of(b"def f(x):\n    return x\n", [1, 2], "f.c"))


def test_what_changes_no_answer_makes_no_mutant() -> None:
    source = b"""\
double *h(double *a) {
    double room[3][3];
    if (a == NULL) {
        return NULL;
    }
    free(a);
    sym_free_symmetry(a);
    freeze(a);
    return a;
}
"""
    edits = [edit.what for edit in c_edits_of(source, range(1, 11), "h.c")]
    assert edits == [
        "`(a == NULL)` becomes `(0)`",
        "`(a == NULL)` becomes `(1)`",
        "`a == NULL` becomes `a != NULL`",
        "`freeze(a);` becomes `;`",
        "`freeze(a)` becomes `(a)`",
        "`return a;` becomes `return 0;`",
    ]


def test_casts_and_symmetric_functions_are_no_calls_to_be_changed() -> None:
    source = b"""\
double k(double *a, int n) {
    return TSK_MAX(a[0], a[n]) - fmin(a[0], (double)(n));
}
"""
    kinds = [edit.kind for edit in c_edits_of(source, [2], "k.c")]
    assert "arguments" not in kinds
    assert "call" not in kinds
    swapped = [edit.what for edit in c_edits_of(source.replace(b"TSK_MAX", b"MAXIMAL"), [2], "k.c")]
    assert "`MAXIMAL(a[0], a[n])` becomes `MAXIMAL(a[n], a[0])`" in swapped
