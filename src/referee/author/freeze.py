"""The second stage: snapshot and environment by hash, and the anomaly shown in the sandbox."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from referee.author.evidence import EvidenceLine, append_evidence, require_ready
from referee.author.variant import open_workpiece
from referee.author.visible import REPRODUCE as PROGRAM
from referee.author.visible import run_visibly
from referee.environment.snapshot import verify_snapshot
from referee.environment.store import Store
from referee.grade.workspace import Bench, bench_in_use
from referee.record.canonical import sha256_bytes, sha256_file
from referee.record.fault import BadInput
from referee.record.text import bounded_text
from referee.submission.apply import Applied
from referee.task.package import TaskPackage
from referee.trial.workspace import bench_for

REPRODUCE = "environment/public/reproduce.py"


@dataclass(frozen=True)
class Shown:
    """What `reproduce.py` did on one tree."""

    exit_code: int | None
    ended: str
    stdout: bytes
    stderr: bytes

    @property
    def said(self) -> str:
        """The end of what it printed, for people."""
        return bounded_text((self.stdout + self.stderr).decode("utf-8", "replace")[-1500:])


def freeze_task(store: Store, task: TaskPackage, say: Callable[[str], None]) -> EvidenceLine:
    """Build snapshot and environment, and run `reproduce.py` on the snapshot and on the reference,
    as an agent would: the two must differ.

    Raises:
        BadInput: the stage is out of order, something cannot be built, or the anomaly does not
            show.
    """
    require_ready(task, "freeze")
    if not (task.root / REPRODUCE).is_file():
        raise BadInput("the file is missing", where=task.root / REPRODUCE)
    bench = bench_for(store, task, say=say)
    snapshot = bench.prepared.snapshot
    with bench_in_use(bench):
        verify_snapshot(snapshot)
        work = open_workpiece(store, task, bench.prepared.snapshot)
        say("running reproduce.py on the snapshot and on the reference")
        before = reproduce(bench, task, Applied(snapshot.manifest, {}, {}, b""))
        after = reproduce(bench, task, work.reference)
    if before.ended != "exit" or after.ended != "exit":
        ended = before.ended if before.ended != "exit" else after.ended
        raise BadInput(
            f"it did not come to its end ({ended})", where=task.root / REPRODUCE, hint="mend it"
        )
    if (before.exit_code, before.stdout) == (after.exit_code, after.stdout):
        raise BadInput(
            "it says the same on the snapshot as on the reference, so it shows no anomaly: "
            f"{before.said.strip().splitlines()[-1:]}",
            where=task.root / REPRODUCE,
            hint="let it exit with 1 while the anomaly is there, and with 0 once it is gone",
        )
    prepared = bench.prepared
    return append_evidence(
        task,
        "freeze",
        {
            "snapshot": snapshot.digest,
            "tree": snapshot.manifest.digest,
            "files": len(snapshot.manifest.files),
            "environment": prepared.environment.digest,
            "lock": sha256_file(task.lock),
            "python": prepared.interpreter.version,
            "anomaly": {"exit_code": before.exit_code, "stdout": sha256_bytes(before.stdout)},
            "repaired": {"exit_code": after.exit_code, "stdout": sha256_bytes(after.stdout)},
        },
    )


def reproduce(bench: Bench, task: TaskPackage, applied: Applied) -> Shown:
    """Run the public `reproduce.py` on a tree, in a sandbox like an agent's.

    Raises:
        BadInput: the tree does not build.
    """
    (done,) = run_visibly(bench, task, applied, [PROGRAM])
    return Shown(done.exit_code, done.ended, done.stdout, done.stderr)
