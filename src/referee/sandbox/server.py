"""The exec server: process 1 of a sandbox. It starts commands there on the host's request.

This file runs alone, on any Python >= 3.8, with nothing imported but modules written in C, because
its start is part of every sandbox's start. As process 1 it cannot be killed from inside its
namespace; when it ends, the kernel kills everything else in there.

Requests arrive on descriptor 0, a Unix stream socket: four bytes with the length and four with the
number of descriptors, then a marshalled tuple; the descriptors come with the first byte. The first
of them is where the answer goes, as one line of text; it is closed without an answer when the
server dies.

    ("start", id, kind, argv, cwd, env, rlimits)
        descriptors: reply, stdin, stdout, stderr[, channel]
        kind "exec": run argv; "read": copy the file argv[0] to stdout, exit code is the errno;
        "write": copy stdin to the file argv[0] with mode argv[1], exit code is the errno.
        answer: wait status, user seconds, system seconds, largest resident set in kB
    ("kill", id)
        kill the process group of that command
    ("kill_all",)
        descriptors: reply; kill everything, then answer
"""

# ruff: noqa: SIM105 - contextlib is not a C module

import _signal as signal  # type: ignore[import-not-found]
import _socket
import marshal
import posix
import resource
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHANNEL_FD = 3
LOWEST_FD = 16
PR_SET_DUMPABLE = 4
CHUNK = 1 << 16


def hide() -> None:
    """Make this process's memory, environment and descriptors unreadable for its children."""
    import _ctypes

    library = _ctypes.dlopen(None, 2)  # type: ignore[arg-type]
    _ctypes.call_function(_ctypes.dlsym(library, "prctl"), (PR_SET_DUMPABLE, 0, 0, 0, 0))


class Server:
    def __init__(self, control: "_socket.socket") -> None:
        self.control = control
        self.buffer = b""
        self.descriptors: list[int] = []
        self.running: dict[int, tuple[int, int]] = {}  # pid -> (id, reply descriptor)
        # The kernel should take a candidate's process, never this one, when memory runs out:
        # children are born with a higher score. The file must be opened before hide().
        try:
            self.oom = posix.open("/proc/self/oom_score_adj", posix.O_WRONLY | posix.O_CLOEXEC)
        except OSError:
            self.oom = -1

    # -- requests

    def receive(self) -> None:
        """One read from the control socket; ends the server when the host has closed it."""
        space = _socket.CMSG_SPACE(4 * 8)
        try:
            data, extra, _flags, _address = self.control.recvmsg(
                CHUNK, space, _socket.MSG_CMSG_CLOEXEC
            )
        except InterruptedError:
            return
        except OSError:
            posix._exit(0)
        if not data:
            posix._exit(0)
        for level, kind, payload in extra:
            if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
                for at in range(0, len(payload) - 3, 4):
                    self.descriptors.append(int.from_bytes(payload[at : at + 4], "little"))
        self.buffer += data
        while len(self.buffer) >= 8:
            size = int.from_bytes(self.buffer[:4], "little")
            count = int.from_bytes(self.buffer[4:8], "little")
            if len(self.buffer) < 8 + size:
                return
            request = marshal.loads(self.buffer[8 : 8 + size])
            self.buffer = self.buffer[8 + size :]
            fds, self.descriptors = self.descriptors[:count], self.descriptors[count:]
            self.handle(request, fds)

    def handle(self, request: "tuple[Any, ...]", fds: "list[int]") -> None:
        if request[0] == "start":
            self.start(request, fds)
        elif request[0] == "kill":
            for pid, (ident, _reply) in self.running.items():
                if ident == request[1]:
                    kill(-pid)
                    kill(pid)
        elif request[0] == "kill_all":
            kill(-1)
            self.reap(0)
            answer(fds[0], b"0 0 0 0")

    def start(self, request: "tuple[Any, ...]", fds: "list[int]") -> None:
        self.score(b"500")
        try:
            pid = posix.fork()
        except OSError as error:
            pid = -1
            answer(fds[0], b"fork %d" % (error.errno or 0))
        if pid == 0:
            become(request, fds)
        self.score(b"0")
        for fd in fds[1:]:
            posix.close(fd)
        if pid > 0:
            self.running[pid] = (request[1], fds[0])

    def score(self, value: bytes) -> None:
        if self.oom >= 0:
            try:
                posix.pwrite(self.oom, value, 0)
            except OSError:
                pass

    # -- children

    def reap(self, options: int) -> None:
        """Collect ended children, adopted orphans too; with options 0 wait until none is left."""
        while True:
            try:
                pid, status, usage = posix.wait4(-1, options)
            except InterruptedError:
                continue
            except ChildProcessError:
                return
            if pid == 0:
                return
            known = self.running.pop(pid, None)
            if known is not None:
                # user seconds, system seconds and peak are the first three fields
                answer(known[1], b"%d %.6f %.6f %d" % (status, usage[0], usage[1], usage[2]))

    def serve(self, wake: int) -> None:
        poll = select.poll()
        poll.register(self.control.fileno(), select.POLLIN)
        poll.register(wake, select.POLLIN)
        while True:
            try:
                events = poll.poll()
            except InterruptedError:
                continue
            for fd, _event in events:
                if fd == wake:
                    try:
                        posix.read(wake, CHUNK)
                    except OSError:
                        pass
                    self.reap(posix.WNOHANG)
                else:
                    self.receive()


