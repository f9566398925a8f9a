"""Hostile patches, each beside an honest twin that goes through."""

from __future__ import annotations

from typing import get_args

import pytest

from referee.record.canonical import sha256_bytes
from referee.record.tree import REGULAR, SYMLINK, Entry, Tree
from referee.submission.apply import Applied, apply_patch
from referee.submission.gitcode import blob_id, encode_block
from referee.submission.policy import Policy
from referee.submission.refusal import Reason, Refusal
from referee.submission.render import render

BASE = {
    "pkg/a.py": b"def f():\n    return 1\n\n\ndef g():\n    return 2\n",
    "pkg/b.py": b"x = 1\n",
    "pkg/link": b"/etc/passwd",
    "pkg/table.npz": b"PK\x03\x04\0old",
    "tests/test_a.py": b"assert True\n",
}
TREE = Tree(
    {
        p: Entry(SYMLINK if p == "pkg/link" else REGULAR, len(d), sha256_bytes(d))
        for p, d in sorted(BASE.items())
    }
)
POLICY = Policy(writable=("pkg/**",), binary=("pkg/*.npz",), max_bytes=4000, max_files=3)


def hand_in(patch: bytes, policy: Policy = POLICY) -> Applied | Refusal:
    return apply_patch(TREE, BASE.__getitem__, patch, policy)


def new_file(path: str, text: str = "x\n", mode: str = "100644") -> bytes:
    lines = text.splitlines(keepends=True)
    body = "".join("+" + line for line in lines)
    return (
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n"
        f"@@ -0,0 +1,{len(lines)} @@\n{body}"
    ).encode()


def literal(path: str, data: bytes, claimed: bytes | None = None) -> bytes:
    shown = data if claimed is None else claimed
    rows = b"".join(line + b"\n" for line in encode_block(data))
    return (
        (
            f"diff --git a/{path} b/{path}\nnew file mode 100644\n"
            f"index {'0' * 40}..{blob_id(shown)}\nGIT binary patch\nliteral {len(data)}\n"
        ).encode()
        + rows
        + b"\n"
    )


EDIT = b"--- a/pkg/b.py\n+++ b/pkg/b.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
A_PY = b"--- a/pkg/a.py\n+++ b/pkg/a.py\n"
SIX = "".join(f"{i}\n" for i in range(6))

