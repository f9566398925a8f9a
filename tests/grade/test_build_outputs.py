"""What a hostile build leaves behind, and what of it becomes a layer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from referee.environment.store import remove_tree
from referee.grade.build import BuildFailure, keep_outputs
from referee.sandbox.protocol import Limits

LIMITS = replace(Limits(), disk_bytes=1 << 20, disk_files=10)


@pytest.fixture
def upper(tmp_path: Path) -> Iterator[Path]:
    """The upper directory of a build that made one library; pytest cannot remove deep trees."""
    (tmp_path / "upper" / "pkg").mkdir(parents=True)
    library = tmp_path / "upper" / "pkg" / "fast.so"
    library.write_bytes(b"code")
    library.chmod(0o755)
    yield tmp_path / "upper"
    remove_tree(tmp_path / "upper")


def keep(upper: Path, limits: Limits = LIMITS) -> tuple[BuildFailure | None, list[str]]:
    """What came of it, and the files of the layer."""
    layer = upper.parent / "layer"
    failure = keep_outputs(upper, layer, lambda path: path.endswith(".so"), limits)
    return failure, sorted(p.relative_to(layer).as_posix() for p in layer.rglob("*.so"))


def test_an_honest_build_keeps_its_library_alone(upper: Path) -> None:
    (upper / "pkg" / "fast.o").write_bytes(b"object")
    assert keep(upper) == (None, ["pkg/fast.so"])
    kept = upper.parent / "layer" / "pkg" / "fast.so"
    assert (kept.read_bytes(), kept.stat().st_mode & 0o777) == (b"code", 0o755)


def test_what_is_no_regular_file_at_a_plain_path_is_passed_over(upper: Path) -> None:
    (upper / "pkg" / "link.so").symlink_to("/etc/passwd")
    (upper / "elsewhere").symlink_to("/usr/lib")
    os.mkfifo(upper / "pkg" / "pipe.so")
    (upper / "pkg" / "new\nline.so").write_bytes(b"code")
    (upper / "shut").mkdir()
    (upper / "shut" / "other.so").write_bytes(b"code")
    (upper / "shut").chmod(0)
    try:
        assert keep(upper) == (None, ["pkg/fast.so"])
    finally:
        (upper / "shut").chmod(0o700)


def test_a_tree_deeper_than_any_path_does_no_harm(upper: Path) -> None:
    fd = os.open(upper, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("deep", dir_fd=fd)
        inner = os.open("deep", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(os.open("lost.so", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)
    assert keep(upper) == (None, ["pkg/fast.so"])


def closed_file(upper: Path) -> None:
    (upper / "pkg" / "fast.so").chmod(0)


def sparse_file(upper: Path) -> None:
    os.truncate(upper / "pkg" / "fast.so", 1 << 40)


def many_names(upper: Path) -> None:
    os.truncate(upper / "pkg" / "fast.so", 1 << 18)
    for number in range(6):
        os.link(upper / "pkg" / "fast.so", upper / "pkg" / f"{number}.so")


def many_files(upper: Path) -> None:
    for number in range(11):
        (upper / "pkg" / f"{number}.so").write_bytes(b"")


@pytest.mark.parametrize("make", [closed_file, sparse_file, many_names, many_files])
def test_outputs_that_cannot_be_kept_are_a_failed_build(upper: Path, make: object) -> None:
    assert callable(make)
    make(upper)
    failure, _ = keep(upper)
    assert failure is not None
    assert failure.ended == "refused"
