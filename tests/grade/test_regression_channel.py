"""What candidate code can say on the channel of the regression run, and what is made of it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from referee.grade.regression import run_regression
from referee.record.fault import Infrastructure
from referee.sandbox.protocol import Sandbox
from referee.sandbox.session import SandboxDown
from referee.task.model import Regression

IDS = ("test_a.py::test_one", "test_a.py::test_two")
REGRESSION = Regression(ids=IDS, files={"test_a.py": "0" * 64}, timeout_sec=2)


class Talker:
    """A sandbox whose process says `words` on its channel."""

    def __init__(self, talk: Callable[[socket.socket], None]):
        self.talk = talk
        self.killed = False

    def spawn(self, argv: Sequence[str]) -> Any:
        ours, theirs = socket.socketpair()

        def speak() -> None:
            with theirs, contextlib.suppress(OSError):
                self.talk(theirs)

        threading.Thread(target=speak, daemon=True).start()
        return type("Process", (), {"channel": ours})()

    def kill_all(self) -> None:
        self.killed = True


def hear(talk: Callable[[socket.socket], None]) -> dict[str, str]:
    """The outcomes by id."""
    talker = Talker(talk)
    outcomes, _ = run_regression(cast("Sandbox", talker), "python", REGRESSION)
    assert talker.killed
    return {name: seen.outcome for name, seen in outcomes.items()}


def line(name: str, outcome: str) -> bytes:
    return b'{"id": "%s", "outcome": "%s"}\n' % (name.encode(), outcome.encode())


def test_an_honest_run_is_heard() -> None:
    words = line(IDS[0], "passed") + line(IDS[1], "failed") + b'{"done": true}\n'
    assert hear(lambda end: end.sendall(words)) == {IDS[0]: "passed", IDS[1]: "failed"}


def test_only_the_first_word_about_a_test_counts() -> None:
    words = line(IDS[0], "failed") + line(IDS[0], "passed")
    assert hear(lambda end: end.sendall(words)) == {IDS[0]: "failed"}


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b"1" * 100_000 + b"\n",
        line("other", "passed"),
        b'{"id": ["x"], "outcome": {}}\n',
        b'{"id": 1}\nnull\n',
    ],
)
def test_nonsense_is_a_missing_outcome(words: bytes) -> None:
    assert hear(lambda end: end.sendall(words)) == {}


def test_a_flood_of_lines_costs_no_time() -> None:
    begun = time.process_time()
    assert hear(lambda end: end.sendall(b"\n" * (20 << 20))) == {}
    assert time.process_time() - begun < 2


def test_a_reset_channel_is_the_candidates_doing() -> None:
    class Reset:
        def __enter__(self) -> Reset:
            return self

        def __exit__(self, *_: object) -> None: ...

        def settimeout(self, _left: float) -> None: ...

        def recv(self, _size: int) -> bytes:
            raise ConnectionResetError

    class Resetting(Talker):
        def spawn(self, argv: Sequence[str]) -> Any:
            return type("Process", (), {"channel": Reset()})()

    sandbox = cast("Sandbox", Resetting(lambda _end: None))
    assert run_regression(sandbox, "python", REGRESSION)[0] == {}


def test_a_sandbox_that_is_gone_is_a_fault_of_the_machine() -> None:
    class Gone(Talker):
        def spawn(self, argv: Sequence[str]) -> Any:
            raise SandboxDown("it has ended")

    with pytest.raises(Infrastructure, match="sandbox_died"):
        run_regression(cast("Sandbox", Gone(lambda _end: None)), "python", REGRESSION)
