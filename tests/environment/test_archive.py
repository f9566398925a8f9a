"""Archives from strangers: what is unpacked, and what is refused before it can do harm."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from environment_packages import tar_of
from hypothesis import given
from hypothesis import strategies as st

from referee.environment.archive import link_stays_inside, unpack
from referee.record.fault import BadInput


def member(name: str, kind: bytes, target: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, mode
    return info


def unpacked(tmp_path: Path, data: bytes, name: str = "p-1.tar.gz", top: bool = True) -> Path:
    archive, root = tmp_path / name, tmp_path / "root"
    archive.write_bytes(data)
    root.mkdir()
    unpack(archive, root, single_top=top)
    return root


def test_files_modes_and_links_inside_are_kept(tmp_path: Path) -> None:
    script = member("p/run.sh", tarfile.REGTYPE, mode=0o4711)
    root = unpacked(
        tmp_path,
        tar_of(
            [
                (member("p", tarfile.DIRTYPE), None),
                ("p/a/b.txt", "hello"),
                (script, "#!/bin/sh\n"),
                (member("p/a/up", tarfile.SYMTYPE, "../run.sh"), None),
                (member("p/same.txt", tarfile.LNKTYPE, "p/a/b.txt"), None),
            ]
        ),
    )
    assert (root / "a/b.txt").read_text() == (root / "same.txt").read_text() == "hello"
    assert (root / "same.txt").stat().st_nlink == 1
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o755
    assert (root / "a/up").readlink() == Path("../run.sh")


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ([("p/../../evil", "x")], "leaves the tree"),
        ([("/etc/evil", "x")], "leaves the tree"),
        ([("p/a\\..\\evil", "x")], "leaves the tree"),
        ([(member("p/l", tarfile.SYMTYPE, "/etc/passwd"), None)], "link that leaves"),
        ([(member("p/l", tarfile.SYMTYPE, "../../x"), None)], "link that leaves"),
        ([(member("p/l", tarfile.SYMTYPE, "a"), None), ("p/l/x", "x")], "runs through"),
        ([("p/a", "x"), ("p/a/b", "x")], "runs through"),
        ([(member("p/h", tarfile.LNKTYPE, "p/none"), None)], "hard link to nothing"),
        ([(member("p/h", tarfile.LNKTYPE, "/etc/shadow"), None)], "leaves the tree"),
        ([(member("p/dev", tarfile.CHRTYPE), None)], "neither a file"),
        ([(member("p/pipe", tarfile.FIFOTYPE), None)], "neither a file"),
        ([("p/a", "x"), ("q/a", "x")], "one top folder"),
        ([("a", "x")], "one top folder"),
    ],
)
def test_a_hostile_tar_is_refused(
    tmp_path: Path, members: list[tuple[object, object]], says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        unpacked(tmp_path, tar_of([("p/ok", "x"), *members]))
    assert not (tmp_path / "evil").exists()
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


def test_the_caps_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.environment.archive.MAX_BYTES", 1000)
    with pytest.raises(BadInput, match="more than"):
        unpacked(tmp_path, tar_of([("p/big", b"0" * 600), ("p/more", b"0" * 600)]))


def test_a_zip_that_lies_about_its_sizes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("bomb.txt", b"0" * 100_000)
    monkeypatch.setattr("referee.environment.archive.MAX_BYTES", 10_000)
    with pytest.raises(BadInput, match="more than"):
        unpacked(tmp_path, out.getvalue(), "x.whl", top=False)


@pytest.mark.parametrize("path", ["../evil", "/evil", "a/../../evil"])
def test_a_hostile_zip_is_refused(tmp_path: Path, path: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        bundle.writestr(zipfile.ZipInfo(path), "x")
    with pytest.raises(BadInput, match="leaves the tree"):
        unpacked(tmp_path, out.getvalue(), "x.whl", top=False)


def test_links_in_a_zip_follow_the_same_rule(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        info = zipfile.ZipInfo("pkg/l")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        bundle.writestr(info, "../../etc/passwd")
    with pytest.raises(BadInput, match="link that leaves"):
        unpacked(tmp_path, out.getvalue(), "x.whl", top=False)


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    whole = tar_of([("p/a", b"x" * 100_000)])
    for number, data in enumerate([whole[: len(whole) // 2], b"no archive at all", b""]):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(BadInput, match=r"p-1\.tar\.gz: the archive"):
            unpacked(folder, data)


_PARTS = st.lists(st.sampled_from(["..", ".", "a", "b", ""]), min_size=1, max_size=7)


@given(_PARTS, st.integers(0, 3))
def test_a_link_inside_resolves_inside(parts: list[str], depth: int) -> None:
    """Whatever the rule lets through resolves below the root, part by part, as the kernel does."""
    path = "/".join([*("d" * depth), "link"])
    target = "/".join(parts)
    at, escaped = list("d" * depth), False
    for part in parts:
        if part == "..":
            escaped = escaped or not at
            at = at[:-1]
        elif part not in ("", "."):
            at.append(part)
    stays = link_stays_inside(path, target)
    assert stays == (not escaped and not target.startswith("/") and bool(target))
