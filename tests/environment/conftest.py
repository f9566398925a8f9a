"""A store of its own for each test, and a package index on this machine with packages made here."""

from __future__ import annotations

import http.server
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Tests of this folder share helpers, and the import mode of this project adds no folders itself.
sys.path.insert(0, str(Path(__file__).parent))

from environment_packages import Index, Small, use_index

from referee.environment.interpreter import find_interpreter, list_pythons, why_copy
from referee.environment.lock import parse_lock
from referee.environment.store import Store, open_store, remove_tree
from referee.task.model import PythonTable, SourceFile


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    folder = tmp_path / "index"
    (folder / "simple").mkdir(parents=True)
    result = Index(folder)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(folder))

        def log_message(self, *_args: Any) -> None:
            result.asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    result.url = f"http://127.0.0.1:{server.server_port}/simple"
    use_index(monkeypatch, result.url, tmp_path)

    def stop() -> None:
        server.shutdown()
        server.server_close()

    result.stop = stop
    yield result
    stop()


@pytest.fixture
def offline(index: Index) -> Callable[[], None]:
    """Call it, and from then on the index refuses every connection."""
    return index.stop


@pytest.fixture(scope="session")
def found_pythons() -> Iterator[tuple[str, Path]]:
    """A minor version that needs no copy if there is one, and a store that has found it."""
    folder = Path(tempfile.mkdtemp(prefix="referee-test."))
    folder.chmod(0o755)
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    version = own
    if all(why_copy(python) for python in list_pythons(own)):
        usable = [p.minor for p in list_pythons() if why_copy(p) is None and p.minor >= "3.10"]
        version = usable[0] if usable else own
    find_interpreter(open_store(folder), version)
    yield version, folder / "python"
    remove_tree(folder)


@pytest.fixture
def python_version(found_pythons: tuple[str, Path]) -> str:
    return found_pythons[0]


@pytest.fixture
def store(open_folder: Path, found_pythons: tuple[str, Path]) -> Store:
    """A new store that already knows the machine's Python, so that each test saves that search."""
    result = open_store(open_folder / "store")
    for memory in found_pythons[1].glob(".found-*"):
        shutil.copy(memory, result.root / "python")
    return result


@pytest.fixture
def small(index: Index, python_version: str) -> Small:
    release = index.sdist(
        "planet",
        "1.2.0",
        {"planet/__init__.py": "__version__ = '1.2.0'\n", "tests/test_fix.py": "assert True\n"},
    )
    text = index.wheel("rings", "2.0", {"rings/__init__.py": "def main():\n    print('rings')\n"})
    text += index.wheel(
        "moons", "3.1", {"moons.py": "def main():\n    print('moons run')\n"}, "moons = moons:main"
    )
    source = SourceFile(
        source=release, python=PythonTable(version=python_version), strip=("tests/",)
    )
    return Small(source, parse_lock(text), text)
