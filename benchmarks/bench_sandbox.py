"""Start to exit of `true`: a referee sandbox against bare bwrap with the same arguments.

Both are measured in the same run, one after the other, so that a busy machine is busy for both.
Usage: python benchmarks/bench_sandbox.py [--rounds N] [--json]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from referee.environment.identity import sandbox_identity
from referee.environment.store import Store, open_store, remove_tree
from referee.sandbox.assembly import filter_for, root_arguments
from referee.sandbox.binary import bwrap_binary
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.cgroup import Group
from referee.sandbox.launch import launch
from referee.sandbox.overlay import make_overlay
from referee.sandbox.program import server_folder
from referee.sandbox.protocol import SandboxSpec


def bare(spec: SandboxSpec, store: Store) -> float:
    """Milliseconds of `bwrap ... true`, without cgroups and without the exec server."""
    server = server_folder(spec, store)
    null = os.open(os.devnull, os.O_RDWR)
    begun = time.perf_counter()
    launched = launch(
        bwrap_binary(store).path,
        root_arguments(spec, store, server),
        ["/usr/bin/true"],
        identity=sandbox_identity(),
        filter_program=filter_for(refuse_shared_memory=False),
        stdin=null,
        stdout=null,
        group=Group({}),
    )
    launched.wait(60.0)
    took = time.perf_counter() - begun
    complaint = launched.complaint()
    launched.close()
    os.close(null)
    if launched.monitor.returncode != 0:
        raise SystemExit(f"bare bwrap failed: {complaint}")
    return took * 1000


def whole(spec: SandboxSpec, store: Store) -> tuple[float, float, float]:
    """Milliseconds of start, of running `true`, and of stop."""
    times = [time.perf_counter()]
    sandbox = Bubblewrap(spec, store)
    sandbox.start()
    times.append(time.perf_counter())
    done = sandbox.run(["/usr/bin/true"])
    times.append(time.perf_counter())
    sandbox.stop()
    times.append(time.perf_counter())
    if done.exit_code != 0:
        raise SystemExit(f"true failed in the sandbox: {done}")
    start, run, stop = ((b - a) * 1000 for a, b in itertools.pairwise(times))
    return start, run, stop


def spread(values: list[float]) -> dict[str, float]:
    """Median, quartiles and minimum, in milliseconds."""
    low, middle, high = statistics.quantiles(values, n=4)
    return {
        "median_ms": round(middle, 2),
        "q1_ms": round(low, 2),
        "q3_ms": round(high, 2),
        "min_ms": round(min(values), 2),
    }


def measure(store: Store, interpreter: str, rounds: int) -> dict[str, object]:
    """Interleaved rounds; each sandbox has a fresh workspace."""
    folder = store.scratch("bench")
    identity = sandbox_identity()
    bares, starts, runs, stops = [], [], [], []
    try:
        lower = folder / "lower"
        lower.mkdir()
        if identity.dropped:
            os.chown(lower, identity.uid, identity.gid)
        for number in range(rounds + 2):
            specs = []
            for name in ("bare", "whole"):
                place = folder / f"{name}{number}"
                place.mkdir()
                specs.append(SandboxSpec(interpreter, overlay=make_overlay(place, [lower])))
            if identity.dropped:
                folder.chmod(0o711)
            first = bare(specs[0], store)
            start, run, stop = whole(specs[1], store)
            if number >= 2:  # the first two warm caches up
                bares.append(first)
                starts.append(start)
                runs.append(run)
                stops.append(stop)
    finally:
        remove_tree(folder)
    totals = [sum(parts) for parts in zip(starts, runs, stops, strict=True)]
    return {
        "rounds": rounds,
        "load": round(os.getloadavg()[0], 2),
        "bare_bwrap": spread(bares),
        "sandbox": spread(totals),
        "start": spread(starts),
        "run_true": spread(runs),
        "stop": spread(stops),
        "above_bare": spread([b - a for a, b in zip(bares, totals, strict=True)]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--interpreter", default="/usr/bin/python3")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        result = measure(open_store(Path(folder)), options.interpreter, options.rounds)
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:12} {value}")


if __name__ == "__main__":
    main()
