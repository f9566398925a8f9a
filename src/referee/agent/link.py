"""What an agent inside a sandbox has of its model: an address, a token and a name."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from referee.agent.gateway.dialect import WireProtocol
from referee.sandbox.protocol import Completed, Sandbox

PORT = 18711
"""Where the gateway answers in every sandbox."""

_GRACE_S = 20.0
_LOOK_S = 0.25


@dataclass(frozen=True)
class ModelLink:
    """The model as the sandbox sees it; `tools` says whether it can call them. `hopeless` gives the
    reason once no further call can be answered: a budget is used up, or the upstream cannot be
    had."""

    protocol: WireProtocol
    model: str
    token: str
    hopeless: Callable[[], str | None]
    context_window: int | None = None
    max_output: int | None = None
    tools: bool = True
    port: int = PORT

    @property
    def url(self) -> str:
        """The base URL without a path."""
        return f"http://127.0.0.1:{self.port}"


def run_watched(
    sandbox: Sandbox,
    link: ModelLink,
    argv: Sequence[str],
    env: Mapping[str, str],
    timeout_s: float,
) -> tuple[Completed, str | None]:
    """How an agent's program ended, and why it was ended early if it was."""
    process = sandbox.spawn(argv, env=env)
    with contextlib.closing(process.channel), Watch(link, process.kill) as watch:
        return process.wait(timeout_s), watch.reason


class Watch:
    """Ends an agent that goes on although no call can be answered any more; some try for ever."""

    def __init__(
        self, link: ModelLink, kill: Callable[[], None], grace_s: float = _GRACE_S
    ) -> None:
        self._link, self._kill, self._grace_s = link, kill, grace_s
        self._over = threading.Event()
        self.reason: str | None = None
        self._thread = threading.Thread(target=self._look, name="model-watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        since: float | None = None
        while not self._over.wait(_LOOK_S):
            reason = self._link.hopeless()
            if reason is None:
                since = None
                continue
            now = time.monotonic()
            since = now if since is None else since
            if now - since >= self._grace_s:
                self.reason = reason
                self._kill()
                return
