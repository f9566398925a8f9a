"""Where control groups can be made, read from what the kernel prints."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from referee.sandbox.cgroup import PREFIX, Base, Group, find_bases, parse_membership, sweep
from referee.sandbox.limits import plan_limits
from referee.sandbox.protocol import Limits, SandboxSpec

V1 = "36 30 0:31 {root} {point} rw,relatime - cgroup cgroup rw,{name}\n"
V2 = "42 30 0:42 / {point} rw,relatime - cgroup2 cgroup2 rw\n"


def group_folder(path, controllers=""):
    path.mkdir(parents=True)
    (path / "cgroup.procs").write_text("")
    (path / "cgroup.subtree_control").write_text(controllers)
    return path


def test_version_1_bases_lie_below_our_own_group(tmp_path):
    own = group_folder(tmp_path / "memory" / "job" / "7")
    group_folder(tmp_path / "pids")
    mounts = V1.format(root="/", point=tmp_path / "memory", name="memory")
    mounts += V1.format(root="/", point=tmp_path / "pids", name="pids")
    bases = find_bases(mounts, "4:memory:/job/7\n8:pids:/\n3:cpu,cpuacct:/x\n")
    assert bases == {"memory": Base(1, own), "pids": Base(1, tmp_path / "pids")}


def test_version_1_of_a_container_shows_only_its_part(tmp_path):
    group_folder(tmp_path / "memory")
    mounts = V1.format(root="/docker/abc", point=tmp_path / "memory", name="memory")
    bases = find_bases(mounts, "4:memory:/docker/abc\n")
    assert bases == {"memory": Base(1, tmp_path / "memory")}


def test_version_2_needs_controllers_handed_down(tmp_path):
    leaf = group_folder(tmp_path / "slice" / "scope")
    (leaf.parent / "cgroup.procs").write_text("")
    (leaf.parent / "cgroup.subtree_control").write_text("cpu memory pids\n")
    mounts = V2.format(point=tmp_path)
    base = Base(2, leaf.parent)
    assert find_bases(mounts, "0::/slice/scope\n") == {
        "memory": base,
        "pids": base,
        "cpuacct": base,
    }
    (leaf.parent / "cgroup.subtree_control").write_text("")
    assert find_bases(mounts, "0::/slice/scope\n") == {}


def test_nothing_without_a_place(tmp_path):
    assert find_bases("", "") == {}
    mounts = V1.format(root="/", point=tmp_path / "none", name="memory")
    assert find_bases(mounts, "4:memory:/\n") == {}


def test_membership():
    assert parse_membership("3:cpu,cpuacct:/a:b\n0::/x\n") == {
        "cpu": "/a:b",
        "cpuacct": "/a:b",
        "": "/x",
    }


def test_sweep_removes_what_a_dead_process_left(tmp_path):
    dead = subprocess.Popen(["true"])
    dead.wait()
    stat = Path(f"/proc/{os.getpid()}/stat").read_text()
    start = stat.rpartition(")")[2].split()[19]
    mine = tmp_path / f"{PREFIX}.{os.getpid()}.{start}.0"
    reused = tmp_path / f"{PREFIX}.{os.getpid()}.{int(start) - 1}.0"
    stale = tmp_path / f"{PREFIX}.{dead.pid}.1.0"
    busy = tmp_path / f"{PREFIX}.{dead.pid}.1.1"
    other = tmp_path / "somebody"
    for folder in (mine, reused, stale, busy, other):
        folder.mkdir()
    (busy / "inner").mkdir()
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([mine, busy, other])


def test_rlimits_stand_in_where_there_is_no_group():
    plan = plan_limits(SandboxSpec("/usr/bin/python3"), Group({}), dropped=False)
    by = {e.limit: e.by for e in plan.enforcement}
    assert by["memory_bytes"] == by["processes"] == by["cpu_s"] == "rlimit"
    import resource

    limits = {which: soft for which, soft, _ in plan.rlimits}
    assert limits[resource.RLIMIT_AS] == Limits().memory_bytes
    assert limits[resource.RLIMIT_NPROC] == Limits().processes
    assert limits[resource.RLIMIT_CORE] == 0


def test_where_address_space_may_be_reserved_memory_is_watched():
    spec = SandboxSpec(
        "/usr/bin/python3", limits=Limits(memory_bytes=2 << 30, reserve_bytes=8 << 30)
    )
    plan = plan_limits(spec, Group({}), dropped=False)
    by = {e.limit: e.by for e in plan.enforcement}
    assert (by["memory_bytes"], by["reserve_bytes"]) == ("watchdog", "rlimit")
    import resource

    soft = {which: value for which, value, _ in plan.rlimits}
    assert soft[resource.RLIMIT_AS] == 10 << 30
