"""How a check run gets its sandbox."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable

from referee.sandbox.protocol import Mount, Sandbox
from referee.wall.checks import CheckRequest
from referee.wall.runtime import WALL_INSIDE, worker_runtime


def open_bubblewrap(request: CheckRequest) -> Sandbox:
    """A bubblewrap sandbox with the worker in it, not started."""
    from referee.environment.store import Store
    from referee.sandbox.bubblewrap import Bubblewrap

    store = Store(request.store)
    worker = Mount(store.runtime(worker_runtime()), WALL_INSIDE)
    spec = dataclasses.replace(request.sandbox, mounts=(*request.sandbox.mounts, worker))
    return Bubblewrap(spec, store)


def without_candidate(request: CheckRequest) -> CheckRequest:
    """The same request with no overlay, so with no file that candidate code could have written."""
    return dataclasses.replace(request, sandbox=dataclasses.replace(request.sandbox, overlay=None))


def find_opener(name: str) -> Callable[[CheckRequest], Sandbox]:
    """The function that makes sandboxes, from its name `module:function`."""
    module, _, function = name.partition(":")
    opener: Callable[[CheckRequest], Sandbox] = getattr(importlib.import_module(module), function)
    return opener