def kill(pid: int) -> None:
    try:
        posix.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def answer(fd: int, line: bytes) -> None:
    try:
        posix.write(fd, line + b"\n")
    except OSError:
        pass
    posix.close(fd)


def become(request: "tuple[Any, ...]", fds: "list[int]") -> None:
    """In the new child: take the descriptors, limits and folder, then run; never returns."""
    _op, _ident, kind, argv, cwd, env, rlimits = request
    code = 126
    try:
        posix.setsid()
        for target, fd in enumerate(fds[1:]):
            posix.dup2(fd, target)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        for which, soft, hard in rlimits:
            ceiling = resource.getrlimit(which)[1]
            if ceiling != resource.RLIM_INFINITY:
                soft, hard = min(soft, ceiling), min(hard, ceiling)
            resource.setrlimit(which, (soft, hard))
        code = execute(argv, cwd, env) if kind == "exec" else copy(kind, argv)
    except OSError as error:
        code = complain(b"the command cannot start", error, 126)
    except BaseException as error:
        code = complain(repr(error).encode(), None, 126)
    finally:
        posix._exit(code)


def complain(what: bytes, error: "OSError | None", code: int) -> int:
    reason = posix.strerror(error.errno or 0).encode() if error is not None else b"fault"
    posix.write(2, b"referee: " + what + b": " + reason + b"\n")
    return code


def execute(argv: "tuple[bytes, ...]", cwd: bytes, env: "dict[bytes, bytes]") -> int:
    try:
        posix.chdir(cwd)
    except OSError as error:
        return complain(b"no such working folder " + cwd, error, 126)
    name = argv[0]
    folders = env.get(b"PATH", b"").split(b":") if b"/" not in name else [None]
    failure = OSError(2, "")
    for folder in folders:
        try:
            posix.execve(name if folder is None else folder + b"/" + name, list(argv), env)
        except (FileNotFoundError, NotADirectoryError) as error:
            if folder is None:
                failure = error
        except OSError as error:
            failure = error
    return complain(name, failure, 127 if failure.errno == 2 else 126)


def copy(kind: str, argv: "tuple[Any, ...]") -> int:
    """Copy a file out to stdout or stdin into a file; the exit code is the errno, 0 for success."""
    try:
        if kind == "read":
            source = posix.open(argv[0], posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
            if (posix.fstat(source).st_mode & 0o170000) != 0o100000:
                return 22
            target = 1
        else:
            make_parents(argv[0])
            flags = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_NONBLOCK
            source, target = 0, posix.open(argv[0], flags | posix.O_CLOEXEC, 0o600)
            if (posix.fstat(target).st_mode & 0o170000) != 0o100000:
                return 22
        while True:
            data = posix.read(source, CHUNK)
            if not data:
                break
            while data:
                data = data[posix.write(target, data) :]
        if kind == "write":
            posix.fchmod(target, argv[1])
        return 0
    except OSError as error:
        return error.errno or 5


def make_parents(path: bytes) -> None:
    at = path.find(b"/", 1)
    while at > 0:
        try:
            posix.mkdir(path[:at], 0o755)
        except OSError:  # it is there, or the open below says what is wrong
            pass
        at = path.find(b"/", at + 1)


def main() -> None:
    import fcntl

    control_fd = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, LOWEST_FD)
    null = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    for target in (0, 1, 3):  # 2 stays: it is where a crash of this program is reported
        if target != null:
            posix.dup2(null, target, False)
    control = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, control_fd)
    server = Server(control)
    hide()
    readable, writable = posix.pipe2(posix.O_CLOEXEC | posix.O_NONBLOCK)
    wake = fcntl.fcntl(readable, fcntl.F_DUPFD_CLOEXEC, LOWEST_FD)
    notify = fcntl.fcntl(writable, fcntl.F_DUPFD_CLOEXEC, LOWEST_FD)
    posix.close(readable)
    posix.close(writable)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(notify, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    control.send(b"ready\n")
    server.serve(wake)


main()
