"""A wall over the fake sandbox, for all tests of this room."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from wall_fake_sandbox import PYTHON, WORKER, FakeSandbox

from referee.wall.api import probe_source
from referee.wall.session import WallSession


class Asker:
    """`ask(fn, *args)` on a session, with what a test may want to look at."""

    def __init__(self, session: WallSession, sandboxes: list[FakeSandbox]) -> None:
        self.session = session
        self.sandboxes = sandboxes

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self.session.call(probe_source(function), function.__name__, args, kwargs)


@pytest.fixture
def make_asker(tmp_path: Path) -> Iterator[Callable[..., Asker]]:
    """Builds an `Asker`; `modules` (name -> source) are the candidate's files."""
    made: list[WallSession] = []

    def make(modules: dict[str, str] | None = None, **options: Any) -> Asker:
        workspace = tmp_path / "workspace"
        workspace.mkdir(exist_ok=True)
        for name, source in (modules or {}).items():
            (workspace / f"{name}.py").write_text(source)
        sandboxes: list[FakeSandbox] = []

        def open_sandbox() -> FakeSandbox:
            sandboxes.append(FakeSandbox(workspace))
            return sandboxes[-1]

        settings: dict[str, Any] = {"python": PYTHON, "worker": WORKER, "call_timeout_s": 10.0}
        session = WallSession(open_sandbox, **{**settings, **options})
        made.append(session)
        return Asker(session, sandboxes)

    yield make
    for session in made:
        session.close()


@pytest.fixture
def ask(make_asker: Callable[..., Asker]) -> Asker:
    """A wall without preloaded modules."""
    return make_asker()
