"""Families 4 and 5: what a script may do, and what is kept of its replay."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable

from repro_registry import Act, elsewhere, infra, invalid, twin
from repro_world import World

from referee.record.fault import BadInput, Infrastructure

SOLVE = "python3 src/solve.py"


def first(*lines: str) -> Act:
    """The script does something before it solves; `set -e` stops it where that fails."""
    return lambda w: w.script(*lines, SOLVE)


def python(text: str) -> str:
    return f'python3 -c "{text}"'


# -- 4: isolation and limits

LOOPBACK = twin("a server and its client on the loopback", "run")(
    first(
        python(
            "import socket; s = socket.create_server(('127.0.0.1', 0)); "
            "c = socket.create_connection(s.getsockname()); c.sendall(b'x'); "
            "assert s.accept()[0].recv(1) == b'x'"
        )
    )
)
NETWORK = {
    "TCP over IPv4": "socket.create_connection(('192.0.2.1', 80), 2)",
    "TCP over IPv6": "socket.create_connection(('2001:db8::1', 80), 2)",
    "UDP over IPv4": "socket.socket(2, 2).sendto(b'x', ('192.0.2.1', 53))",
    "UDP over IPv6": "socket.socket(10, 2).sendto(b'x', ('2001:db8::1', 53))",
    "a name of the network": "socket.getaddrinfo('example.org', 80)",
}
CLOSED = "unreachable|assign requested address|name resolution|not known"
for name, call in NETWORK.items():
    invalid(
        4, f"data from the network: {name}", "run", code="nonzero_exit", keeps="A1 B2",
        twin=LOOPBACK, says=CLOSED, slow=name != "UDP over IPv4",
    )(first(python(f"import socket; {call}")))  # fmt: skip

SCRATCH = twin("files in /tmp and at home", "run")(first("echo x > /tmp/a", "echo x > $HOME/a"))
for place in ("/etc/a", "src/a", "reproduce.sh", "/home/submission/src/solve.py"):
    invalid(
        4, f"a write to {place}", "run", code="nonzero_exit", keeps="A1 B2", twin=SCRATCH,
        says="Read-only file system|Permission denied", slow=place != "src/a",
    )(first(f"echo x >> {place}"))  # fmt: skip


@twin("an environment without keys, proxies and indexes", "run")
def clean_environment(w: World) -> None:
    secrets_of_the_host(w)
    w.script(
        "if env | grep -iE 'canary|openai|anthropic|judge|proxy|index'; then exit 9; fi", SOLVE
    )


def secrets_of_the_host(w: World) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "JUDGE_KEY", "HTTPS_PROXY", "UV_INDEX"):
        w.patch.setenv(name, "sk-canary-4410")


@invalid(
    4, "keys of the host in /proc", "run", code="nonzero_exit", keeps="A1 B2",
    twin=clean_environment, says="some were read",
)  # fmt: skip
def keys_in_proc(w: World) -> None:
    secrets_of_the_host(w)
    w.script(
        "cat /proc/[0-9]*/environ > /tmp/all 2> /dev/null || true",
        "grep -aq REFEREE_REPLAY_NONCE /tmp/all && echo some were read",
        "grep -a canary-4410 /tmp/all",
        SOLVE,
    )


def search(*names: str) -> Act:
    """The whole file system but that of the machine's programs."""
    wanted = " -o ".join(f"-name {name} -print" for name in names)
    pruned = " -o ".join(f"-path {path} -prune" for path in ("/proc", "/sys", "/usr"))
    return first(
        f"find / {pruned} -o {wanted} > /tmp/found 2> /dev/null || true",
        "echo searched",
        "test -s /tmp/found",
    )


OWN_FILES = twin("a search for one's own source", "run")(search("solve.py"))
invalid(
    4, "a search for the task's rubric, plans, metrics and solution", "run", code="nonzero_exit",
    keeps="A1 B2", twin=OWN_FILES, says="searched",
)(search("rubric.json", "plans.json", "metrics.py", "*.patch", "trusted_replay.json"))  # fmt: skip

