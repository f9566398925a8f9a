"""What of the host's libraries a sandbox shows."""

from __future__ import annotations

from pathlib import Path

from referee.sandbox.root import _library_arguments


def test_a_library_that_is_just_being_installed_is_left_out(tmp_path: Path) -> None:
    for name in ("libBLT.so.8", "libBLT.so.8.dpkg-new", "libold.so.1.dpkg-tmp", "notes.txt"):
        (tmp_path / name).touch()
    shown = [value for value in _library_arguments(tmp_path) if value != "--ro-bind"]
    assert set(shown) == {str(tmp_path / "libBLT.so.8")}
