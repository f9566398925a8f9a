"""`referee --help` as a whole process. Usage: python benchmarks/bench_help.py [--json]"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time


def main() -> None:
    """Print median and quartiles of 20 starts after two that are not counted."""
    times = []
    for number in range(22):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "referee", "--help"], check=True, capture_output=True)
        if number >= 2:
            times.append(1000 * (time.perf_counter() - start))
    low, middle, high = statistics.quantiles(times, n=4)
    result = {"help_ms": round(middle), "q1": round(low), "q3": round(high), "target_ms": 150}
    if "--json" in sys.argv:
        print(json.dumps(result))
    else:
        print(f"referee --help: {middle:.0f} ms ({low:.0f} to {high:.0f}; target 150)")


if __name__ == "__main__":
    main()