HOSTILE: dict[str, tuple[str, bytes, bytes]] = {
    # name: (reason, hostile patch, honest twin)
    "b01_edit_of_a_test": (
        "outside_writable",
        EDIT.replace(b"pkg/b.py", b"tests/test_a.py").replace(b"x = 1", b"assert True"),
        EDIT,
    ),
    "b01_new_test": ("outside_writable", new_file("tests/test_b.py"), new_file("pkg/test_b.py")),
    "b02_conftest": ("forbidden_name", new_file("pkg/conftest.py"), new_file("pkg/conf.py")),
    "b03_config": ("forbidden_name", new_file("pkg/pytest.ini"), new_file("pkg/grid.ini")),
    "b04_dist_info": (
        "forbidden_name",
        new_file("pkg/x.dist-info/entry_points.txt"),
        new_file("pkg/x/entry_points.txt"),
    ),
    "b05_git_hook": ("forbidden_name", new_file("pkg/.git/hooks/x"), new_file("pkg/hooks/x")),
    "b05_parent": ("bad_path", new_file("pkg/../../x"), new_file("pkg/x")),
    "b05_quoted_parent": (
        "bad_path",
        new_file("pkg/x")
        .replace(b"a/pkg/x b/pkg/x", b'"a/pkg/\\056\\056/x" "b/pkg/\\056\\056/x"')
        .replace(b"+++ b/pkg/x", b'+++ "b/pkg/\\056\\056/x"'),
        new_file("pkg/x").replace(b"a/pkg/x b/pkg/x", b'"a/pkg/\\170" "b/pkg/\\170"'),
    ),
    "b05_absolute": ("bad_path", new_file("/abs"), new_file("pkg/abs")),
    "b05_drive": ("bad_path", new_file("C:\\x"), new_file("pkg/c")),
    "b05_no_prefix": (
        "bad_path",
        EDIT.replace(b"a/pkg/b.py", b"b.py").replace(b"b/pkg/b.py", b"b.py"),
        EDIT,
    ),
    "b05_rename_out": (
        "bad_path",
        b"diff --git a/pkg/b.py b/x\nsimilarity index 100%\nrename from pkg/b.py\nrename to ../x\n",
        b"diff --git a/pkg/b.py b/pkg/x\nrename from pkg/b.py\nrename to pkg/x\n",
    ),
    "b06_one_bad_hunk": (
        "context_mismatch",
        EDIT + b"--- a/pkg/a.py\n+++ b/pkg/a.py\n@@ -1 +1 @@\n-nothing like it\n+y\n",
        EDIT + new_file("pkg/c.py"),
    ),
    "b06_similar_code_elsewhere": (
        "context_mismatch",
        A_PY + b"@@ -1,2 +1,2 @@\n def h():\n-    return 1\n+    return 3\n",
        A_PY + b"@@ -5,2 +5,2 @@\n def g():\n-    return 2\n+    return 3\n",
    ),
    "b07_symlink": ("symlink", new_file("pkg/l", "/etc\n", "120000"), new_file("pkg/l", "/etc\n")),
    "b07_edit_of_a_link": (
        "symlink",
        b"--- a/pkg/link\n+++ b/pkg/link\n@@ -1 +1 @@\n-/etc/passwd\n"
        b"\\ No newline at end of file\n+/etc/shadow\n\\ No newline at end of file\n",
        b"diff --git a/pkg/link b/pkg/link\ndeleted file mode 120000\n--- a/pkg/link\n"
        b"+++ /dev/null\n@@ -1 +0,0 @@\n-/etc/passwd\n\\ No newline at end of file\n",
    ),
    "b07_through_a_link": ("symlink", new_file("pkg/link/x"), new_file("pkg/links/x")),
    "b08_file_as_folder": ("path_conflict", new_file("pkg/b.py/x"), new_file("pkg/b/x")),
    "b08_folder_as_file": (
        "path_conflict",
        new_file("pkg/n/x") + new_file("pkg/n"),
        new_file("pkg/n/x") + new_file("pkg/m"),
    ),
    "b10_shared_object": (
        "compiled_code",
        literal("pkg/_x.cpython-311.so", b"\x7fELF\0"),
        literal("pkg/x.npz", b"PK\x03\x04\0new"),
    ),
    "b10_disguised_object": (
        "compiled_code",
        literal("pkg/x.npz", b"\x7fELF\0\0"),
        literal("pkg/x.npz", b"PK\x03\x04\0new"),
    ),
    "b10_binary_source": ("binary", literal("pkg/c.py", b"x\0"), new_file("pkg/c.py")),
    "b10_submodule": ("submodule", new_file("pkg/s", "y\n", "160000"), new_file("pkg/s", "y\n")),
    "b10_binary_without_data": (
        "binary_without_data",
        b"diff --git a/pkg/x.npz b/pkg/x.npz\nnew file mode 100644\n"
        b"Binary files /dev/null and b/pkg/x.npz differ\n",
        literal("pkg/x.npz", b"PK\x03\x04\0new"),
    ),
    "b10_binary_with_other_data": (
        "malformed_patch",
        literal("pkg/x.npz", b"PK\x03\x04\0new", claimed=b"other"),
        literal("pkg/x.npz", b"PK\x03\x04\0new"),
    ),
    "b15_too_large": (
        "too_large",
        new_file("pkg/c.py", "x" * 4000),
        new_file("pkg/c.py", "x\n" * 9),
    ),
    "b15_growing_block": (
        "too_large",
        literal("pkg/x.npz", b"\0" * 10).replace(b"literal 10", b"literal 999999999"),
        literal("pkg/x.npz", b"\0" * 10),
    ),
    "b15_too_many_files": (
        "too_many_files",
        b"".join(new_file(f"pkg/{i}") for i in range(4)),
        b"".join(new_file(f"pkg/{i}") for i in range(3)),
    ),
    "added_twice": ("already_exists", new_file("pkg/b.py"), new_file("pkg/d.py")),
    "missing": ("missing_file", EDIT.replace(b"b.py", b"no.py"), EDIT),
    "crlf_patch": ("line_endings", EDIT.replace(b"\n", b"\r\n"), EDIT),
    "ambiguous": (
        "ambiguous_context",
        new_file("pkg/c.py", "a\nb\n" * 6)
        + b"--- a/pkg/c.py\n+++ b/pkg/c.py\n@@ -2,3 +2,4 @@\n a\n b\n+c\n a\n",
        new_file("pkg/c.py", "a\nb\n" * 6)
        + b"--- a/pkg/c.py\n+++ b/pkg/c.py\n@@ -3,3 +3,4 @@\n a\n b\n+c\n a\n",
    ),
    "short_hunk": (
        "malformed_patch",
        new_file("pkg/c.py", SIX).replace(b"+1,6", b"+1,7"),
        new_file("pkg/c.py", SIX),
    ),
    "long_hunk": (
        "malformed_patch",
        new_file("pkg/c.py", SIX).replace(b"+1,6", b"+1,5"),
        new_file("pkg/c.py", SIX),
    ),
    "deletion_that_leaves_content": (
        "context_mismatch",
        b"--- a/pkg/a.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def f():\n-    return 1\n",
        b"--- a/pkg/b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n",
    ),
    "names_that_differ": (
        "malformed_patch",
        EDIT.replace(b"+++ b/pkg/b.py", b"+++ b/pkg/a.py"),
        EDIT,
    ),
    "two_kinds": (
        "malformed_patch",
        new_file("pkg/c").replace(
            b"new file mode 100644\n", b"new file mode 100644\ndeleted file mode 100644\n"
        ),
        new_file("pkg/c"),
    ),
    "merge_diff": ("malformed_patch", EDIT + b"diff --cc pkg/a.py\n", EDIT + b"diff -r a b\n"),
    "build_output": ("build_output", new_file("pkg/gen/x.c"), new_file("pkg/src/x.c")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_patch_is_refused_with_its_reason(name: str) -> None:
    reason, hostile, _ = HOSTILE[name]
    policy = Policy(POLICY.writable, POLICY.binary, 4000, 3, outputs=("pkg/gen",))
    result = hand_in(hostile, policy)
    assert isinstance(result, Refusal), result
    assert result.reason == reason, result


@pytest.mark.parametrize("name", HOSTILE)
def test_honest_twin_is_applied(name: str) -> None:
    policy = Policy(POLICY.writable, POLICY.binary, 4000, 3, outputs=("pkg/gen",))
    result = hand_in(HOSTILE[name][2], policy)
    assert isinstance(result, Applied), result
    assert result.changes
    assert result.tree.digest != TREE.digest


def test_every_reason_of_a_patch_has_a_hostile_case() -> None:
    only_in_workspaces = {"hard_link", "device", "special_file", "unreadable", "overlay_metadata"}
    assert {reason for reason, _, _ in HOSTILE.values()} == set(get_args(Reason)) - (
        only_in_workspaces
    )


def test_b06_orig_files_do_not_touch_their_namesakes() -> None:
    result = hand_in(new_file("pkg/a.py.orig", "evil\n"))
    assert isinstance(result, Applied)
    assert set(result.changes) == {"pkg/a.py.orig"}
    assert result.tree.files["pkg/a.py"] == TREE.files["pkg/a.py"]


def test_b14_only_the_changed_paths_differ_in_the_resulting_tree() -> None:
    result = hand_in(EDIT)
    assert isinstance(result, Applied)
    differing = {p for p in TREE.files if TREE.files[p] != result.tree.files.get(p)}
    assert differing == {"pkg/b.py"} == set(result.changes)
    assert result.tree.files.keys() == TREE.files.keys()


@pytest.mark.parametrize("patch", [b"", b"\n", b" \n\t\n"])
def test_b15_an_empty_patch_is_the_untouched_baseline(patch: bytes) -> None:
    result = hand_in(patch)
    assert isinstance(result, Applied)
    assert result.tree.digest == TREE.digest
    assert result.patch == b""


def test_b15_an_oversize_patch_is_not_even_parsed() -> None:
    result = hand_in(b"x" * (POLICY.max_bytes + 1))
    assert isinstance(result, Refusal)
    assert result.reason == "too_large"


def test_a_swap_of_two_files_by_renames_reads_the_baseline() -> None:
    swap = (
        b"diff --git a/pkg/a.py b/pkg/b.py\nrename from pkg/a.py\nrename to pkg/b.py\n"
        b"diff --git a/pkg/b.py b/pkg/a.py\nrename from pkg/b.py\nrename to pkg/a.py\n"
    )
    result = hand_in(swap)
    assert isinstance(result, Applied)
    assert result.changes == {"pkg/a.py": BASE["pkg/b.py"], "pkg/b.py": BASE["pkg/a.py"]}


def test_a_series_of_patches_sees_its_own_results() -> None:
    again = EDIT.replace(b"x = 2", b"x = 3").replace(b"x = 1", b"x = 2")
    result = hand_in(b"From 123 Mon\nSubject: one\n\n" + EDIT + b"-- \n2.39\n\nFrom 1\n" + again)
    assert isinstance(result, Applied)
    assert result.changes == {"pkg/b.py": b"x = 3\n"}


def test_a_patch_that_makes_what_is_there_already_changes_nothing() -> None:
    mode = b"diff --git a/pkg/b.py b/pkg/b.py\nold mode 100755\nnew mode 100644\n"
    result = hand_in(mode)
    assert isinstance(result, Applied)
    assert result.changes == {}


def test_a_repetitive_file_cannot_keep_the_search_busy() -> None:
    data = b"a\n" * 40_000
    tree = Tree({"f": Entry(REGULAR, len(data), sha256_bytes(data))})
    body = b" a\n" * 20_000
    patch = b"--- a/f\n+++ b/f\n@@ -39000,20000 +1,20001 @@\n" + body + b"+b\n"
    result = apply_patch(tree, {"f": data}.__getitem__, patch, Policy(("**",)))
    assert isinstance(result, Refusal)
    assert result.reason == "ambiguous_context"


def test_a_canonical_patch_does_not_depend_on_how_it_was_written() -> None:
    result = hand_in(EDIT)
    assert isinstance(result, Applied)
    assert result.patch == render(TREE, BASE.__getitem__, result.changes, result.modes)
    verbose = EDIT.replace(b"--- a", b"diff --git a/pkg/b.py b/pkg/b.py\n--- a")
    other = hand_in(b"Here is my patch:\n\n" + verbose)
    assert isinstance(other, Applied)
    assert other.patch == result.patch
