"""Snapshots: the same bytes everywhere, nothing in them that the agent must not get."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest
from environment_packages import Index, Small, sha256, tar_of, wheel_bytes

from referee.environment.download import fetch_release
from referee.environment.identity import sandbox_identity
from referee.environment.inventory import disk_bytes
from referee.environment.snapshot import (
    FILE_TIME,
    build_snapshot,
    release_files,
    verify_snapshot,
)
from referee.environment.store import Store, open_store
from referee.record.fault import BadInput, Infrastructure
from referee.record.tree import scan_tree
from referee.task.model import PythonTable, Release, SourceFile


def source_of(release: Release, *strip: str) -> SourceFile:
    return SourceFile(source=release, python=PythonTable(version="3.11"), strip=strip)


def test_what_the_agent_must_not_get_is_absent(store: Store, index: Index) -> None:
    release = index.sdist(
        "planet",
        "1.0",
        {
            "planet/__init__.py": "",
            "planet/__pycache__/x.cpython-311.pyc": "x",
            "planet/old.pyc": "x",
            "planet/tests/test_fix.py": "",
            "planet.egg-info/PKG-INFO": "Name: planet\n",
            "planet.egg-info/SOURCES.txt": "tests/test_fix.py\n",
            ".git/HEAD": "ref: refs/heads/main",
            ".gitignore": "build\n",
            "docs/whatsnew/v1.1.rst": "fixes the bug",
            ".pytest_cache/v/x": "",
        },
    )
    snapshot = build_snapshot(store, source_of(release, "docs/", "**/test_fix.py"))
    assert list(snapshot.manifest) == [".gitignore", "PKG-INFO", "planet/__init__.py"]
    assert scan_tree(snapshot.tree) == snapshot.manifest
    assert not list(snapshot.tree.rglob("*.egg-info"))


def test_a_glob_that_matches_nothing_is_named(store: Store, small: Small) -> None:
    source = small.source.model_copy(update={"strip": ("tests/", "planet/nothing_*.py")})
    with pytest.raises(BadInput, match=r"`planet/nothing_\*\.py`, which matches no file"):
        build_snapshot(store, source)
    assert not list((store.root / "snapshot").iterdir())


def test_owner_time_and_modes_are_always_the_same(store: Store, small: Small) -> None:
    snapshot = build_snapshot(store, small.source)
    who = sandbox_identity()
    for path in [snapshot.tree, *snapshot.tree.rglob("*")]:
        info = path.lstat()
        assert (info.st_uid, info.st_gid) == (who.uid, who.gid)
        assert info.st_mtime == FILE_TIME
        assert stat.S_IMODE(info.st_mode) == (0o755 if path.is_dir() else 0o644)


def test_the_same_release_gives_the_same_digest_in_another_store(
    store: Store, small: Small, open_folder: Path
) -> None:
    one = build_snapshot(store, small.source)
    two = build_snapshot(open_store(open_folder / "second"), small.source)
    assert (one.digest, one.manifest.digest) == (two.digest, two.manifest.digest)
    other = small.source.model_copy(update={"strip": ()})
    assert build_snapshot(store, other).digest != one.digest


def test_damage_is_found(store: Store, small: Small) -> None:
    snapshot = build_snapshot(store, small.source)
    verify_snapshot(snapshot)
    file = snapshot.tree / "planet/__init__.py"
    file.write_bytes(file.read_bytes().replace(b"1.2.0", b"1.2.1"))
    with pytest.raises(Infrastructure, match="not those that were built"):
        verify_snapshot(snapshot)
    file.unlink()
    with pytest.raises(Infrastructure, match="snapshot_damaged"):
        build_snapshot(store, small.source)


def test_a_wheel_is_laid_out_as_a_tree(store: Store, index: Index) -> None:
    data = wheel_bytes("planet", "1.0", {"planet/__init__.py": "x = 1\n"})
    name = "planet-1.0-py3-none-any.whl"
    index.put("planet", name, data)
    release = Release(registry="pypi", name="planet", version="1.0", file=name, sha256=sha256(data))
    snapshot = build_snapshot(store, source_of(release))
    assert list(snapshot.manifest) == ["planet/__init__.py"]


def test_a_git_commit_comes_without_history(store: Store, tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    repository.mkdir()

    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        done = subprocess.run(
            ["git", *identity, *arguments],
            cwd=repository,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    git("init", "-q")
    (repository / "planet.py").write_text("old = True\n")
    (repository / "kept.py").write_text("$Format:%H$\n")
    (repository / ".gitattributes").write_text("kept.py export-ignore\n* export-subst\n")
    git("add", ".")
    git("commit", "-qm", "one")
    commit = git("rev-parse", "HEAD")
    (repository / "planet.py").write_text("fixed = True\n")
    git("commit", "-qam", "the fix")
    release = Release(
        registry="git", name="planet", version="1.0", url=repository.as_uri(), commit=commit
    )
    snapshot = build_snapshot(store, source_of(release))
    assert list(snapshot.manifest) == [".gitattributes", "kept.py", "planet.py"]
    assert (snapshot.tree / "planet.py").read_text() == "old = True\n"
    assert (snapshot.tree / "kept.py").read_text() == "$Format:%H$\n"
    assert not [p for p in store.root.rglob("*") if p.name in ("objects", "packed-refs")]

    missing = release.model_copy(update={"commit": "0" * 40})
    with pytest.raises(BadInput, match=r"0{40}"):
        build_snapshot(store, source_of(missing))


def test_two_releases_share_their_common_files_on_disk(store: Store, index: Index) -> None:
    data = "".join(f"{number}\n" for number in range(200_000))
    first = index.sdist("planet", "1.0", {"planet/data.csv": data, "planet/__init__.py": ""})
    second = index.sdist("planet", "1.1", {"planet/data.csv": data, "planet/__init__.py": "x\n"})
    build_snapshot(store, source_of(first))
    archive = fetch_release(store, second).stat().st_size
    before = disk_bytes(store)
    build_snapshot(store, source_of(second))
    assert len(data) > 1_000_000
    assert disk_bytes(store) - before < 100_000 + archive


def test_the_fixed_release_is_private(store: Store, index: Index) -> None:
    release = index.sdist("planet", "1.3", {"planet/__init__.py": "fixed = 1\n", "docs/a.md": ""})
    tree = release_files(store, release)
    assert sorted(scan_tree(tree)) == ["PKG-INFO", "docs/a.md", "planet/__init__.py"]
    for name in ("release", "downloads"):
        assert stat.S_IMODE((store.root / name).stat().st_mode) == 0o700


def test_a_hostile_release_leaves_nothing(store: Store, index: Index, open_folder: Path) -> None:
    data = tar_of([("p/ok", "x"), ("p/../../../evil", "x")])
    index.put("p", "p-1.tar.gz", data)
    release = Release(
        registry="pypi", name="p", version="1", file="p-1.tar.gz", sha256=sha256(data)
    )
    with pytest.raises(BadInput, match="leaves the tree"):
        build_snapshot(store, source_of(release))
    assert list((store.root / "snapshot").iterdir()) == []
    assert not list(open_folder.rglob("evil"))
