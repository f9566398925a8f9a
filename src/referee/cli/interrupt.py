"""What an interrupted run leaves in order: its running trials recorded as interrupted, at once.

Threads that wait for a sandbox cannot be stopped from within, so the process replaces itself by
`python -m referee.cli.interrupt RUN`: threads, sandboxes and locks are gone with the old program,
and what was begun is put aside as after any kill.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

EXIT_CODE = 130
HINT = "interrupted; run the same command again to go on"


class RunInterrupted(Exception):
    """A run was interrupted while trials were made; `run` is its folder."""

    def __init__(self, run: Path):
        self.run = run
        super().__init__(str(run))


def take_sigterm_as_interrupt() -> None:
    """Schedulers end a job by SIGTERM; it shall end like Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def replace_process(run: Path) -> NoReturn:
    """Go on as the program that records what was interrupted."""
    sys.stdout.flush()
    sys.stderr.flush()
    # ignored signals stay ignored in the new program: a second Ctrl-C cannot cut it off
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.execv(sys.executable, [sys.executable, "-P", "-m", "referee.cli.interrupt", str(run)])


def main() -> None:
    """Put aside what the interrupted process had begun, and say how to go on."""
    from referee.record.fault import BadInput
    from referee.record.load import load_record
    from referee.record.plan import RunPlan
    from referee.trial.run_folder import open_run

    run = Path(sys.argv[1])
    try:
        with open_run(run, load_record(run / "run.json", RunPlan)):
            pass
    except (BadInput, OSError) as fault:
        print(f"referee: {fault}", file=sys.stderr)
    print(f"referee: {HINT}", file=sys.stderr, flush=True)
    os._exit(EXIT_CODE)


if __name__ == "__main__":
    main()
