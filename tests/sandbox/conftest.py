"""Sandboxes for tests: real ones, on the interpreter in /usr, stopped at the end of each test."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.environment.identity import sandbox_identity
from referee.environment.store import Store, open_store, remove_tree
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.overlay import make_overlay
from referee.sandbox.protocol import Completed, Limits, SandboxSpec

PYTHON = "/usr/bin/python3"


@pytest.fixture(scope="session")
def store() -> Iterator[Store]:
    """A store that a dropped user can reach, which pytest's own folders are not."""
    folder = Path(tempfile.mkdtemp(prefix="referee-test.", dir="/var/tmp"))
    folder.chmod(0o755)
    yield open_store(folder)
    remove_tree(folder)


class Place:
    """A started sandbox with a workspace, and a short way to run Python in it."""

    def __init__(self, sandbox: Bubblewrap, upper: Path):
        self.sandbox, self.upper = sandbox, upper

    def sh(self, script: str, **options: object) -> Completed:
        return self.sandbox.run(["sh", "-c", script], **options)  # type: ignore[arg-type]

    def python(self, source: str, **options: object) -> Completed:
        return self.sandbox.run([PYTHON, "-I", "-S", "-c", source], **options)  # type: ignore[arg-type]

    def value(self, source: str) -> str:
        done = self.python(source)
        assert done.ended == "exit", done
        assert done.exit_code == 0, done.stderr.decode()
        return done.stdout.decode().strip()


def give_to_sandbox(root: Path) -> None:
    """Make the sandbox user the owner of a lower layer, as overlays demand."""
    identity = sandbox_identity()
    if identity.dropped:
        for folder, folders, files in os.walk(root):
            for name in ["", *folders, *files]:
                os.chown(Path(folder, name), identity.uid, identity.gid, follow_symlinks=False)


@pytest.fixture
def own_by_sandbox() -> Callable[[Path], None]:
    return give_to_sandbox


@pytest.fixture
def make(store: Store) -> Iterator[Callable[..., Place]]:
    """make(limits=..., files={path: text}, start=True) -> Place."""
    if not Path(PYTHON).exists():
        pytest.skip("no Python in /usr to run the exec server on")
    folder = store.scratch("place")
    places: list[Place] = []
    number = itertools.count()

    def build(
        *,
        limits: Limits | None = None,
        files: dict[str, str] | None = None,
        start: bool = True,
        **options: object,
    ) -> Place:
        home = folder / str(next(number))
        lower = home / "lower"
        lower.mkdir(parents=True)
        for name, text in (files or {}).items():
            (lower / name).parent.mkdir(parents=True, exist_ok=True)
            (lower / name).write_text(text)
        give_to_sandbox(lower)
        overlay = make_overlay(home, [lower])
        spec = SandboxSpec(PYTHON, overlay=overlay, limits=limits or Limits(), **options)  # type: ignore[arg-type]
        place = Place(Bubblewrap(spec, store), overlay.upper)
        places.append(place)
        if start:
            place.sandbox.start()
        return place

    folder.chmod(0o711)
    yield build
    for place in places:
        place.sandbox.stop()
    remove_tree(folder)


@pytest.fixture
def place(make: Callable[..., Place]) -> Place:
    return make()
