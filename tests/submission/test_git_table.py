"""The measured table of how git applies spoiled patches: same outcome here, and in git itself."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.record.canonical import sha256_bytes
from referee.record.tree import REGULAR, SYMLINK, Entry, Tree
from referee.submission.apply import Applied, apply_patch
from referee.submission.policy import Policy
from referee.submission.refusal import Refusal
from referee.submission.render import render

OPEN = Policy(writable=("**",), binary=("**",))

BASE = {
    "lf.txt": b"one\ntwo\nthree\nfour\nfive\n",
    "crlf.txt": b"one\r\ntwo\r\nthree\r\nfour\r\n",
    "noeol.txt": b"one\ntwo\nthree",
    "latin.txt": b"caf\xe9\nna\xefve\nplain\n",
    "blank.txt": b"a  \n\nb\n   \nc\n",
    "pic.bin": bytes(range(256)),
    "gone.txt": b"bye\n",
}
EDITED = {
    "lf.txt": b"one\ntwo\nTHREE\nfour\nfive\n",
    "crlf.txt": b"one\r\nTWO\r\nthree\r\nfour\r\n",
    "noeol.txt": b"one\ntwo\nTHREE",
    "latin.txt": b"caf\xe9\nna\xefve!\nplain\n",
    "blank.txt": b"a  \n\nB\n   \nc\n",
    "pic.bin": bytes(range(256))[::-1],
    "gone.txt": None,
}
TREE = Tree({p: Entry(REGULAR, len(d), sha256_bytes(d)) for p, d in sorted(BASE.items())})


def diff(*names: str) -> bytes:
    return render(
        TREE, BASE.__getitem__, {n: EDITED[n] for n in names}, dict.fromkeys(names, REGULAR)
    )


def no_data(name: str) -> bytes:
    head = diff(name).partition(b"GIT binary patch")[0]
    return head + b"Binary files a/%s and b/%s differ\n" % (name.encode(), name.encode())


STALE = b"""--- a/lf.txt
+++ b/lf.txt
@@ -2,3 +2,3 @@
 two
-drei
+THREE
 four
