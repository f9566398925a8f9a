"""The system-call filter: what no scientific program needs is refused, on x86_64 and aarch64.

A filter is a classic BPF program, assembled here in plain Python: 8 bytes an instruction, run by
the kernel on `struct seccomp_data` (number, architecture, instruction pointer, six arguments).
"""

from __future__ import annotations

import errno
import os
import struct
from dataclasses import dataclass

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_X32_BIT = 0x40000000

NAMESPACE_FLAGS = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
NEW_TIME_NAMESPACE = 0x80

TERMINAL_INJECTION = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: input put into somebody else's terminal."""

SOCKET_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK live in the network namespace; others (AF_VSOCK reaches
the hypervisor, AF_ALG the kernel's cryptography) do not, or are needed by nobody here."""


@dataclass(frozen=True)
class Architecture:
    """A machine: its audit token and its system-call numbers by name."""

    name: str
    audit: int
    numbers: dict[str, int]
    x32: bool = False


# From 424 on the numbers are the same on every architecture.
_COMMON = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "memfd_secret": 447,
    "open_tree_attr": 467,
}  # fmt: skip

X86_64 = Architecture(
    "x86_64",
    0xC000003E,
    {
        **_COMMON,
        "ioctl": 16, "socket": 41, "clone": 56, "shmget": 29, "unshare": 272, "setns": 308,
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
        "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "bpf": 321,
        "add_key": 248, "request_key": 249, "keyctl": 250, "userfaultfd": 323,
        "perf_event_open": 298, "kexec_load": 246, "kexec_file_load": 320, "create_module": 174,
        "init_module": 175, "finit_module": 313, "delete_module": 176, "reboot": 169,
        "swapon": 167, "swapoff": 168, "acct": 163, "quotactl": 179, "syslog": 103,
        "sethostname": 170, "setdomainname": 171, "settimeofday": 164, "clock_settime": 227,
        "clock_adjtime": 305, "adjtimex": 159, "vhangup": 153, "fanotify_init": 300,
        "open_by_handle_at": 304, "lookup_dcookie": 212, "nfsservctl": 180, "iopl": 172,
        "ioperm": 173, "modify_ldt": 154, "uselib": 134, "ustat": 136, "_sysctl": 156,
    },
    x32=True,
)  # fmt: skip

AARCH64 = Architecture(
    "aarch64",
    0xC00000B7,
    {
        **_COMMON,
        "ioctl": 29, "socket": 198, "clone": 220, "shmget": 194, "unshare": 97, "setns": 268,
        "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272,
        "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "bpf": 280,
        "add_key": 217, "request_key": 218, "keyctl": 219, "userfaultfd": 282,
        "perf_event_open": 241, "kexec_load": 104, "kexec_file_load": 294,
        "init_module": 105, "finit_module": 273, "delete_module": 106, "reboot": 142,
        "swapon": 224, "swapoff": 225, "acct": 89, "quotactl": 60, "syslog": 116,
        "sethostname": 161, "setdomainname": 162, "settimeofday": 170, "clock_settime": 112,
        "clock_adjtime": 266, "adjtimex": 171, "vhangup": 58, "fanotify_init": 262,
        "open_by_handle_at": 265, "lookup_dcookie": 18, "nfsservctl": 42,
    },
)  # fmt: skip

ARCHITECTURES = {arch.name: arch for arch in (X86_64, AARCH64)}

_BY_ARGUMENT = {"ioctl", "socket", "clone", "unshare", "clone3", "shmget"}


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(error: int) -> bytes:
    return _op(_RETURN, _ERRNO | error)


def _on_number(number: int, body: list[bytes]) -> list[bytes]:
    """Run `body` when the number in the accumulator is `number`; `body` must return."""
    return [_op(_JUMP_EQUAL, number, 0, len(body)), *body]


def _argument(index: int) -> bytes:
    """Load the low half of an argument (both architectures are little-endian)."""
    return _op(_LOAD, _ARGUMENTS + 8 * index)


def _refuse_bits(index: int, mask: int) -> list[bytes]:
    test = _op(_JUMP_ANY_BIT, mask, 0, 1)
    return [_argument(index), test, _refuse(errno.EPERM), _op(_RETURN, _ALLOW)]


def seccomp_program(architecture: Architecture, *, refuse_shared_memory: bool) -> bytes:
    """The filter for one architecture, ready for `bwrap --seccomp`.

    Refused calls fail with EPERM, so that a program can go on; `clone3` fails with ENOSYS, because
    its flags lie behind a pointer and the C library then falls back to `clone`. Calls of a foreign
    architecture kill the process. `refuse_shared_memory` also refuses System V segments: they are
    memory that no rlimit counts.
    """
    numbers = architecture.numbers
    body: list[bytes] = [_op(_LOAD, _NUMBER)]
    if architecture.x32:
        body += [_op(_JUMP_AT_LEAST, _X32_BIT, 0, 1), _refuse(errno.ENOSYS)]
    body += _on_number(numbers["clone3"], [_refuse(errno.ENOSYS)])
    body += _on_number(numbers["clone"], _refuse_bits(0, NAMESPACE_FLAGS))
    body += _on_number(numbers["unshare"], _refuse_bits(0, NAMESPACE_FLAGS | NEW_TIME_NAMESPACE))
    injection = [_argument(1)]
    for command in TERMINAL_INJECTION:
        injection += _on_number(command, [_refuse(errno.EPERM)])
    body += _on_number(numbers["ioctl"], [*injection, _op(_RETURN, _ALLOW)])
    families = [_argument(0)]
    for family in SOCKET_FAMILIES:
        families += _on_number(family, [_op(_RETURN, _ALLOW)])
    body += _on_number(numbers["socket"], [*families, _refuse(errno.EAFNOSUPPORT)])
    refused = {name: number for name, number in numbers.items() if name not in _BY_ARGUMENT}
    if refuse_shared_memory:
        refused["shmget"] = numbers["shmget"]
    for number in sorted(refused.values()):
        body += _on_number(number, [_refuse(errno.EPERM)])
    head = [
        _op(_LOAD, _ARCH),
        _op(_JUMP_EQUAL, architecture.audit, 1, 0),
        _op(_RETURN, _KILL),
    ]
    return b"".join([*head, *body, _op(_RETURN, _ALLOW)])


def this_architecture() -> Architecture | None:
    """The architecture of this machine, or None when there is no filter for it."""
    return ARCHITECTURES.get(os.uname().machine)