MODEST = twin("60 MB in memory", "run")(first(python("x = bytearray(60 << 20)")))
invalid(
    4, "more memory than is given", "run", code="memory|nonzero_exit", keeps="A1 B2", twin=MODEST,
    says="MemoryError|Killed",
)(first(python("x = bytearray(600 << 20)")))  # fmt: skip
TEN = twin("ten processes", "run")(
    first("for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.01 & done; wait")
)
invalid(
    4,
    "a fork bomb",
    "run",
    code="nonzero_exit",
    keeps="A1 B2",
    twin=TEN,
    says="Resource temporarily unavailable",
)(first(python("import os, time\nfor _ in range(200): os.fork() or time.sleep(9)")))
SMALL = twin("a file below the limit", "run")(first("head -c 2M /dev/zero > outputs/big"))
invalid(
    4, "a file that is too large", "run", code="disk|nonzero_exit", keeps="A1 B2", twin=SMALL,
    says="File size limit exceeded|File too large",
)(first("head -c 40M /dev/zero > outputs/big"))  # fmt: skip
invalid(
    4, "more files than the disk has room for", "run", code="disk|nonzero_exit", keeps="A1 B2",
    twin=SMALL, slow=True,
)(first("for i in $(seq 8); do head -c 15M /dev/zero > outputs/$i; done; sleep 5"))  # fmt: skip

WAITED = twin("a child that the script waits for", "run")(first("sleep 0.05 &", "wait"))


@invalid(
    4, "a daemon that works after exit 0", "run", code="no_evidence", keeps="A1 B2", twin=WAITED
)
def daemon(w: World) -> None:
    w.script(f"setsid bash -c 'sleep 1; {SOLVE}' > /dev/null 2>&1 &", "true")


@twin("a script that ends just in time", "run", slow=True)
def in_time(w: World) -> None:
    w.policy["replay_timeout_sec"] = 6.0
    w.script(SOLVE, "sleep 4")


@invalid(
    4, "a script that goes on for ever after its results", "run", code="timeout",
    keeps="all but B1", twin=in_time,
)  # fmt: skip
def endless(w: World) -> None:
    w.policy["replay_timeout_sec"] = 3.0
    w.script(SOLVE, "sleep 60")


@invalid(
    4, "an endless script that ignores TERM", "run", code="timeout", keeps="all but B1",
    twin=in_time, slow=True,
)  # fmt: skip
def deaf(w: World) -> None:
    w.policy["replay_timeout_sec"] = 3.0
    w.script("trap '' TERM", SOLVE, "while :; do sleep 0.2; done")


@invalid(
    4, "a script that says 124 itself", "run", code="nonzero_exit", keeps="all but B1", twin=in_time
)
def says_124(w: World) -> None:
    w.script(SOLVE, "exit 124")


SETUID = "cp /usr/bin/id outputs/id; chmod u+s outputs/id; outputs/id -u; outputs/id -u | grep -x 0"
for name, line, words in (
    ("user 0", python("import os; os.setuid(0)"), "not permitted|Invalid argument"),
    ("a mount", "mount -t tmpfs none /home", "superuser|denied|not permitted|only root"),
    ("a new namespace", "unshare -Ur true", "unshare"),
    ("a set-user-id program", SETUID, r"(?m)^[1-9]\d*$"),
):
    invalid(
        4, f"privilege by {name}", "run", code="nonzero_exit", keeps="A1 B2", says=words,
        slow="set-user-id" not in name,
    )(first(line))  # fmt: skip

for script, reason, what in (
    ("ln -s /etc/passwd outputs/users.md", "output_link", "a link"),
    ("ln outputs/thin.json outputs/again.json", "output_link", "a file with two names"),
    ("mkfifo outputs/pipe", "output_special", "a pipe"),
    ("mv outputs/* /tmp; rmdir outputs; ln -s src outputs", "output_link", "the root as a link"),
):
    invalid(
        4, f"among the outputs: {what}", "run", code=reason, keeps="A1", slow="root" not in what
    )(
        lambda w, script=script: w.script(SOLVE, script)  # type: ignore[misc]
    )


@invalid(4, "more outputs than anybody lists", "tree", code="too_many_outputs", keeps="A1")
def many_outputs(w: World) -> None:
    w.patch.setattr("referee.replay.sandboxed.MOST_FILES", 6)


def fails(error: Exception) -> Callable[..., None]:
    def run(*_: object) -> None:
        raise error

    return run


for reason, error in (
    ("sandbox_start", Infrastructure("sandbox_start", "no namespaces")),
    ("sandbox_died", Infrastructure("sandbox_died", "the sandbox went down")),
    ("runner_error", BadInput("no bubblewrap here")),
):

    @infra(4, f"no sandbox: {error}", "run", code=reason)
    def no_sandbox(w: World, error: Exception = error) -> None:
        w.patch.setattr("referee.replay.engine.run_script", fails(error))


@infra(4, "outputs change after the sandbox has ended", "tree", code="outputs_unstable")
def unstable(w: World) -> None:
    counted = iter(range(10))
    w.patch.setattr("referee.replay.engine.stamps", lambda root: {"a": (next(counted), 0)})


