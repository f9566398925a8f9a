"""The exec server: process 1 of a sandbox. It starts commands there on the host's request.

This file runs alone, on any Python >= 3.8, with nothing imported but modules written in C, because
its start is part of every sandbox's start. As process 1 it cannot be killed from inside its
namespace; when it ends, the kernel kills everything else in there.

Requests arrive on descriptor 0, a Unix stream socket: four bytes with the length and four with the
number of descriptors, then a marshalled tuple; the descriptors come with the first byte. The first
of them is where the answer goes, as one line of text; it is closed without an answer when the
server dies.

    ("limits", rlimits)
        take these limits; every command inherits them
    ("start", id, kind, argv, cwd, env)
        descriptors: reply, stdin, stdout, stderr[, channel]
        kind "exec": run argv; "read": copy at most argv[1] bytes of the file argv[0] to stdout;
        "write": copy stdin to the file argv[0] with mode argv[1]; exit codes are errnos.
        answer: wait status, user seconds, system seconds, largest resident set in kB
    ("listen", port)
        descriptors: a Unix socket; over it comes a listening TCP socket of this network namespace,
        bound to 127.0.0.1, with the byte "+"; or the errno as a decimal number
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
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHANNEL_FD = 3
LOWEST_FD = 16
PR_SET_DUMPABLE = 4
CHUNK = 1 << 16
DEFAULT_SIGNALS = (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)


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
        elif request[0] == "limits":
            take_limits(request[1])
        elif request[0] == "listen":
            listen(request[1], fds[0])
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
        _op, ident, kind, argv, cwd, env = request
        self.score(b"500")
        pid, code = 0, 126
        try:
            if kind == "exec":
                pid = execute(argv, cwd, env, fds)
            else:
                pid = posix.fork()
                if pid == 0:
                    copy_and_end(kind, argv, fds)
        except ValueError:  # the host refuses such orders; never end on one
            code = 126
        except OSError as error:
            if error.errno == 11:  # EAGAIN: the process limit
                code = -1
            else:
                code = 127 if error.errno == 2 else 126
                complain(fds[3], argv[0], error)
        self.score(b"0")
        for fd in fds[1:]:
            posix.close(fd)
        if pid > 0:
            self.running[pid] = (ident, fds[0])
        elif code < 0:
            answer(fds[0], b"full")
        else:
            answer(fds[0], b"%d 0 0 0" % (code << 8))

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


def listen(port: int, fd: int) -> None:
    """Make a listening socket in here and hand it out: whoever holds it answers, wherever it is."""
    reply = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fd)
    try:
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC, 0)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen(1024)
            rights = listener.fileno().to_bytes(4, "little")
            reply.sendmsg([b"+"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
        finally:
            listener.close()
    except OSError as error:
        try:
            reply.send(b"%d" % (error.errno or 5))
        except OSError:
            pass
    finally:
        reply.close()


def take_limits(rlimits: "tuple[tuple[int, int, int], ...]") -> None:
    import resource

    for which, soft, hard in rlimits:
        ceiling = resource.getrlimit(which)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(which, (soft, hard))


def complain(fd: int, what: bytes, error: OSError) -> None:
    reason = posix.strerror(error.errno or 0).encode()
    try:
        posix.write(fd, b"referee: cannot run " + what + b": " + reason + b"\n")
    except OSError:
        pass


def execute(
    argv: "tuple[bytes, ...]", cwd: bytes, env: "dict[bytes, bytes]", fds: "list[int]"
) -> int:
    """Start a program in a process group of its own and return its process id.

    posix_spawn shares the memory until the exec, so it costs a third of a fork.
    """
    posix.chdir(cwd)
    actions = [(posix.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(fds[1:])]
    name = argv[0]
    folders = env.get(b"PATH", b"").split(b":") if b"/" not in name else [b""]
    failure = OSError(2, "")
    for folder in folders:
        try:
            return posix.posix_spawn(
                folder + b"/" + name if folder else name,
                argv,
                env,
                file_actions=actions,
                setpgroup=0,
                setsigmask=(),
                setsigdef=DEFAULT_SIGNALS,
            )
        except OSError as error:
            if error.errno == 11:
                raise
            if error.errno not in (2, 20) or not folder:  # what a search passes over
                failure = error
    raise failure


def copy_and_end(kind: str, argv: "tuple[Any, ...]", fds: "list[int]") -> None:
    """In a forked child: copy, then end; never returns."""
    code = 5
    try:
        posix.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for target, fd in enumerate(fds[1:]):
            posix.dup2(fd, target)
        code = copy(kind, argv)
    finally:
        posix._exit(code)


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
        left = argv[1] if kind == "read" else -1
        while left:
            data = posix.read(source, CHUNK if left < 0 else min(CHUNK, left))
            if not data:
                break
            left -= len(data) if left > 0 else 0
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control.send(b"ready\n")
    # The host answers from here on, but nothing of it is read, and no command started, before all
    # of the following is done.
    hide()
    readable, writable = posix.pipe2(posix.O_CLOEXEC | posix.O_NONBLOCK)
    wake = fcntl.fcntl(readable, fcntl.F_DUPFD_CLOEXEC, LOWEST_FD)
    notify = fcntl.fcntl(writable, fcntl.F_DUPFD_CLOEXEC, LOWEST_FD)
    posix.close(readable)
    posix.close(writable)
    signal.set_wakeup_fd(notify, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    server.serve(wake)


main()
