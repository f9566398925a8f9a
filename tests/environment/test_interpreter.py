"""Finding a Python that a sandbox can run, and copying one that it could not read."""

from __future__ import annotations

import json
import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.environment.identity import sandbox_identity
from referee.environment.interpreter import Found, find_interpreter, list_pythons, why_copy
from referee.environment.pythoncopy import copy_interpreter, rpath_entries
from referee.environment.store import Store, open_store
from referee.record.fault import BadInput

OWN = ".".join(platform.python_version_tuple()[:2])


def run_as_sandbox(program: Path, code: str) -> str:
    who = sandbox_identity()
    done = subprocess.run(
        [program, "-I", "-S", "-c", code],
        cwd="/",
        env={},
        capture_output=True,
        text=True,
        check=True,
        user=who.uid if who.dropped else None,
        group=who.gid if who.dropped else None,
        extra_groups=[] if who.dropped else None,
    )
    return done.stdout.strip()


def test_what_is_found_runs_as_the_user_of_the_sandbox(store: Store, python_version: str) -> None:
    python = find_interpreter(store, python_version)
    assert python.version.startswith(f"{python_version}.")
    code = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
    assert run_as_sandbox(python.executable, code) == python.version
    inside = Path(python.inside_executable)
    assert inside == Path(python.inside_prefix) / "bin" / f"python{python_version}"


def test_the_second_time_nothing_is_searched(
    store: Store, python_version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = find_interpreter(store, python_version)
    monkeypatch.setattr("referee.environment.interpreter.list_pythons", lambda *_a: [])
    assert find_interpreter(store, python_version) == first


def test_a_missing_version_is_named_with_what_there_is(store: Store) -> None:
    with pytest.raises(BadInput, match=r"Python 3\.99 is not on this machine") as caught:
        find_interpreter(store, "3.99")
    own = platform.python_version()
    assert own in caught.value.what
    assert "uv python install 3.99" in str(caught.value.hint)


def test_a_virtual_environment_counts_as_the_python_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    monkeypatch.setenv("PATH", f"{tmp_path / 'venv' / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "venv"))
    found = list_pythons(OWN)
    assert Path(sys.base_prefix) in [python.prefix for python in found]
    assert not [python for python in found if tmp_path in python.executable.parents]


@pytest.fixture
def own_python() -> Found:
    """The Python below the one that runs these tests."""
    found = list_pythons(OWN)
    return next(p for p in found if p.prefix == Path(sys.base_prefix))


def test_other_packages_or_a_closed_home_ask_for_a_copy(own_python: Found, tmp_path: Path) -> None:
    assert why_copy(Found("3.11.2", Path("/usr"), Path("/usr/bin/python3.11"), "")) is None
    closed = tmp_path / "home"
    (closed / "bin").mkdir(parents=True)
    (closed / "bin" / "python3.11").write_bytes(b"")
    closed.chmod(0o700)
    if os.geteuid() == 0:
        python = Found("3.11.2", closed, closed / "bin" / "python3.11", "")
        assert why_copy(python) == "other users cannot read it"
    assert own_python.minor == OWN


@pytest.fixture(scope="module")
def copied() -> Iterator[tuple[Found, Path]]:
    found = list_pythons(OWN)
    python = next(p for p in found if p.prefix == Path(sys.base_prefix))
    folder = Path(tempfile.mkdtemp(prefix="referee-test."))
    folder.chmod(0o755)
    path, _digest = copy_interpreter(
        open_store(folder), python.prefix, python.executable, python.minor, python.build, "/opt/py"
    )
    yield python, path
    shutil.rmtree(folder)


def test_a_copy_runs_where_the_original_cannot_be_reached(copied: tuple[Found, Path]) -> None:
    original, copy = copied
    program = copy / "bin" / f"python{original.minor}"
    code = (
        "import sys, json, ctypes, hashlib, ssl; maps = open('/proc/self/maps').read();"
        "print(json.dumps([sys.prefix, sys.version, maps, [m.__file__ for m in"
        " list(sys.modules.values()) if getattr(m, '__file__', None)]]))"
    )
    prefix, version, maps, files = json.loads(run_as_sandbox(program, code))
    assert Path(prefix) == copy
    assert version == original.build
    assert files
    assert all(Path(file).is_relative_to(copy) for file in files)
    if original.prefix != Path("/usr"):
        assert f"{original.prefix}/" not in maps


def test_a_copy_has_nothing_that_was_installed_into_the_original(
    copied: tuple[Found, Path],
) -> None:
    original, copy = copied
    library = copy / "lib" / f"python{original.minor}"
    assert list((library / "site-packages").iterdir()) == []
    for name in ("test", "idlelib", "ensurepip", "dist-packages"):
        assert not (library / name).exists()
    assert list((library / "__pycache__").glob("argparse.*.pyc"))


def test_a_copy_names_no_fixed_place_and_is_open_to_all(copied: tuple[Found, Path]) -> None:
    original, copy = copied
    for path in copy.rglob("*"):
        if path.is_symlink():
            assert path.resolve().is_relative_to(copy)
            continue
        assert stat.S_IMODE(path.stat().st_mode) & 0o044 == 0o044, path
    for path in [copy / "bin" / f"python{original.minor}", *copy.rglob("*.so*")]:
        if path.is_file():
            assert all(entry.startswith("$ORIGIN") for entry in rpath_entries(path)), path
    if original.prefix != Path("/usr"):
        data = next((copy / "lib").rglob("_sysconfigdata*.py"))
        assert f"{original.prefix}/" not in data.read_text()


def test_a_pyenv_that_cannot_be_looked_at_offers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # too long a name fails like a folder that may not be entered, and for root as well
    monkeypatch.setenv("PYENV_ROOT", "/" + "x" * 5000)
    assert list_pythons(OWN)