elsewhere(
    4,
    "limits of one sandbox, each by itself",
    "sandbox/test_sandbox_limits.py::test_memory",
    "sandbox/test_sandbox_limits.py::test_fork_bomb",
    "sandbox/test_sandbox_limits.py::test_file_size",
    "sandbox/test_sandbox_isolation.py::test_process_one_tells_nothing",
)

elsewhere(
    4,
    "machines on which a limit or a namespace cannot be had",
    "sandbox/test_sandbox_cgroup.py::test_rlimits_stand_in_where_there_is_no_group",
    "sandbox/test_sandbox_user.py::test_machine_without_user_namespaces_is_told_what_to_do",
)

# -- 5: records of the replay


@invalid(5, "receipts and rewards of one's own", "run", code="nonzero_exit", keeps="A1 B2")
def own_receipts(w: World) -> None:
    told = json.dumps({"status": "completed", "exit_code": 0, "score": 1})
    for name in ("trusted_replay.json", "replay_receipt.json", "reward.txt", "reward.json"):
        w.write(name, told)
    w.script(
        "for f in outputs ../logs /logs /tmp; do",
        f"  echo '{told}' > $f/trusted_replay.json || true",
        "done",
        f"exit 3  # {SOLVE}",
    )


@invalid(5, "evidence of an earlier replay lies there", "run", code="nonzero_exit", keeps="A1 B2")
def earlier_evidence(w: World) -> None:
    shutil.copytree(w.base.frozen, w.folder)
    w.script(f"exit 3  # {SOLVE}")


@invalid(5, "a log of another replay", "run", code="code", keeps="all but B1")
def other_nonce(w: World) -> None:
    w.write("src/run.log", f"replay {w.base.record.nonce}\n")
    w.write("reproduce.sh", f"set -eu\ncat src/run.log\n{SOLVE}\n")


def opened(w: World, name: str) -> None:
    for place in (w.folder, *w.folder.rglob("*")):
        place.chmod(0o755 if place.is_dir() else 0o644)
    assert name == "" or (w.folder / name).exists()


@infra(5, "an output was edited", "sealed", code="invalid_evidence")
def edited(w: World) -> None:
    opened(w, "outputs/outputs/thin.json")
    w.put("thin", {**w.data("thin"), "power": [1.0] * 6})


@infra(5, "an output was added", "sealed", code="invalid_evidence")
def added(w: World) -> None:
    opened(w, "outputs/outputs")
    (w.outputs / "more.json").write_text("{}")


@infra(5, "the source was removed", "sealed", code="invalid_evidence")
def removed(w: World) -> None:
    opened(w, "source/src/solve.py")
    (w.folder / "source/src/solve.py").unlink()


@infra(5, "the console was edited", "sealed", code="invalid_evidence")
def edited_console(w: World) -> None:
    opened(w, "console.log")
    (w.folder / "console.log").write_text("all went well\n")


RECEIPT = {
    "another digest of an output": ("outputs", {}),
    "a script that ran as root": (
        "isolation",
        {"network": "none", "uid": 0, "backend": "b", "limits": []},
    ),
    "an open network": ("isolation", {"network": "host", "uid": 5, "backend": "b", "limits": []}),
    "another exit code": ("exit_code", 3),
    "another budget": ("budget_s", 1.0),
    "a replay that did not end": ("status", "running"),
}
for name, (key, value) in RECEIPT.items():

    @infra(5, f"a receipt that says {name}", "sealed", code="invalid_evidence")
    def edited_receipt(w: World, key: str = key, value: object = value) -> None:
        opened(w, "trusted_replay.json")
        path = w.folder / "trusted_replay.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))


@infra(5, "a receipt that was cut off", "sealed", code="invalid_evidence")
def torn_receipt(w: World) -> None:
    opened(w, "trusted_replay.json")
    os.truncate(w.folder / "trusted_replay.json", 400)


elsewhere(
    5,
    "exit code and change against status, as a table",
    "replay/test_replay_engine.py::test_the_status_table",
)
elsewhere(
    5,
    "a replay that is killed at any step is repeated without reading old evidence",
    "reproduction/test_reproduction_integrity.py::test_a_killed_replay_is_repeated_from_nothing",
)
elsewhere(
    5,
    "whatever is deleted, edited or added after freezing is found",
    "reproduction/test_reproduction_integrity.py::test_any_change_of_frozen_evidence_is_found",
)
elsewhere(
    5,
    "a receipt of another environment",
    "replay/test_replay_engine.py::test_the_receipt_names_the_environment",
)
