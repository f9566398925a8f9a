"""Calls and commands through the wall: every way to give no value has its class."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wall_fake_sandbox import PYTHON

from referee.record.fault import Infrastructure
from referee.wall import (
    CandidateDied,
    CandidateError,
    CandidateFailure,
    CandidateProtocol,
    CandidateResource,
    CandidateTimeout,
    probe,
)
from referee.wall.codec import CodecError

Make = Callable[..., Any]


@probe
def echo(*args, **kwargs):
    return [list(args), kwargs]


@probe
def own_pid():
    import os

    return os.getpid()


@probe
def keep_in_memory():
    import math

    math.kept = getattr(math, "kept", 0) + 1
    return math.kept


@probe
def state_of():
    import tiny

    tiny.COUNT += 1
    return tiny.COUNT


@probe
def ask_tiny():
    import tiny

    return tiny.value()


def test_plain_data_goes_there_and_back(ask: Any) -> None:
    array = np.arange(6, dtype=">i4").reshape(2, 3)
    args, kwargs = ask(echo, 1, -0.0, "é", b"x", None, array, word=[True, (1, 2)])
    assert args[:5] == [1, 0.0, "é", b"x", None]
    assert str(args[1]) == "-0.0"
    assert args[5].dtype == array.dtype
    np.testing.assert_array_equal(args[5], array)
    assert kwargs == {"word": [True, (1, 2)]}


def test_a_large_array_goes_there_and_back(ask: Any) -> None:
    array = np.random.default_rng(1).random(1_200_000)
    (back,), _ = ask(echo, array)
    assert back.tobytes() == array.tobytes()


def test_modules_are_imported_once_and_calls_are_apart(make_asker: Make) -> None:
    ask = make_asker({"tiny": "COUNT = 0\n"}, preload=["tiny"])
    assert [ask(state_of), ask(state_of), ask(keep_in_memory), ask(keep_in_memory)] == [1, 1, 1, 1]
    assert ask(own_pid) != ask(own_pid)
    assert len(ask.sandboxes[0].processes) == 1


def test_annotations_of_a_probe_need_no_imports(ask: Any) -> None:
    source = "def f(x: np.ndarray) -> pd.DataFrame:\n    return x\n"
    assert ask.session.call(source, "f", [3]) == 3


def test_an_exception_crosses_as_names_and_a_bounded_message(make_asker: Make) -> None:
    ask = make_asker(
        {
            "tiny": "class Odd(ValueError): pass\n"
            "def value(): raise Odd('\\x1b[31m' + 'x' * 100_000 + '\\ud800')\n"
        }
    )
    with pytest.raises(CandidateError) as caught:
        ask(ask_tiny)
    assert caught.value.exception == "Odd"
    assert caught.value.is_a("ValueError")
    assert not caught.value.is_a("KeyError")
    assert len(caught.value.message) <= 2000
    assert "\x1b" not in caught.value.message


def test_a_module_that_cannot_be_imported_fails_every_call(make_asker: Make) -> None:
    ask = make_asker({"tiny": "1 / 0\n"}, preload=["tiny"])
    for _ in range(2):
        with pytest.raises(CandidateError) as caught:
            ask(echo)
        assert caught.value.exception == "ZeroDivisionError"


HOSTILE: dict[str, tuple[str, type[CandidateFailure]]] = {
    "exit code 0": ("import os; os._exit(0)", CandidateDied),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", CandidateDied),
    "SystemExit": ("raise SystemExit(0)", CandidateError),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", CandidateError),
    "no message": ("raise type('E', (Exception,), {'__str__': lambda s: 1 / 0})", CandidateError),
    "recursion": ("return value()", CandidateError),
    "memory": ("return bytearray(8 << 30)", CandidateResource),
    "SIGKILL": ("import os; os.kill(os.getpid(), 9)", CandidateResource),
    "full disk": ("raise OSError(28, 'no space')", CandidateResource),
    "object": ("return object()", CandidateProtocol),
    "object array": ("import numpy; return numpy.array([object()])", CandidateProtocol),
    "deep": ("x = []\n    for _ in range(1000): x = [x]\n    return x", CandidateProtocol),
    "too many": ("return [None] * 3_000_000", CandidateProtocol),
    "worker killed": ("import os; os.kill(os.getppid(), 9); os._exit(0)", CandidateDied),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_no_value_has_a_class_and_the_next_call_is_served(make_asker: Make, case: str) -> None:
    body, kind = HOSTILE[case]
    ask = make_asker({"tiny": f"def value():\n    {body}\n"})
    with pytest.raises(CandidateFailure) as caught:
        ask(ask_tiny)
    assert type(caught.value) is kind
    assert ask(echo, 1) == [[1], {}]


FIND_SOCKET = """
import os, socket, stat, struct, sys, time
def sockets():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                yield socket.socket(fileno=os.dup(fd))
        except OSError:
            pass
