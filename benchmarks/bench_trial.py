"""A whole nop trial on a trivial task, and how busy 100 of them keep this machine.

The time of the checks' own processes is the wall time of the grading phases that the verdict
records; what is above it is referee's own. How busy the cores are is read from /proc/stat, so it
counts everything on the machine: measure on a quiet one.

Usage: python benchmarks/bench_trial.py [--trials N] [--jobs N] [--json]
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import statistics
import tarfile
import tempfile
import time
from pathlib import Path

from referee.environment.store import Store, open_store, remove_tree
from referee.record.load import load_record
from referee.record.trial import Trial
from referee.record.verdict import Verdict
from referee.task.package import load_task
from referee.trial.baseline import lock_baseline
from referee.trial.contest import RunRequest, prepare_contest, run_contest
from referee.trial.workspace import bench_for

LOCK = Path(__file__).resolve().parents[1] / (
    "suites/repair/079-selfies-aromatic/environment/requirements.lock"
)
TASK = """\
[task]
name = "bench/001-trivial"
[environment]
memory_mb = 512
storage_mb = 64
[referee]
kind = "repair"
suite = "bench"
id = "001"
domain = "none"
paradigm = "issue-driven"
licence = "MIT"
writable = ["trivial/*.py"]
"""
CHECK = """\
from referee.wall import probe


@probe
def answer():
    import trivial

    return trivial.ANSWER


def test_answer(candidate):
    assert candidate(answer) == 42
"""


def make_task(root: Path, store: Store) -> Path:
    """A suite of one task whose package is one line, with its source already in the store."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        data = b"ANSWER = 41\n"
        info = tarfile.TarInfo("trivial-1.0/trivial/__init__.py")
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    archive = gzip.compress(raw.getvalue(), mtime=0)
    sha256 = hashlib.sha256(archive).hexdigest()
    folder = store.root / "downloads" / sha256
    folder.mkdir(exist_ok=True)
    (folder / "trivial-1.0.tar.gz").write_bytes(archive)
    files = {
        "suite.toml": '[suite]\nname = "bench"\nversion = "1"\ntitle = "b"\ntasks = ["001-t"]\n',
        "001-t/task.toml": TASK,
        "001-t/instruction.md": "Nothing.\n",
        "001-t/environment/source.toml": (
            '[source]\nregistry = "pypi"\nname = "trivial"\nversion = "1.0"\n'
            f'file = "trivial-1.0.tar.gz"\nsha256 = "{sha256}"\n[python]\nversion = "3.11"\n'
        ),
        "001-t/environment/requirements.lock": LOCK.read_text(),
        "001-t/environment/public/test_public.py": CHECK,
        "001-t/tests/private/test_private.py": CHECK,
        "001-t/solution/reference.toml": 'patch = "reference.patch"\n',
        "001-t/solution/reference.patch": "",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    task = load_task(root / "001-t")
    lock_baseline(bench_for(store, task), task)
    return root


def cpu_seconds() -> float:
    """Processor time that all cores of the machine have spent on work since it started."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    ticks = [int(field) for field in fields]
    idle, waiting = ticks[3], ticks[4]
    return (sum(ticks[:8]) - idle - waiting) / os.sysconf("SC_CLK_TCK")


def run(suite: Path, out: Path, store: Store, trials: int, jobs: int) -> tuple[float, float]:
    """Wall and processor seconds of one run of `trials` nop trials."""
    request = RunRequest(str(suite), ("nop",), attempts=trials, seed=1, out=out)
    contest = prepare_contest(request, say=lambda _line: None, store=store)
    wall, cpu = time.perf_counter(), cpu_seconds()
    run_contest(contest, jobs=jobs, on_event=lambda _event: None)
    return time.perf_counter() - wall, cpu_seconds() - cpu


def overheads(out: Path) -> list[float]:
    """Milliseconds of each trial above its checks' own processes (the phases of its grading; the
    times of single checks, whose names have a slash, are parts of them)."""
    found = []
    for path in out.glob("trials/*/*/*/trial.json"):
        trial = load_record(path, Trial)
        verdict = load_record(next(path.parent.glob("grade/*/verdict.json")), Verdict)
        phases = [s for name, s in verdict.timing.items() if "/" not in name]
        found.append(1000 * (sum(trial.timing.values()) - sum(phases)))
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    store = open_store()
    place = Path(tempfile.mkdtemp(prefix="referee-bench-"))
    try:
        suite = make_task(place / "suite", store)
        run(suite, place / "one", store, 20, 1)
        alone = overheads(place / "one")
        wall, cpu = run(suite, place / "many", store, options.trials, options.jobs)
    finally:
        remove_tree(place)
    cores = os.cpu_count() or 1
    low, middle, high = statistics.quantiles(alone, n=4)
    result = {
        "above_checks_ms": {"median": round(middle), "q1": round(low), "q3": round(high)},
        "target_ms": 250,
        "trials": options.trials,
        "jobs": options.jobs,
        "trials_per_s": round(options.trials / wall, 2),
        "cores_busy": round(cpu / wall / cores, 3),
        "target_busy": 0.85,
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"a nop trial: {middle:.0f} ms above its checks ({low:.0f} to {high:.0f}; target 250)")
    print(f"{options.trials} trials, {options.jobs} at a time: {options.trials / wall:.1f}/s")
    print(f"{cores} cores busy: {100 * cpu / wall / cores:.0f} % (target 85 %)")


if __name__ == "__main__":
    main()
