"""What code inside can see, touch and become: proved from inside."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import threading
from pathlib import Path

import pytest

IS_ROOT = os.geteuid() == 0


def test_identity_is_an_ordinary_user_without_capabilities(place):
    status = dict(
        line.split(":", 1)
        for line in place.value("print(open('/proc/self/status').read())").splitlines()
    )
    assert status["Uid"].split() == ["1000"] * 4
    assert status["Gid"].split() == ["1000"] * 4
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == 0, name
    assert status["NoNewPrivs"].strip() == "1"
    assert status["Seccomp"].strip() == "2"


@pytest.mark.skipif(not IS_ROOT, reason="only root has a user to drop")
def test_nothing_inside_belongs_to_root_of_the_host(place):
    """The host's own process table says that no process of the sandbox has user id 0."""
    running = place.sandbox.spawn(["sh", "-c", "echo up >&3; sleep 30"])
    assert running.channel.recv(10) == b"up\n"
    init = place.sandbox._init
    children = Path(f"/proc/{init}/task/{init}/children").read_text().split()
    assert children
    for pid in [init, *children]:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        uids = next(line.split()[1:] for line in lines if line.startswith("Uid:"))
        assert "0" not in uids
    running.kill()


WALK = """
import json, os, stat
found = {"writable": [], "secret": []}
def kind(path):
    return os.stat(path, follow_symlinks=False).st_mode
for root in ("/proc", "/sys"):
    for folder, folders, names in os.walk(root):
        if folder == "/proc":
            # /proc/pressure takes requests to be told of stalls, from everybody
            folders[:] = [f for f in folders if not f.isdigit() and f != "pressure"]
        for name in names:
            path = os.path.join(folder, name)
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            except OSError:
                continue
            found["writable"].append(path)
for folder, folders, names in os.walk("/", onerror=None):
    if folder == "/":
        folders[:] = [f for f in folders if f not in ("proc", "dev")]
    for name in names:
        path = os.path.join(folder, name)
        try:
            info = os.lstat(path)
        except OSError:
            continue
        private = stat.S_ISREG(info.st_mode) and not info.st_mode & 0o044
        if private and info.st_uid != 1000:
            try:
                os.close(os.open(path, os.O_RDONLY))
            except OSError:
                continue
            found["secret"].append(path)
print(json.dumps(found))
"""


def test_no_sysctl_is_writable_and_no_private_file_readable(place):
    found = json.loads(place.value(WALK))
    assert found == {"writable": [], "secret": []}


@pytest.mark.parametrize(
    "path",
    [
        "/root",
        "/home",
        "/var",
        "/sys",
        "/run",
        "/boot",
        "/mnt",
        "/srv",
        "/usr/local",
        "/usr/lib/python3/dist-packages",
        "/etc/shadow",
        "/etc/resolv.conf",
        "/etc/machine-id",
        "/etc/ssh",
        "/etc/fstab",
    ],
)
def test_host_path_is_absent(place, path):
    assert place.value(f"import os; print(os.path.lexists({path!r}))") == "False"


def test_no_python_packages_of_the_host_are_visible(place):
    source = (
        "import os; print([f for f, d, n in os.walk('/usr')"
        " if os.path.basename(f) in ('site-packages', 'dist-packages') and (d or n)])"
    )
    assert place.value(source) == "[]"


def test_process_one_tells_nothing(place, store):
    done = place.sh("cat /proc/1/cmdline; cat /proc/1/environ")
    assert b"--bind" not in done.stdout
    assert str(store.root).encode() not in done.stdout
    assert done.stdout.replace(b"\0", b" ").split()[0] == b"/usr/bin/python3"
    assert b"Permission denied" in done.stderr
    for name in ("mem", "maps", "fd/0", "auxv"):
        attempt = place.python(f"open('/proc/1/{name}', 'rb').read(1)")
        assert b"PermissionError" in attempt.stderr, name


