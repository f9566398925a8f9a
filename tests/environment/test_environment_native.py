"""Native packages of Debian: what a sandbox must show of them, from dpkg's own lists."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from referee.environment.debian import native_mounts, native_versions
from referee.record.fault import BadInput

pytestmark = pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="no dpkg here")


def test_modules_and_data_are_shown_and_documents_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, share = tmp_path / "dist-packages", tmp_path / "share"
    for folder in (site / "solver/sub", share / "solver-data", share / "doc/solver"):
        folder.mkdir(parents=True)
    (site / "_solver.so").touch()
    listed = [
        site / "solver",
        site / "solver/sub/a.py",
        site / "_solver.so",
        share / "solver-data/x.gz",
        share / "doc/solver/copyright",
        Path("/usr/bin/solver"),
    ]
    monkeypatch.setattr("referee.environment.debian._SITE", site)
    monkeypatch.setattr("referee.environment.debian._SHARE", share)
    told = subprocess.CompletedProcess([], 0, "\n".join(map(str, listed)), "")
    monkeypatch.setattr(subprocess, "run", lambda *_args, **_kwargs: told)
    shown = [inside for _host, inside in native_mounts(["solver"])]
    assert shown == [str(site / "_solver.so"), str(site / "solver"), str(share / "solver-data")]


def test_a_package_that_dpkg_does_not_know_is_one_sentence() -> None:
    with pytest.raises(BadInput, match="dpkg cannot list"):
        native_mounts(["no-such-package-of-debian"])
    assert native_mounts([]) == ()


def test_versions_are_those_that_are_installed() -> None:
    found = native_versions(["dpkg", "no-such-package-of-debian"])
    assert list(found) == ["dpkg"]
    assert found["dpkg"][0].isdigit()
    assert native_versions([]) == {}
