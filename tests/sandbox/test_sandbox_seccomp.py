"""The filter, run by a small interpreter of its own language."""

from __future__ import annotations

import errno
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.sandbox.seccomp import AARCH64, ARCHITECTURES, X86_64, seccomp_program

ALLOW, KILL = 0x7FFF0000, 0x80000000


def verdict(program: bytes, audit: int, number: int, args: tuple[int, ...] = ()) -> int:
    """What the kernel would answer: an independent reading of classic BPF."""
    data = struct.pack("=IIQ6Q", number, audit, 0, *(args + (0,) * 6)[:6])
    code = [struct.unpack("=HBBI", program[i : i + 8]) for i in range(0, len(program), 8)]
    at = accumulator = 0
    while True:
        op, if_true, if_false, value = code[at]
        at += 1
        if op == 0x20:
            accumulator = struct.unpack_from("=I", data, value)[0]
        elif op == 0x06:
            return value
        else:
            holds = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[op]
            at += if_true if holds else if_false


def refused(error: int) -> int:
    return 0x50000 | error


@pytest.mark.parametrize("arch", ARCHITECTURES.values(), ids=ARCHITECTURES.keys())
def test_named_calls(arch):
    program = seccomp_program(arch, refuse_shared_memory=False)
    for name in ("ptrace", "mount", "bpf", "keyctl", "io_uring_setup", "userfaultfd", "setns"):
        assert verdict(program, arch.audit, arch.numbers[name]) == refused(errno.EPERM), name
    assert verdict(program, arch.audit, arch.numbers["clone3"]) == refused(errno.ENOSYS)
    assert verdict(program, arch.audit, arch.numbers["clone"], (0x11,)) == ALLOW
    for flag in (0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        for name in ("clone", "unshare"):
            answer = verdict(program, arch.audit, arch.numbers[name], (flag | 0x100,))
            assert answer == refused(errno.EPERM)
    assert verdict(program, arch.audit, arch.numbers["unshare"], (0x400,)) == ALLOW
    for request, answer in ((0x5412, refused(1)), (0x541C, refused(1)), (0x5413, ALLOW)):
        assert verdict(program, arch.audit, arch.numbers["ioctl"], (0, request)) == answer
        # the kernel looks at the low half only, and so must the filter
        high = request | 0xDEAD << 32
        assert verdict(program, arch.audit, arch.numbers["ioctl"], (0, high)) == answer
    for family in range(1, 46):
        answer = verdict(program, arch.audit, arch.numbers["socket"], (family,))
        assert answer == (ALLOW if family in (1, 2, 10, 16) else refused(errno.EAFNOSUPPORT))


def test_foreign_architectures_are_killed_and_x32_does_not_exist():
    for arch in (X86_64, AARCH64):
        program = seccomp_program(arch, refuse_shared_memory=False)
        for audit in (0x40000003, 0x40000028, 0, X86_64.audit ^ AARCH64.audit ^ arch.audit):
            assert verdict(program, audit, 39) == KILL
    program = seccomp_program(X86_64, refuse_shared_memory=False)
    assert verdict(program, X86_64.audit, 0x40000000 | 1) == refused(errno.ENOSYS)
    assert verdict(program, X86_64.audit, 0xFFFFFFFF) == refused(errno.ENOSYS)


def test_shared_segments_are_refused_on_demand():
    for refuse, answer in ((True, refused(errno.EPERM)), (False, ALLOW)):
        program = seccomp_program(X86_64, refuse_shared_memory=refuse)
        assert verdict(program, X86_64.audit, X86_64.numbers["shmget"]) == answer


@given(st.integers(0, 0x3FFFFFFF), st.tuples(*[st.integers(0, 2**64 - 1)] * 6))
def test_every_call_gets_an_answer_and_unnamed_calls_pass(number, args):
    for arch in (X86_64, AARCH64):
        program = seccomp_program(arch, refuse_shared_memory=True)
        answer = verdict(program, arch.audit, number, args)
        if number not in arch.numbers.values():
            assert answer == ALLOW
        else:
            assert answer == ALLOW or answer & 0xFFFF0000 == 0x50000


def test_program_is_one_that_the_kernel_takes():
    for arch in (X86_64, AARCH64):
        program = seccomp_program(arch, refuse_shared_memory=True)
        assert len(program) % 8 == 0
        assert len(program) // 8 <= 4096