codec = sys.modules["_referee_codec"]
def say(data):
    for sock in sockets():
        sock.sendall(data)
def value():
"""

LIES: dict[str, tuple[str, type[CandidateFailure] | None]] = {
    "garbage": ("say(b'x' * 4096); os._exit(0)", CandidateProtocol),
    "huge length": ("say(struct.pack('<4sQ', b'RWF1', 2**62)); os._exit(0)", CandidateProtocol),
    "length that is a lie": ("say(struct.pack('<4sQ', b'RWF1', 1000)); os._exit(0)", CandidateDied),
    "bytes that are no value": (
        "codec.send_frame(next(sockets()), [b'\\x80\\x04pickle']); os._exit(0)",
        CandidateProtocol,
    ),
    "answer of no form": (
        "codec.send_frame(next(sockets()), [codec.encode(('verdict', 'passed'))]); os._exit(0)",
        CandidateProtocol,
    ),
    "error with hostile names": (
        "codec.send_frame(next(sockets()),"
        " [codec.encode(('error', 'x' * 99999, '\\x1b]0;', (1, 'y')))]); os._exit(0)",
        CandidateError,
    ),
    "closes and stays": (
        "[s.shutdown(socket.SHUT_RDWR) for s in sockets()]; time.sleep(30)",
        CandidateDied,
    ),
    "answers and stays": (
        "codec.send_frame(next(sockets()), [codec.encode(('value', 5))]); time.sleep(60)",
        None,
    ),
    "answers twice": (
        "frame = codec.encode(('value', 5)); s = next(sockets())\n"
        "    codec.send_frame(s, [frame]); codec.send_frame(s, [frame]); os._exit(0)",
        None,
    ),
}


@pytest.mark.parametrize("case", LIES)
def test_lies_on_the_channel(make_asker: Make, case: str) -> None:
    body, kind = LIES[case]
    ask = make_asker({"tiny": FIND_SOCKET + f"    {body}\n"}, call_timeout_s=5.0)
    if kind is None:
        assert ask(ask_tiny) == 5
    else:
        with pytest.raises(CandidateFailure) as caught:
            ask(ask_tiny)
        assert type(caught.value) is kind
        assert len(str(caught.value)) < 3000
    assert ask(echo, 1) == [[1], {}]


def test_a_call_that_never_answers_ends_in_time(make_asker: Make) -> None:
    ask = make_asker({"tiny": "import time\ndef value(): time.sleep(60)\n"}, call_timeout_s=0.3)
    begun = time.monotonic()
    with pytest.raises(CandidateTimeout):
        ask(ask_tiny)
    assert time.monotonic() - begun < 5
    assert ask.session.call("def f(): return 1\n", "f", timeout_s=10.0) == 1


def test_a_call_that_never_reads_ends_in_time(make_asker: Make) -> None:
    ask = make_asker(
        {"tiny": "import sys, time\nsys.modules['_referee_codec'].receive_frame = time.sleep\n"},
        preload=["tiny"],
        call_timeout_s=0.5,
    )
    with pytest.raises(CandidateFailure):
        ask(echo, np.zeros(4_000_000))


def test_a_preloaded_module_that_drips_control_bytes_ends_in_time(make_asker: Make) -> None:
    drip = """
import os, stat, time
fd = next(n for n in range(3, 64) if stat.S_ISSOCK(os.fstat(n).st_mode))
for _ in range(100_000):
    os.write(fd, b"x")
    time.sleep(0.01)
"""
    ask = make_asker({"tiny": drip}, preload=["tiny"], start_timeout_s=1.0)
    begun = time.monotonic()
    with pytest.raises(CandidateFailure):
        ask(echo)
    assert time.monotonic() - begun < 5


DAEMON = """
import os, time
def value():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open("daemon.pid", "w").write(str(os.getpid()))
            time.sleep(60)
        os._exit(0)
    while not os.path.exists("daemon.pid"):
        time.sleep(0.01)
    return 1
