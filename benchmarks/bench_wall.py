"""How long a wall call takes on a warm worker, and how fast 80 MB cross in each direction.

    python benchmarks/bench_wall.py [--json] [--calls N] [--arrays N]

The worker is a plain local process, so this is the cost of the wall itself: fork, codec, sockets.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from referee.sandbox.protocol import Completed
from referee.wall import worker
from referee.wall.session import WallSession

MEGABYTES = 80
CANDIDATE = "import numpy as np\nHELD = np.random.default_rng(0).random(10_000_000)\n"
SMALL = "def small(x, y): return x + y\n"
INWARD = "def inward(array): return array.size\n"
OUTWARD = "def outward():\n    import held\n    return held.HELD\n"


class LocalProcess:
    """A worker without a sandbox."""

    def __init__(self, argv: list[str], folder: str) -> None:
        self.channel, theirs = socket.socketpair()
        env = {**os.environ, "REFEREE_CHANNEL": str(theirs.fileno()), "PYTHONPATH": folder}
        self._popen = subprocess.Popen(argv, env=env, pass_fds=[theirs.fileno()])
        theirs.close()

    def wait(self, timeout_s: float | None = None) -> Completed:
        code = self._popen.wait(timeout_s)
        return Completed((), "exit", code, None, b"", b"", False, 0.0, 0.0, 0)

    def kill(self) -> None:
        self._popen.kill()


class LocalSandbox:
    """As much of a sandbox as `WallSession` needs for calls."""

    enforcement = ()

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def start(self) -> None: ...

    def spawn(self, argv: list[str], **_: Any) -> LocalProcess:
        return LocalProcess(argv, self._folder)

    def kill_all(self) -> None: ...

    def stop(self) -> None: ...


def times_of(action: Callable[[], object], count: int) -> list[float]:
    """Seconds of each of `count` runs, after one that is not counted."""
    action()
    times = []
    for _ in range(count):
        begun = time.perf_counter()
        action()
        times.append(time.perf_counter() - begun)
    return times


def spread(values: list[float]) -> dict[str, float]:
    """Median, quartiles and extremes."""
    low, middle, high = statistics.quantiles(values, n=4)
    return {"median": middle, "q1": low, "q3": high, "min": min(values), "max": max(values)}


def measure(calls: int, arrays: int) -> dict[str, dict[str, float]]:
    """Latency in milliseconds, throughput in megabytes (10^6 bytes) per second."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "held.py").write_text(CANDIDATE)
        session = WallSession(
            lambda: LocalSandbox(folder),  # type: ignore[arg-type, return-value]
            python=sys.executable,
            worker=worker.__file__,
            preload=["held"],
        )
        try:
            small = times_of(lambda: session.call(SMALL, "small", [1.0, 2.0]), calls)
            array = np.random.default_rng(0).random(MEGABYTES * 125_000)
            inward = times_of(lambda: session.call(INWARD, "inward", [array]), arrays)
            outward = times_of(lambda: session.call(OUTWARD, "outward"), arrays)
        finally:
            session.close()
    return {
        "small_call_ms": spread([1e3 * t for t in small]),
        "inward_mb_s": spread([MEGABYTES / t for t in inward]),
        "outward_mb_s": spread([MEGABYTES / t for t in outward]),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--arrays", type=int, default=10)
    options = parser.parse_args()
    found = measure(options.calls, options.arrays)
    if options.json:
        print(json.dumps({"load": os.getloadavg()[0], **found}))
        return
    for name, row in found.items():
        print(f"{name:15}", "  ".join(f"{key} {value:.3g}" for key, value in row.items()))


if __name__ == "__main__":
    main()
