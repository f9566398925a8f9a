"""Globs of `strip`, compared with what git does on the same paths."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from referee.environment.globs import compile_glob

PATHS = [
    "a.py",
    "docs/a.md",
    "docs/deep/b.md",
    "pkg/tests/test_a.py",
    "pkg/tests/data/x.csv",
    "pkg/test_b.py",
    "tests/test_c.py",
    "pkg/sub/docs/c.md",
    "x[1].txt",
    "CHANGES-1.2.rst",
]


@pytest.mark.parametrize(
    "glob",
    [
        "docs",
        "docs/",
        "/docs",
        "tests/",
        "pkg/tests",
        "**/tests",
        "**/test_*.py",
        "pkg/**",
        "pkg/**/x.csv",
        "*.md",
        "docs/*.md",
        "docs/**/*.md",
        "CHANGES-?.?.rst",
        "[ax]*",
        "[!ax]*.py",
        "pkg/*",
        "a.py/",
    ],
)
def test_a_glob_means_what_it_means_in_a_gitignore(glob: str, tmp_path: Path) -> None:
    for path in PATHS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".git/info/exclude").write_text(f"{glob}\n")
    done = subprocess.run(
        ["git", "ls-files", "--others", "--ignored", "--exclude-standard", "-z"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    by_git = set(filter(None, done.stdout.decode().split("\0")))
    pattern = compile_glob(glob)
    assert {path for path in PATHS if pattern.fullmatch(path)} == by_git


@pytest.mark.parametrize("glob", ["", "/", "a[b", "[z-a]"])
def test_a_glob_that_means_nothing_is_refused(glob: str) -> None:
    with pytest.raises(ValueError):
        compile_glob(glob)