def test_environment_is_exact(make):
    place = make(env={"PYTHONHASHSEED": "0", "LANG": "C"})
    source = "import os, json; print(json.dumps(dict(os.environ)))"
    done = place.python(source, env={"CALL": "1"})
    assert json.loads(done.stdout) == {
        "PATH": "/opt/env/bin:/usr/bin:/bin",
        "HOME": "/tmp/home",
        "LANG": "C",
        "LC_CTYPE": "C.UTF-8",  # Python sets this one for itself in the C locale
        "TZ": "UTC",
        "TMPDIR": "/tmp",
        "PYTHONHASHSEED": "0",
        "CALL": "1",
    }


def test_names_are_constant(place):
    source = (
        "import os, pwd, socket; print(socket.gethostname(), pwd.getpwuid(os.getuid()).pw_name)"
    )
    assert place.value(source) == "sandbox agent"
    assert place.value("import os; print(oct(os.umask(0)))") == "0o22"
    assert place.value("import os; print(os.getcwd())") == "/workspace"


def test_only_own_processes_are_visible(place):
    source = "import os; print(sorted(int(n) for n in os.listdir('/proc') if n.isdigit()))"
    seen = json.loads(place.value(source))
    assert seen[0] == 1
    assert len(seen) == 2


def test_no_descriptors_leak_into_commands(place):
    source = "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
    assert place.value(source) == "[0, 1, 2, 3]"  # 3 is the listing itself


def test_root_and_dev_cannot_be_filled(place):
    for path in ("/new", "/dev/new", "/etc/new", "/opt/new", "/usr/new", "/opt/referee/new"):
        done = place.python(f"open({path!r}, 'w')")
        assert b"Read-only file system" in done.stderr or b"Permission" in done.stderr, path


def test_temporary_filesystems_have_their_size(make):
    from referee.sandbox.protocol import Limits

    place = make(limits=Limits(tmp_bytes=8 << 20, shm_bytes=4 << 20))
    for path, size in (("/tmp", 8 << 20), ("/dev/shm", 4 << 20)):
        source = f"import os; s = os.statvfs({path!r}); print(s.f_blocks * s.f_frsize)"
        assert int(place.value(source)) == size
        done = place.sh(f"head -c {size + 1} /dev/zero > {path}/f")
        assert b"No space left" in done.stderr


def test_there_is_no_network(place):
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0referee-test-{os.getpid()}")
    abstract.listen()
    host = socket.create_server(("127.0.0.1", 0))
    port = host.getsockname()[1]
    source = f"""
import json, socket
result = {{}}
def attempt(name, function):
    try:
        function()
        result[name] = "reached"
    except OSError as error:
        result[name] = "refused"
def connect(family, address):
    s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(2); s.connect(address)
def send(address):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", address)
attempt("host", lambda: connect(socket.AF_INET, ("127.0.0.1", {port})))
attempt("tcp", lambda: connect(socket.AF_INET, ("10.0.0.1", 80)))
attempt("udp", lambda: send(("10.0.0.1", 53)))
attempt("metadata", lambda: connect(socket.AF_INET, ("169.254.169.254", 80)))
attempt("tcp6", lambda: connect(socket.AF_INET6, ("2001:db8::1", 80)))
attempt("name", lambda: socket.getaddrinfo("example.org", 80))
attempt("abstract", lambda: connect(socket.AF_UNIX, "\\0referee-test-{os.getpid()}"))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("alg", lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
result["interfaces"] = [name for _, name in socket.if_nameindex()]
print(json.dumps(result))
"""
    found = json.loads(place.value(source))
    abstract.close()
    host.close()
    assert found.pop("interfaces") == ["lo"]
    assert set(found.values()) == {"refused"}, found


def test_loopback_works_inside(place):
    source = """
import socket
s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname())
c.sendall(b"hello"); print(s.accept()[0].recv(5).decode())
"""
    assert place.value(source) == "hello"


SYSCALLS = """
import ctypes, errno, json, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    ctypes.set_errno(0)
    result = libc.syscall(number, *args)
    return errno.errorcode.get(ctypes.get_errno(), "ok") if result == -1 else "ok"
print(json.dumps([call(*c) for c in json.loads(sys.argv[1])]))
"""

