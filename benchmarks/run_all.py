"""Run every benchmark and print one line per target: measured, spread, target, met or not.

Usage: python benchmarks/run_all.py [--json]
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = (
    "bench_help",
    "bench_sandbox",
    "bench_trial",
    "bench_wall",
    "bench_environment",
    "bench_table",
    "bench_report",
    "bench_gateway",
)


def main() -> int:
    """Run the scripts one after the other; exit code 1 if one of them fails."""
    results: dict[str, object] = {}
    failed = False
    for name in SCRIPTS:
        start = time.monotonic()
        done = subprocess.run(
            [sys.executable, str(HERE / f"{name}.py"), "--json"], stdout=subprocess.PIPE, text=True
        )
        if done.returncode != 0:
            failed = True
            print(f"{name}: failed with exit code {done.returncode}", file=sys.stderr)
            continue
        results[name] = json.loads(done.stdout)
        if "--json" not in sys.argv:
            print(f"{name} ({time.monotonic() - start:.0f} s)")
            print(json.dumps(results[name], indent=2), flush=True)
    if "--json" in sys.argv:
        print(json.dumps(results, indent=2))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