"""


@dataclass(frozen=True)
class Row:
    patch: bytes
    reason: str | None
    git_too: bool = True
    """False where the rule is ours alone: the one repair, and the empty patch."""


ROWS = {
    "faithful-lf": Row(diff("lf.txt"), None),
    "faithful-crlf": Row(diff("crlf.txt"), None),
    "faithful-noeol": Row(diff("noeol.txt"), None),
    "faithful-latin1": Row(diff("latin.txt"), None),
    "faithful-blanks": Row(diff("blank.txt"), None),
    "faithful-all": Row(diff(*BASE), None),
    "deletion": Row(diff("gone.txt"), None),
    "binary-with-data": Row(diff("pic.bin"), None),
    "last-newline-lost": Row(diff("lf.txt")[:-1], None, git_too=False),
    "trailing-blanks-stripped": Row(
        b"\n".join(line.rstrip(b" ") for line in diff("blank.txt").split(b"\n")), "context_mismatch"
    ),
    "cr-removed": Row(diff("crlf.txt").replace(b"\r", b""), "context_mismatch"),
    "patch-in-crlf": Row(diff("lf.txt").replace(b"\n", b"\r\n"), "line_endings"),
    "hunks-in-crlf": Row(
        diff("lf.txt").replace(b"two\n", b"two\r\n").replace(b"four\n", b"four\r\n"),
        "context_mismatch",
    ),
    "no-newline-mark-lost": Row(
        diff("noeol.txt").replace(b"\\ No newline at end of file\n", b""), "context_mismatch"
    ),
    "binary-without-data": Row(no_data("pic.bin"), "binary_without_data"),
    "binary-without-data-beside-text": Row(
        diff("lf.txt") + no_data("pic.bin"), "binary_without_data"
    ),
    "stale-context": Row(STALE, "context_mismatch"),
    "latin1-replaced": Row(
        diff("latin.txt").decode("utf-8", "replace").encode(), "context_mismatch"
    ),
    "garbage": Row(b"I could not solve it.\n", "malformed_patch"),
    "cut-short": Row(diff("lf.txt")[:-8], "malformed_patch"),
    "empty": Row(b"", None, git_too=False),
    "only-blanks": Row(b"\n \n", None, git_too=False),
}


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str) -> None:
    row = ROWS[name]
    result = apply_patch(TREE, BASE.__getitem__, row.patch, OPEN)
    assert (result.reason if isinstance(result, Refusal) else None) == row.reason, result


@pytest.mark.parametrize("name", [n for n, row in ROWS.items() if row.reason is None])
def test_accepted_rows_have_the_right_content(name: str) -> None:
    result = apply_patch(TREE, BASE.__getitem__, ROWS[name].patch, OPEN)
    assert isinstance(result, Applied)
    assert result.changes == {path: EDITED[path] for path in result.changes}
    assert (not result.changes) == (name in ("empty", "only-blanks"))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("name", [n for n, row in ROWS.items() if row.git_too])
def test_git_itself_decides_the_same(name: str, tmp_path: Path) -> None:
    row = ROWS[name]
    for path, data in BASE.items():
        (tmp_path / path).write_bytes(data)
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=tmp_path,
        input=row.patch,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"},
    )
    assert (done.returncode == 0) == (row.reason is None), done.stderr
    if row.reason is None:
        result = apply_patch(TREE, BASE.__getitem__, row.patch, OPEN)
        assert isinstance(result, Applied)
        for path in BASE:
            place = tmp_path / path
            now = place.read_bytes() if place.exists() else None
            assert now == result.changes.get(path, BASE[path])


def test_a_link_of_the_baseline_may_be_deleted_or_become_a_file() -> None:
    tree = Tree({"link": Entry(SYMLINK, 6, sha256_bytes(b"lf.txt"))})
    read: Callable[[str], bytes] = {"link": b"lf.txt"}.__getitem__
    gone = render(tree, read, {"link": None}, {})
    result = apply_patch(tree, read, gone, OPEN)
    assert isinstance(result, Applied)
    assert result.tree.files == {}
    swap = render(tree, read, {"link": b"text\n"}, {"link": REGULAR})
    assert b"deleted file mode 120000" in swap
    result = apply_patch(tree, read, swap, OPEN)
    assert isinstance(result, Applied)
    assert result.tree.files["link"].mode == REGULAR


# ---- the rule for hunks that moved

CODE = b"".join(b"def f%d():\n    x = %d\n    return x\n\n" % (i, i) for i in range(9))


def one_file(patch: bytes, data: bytes = CODE) -> Applied | Refusal:
    tree = Tree({"m.py": Entry(REGULAR, len(data), sha256_bytes(data))})
    return apply_patch(tree, {"m.py": data}.__getitem__, b"--- a/m.py\n+++ b/m.py\n" + patch, OPEN)


def test_a_hunk_with_one_other_place_moves_and_is_counted() -> None:
    result = one_file(b"@@ -9,3 +9,3 @@\n def f4():\n-    x = 4\n+    x = 44\n     return x\n")
    assert isinstance(result, Applied)
    assert result.moved == 1
    assert result.changes["m.py"] == CODE.replace(b"x = 4\n", b"x = 44\n")


def test_a_hunk_with_several_places_is_ambiguous() -> None:
    result = one_file(b"@@ -10,2 +10,3 @@\n     return x\n+# mark\n \n")
    assert isinstance(result, Refusal)
    assert result.reason == "ambiguous_context"
    honest = one_file(b"@@ -11,2 +11,3 @@\n     return x\n+# mark\n \n")
    assert isinstance(honest, Applied)
    assert honest.moved == 0


def test_blank_context_never_moves() -> None:
    data = b"a\nb\nc\n\n\n\nd\n"
    result = one_file(b"@@ -2,3 +2,4 @@\n \n \n+x\n \n", data)
    assert isinstance(result, Refusal)
    assert result.reason == "context_mismatch"


def test_hunks_do_not_change_their_order() -> None:
    first = b"@@ -30,3 +30,3 @@\n def f7():\n-    x = 7\n+    x = 70\n     return x\n"
    second = b"@@ -34,3 +34,3 @@\n def f1():\n-    x = 1\n+    x = 10\n     return x\n"
    assert isinstance(one_file(first), Applied)
    result = one_file(first + second)
    assert isinstance(result, Refusal)
    assert result.reason == "context_mismatch"


def test_text_around_a_patch_is_passed_over_and_a_too_long_hunk_is_not() -> None:
    body = b"@@ -2,1 +2,1 @@\n-    x = 0\n+    x = 9\n"
    context = b"@@ -1,3 +1,3 @@\n def f0():\n-    x = 0\n+    x = 9\n     return x\n"
    assert isinstance(one_file(body), Refusal), "no trailing context: must be the end of the file"
    assert isinstance(one_file(context + b"-- \n2.39.5\n\n"), Applied)
    long = one_file(context + b"+    y = 1\n")
    assert isinstance(long, Refusal)
    assert long.reason == "malformed_patch"
