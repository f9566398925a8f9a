"""Commands: output, input, ends, files, channels."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from referee.sandbox.protocol import Limits


def test_exit_code_streams_and_usage(place):
    done = place.sh("printf out; printf err >&2; exit 7")
    assert (done.ended, done.exit_code, done.signal) == ("exit", 7, None)
    assert (done.stdout, done.stderr, done.truncated) == (b"out", b"err", False)
    assert 0 <= done.cpu_s < 10
    assert 0 < done.wall_s < 10
    assert done.max_rss_bytes > 100_000


def test_signal_is_reported(place):
    done = place.sh("kill -SEGV $$")
    assert (done.ended, done.exit_code, done.signal) == ("signal", None, 11)


@pytest.mark.parametrize(
    ("argv", "code"),
    [(["no-such-program"], 127), (["/no/such"], 127), (["/etc/passwd"], 126)],
)
def test_program_that_cannot_run(place, argv, code):
    done = place.sandbox.run(argv)
    assert (done.ended, done.exit_code) == ("exit", code)
    assert done.stderr.startswith(b"referee: cannot run")


@pytest.mark.parametrize(
    ("argv", "options"),
    [
        ([], {}),
        ([""], {}),
        (["echo", "a\0b"], {}),
        (["true"], {"cwd": "/a\0"}),
        (["true"], {"env": {"A=B": "1"}}),
        (["true"], {"env": {"": "1"}}),
        (["true"], {"env": {"A": "\0"}}),
    ],
)
def test_words_that_no_program_can_be_given(place, argv, options):
    with pytest.raises(ValueError):
        place.sandbox.run(argv, **options)
    assert place.value("print('served')") == "served"


def test_words_keep_their_bytes(place):
    words = ["", "a b", "ü", "\udcff", "x" * 100_000, "'\"$"]
    source = "import os, sys; print(repr([os.fsencode(w) for w in sys.argv[1:]]))"
    done = place.sandbox.run(["/usr/bin/python3", "-I", "-c", source, *words])
    assert done.stdout.decode().strip() == repr([os.fsencode(w) for w in words])
    assert place.sandbox.run(["true", "x" * 3_000_000]).exit_code == 126


def test_missing_working_folder(place):
    done = place.sandbox.run(["true"], cwd="/nowhere")
    assert done.ended == "exit"
    assert done.exit_code != 0


def test_output_is_bytes(place):
    blob = bytes(range(256)) * 300
    done = place.sandbox.run(["cat"], stdin=blob)
    assert done.stdout == blob


def test_large_input_that_nobody_reads_does_not_block(place):
    done = place.sandbox.run(["true"], stdin=bytes(8 << 20))
    assert done.exit_code == 0


def test_large_input_and_output_cross_at_once(place):
    blob = os.urandom(3 << 20)
    assert place.sandbox.run(["cat"], stdin=blob).stdout == blob


def test_flood_is_capped_and_flat(place):
    before = _resident()
    done = place.sh("head -c 3000000000 /dev/zero; echo end >&2", output_bytes=1000)
    assert (done.ended, done.exit_code) == ("exit", 0)
    assert (done.stdout, done.stderr, done.truncated) == (bytes(1000), b"end\n", True)
    assert _resident() - before < 50 << 20


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_output_of_exactly_the_cap_is_whole(place):
    done = place.sh("printf 12345", output_bytes=5)
    assert (done.stdout, done.truncated) == (b"12345", False)


def test_held_pipe_does_not_delay_the_end(place):
    begun = time.monotonic()
    done = place.sh("setsid sleep 30 & (setsid yes & ) ; echo done")
    assert (done.ended, done.exit_code) == ("exit", 0)
    assert done.stdout.startswith(b"done\n") or b"done\n" in done.stdout
    assert time.monotonic() - begun < 5


def test_timeout_kills_everything(place):
    begun = time.monotonic()
    done = place.sh("setsid sleep 100 & echo begun; sleep 100", timeout_s=0.5)
    assert (done.ended, done.exit_code, done.stdout) == ("timeout", None, b"begun\n")
    assert time.monotonic() - begun < 5
    assert (
        place.value("import os; print(len([n for n in os.listdir('/proc') if n.isdigit()]))") == "2"
    )


def test_wall_limit_of_the_spec_is_the_default(make):
    assert make(limits=Limits(wall_s=0.3)).sh("sleep 50").ended == "timeout"


def test_process_that_ignores_signals_still_ends(place):
    done = place.sh("trap '' TERM INT HUP; while :; do :; done", timeout_s=0.3)
    assert done.ended == "timeout"


def test_read_and_write(place):
    place.sandbox.write("/workspace/a/b/c.bin", b"\0\xff\n", mode=0o750)
    assert place.sandbox.read("/workspace/a/b/c.bin", max_bytes=3) == b"\0\xff\n"
    assert place.sh("stat -c %a a/b/c.bin").stdout == b"750\n"
    assert (place.upper / "a/b/c.bin").read_bytes() == b"\0\xff\n"


@pytest.mark.parametrize(
    ("setup", "path", "number"),
    [
        ("true", "/workspace/none", errno.ENOENT),
        ("mkfifo f", "/workspace/f", errno.EINVAL),
        ("mkdir d", "/workspace/d", errno.EINVAL),
        ("head -c 11 /dev/zero > big", "/workspace/big", errno.EFBIG),
        ("ln -s /root/.bashrc l", "/workspace/l", errno.ENOENT),
        ("true", "/dev/zero", errno.EINVAL),
    ],
)
def test_read_refuses(place, setup, path, number):
    place.sh(setup)
    with pytest.raises(OSError) as caught:
        place.sandbox.read(path, max_bytes=10)
    assert caught.value.errno == number


def test_write_through_a_link_stays_inside(place, tmp_path):
    target = tmp_path / "outside"
    place.sh(f"ln -s {target} link")
    with pytest.raises(OSError):
        place.sandbox.write("/workspace/link", b"x")
    assert not target.exists()
    place.sh("mkfifo f")
    with pytest.raises(OSError):
        place.sandbox.write("/workspace/f", b"x")


CHANNEL = """
import os, socket
s = socket.socket(fileno=int(os.environ["REFEREE_CHANNEL"]))
while data := s.recv(100):
    s.sendall(data.upper())