"""


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("end", ["return 1", "os._exit(0)"])
def test_a_daemon_neither_delays_an_answer_nor_lives_on(make_asker: Make, end: str) -> None:
    ask = make_asker({"tiny": DAEMON.replace("return 1", end)}, call_timeout_s=20.0)
    begun = time.monotonic()
    if end == "return 1":
        assert ask(ask_tiny) == 1
    else:
        with pytest.raises(CandidateDied):
            ask(ask_tiny)
    assert time.monotonic() - begun < 10
    assert ask(echo, 1) == [[1], {}]
    pid = int((ask.sandboxes[0].workspace / "daemon.pid").read_text())
    assert not is_alive(pid)


def test_output_of_a_probe_is_not_an_answer(make_asker: Make) -> None:
    ask = make_asker({"tiny": "def value():\n    print('passed', flush=True)\n    return 2\n"})
    assert ask(ask_tiny) == 2
    ask.session.close()
    assert b"passed" in ask.session.worker_output


def test_an_argument_that_may_not_cross_is_the_checks_mistake(ask: Any) -> None:
    with pytest.raises(CodecError):
        ask(echo, object())


def test_a_machine_without_sandboxes_is_an_infrastructure_fault(make_asker: Make) -> None:
    ask = make_asker()

    def broken() -> Any:
        raise Infrastructure("sandbox_start", "no")

    ask.session._open_sandbox = broken
    with pytest.raises(Infrastructure):
        ask(echo)


def test_a_sandbox_that_goes_down_under_the_candidate_is_replaced(make_asker: Make) -> None:
    ask = make_asker()
    assert ask(echo, 1) == [[1], {}]
    ask.sandboxes[0].down = True
    ask.sandboxes[0].kill_all()
    with pytest.raises(CandidateDied):
        ask(echo, 1)
    assert ask(echo, 1) == [[1], {}]
    assert len(ask.sandboxes) == 2
    ask.sandboxes[1].down = True
    with pytest.raises(CandidateDied):
        ask.session.command(["true"])
    assert ask.session.command(["true"]).exit_code == 0


def test_a_sandbox_that_cannot_be_replaced_is_blamed_by_a_bare_one(make_asker: Make) -> None:
    ask = make_asker()
    assert ask(echo, 1) == [[1], {}]
    good = ask.session._open_sandbox

    def broken() -> Any:
        raise Infrastructure("sandbox_start", "no")

    ask.session._open_sandbox = broken
    ask.sandboxes[0].down = True
    ask.sandboxes[0].kill_all()
    with pytest.raises(CandidateDied):
        ask(echo, 1)
    ask.session._open_bare = good
    with pytest.raises(CandidateDied):
        ask(echo, 1)
    ask.session._open_bare = broken
    with pytest.raises(Infrastructure):
        ask(echo, 1)


def test_a_command_gives_exit_code_output_and_files(ask: Any) -> None:
    script = (
        "import sys; data = open('in.bin', 'rb').read() + sys.stdin.buffer.read();"
        "open('out.bin', 'wb').write(data); print('said'); sys.stderr.write('erred'); sys.exit(3)"
    )
    done = ask.session.command(
        [PYTHON, "-c", script], stdin=b"-two", inputs={"in.bin": b"one\0"}, files=["out.bin"]
    )
    assert (done.exit_code, done.stdout, done.stderr) == (3, b"said\n", b"erred")
    assert done.files == {"out.bin": b"one\0-two"}


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("import time; time.sleep(60)", CandidateTimeout),
        ("import os; os.kill(os.getpid(), 11)", CandidateDied),
        ("pass", CandidateError),
    ],
)
def test_a_command_that_gives_no_result(ask: Any, script: str, kind: type[Exception]) -> None:
    with pytest.raises(CandidateFailure) as caught:
        ask.session.command([PYTHON, "-c", script], timeout_s=1.0, files=["missing"])
    assert type(caught.value) is kind
    assert ask.session.command(["true"]).exit_code == 0


def test_closing_ends_everything(make_asker: Make) -> None:
    ask = make_asker()
    pid = ask(own_pid)
    ask.session.close()
    assert ask.sandboxes[0].stopped == 1
    assert not is_alive(pid)
    assert all(process.popen.poll() is not None for process in ask.sandboxes[0].processes)
    assert os.getpid() != pid