REFUSED = {
    "ptrace": (101, 0, 0, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "umount2": (166, 0, 0),
    "pivot_root": (155, 0, 0),
    "chroot": (161, 0),
    "bpf": (321, 0, 0, 0),
    "keyctl": (250, 0, 0),
    "add_key": (248, 0, 0, 0, 0, 0),
    "request_key": (249, 0, 0, 0, 0),
    "io_uring_setup": (425, 1, 0),
    "userfaultfd": (323, 0),
    "perf_event_open": (298, 0, 0, 0, 0, 0),
    "pidfd_getfd": (438, 0, 0, 0),
    "kexec_load": (246, 0, 0, 0, 0),
    "init_module": (175, 0, 0, 0),
    "finit_module": (313, 0, 0, 0),
    "setns": (308, 0, 0),
    "unshare user": (272, 0x10000000),
    "unshare mount": (272, 0x20000),
    "unshare time": (272, 0x80),
    "clone new user": (56, 0x10000011, 0, 0, 0, 0),
    "open_tree": (428, -100, 0, 0),
    "fsopen": (430, 0, 0),
    "move_mount": (429, -1, 0, -1, 0, 0),
    "mount_setattr": (442, -1, 0, 0, 0, 0),
    "TIOCSTI": (16, 0, 0x5412, 0),
    "TIOCLINUX": (16, 0, 0x541C, 0),
    "open_by_handle_at": (304, 0, 0, 0),
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
def test_dangerous_system_calls_are_refused(place):
    calls = [*REFUSED.values(), (435, 0, 0), (0x40000000 + 39,), (272, 0x400), (39,)]
    done = place.sandbox.run(["/usr/bin/python3", "-I", "-c", SYSCALLS, json.dumps(calls)])
    answers = json.loads(done.stdout)
    assert dict(zip(REFUSED, answers, strict=False)) == dict.fromkeys(REFUSED, "EPERM")
    # clone3 and x32 do not exist; unshare of a file table and getpid go through
    assert answers[len(REFUSED) :] == ["ENOSYS", "ENOSYS", "ok", "ok"]


def test_threads_and_process_pools_work(place):
    source = """
import multiprocessing, threading
def main():
    t = threading.Thread(target=lambda: None); t.start(); t.join()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(sum(pool.map(abs, range(-5, 0))))
main()
"""
    done = place.sandbox.run(["/usr/bin/python3", "-I", "-c", source])
    assert done.stdout == b"15\n", done.stderr


def test_c_programs_can_be_built(place):
    if place.sh("command -v cc").exit_code != 0:
        pytest.skip("no C compiler on this machine")
    place.sandbox.write("/workspace/a.c", b"#include <math.h>\nint main(){return (int)sqrt(9.0);}")
    done = place.sh("cc -O2 a.c -o a -lm && ./a")
    assert done.exit_code == 3, done.stderr.decode()


def test_programs_may_reopen_their_streams(place):
    done = place.sh("cat /dev/stdin > /dev/stdout; echo err > /dev/stderr", stdin=b"in")
    assert (done.stdout, done.stderr) == (b"in", b"err\n")


def test_sandboxes_of_many_threads_do_not_meet(make):
    places = [make() for _ in range(4)]
    answers = {}

    def work(index):
        places[index].sh(f"echo {index} > mine")
        answers[index] = places[index].sh("cat mine; ls /workspace /tmp | wc -l").stdout

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answers[i].split()[0] for i in range(4)} == {b"0", b"1", b"2", b"3"}
    assert len({answers[i].split()[1] for i in range(4)}) == 1


def test_sandbox_outlives_the_thread_that_started_it(make):
    place = make(start=False)
    thread = threading.Thread(target=place.sandbox.start)
    thread.start()
    thread.join()
    libc = ctypes.CDLL(None)
    libc.usleep(50_000)
    assert place.value("print('alive')") == "alive"
