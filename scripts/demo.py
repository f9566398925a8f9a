"""The demo: three agents on three real repair tasks, the table, and where the records are."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from referee.cli.main import run_command

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Run `referee run` as a user would, in a run folder of its own."""
    agents = ["nop", "oracle", f"command:{ROOT / 'demo' / 'hardcode'}"]
    out = ROOT / "runs" / time.strftime("demo-%Y%m%d-%H%M%S")
    suite = str(ROOT / "suites" / "repair")
    command = ["run", suite, "--tasks", "029,079,119", "--jobs", "2", "--out", str(out)]
    for agent in agents:
        command += ["--agent", agent]
    print("referee " + " ".join(command))
    return run_command(command)


if __name__ == "__main__":
    sys.exit(main())
