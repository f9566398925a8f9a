"""What a replay costs beyond the script: 2,000 files handed in and 200 MB of outputs by default.

Prints the seconds of the whole, of the script, and the difference, with one verification; `--json`
prints one object. Needs a machine on which sandboxes can be had.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from referee.environment.store import open_store, remove_tree
from referee.replay.engine import Request, replay
from referee.replay.sandboxed import Surroundings
from referee.replay.verify import verify
from referee.sandbox.protocol import Limits
from referee.task.reproduction.package import EvaluationPolicy


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def measure(root: Path, files: int, megabytes: int) -> dict[str, float]:
    """Seconds of a replay in a folder that sandboxes can reach."""
    store = open_store(root / "store")
    submission, starter = root / "submission", root / "starter"
    for folder in (submission / "src", starter):
        folder.mkdir(parents=True)
    for number in range(files):
        (submission / "src" / f"part{number}.py").write_text(f"VALUE = {number}\n")
    (submission / "reproduce.sh").write_text(
        f"for i in $(seq 10); do head -c {megabytes * 100_000} /dev/zero > outputs/$i.bin; done\n"
    )
    (starter / "reproduce.sh").write_text("exit 1\n")
    policy = EvaluationPolicy(
        source_rubric_sha256="0" * 64,
        generated_roots=("outputs",),
        max_input_bytes=1 << 30,
        replay_timeout_sec=300.0,
        reserve_sec=1.0,
    )
    around = Surroundings(limits=Limits())
    request = Request("bench", "0" * 64, submission, starter, policy, root / "evidence", around)
    begun = time.perf_counter()
    record = replay(request, store)
    whole = time.perf_counter() - begun
    if record.status != "completed" or record.wall_s is None:
        raise SystemExit(f"the replay ended as {record.status}: {record.reason} {record.error}")
    begun = time.perf_counter()
    found = verify(request.folder)
    checked = time.perf_counter() - begun
    if found.state != "verified":
        raise SystemExit(f"the evidence is {found.state}: {found.problems[:3]}")
    return {
        "whole_s": round(whole, 3),
        "script_s": round(record.wall_s, 3),
        "overhead_s": round(whole - record.wall_s, 3),
        "verify_s": round(checked, 3),
        "with_two_verifications_s": round(whole - record.wall_s + 2 * checked, 3),
    }


def main() -> None:
    given = arguments()
    root = Path(tempfile.mkdtemp(prefix="referee-bench.", dir="/var/tmp"))
    try:
        root.chmod(0o755)
        figures = measure(root, given.files, given.megabytes)
    finally:
        remove_tree(root)
    if given.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
