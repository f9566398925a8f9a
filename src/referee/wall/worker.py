"""The candidate's side of the wall: a program inside the sandbox that answers calls.

    python -B worker.py MAX_BYTES [MODULE ...]

It imports the task's modules once, then forks for each call, so that calls start in milliseconds
and what one call changes in memory is gone at the next. Its control channel is the stream socket at
the descriptor that REFEREE_CHANNEL names:

    worker -> host   READY                        after the modules are imported
    host -> worker   CALL id + one descriptor     a stream socket for this call alone
    worker -> host   ENDED id status              the call's process is gone (raw wait status)

On a call's own socket the host sends one frame `(source, name, args, kwargs)` and gets one frame
back: `("value", v)`, `("error", class, message, base classes)`, `("resource", message)` or
`("refused", message)`. Nothing that this program says is believed by the host: candidate code runs
in it and may say anything.

Standard library and Python 3.8 only; the folder `codec` must lie beside it.
"""

# ruff: noqa: PTH100, PTH118, PTH120, PTH123, PTH208, SIM105
# Fewer imports before the candidate's first line runs: no pathlib, no contextlib.

from __future__ import annotations

import array
import errno
import gc
import importlib
import importlib.util
import os
import select
import signal
import socket
import struct
import sys
from typing import Any

CONTROL = struct.Struct("<4sQq")
READY, CALL, ENDED = b"REDY", b"CALL", b"ENDD"
MESSAGE_CHARS = 2000
RESOURCE_ERRORS = frozenset(
    [
        *(errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
        *(errno.EMFILE, errno.ENFILE, errno.EAGAIN),
    ]
)
PR_SET_CHILD_SUBREAPER = 36


def main(argv: list[str]) -> None:
    """Serve calls until the host closes the channel."""
    codec = _load_codec()
    bounds = codec.Bounds(max_bytes=int(argv[1]))
    control = socket.socket(fileno=int(os.environ.pop("REFEREE_CHANNEL")))
    control.setblocking(True)
    os.set_inheritable(control.fileno(), False)
    sys.argv = argv[:1]
    adopting = _adopt_orphans()
    failure = _preload(argv[2:])
    zygote = _Zygote(control, codec, bounds, failure, adopting)
    gc.collect()
    gc.freeze()
    control.sendall(CONTROL.pack(READY, 0, 0))
    zygote.serve()


def _load_codec() -> Any:
    """Load the codec from beside this file, and take this folder off the import path, so that it
    shadows no module of the candidate."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here or not entry]
    folder = os.path.join(here, "codec")
    spec = importlib.util.spec_from_file_location(
        "_referee_codec",
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
    )
    assert spec is not None
    assert spec.loader is not None
    codec = importlib.util.module_from_spec(spec)
    sys.modules["_referee_codec"] = codec
    spec.loader.exec_module(codec)
    return codec


def _adopt_orphans() -> bool:
    """Have the orphans of calls become our children, so that they can be found and ended."""
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except Exception:
        return False


def _preload(modules: list[str]) -> tuple[Any, ...] | None:
    """Import the modules; the answer that every call gets if one of them cannot be imported."""
    for name in modules:
        try:
            importlib.import_module(name)
        except BaseException as error:
            return _failure(error)
    return None


class _Zygote:
    """The serving loop. At most one call is alive at a time."""

    def __init__(
        self,
        control: socket.socket,
        codec: Any,
        bounds: Any,
        failure: tuple[Any, ...] | None,
        adopting: bool,
    ) -> None:
        self.control = control
        self.codec = codec
        self.bounds = bounds
        self.failure = failure
        self.adopting = adopting
        self.current: tuple[int, int] | None = None
        self.wake_read, self.wake_write = os.pipe()
        for fd in (self.wake_read, self.wake_write):
            os.set_blocking(fd, False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)
        self.kept = set(_children()) if adopting else set()

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self.wake_read, select.POLLIN)
        while True:
            ready = {fd for fd, _event in poll.poll()}
            if self.wake_read in ready:
                os.read(self.wake_read, 4096)
                self.reap(os.WNOHANG)
            if self.control.fileno() in ready:
                received = self.receive()
                if received is None:
                    self.end_current()
                    return
                self.end_current()
                self.start(*received)

    def receive(self) -> tuple[int, socket.socket] | None:
        """The next call's id and socket, or None when the host has closed."""
        room = socket.CMSG_SPACE(array.array("i").itemsize)
        try:
            data, ancillary, _flags, _address = self.control.recvmsg(CONTROL.size, room)
        except ConnectionError:
            return None
        if len(data) < CONTROL.size or not ancillary:
            return None
        tag, call, _ = CONTROL.unpack(data)
        descriptors = array.array("i", ancillary[0][2])
        return (call, socket.socket(fileno=descriptors[0])) if tag == CALL else None

    def start(self, call: int, channel: socket.socket) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            self.codec.send_frame(channel, [self.codec.encode(_failure(error))])
            channel.close()
            self.control.sendall(CONTROL.pack(ENDED, call, 0))
            return
        if pid == 0:
            self.become_call(channel)
        channel.close()
        self.current = (call, pid)

    def become_call(self, channel: socket.socket) -> None:
        """In the child: answer and leave, whatever happens."""
        status = 1
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for fd in (self.wake_read, self.wake_write):
                os.close(fd)
            self.control.close()
            channel.setblocking(True)
            _answer(channel, self.codec, self.bounds, self.failure)
            status = 0
        finally:
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)

    def reap(self, flags: int) -> None:
        """Collect ended children; tell the host if the current call is among them."""
        while True:
            try:
                pid, status = os.waitpid(-1, flags)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if self.current is not None and pid == self.current[1]:
                call = self.current[0]
                self.current = None
                self.end_leftovers(pid)
                self.control.sendall(CONTROL.pack(ENDED, call, status))
                flags = os.WNOHANG

    def end_current(self) -> None:
        """End a call that still runs although the host has moved on."""
        if self.current is not None:
            _kill_group(self.current[1])
            while self.current is not None:
                self.reap(0)

    def end_leftovers(self, group: int) -> None:
        """End what an ended call left behind: its process group, then its orphans."""
        _kill_group(group)
        for _ in range(100):
            left = [pid for pid in _children() if pid not in self.kept] if self.adopting else []
            if not left:
                return
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                except OSError:
                    pass


