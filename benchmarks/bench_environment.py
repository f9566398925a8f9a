"""What a second task with the same lock costs: disk that it adds, and time until it is ready.

Takes a task folder (the first repair task, if none is given). The second task is the same release
with one more file left out, so that its snapshot is new and its lock is not. Prints one value a
line; `--json` prints one object. Downloads what the task needs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

from referee.environment.inventory import disk_bytes
from referee.environment.lock import Lock, read_lock
from referee.environment.prepare import Prepared, prepare
from referee.environment.store import Store, open_store, remove_tree
from referee.task.model import SourceFile

SUITE = Path(__file__).parents[1] / "suites" / "repair"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", type=Path, nargs="?", help="a task folder")
    parser.add_argument("--strip", default="README*", help="what the second task leaves out")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.task is None:
        tasks = sorted(path.parents[1] for path in SUITE.glob("*/environment/source.toml"))
        if not tasks:
            parser.error(f"no task in {SUITE}; name one")
        given.task = tasks[0]
    return given


def main() -> None:
    given = arguments()
    folder = Path(tempfile.mkdtemp(prefix="referee-bench."))
    folder.chmod(0o755)
    try:
        rows = measure(open_store(folder), given.task, given.strip, given.repeats)
    finally:
        remove_tree(folder)
    if given.json:
        print(json.dumps(rows))
    else:
        for name, value in rows.items():
            print(f"{name:32} {value:14,.2f}")


def measure(store: Store, task: Path, strip: str, repeats: int) -> dict[str, float]:
    """Seconds for the first task; bytes and milliseconds for the second."""
    lock = read_lock(task / "environment" / "requirements.lock")
    table = tomllib.loads((task / "environment" / "source.toml").read_text("utf-8"))
    first = SourceFile.model_validate(table, strict=False)
    second = first.model_copy(update={"strip": (*first.strip, strip)})
    cold_s = seconds(lambda: prepare(store, first, lock))
    after_first = disk_bytes(store)
    second_s = seconds(lambda: prepare(store, second, lock))
    added = disk_bytes(store) - after_first
    ready = [seconds(lambda: prepare(store, second, fresh(lock))) for _ in range(repeats)]
    return {
        "first_task_s": cold_s,
        "first_task_bytes": float(after_first),
        "second_task_added_bytes": float(added),
        "second_task_snapshot_s": second_s,
        "ready_ms_median": 1e3 * statistics.median(ready),
        "ready_ms_min": 1e3 * min(ready),
        "ready_ms_max": 1e3 * max(ready),
    }


def fresh(lock: Lock) -> Path:
    """The lock's file, so that reading it is part of the time."""
    return Path(lock.where)


def seconds(work: Callable[[], Prepared]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
