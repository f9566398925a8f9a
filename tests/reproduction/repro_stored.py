"""Family 3: results that were there before the replay."""

from __future__ import annotations

import base64
import os

from repro_registry import elsewhere, infra, invalid, twin
from repro_world import World, full_disk


@twin("a script that computes where nothing is stored", "run")
def computes_if_empty(w: World) -> None:
    w.store("outputs")
    w.script("[ -e outputs/thin.json ] || python3 src/solve.py")


@invalid(
    3, "stored outputs and nothing to do", "run", code="no_evidence", keeps="A1",
    twin=computes_if_empty,
)  # fmt: skip
def stored_outputs(w: World) -> None:
    w.store("outputs")
    w.script("true")


@invalid(
    3, "stored in caches, in /tmp and at home", "run", code="no_evidence", keeps="A1",
    twin=computes_if_empty, slow=True,
)  # fmt: skip
def stored_in_caches(w: World) -> None:
    for folder in ("src/.cache", "src/__pycache__", ".run_home"):
        w.store(folder)
    w.script(
        "for f in src/.cache src/__pycache__ .run_home /tmp $HOME; do",
        "  cp $f/*.json outputs/ || true",
        "done",
    )


@twin("constants of the paper in a file", "tree")
def constants(w: World) -> None:
    w.write("src/constants.json", '{"index": 2.0}')


@invalid(3, "a solver's result in src", "tree", code="forbidden_input", keeps="", twin=constants)
def native_result(w: World) -> None:
    w.write("src/run/slab.s2p", "! from a solver\n")


@invalid(
    3, "results written out from the source", "run", code="judge", keeps="all but B2",
    twin=computes_if_empty,
)  # fmt: skip
def embedded(w: World) -> None:
    files = {
        path.name: base64.b64encode(path.read_bytes()).decode()
        for path in sorted((w.base.frozen / "outputs/outputs").iterdir())
    }
    w.write(
        "src/stored.py",
        f"import base64, pathlib\nfor name, text in {files!r}.items():\n"
        "    (pathlib.Path('outputs') / name).write_bytes(base64.b64decode(text))\n",
    )
    w.script("python3 src/stored.py  # as python3 src/solve.py would")


@invalid(
    3, "nothing to be done, by a stamp from the future", "run", code="no_evidence", keeps="A1 B2",
    twin=computes_if_empty, slow=True,
)  # fmt: skip
def from_the_future(w: World) -> None:
    w.write("src/done", "")
    os.utime(w.tree / "src/done", (4e9, 4e9))
    w.script("[ -e src/done ] || python3 src/solve.py")


@invalid(3, "the generated root is a link", "tree", code="generated_root_link", keeps="")
def linked_root(w: World) -> None:
    (w.tree / "outputs").symlink_to("src")


@invalid(3, "a report outside of the generated roots", "run", code="judge", keeps="all but C5")
def report_elsewhere(w: World) -> None:
    w.write("report.md", "Normal incidence, lossless.\n")
    w.edit('(OUT / "report.md")', 'pathlib.Path("/tmp/report.md")')


@infra(3, "the disk is full while outputs are copied", "tree", code="runner_error")
def no_room_for_outputs(w: World) -> None:
    w.patch.setattr("referee.replay.engine.export_outputs", full_disk)


elsewhere(
    3,
    "nothing to do, no entry point, a link, another input and the starter, on every shipped task",
    "suites/test_reproduction_null.py::test_nothing_earns_nothing",
)
