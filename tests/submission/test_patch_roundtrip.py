"""Random trees, randomly edited: the canonical patch brings the edit over, byte for byte."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from referee.record.canonical import sha256_bytes
from referee.record.tree import EXECUTABLE, REGULAR, Entry, Tree, scan_tree
from referee.submission.apply import Applied, apply_patch
from referee.submission.linediff import changed_blocks, split_lines
from referee.submission.patchtext import parse_patch
from referee.submission.policy import Policy
from referee.submission.refusal import Refusal
from referee.submission.render import render

OPEN = Policy(writable=("**",), binary=("**",), max_bytes=1 << 22, max_files=100)
Files = dict[str, tuple[str, bytes]]

NAMES = st.sampled_from(
    ["a.py", "b.py", "pkg/a.py", "pkg/sub/c.txt", "with blank.txt", "café.py", 'q"uote', "x"]
)
LINES = st.sampled_from(
    [
        b"",
        b"x",
        b"y = 1",
        b"    return 0",
        b"crlf\r",
        b"caf\xe9",
        b"\t",
        b"-- ",
        b"+++ b/x",
        b"\\ No",
    ]
)
TEXT = st.builds(
    lambda lines, newline: b"\n".join(lines) + (b"\n" if newline and lines else b""),
    st.lists(LINES, max_size=30),
    st.booleans(),
)
CONTENT = st.one_of(TEXT, st.binary(max_size=200), st.just(b"\0" * 70_000))
FILE = st.tuples(st.sampled_from([REGULAR, EXECUTABLE]), CONTENT)
TREES = st.dictionaries(NAMES, FILE, max_size=6)


def tree_of(files: Files) -> Tree:
    return Tree({p: Entry(m, len(d), sha256_bytes(d)) for p, (m, d) in sorted(files.items())})


def patch_of(before: Files, after: Files) -> bytes:
    changes = {p: after[p][1] if p in after else None for p in before.keys() | after.keys()}
    return render(
        tree_of(before), lambda p: before[p][1], changes, {p: m for p, (m, _) in after.items()}
    )


def applied(before: Files, patch: bytes) -> Applied | Refusal:
    return apply_patch(tree_of(before), lambda p: before[p][1], patch, OPEN)


@st.composite
def edits(draw: st.DrawFn) -> tuple[Files, Files]:
    before = draw(TREES)
    after: Files = {}
    for path, (mode, data) in before.items():
        what = draw(st.sampled_from(["keep", "edit", "mode", "delete", "replace", "rename"]))
        if what == "keep":
            after[path] = (mode, data)
        elif what == "edit":
            lines = split_lines(data)
            at = draw(st.integers(0, len(lines)))
            until = draw(st.integers(at, min(len(lines), at + 3)))
            new = draw(st.lists(LINES.map(lambda line: line + b"\n"), max_size=3))
            after[path] = (mode, b"".join([*lines[:at], *new, *lines[until:]]))
        elif what == "mode":
            after[path] = (EXECUTABLE if mode == REGULAR else REGULAR, data)
        elif what == "replace":
            after[path] = draw(FILE)
        elif what == "rename":
            after[path + "2"] = (mode, data)
    after.update(draw(st.dictionaries(NAMES, FILE, max_size=2)))
    return before, after


@given(edits())
@example(({"a": (REGULAR, b"x\n")}, {"a": (REGULAR, b"x")}))
@example(({"a": (REGULAR, b"")}, {"a": (REGULAR, b"x")}))
@example(({"a": (REGULAR, b"x")}, {"a": (REGULAR, b"")}))
@example(({}, {"a": (EXECUTABLE, b"")}))
@settings(max_examples=120, deadline=None)
def test_apply_of_the_rendered_patch_gives_the_edited_tree(pair: tuple[Files, Files]) -> None:
    before, after = pair
    patch = patch_of(before, after)
    result = applied(before, patch)
    if isinstance(result, Refusal):
        assert result.reason in ("path_conflict", "compiled_code")
        return
    assert result.tree == tree_of(after)
    assert result.tree.digest == tree_of(after).digest
    assert result.moved == 0
    assert result.patch == patch, "the canonical patch is a fixed point"
    assert (patch == b"") == (before == after)


@given(edits(), st.data())
@settings(max_examples=120, deadline=None)
def test_damaged_patches_are_refused_or_applied_and_never_crash(
    pair: tuple[Files, Files], data: st.DataObject
) -> None:
    before, after = pair
    patch = bytearray(patch_of(before, after) or b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(patch)))
        size = data.draw(st.integers(0, 12))
        patch[at : at + size] = data.draw(
            st.one_of(
                st.binary(max_size=4),
                st.sampled_from([b"\n", b"\r\n", b"@@ -1 +1 @@\n", b"diff --git ", b'"', b"\\ "]),
            )
        )
    result = applied(before, bytes(patch))
    if isinstance(result, Applied):
        again = applied(before, result.patch)
        assert isinstance(again, Applied)
        assert again.tree == result.tree


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_a_patch_or_a_refusal(patch: bytes) -> None:
    assert isinstance(applied({"a": (REGULAR, b"x\n")}, patch), Applied | Refusal)


@given(st.lists(LINES, max_size=40), st.lists(LINES, max_size=40))
def test_blocks_cover_exactly_the_difference(old: list[bytes], new: list[bytes]) -> None:
    a = b = 0
    for block in changed_blocks(old, new):
        assert old[a : block.a0] == new[b : block.b0]
        assert block.a1 > block.a0 or block.b1 > block.b0
        a, b = block.a1, block.b1
    assert old[a:] == new[b:]


def test_a_rewritten_giant_file_is_one_replacement_in_little_time() -> None:
    old = [b"%d\n" % i for i in range(20_000)]
    new = [b"%d\n" % (i * 7 % 20_011) for i in range(20_000)]
    assert len(changed_blocks(old, new)) == 1


def test_a_small_edit_of_a_giant_file_is_small() -> None:
    old = [b"\n", b"x\n"] * 30_000
    new = [*old[:10], b"y\n", *old[10:50_000], *old[50_001:]]
    blocks = changed_blocks(old, new)
    assert sum(k.a1 - k.a0 + k.b1 - k.b0 for k in blocks) == 2


# ---- beside git itself

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")


def lay(root: Path, files: Files) -> None:
    for path, (mode, data) in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        place.chmod(0o755 if mode == EXECUTABLE else 0o644)


def git(root: Path, *args: str, feed: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(root),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(root.parent),
    }
    command = [GIT or "git", "-c", "core.autocrlf=false", *args]
    return subprocess.run(command, cwd=root, input=feed, capture_output=True, env=env)


@needs_git
@given(pair=edits())
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_git_apply_agrees_with_the_rendered_patch(
    tmp_path_factory: pytest.TempPathFactory, pair: tuple[Files, Files]
) -> None:
    before, after = pair
    patch = patch_of(before, after)
    if not patch or isinstance(applied(before, patch), Refusal):
        return
    root = tmp_path_factory.mktemp("git")
    lay(root, before)
    done = git(root, "apply", "--whitespace=nowarn", "-", feed=patch)
    assert done.returncode == 0, done.stderr
    assert scan_tree(root) == tree_of(after)


@needs_git
@pytest.mark.parametrize("flags", [(), ("-M",), ("-C", "--find-copies-harder"), ("-U1",)])
def test_patches_written_by_git_are_applied(tmp_path: Path, flags: tuple[str, ...]) -> None:
    long = b"".join(b"line %d\n" % i for i in range(60))
    before: Files = {
        "keep.py": (REGULAR, long),
        "old name.py": (REGULAR, long + b"tail\n"),
        "swap.bin": (REGULAR, bytes(range(256)) * 40),
        "café.txt": (REGULAR, b"one\r\ntwo\r\nthree"),
        "gone.py": (EXECUTABLE, b"bye\n"),
        "mode.sh": (REGULAR, b"#!/bin/sh\n"),
    }
    after: Files = {
        "keep.py": (REGULAR, long.replace(b"line 30\n", b"line thirty\n")),
        "new/name.py": (REGULAR, (long + b"tail\n").replace(b"line 7\n", b"")),
        "copy.py": (REGULAR, long + b"more\n"),
        "swap.bin": (REGULAR, bytes(range(256)) * 20 + b"!" + bytes(range(256)) * 20),
        "café.txt": (REGULAR, b"one\r\nTWO\r\nthree\r\n"),
        "mode.sh": (EXECUTABLE, b"#!/bin/sh\n"),
        "empty": (REGULAR, b""),
    }
    lay(tmp_path / "a", before)
    lay(tmp_path / "b", after)
    root = tmp_path / "a"
    git(root, "init", "-q")
    git(root, "add", "-A")
    tree = git(root, "write-tree").stdout.decode().strip()
    for path in before:
        (root / path).unlink()
    lay(root, after)
    git(root, "add", "-A")
    diff = git(root, "diff", "--cached", "--binary", "--no-color", "--full-index", *flags, tree)
    assert b"GIT binary patch" in diff.stdout
    assert b"delta " in diff.stdout
    result = applied(before, diff.stdout)
    assert isinstance(result, Applied), result
    assert result.tree == tree_of(after)
    assert result.tree == scan_tree(tmp_path / "b")
    if flags == ("-M",):
        assert {c.kind for c in parse_patch(diff.stdout, max_bytes=1 << 20).changes} >= {"rename"}