def _kill_group(group: int) -> None:
    for end in (os.killpg, os.kill):
        try:
            end(group, signal.SIGKILL)
        except OSError:
            pass


def _children() -> list[int]:
    """The ids of our child processes."""
    me = os.getpid()
    try:
        with open(f"/proc/self/task/{me}/children") as stream:
            return [int(word) for word in stream.read().split()]
    except OSError:
        pass
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stream:
                    if int(stream.read().rpartition(b")")[2].split()[1]) == me:
                        found.append(int(name))
            except (OSError, ValueError, IndexError):
                pass
    return found


def _answer(
    channel: socket.socket, codec: Any, bounds: Any, failure: tuple[Any, ...] | None
) -> None:
    frame = codec.receive_frame(channel, bounds.max_bytes)
    if failure is None:
        answer = _run(codec.decode(frame, bounds), codec, bounds)
    else:
        answer = codec.encode_chunks(failure)
    codec.send_frame(channel, answer)


def _run(request: Any, codec: Any, bounds: Any) -> Any:
    """Execute one probe; the pieces of the answer."""
    try:
        source, name, args, kwargs = request
        namespace: dict[str, Any] = {"__name__": "probe"}
        flags = annotations.compiler_flag
        exec(compile(source, f"<probe {name}>", "exec", flags, True), namespace)
        value = namespace[name](*args, **kwargs)
        try:
            return codec.encode_chunks(("value", value), bounds)
        except codec.CodecError as error:
            return codec.encode_chunks(("refused", _text(error)))
    except BaseException as error:
        outcome = _failure(error)
        _show(error)
        error.__traceback__ = None
    return codec.encode_chunks(outcome)


def _failure(error: BaseException) -> tuple[Any, ...]:
    """The answer for a call that ended with `error`."""
    kind = type(error)
    name = _plain(kind.__name__)
    if issubclass(kind, MemoryError):
        return ("resource", f"{name}: {_text(error)}")
    if issubclass(kind, OSError) and error.errno in RESOURCE_ERRORS:  # type: ignore[attr-defined]
        return ("resource", f"{name}: {_text(error)}")
    bases = tuple(_plain(base.__name__) for base in type.mro(kind))
    return ("error", name, _text(error), bases)


def _text(error: BaseException) -> str:
    try:
        return _plain(str(error))
    except BaseException:
        return "(no message: it failed to build one)"


def _plain(text: str) -> str:
    return text[:MESSAGE_CHARS].encode("utf-8", "backslashreplace").decode("utf-8")


def _show(error: BaseException) -> None:
    """Print the traceback to the worker's own output, for people."""
    try:
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__, limit=-20)
    except BaseException:
        pass


if __name__ == "__main__":
    main(sys.argv)
