"""The process that runs trusted checks: `python -P -m referee.wall.trusted REQUEST RESULTS`.

Both arguments are inherited descriptors. It reads a request to the end, runs pytest, and writes one
framed JSON event after the other; the last one is `complete`. `run.py` starts it and listens.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from referee.wall.checks import CheckRequest
    from referee.wall.session import WallSession

LENGTH = struct.Struct("<I")


class _Speaker:
    """Writes events, each with the run's nonce."""

    def __init__(self, fd: int, nonce: str) -> None:
        self.fd = fd
        self.nonce = nonce

    def __call__(self, kind: str, **fields: Any) -> None:
        data = json.dumps({"nonce": self.nonce, "kind": kind, **fields}).encode()
        rest = memoryview(LENGTH.pack(len(data)) + data)
        while rest:
            rest = rest[os.write(self.fd, rest) :]


def main(argv: list[str]) -> int:
    """Run the checks of one request."""
    from referee.wall.checks import load_request

    results = int(argv[2])
    os.set_inheritable(results, False)
    with os.fdopen(int(argv[1]), "rb") as stream:
        request, nonce = load_request(stream.read())
    say = _Speaker(results, nonce)
    signal.signal(signal.SIGTERM, _interrupt)

    from referee.wall.open import find_opener, without_candidate
    from referee.wall.session import WallSession

    opener = find_opener(request.opener)
    session = WallSession(
        lambda: opener(request),
        open_bare=lambda: opener(without_candidate(request)),
        python=request.python,
        preload=request.preload,
        call_timeout_s=request.call_timeout_s,
        start_timeout_s=request.start_timeout_s,
        max_bytes=request.max_bytes,
        worker=request.worker,
        cwd=request.cwd,
        env=request.env,
        watch=lambda moment: _tell(say, session, moment),
    )
    try:
        status = _run_pytest(request, session, say)
    finally:
        session.close()
    say(
        "complete",
        status=status,
        worker_output=session.worker_output[-4000:].decode("utf-8", "replace"),
    )
    return 0


def _tell(say: _Speaker, session: WallSession, moment: str) -> None:
    """Report what the wall does, so that a run that is cut off can still be judged."""
    rows = [[row.limit, row.by, row.value] for row in session.enforcement]
    say("wall", moment=moment, enforcement=rows)


def _run_pytest(request: CheckRequest, session: WallSession, say: _Speaker) -> int:
    import pytest

    from referee.wall.plugin import WallPlugin

    # From here on: our own modules are cached by now, and the task package stays as it is.
    sys.dont_write_bytecode = True
    tests = request.tests.resolve()
    ids = None if request.ids is None else frozenset(request.ids)
    data = {"public": request.public_data, "hidden": request.hidden_data}
    plugin = WallPlugin(
        *(session, request.seed, ids, say),
        order=request.order,
        data=data,
        contract=request.contract,
    )
    arguments = [
        *("-q", "--tb=no", "--no-header", "--no-summary", "--import-mode=importlib"),
        *("-c", os.devnull, f"--rootdir={tests}", "--strict-markers"),
        *("-p", "no:cacheprovider", "-p", "no:junitxml", "-p", "no:pastebin"),
        *("-p", "no:doctest", "-p", "no:stepwise", "-p", "no:faulthandler"),
        str(tests),
    ]
    return int(pytest.main(arguments, plugins=[plugin]))


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv))