print("closed")
"""


def test_spawned_command_has_a_channel(place):
    running = place.sandbox.spawn(["/usr/bin/python3", "-I", "-S", "-c", CHANNEL])
    running.channel.settimeout(10)
    running.channel.sendall(b"hello")
    assert running.channel.recv(100) == b"HELLO"
    assert place.value("print('beside')") == "beside"
    running.channel.close()
    done = running.wait(10)
    assert (done.ended, done.exit_code, done.stdout) == ("exit", 0, b"closed\n")


def test_spawned_command_that_dies_closes_its_channel(place):
    running = place.sandbox.spawn(["sh", "-c", "exit 3"])
    running.channel.settimeout(10)
    assert running.channel.recv(1) == b""
    assert running.wait(10).exit_code == 3


def test_spawned_command_can_be_killed_and_timed_out(place):
    first, second = (place.sandbox.spawn(["sleep", "100"]) for _ in range(2))
    first.kill()
    done = first.wait(10)
    assert (done.ended, done.signal) == ("signal", 9)
    assert second.wait(0.1).ended == "timeout"


def test_kill_all_ends_spawned_commands_and_leaves_the_sandbox_usable(place):
    running = [place.sandbox.spawn(["sleep", "100"]) for _ in range(3)]
    place.sandbox.kill_all()
    assert {r.wait(10).ended for r in running} == {"signal"}
    assert place.value("print(1)") == "1"


def test_output_of_a_spawned_command_does_not_block_it(place):
    running = place.sandbox.spawn(["sh", "-c", "head -c 30000000 /dev/zero"])
    done = running.wait(30)
    assert (done.ended, done.truncated, len(done.stdout)) == ("exit", True, 8 << 20)
    running.channel.close()
