"""Families 1, 2 and 15: what is handed in."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import stat
import unicodedata
from pathlib import Path

import pytest
from repro_registry import elsewhere, infra, invalid, twin
from repro_world import STARTER, World, full_disk

# -- 1: submission tree and export


@twin("a plain file beside the solver", "tree")
def plain_file(w: World) -> None:
    w.write("src/a.txt", "x")
    (w.tree / "src/a.txt").chmod(0o755)


@twin("a package that is imported relatively", "tree")
def own_package(w: World) -> None:
    w.write("src/optics/__init__.py", "from .layer import phase\n")
    w.write("src/optics/layer.py", "phase = 0\n")


@invalid(1, "a link in src", "tree", code="symlink", keeps="", twin=plain_file)
def link(w: World) -> None:
    (w.tree / "src/a").symlink_to("solve.py")


@invalid(1, "a linked folder", "tree", code="symlink", keeps="", twin=own_package)
def linked_folder(w: World) -> None:
    (w.tree / "lib").symlink_to("src")


@invalid(1, "reproduce.sh is a link", "tree", code="symlink", keeps="")
def linked_entry(w: World) -> None:
    (w.tree / "reproduce.sh").rename(w.tree / "src/run.sh")
    (w.tree / "reproduce.sh").symlink_to("src/run.sh")


@twin("an empty folder", "tree")
def empty_folder(w: World) -> None:
    (w.tree / "src/empty").mkdir()


@invalid(1, "a pipe", "tree", code="special_file", keeps="", twin=empty_folder)
def pipe(w: World) -> None:
    os.mkfifo(w.tree / "src/a")


@invalid(1, "a socket", "tree", code="special_file", keeps="", twin=empty_folder)
def bound_socket(w: World) -> None:
    here = Path.cwd()
    os.chdir(w.tree / "src")  # the name of a socket is short
    try:
        socket.socket(socket.AF_UNIX).bind("a")
    finally:
        os.chdir(here)


@invalid(1, "a device", "tree", code="special_file", keeps="", twin=empty_folder)
def device(w: World) -> None:
    try:
        os.mknod(w.tree / "src/a", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")


@invalid(1, "a file with two names", "tree", code="hard_link", keeps="", twin=plain_file)
def second_name(w: World) -> None:
    os.link(w.tree / "src/solve.py", w.tree / "src/b.py")


@twin("names with spaces and letters of all alphabets", "tree")
def odd_names(w: World) -> None:
    w.write("src/ein Name mit é und 波.txt", "1")


@invalid(1, "a line break in a name", "tree", code="bad_path", keeps="", twin=odd_names)
def line_break(w: World) -> None:
    w.write("src/a\nb", "x")


@invalid(1, "names that differ in case", "tree", code="path_collision", keeps="", twin=odd_names)
def same_but_for_case(w: World) -> None:
    w.write("src/Solve.py", "x")


@invalid(
    1, "names that differ in Unicode form", "tree", code="path_collision", keeps="", twin=odd_names
)
def same_but_for_unicode(w: World) -> None:
    for form in ("NFC", "NFD"):
        w.write("src/" + unicodedata.normalize(form, "é.py"), "x")


@twin("a large table below the limit", "tree")
def below_the_limit(w: World) -> None:
    w.write("src/table.txt", "0" * 150_000)


@invalid(1, "more bytes than are taken", "tree", code="too_large", keeps="", twin=below_the_limit)
def above_the_limit(w: World) -> None:
    w.write("src/table.txt", "0" * 200_001)


@twin("no inputs, which the package has", "tree")
def no_inputs(w: World) -> None:
    shutil.rmtree(w.tree / "inputs")


@invalid(
    1, "no reproduce.sh", "tree", code="missing_entrypoint", keeps="A1", twin=no_inputs
)  # its source is still judged
def no_entry(w: World) -> None:
    (w.tree / "reproduce.sh").unlink()


@twin("reproduce.sh without the execute bit", "tree")
def not_executable(w: World) -> None:
    (w.tree / "reproduce.sh").chmod(0o644)


@invalid(
    1,
    "reproduce.sh is a folder",
    "tree",
    code="missing_entrypoint",
    keeps="A1",
    twin=not_executable,
)
def entry_is_a_folder(w: World) -> None:
    (w.tree / "reproduce.sh").unlink()
    w.write("reproduce.sh/run", "x")


@infra(1, "the disk is full while the submission is copied", "tree", code="runner_error")
def no_room_for_the_snapshot(w: World) -> None:
    w.patch.setattr("referee.replay.snapshot.copy_files", full_disk)


elsewhere(
    1,
    "paths that leave the tree, absolute ones, and a file twice, in a patch",
    "submission/test_apply_attacks.py::test_hostile_patch_is_refused_with_its_reason",
)
elsewhere(
    1,
    "links and special files in the agent's workspace",
    "submission/test_overlay.py::test_b07_b10_hostile_workspace_is_refused_with_path_and_reason",
)

elsewhere(
    1,
    "nothing of the agent is alive when its work is collected",
    "sandbox/test_sandbox_end.py::test_daemons_die_at_stop",
)

# -- 2: reserved inputs


@twin("the input as it was given", "tree")
def same_input(w: World) -> None:
    shutil.copy(STARTER / "inputs/slab.json", w.tree / "inputs/slab.json")


@twin("an input of one's own", "tree")
def more_inputs(w: World) -> None:
    w.write("inputs/more.json", "{}")


@invalid(
    2,
    "an input with another byte",
    "tree",
    code="reserved_input_changed",
    keeps="",
    twin=same_input,
)
def changed_input(w: World) -> None:
    w.edit('"index": 2.0', '"index": 2.1', "inputs/slab.json")


@invalid(
    2,
    "a folder in the place of an input",
    "tree",
    code="reserved_input_replaced",
    keeps="",
    twin=more_inputs,
)
def replaced_input(w: World) -> None:
    (w.tree / "inputs/slab.json").unlink()
    w.write("inputs/slab.json/a", "{}")


@invalid(2, "a file in the place of inputs", "tree", code="reserved_input_replaced", keeps="")
def inputs_is_a_file(w: World) -> None:
    shutil.rmtree(w.tree / "inputs")
    w.write("inputs", "{}")


@twin("an input left out", "tree")
def left_out(w: World) -> None:
    (w.tree / "inputs/slab.json").unlink()


@invalid(2, "an input in capitals", "tree", code="path_collision", keeps="", twin=left_out)
def shadow(w: World) -> None:
    (w.tree / "inputs/slab.json").rename(w.tree / "inputs/SLAB.JSON")


@twin("an input that is read", "run")
def read_input(w: World) -> None:
    w.script("test -s inputs/slab.json", "python3 src/solve.py")


@invalid(
    2,
    "the script overwrites an input: it cannot, and stops",
    "run",
    code="nonzero_exit",
    keeps="A1 B2",
    twin=read_input,
)
def overwrite_input(w: World) -> None:
    w.script("echo '{}' > inputs/slab.json", "python3 src/solve.py")


@invalid(2, "source that changed under the script", "tree", code="source_changed", keeps="A1")
def changed_source(w: World) -> None:
    w.during = lambda stage: (stage.tree / "src/late.py").write_text("x") and None


@invalid(2, "an input that changed under the script", "tree", code="source_changed", keeps="A1")
def changed_input_late(w: World) -> None:
    w.during = lambda stage: (stage.tree / "inputs/slab.json").write_text("{}") and None


@infra(2, "the package lacks an input", "tree", code="no_canonical_input")
def package_without_input(w: World) -> None:
    (w.starter / "inputs/slab.json").unlink()


@infra(2, "the package's input is a link", "tree", code="no_canonical_input")
def package_with_link(w: World) -> None:
    (w.starter / "inputs/slab.json").rename(w.starter / "slab.json")
    (w.starter / "inputs/slab.json").symlink_to("../slab.json")


# -- 15: classes of delivery


@twin("the starter and one byte", "tree")
def one_byte(w: World) -> None:
    w.edit("lossless slabs", "lossless  slabs")


@invalid(15, "nothing", "tree", code="absent", keeps="", twin=one_byte)
def nothing(w: World) -> None:
    shutil.rmtree(w.tree)


@invalid(15, "dotfiles alone", "tree", code="absent", keeps="", twin=one_byte)
def dotfiles(w: World) -> None:
    shutil.rmtree(w.tree)
    w.write(".git/config", "x")
    w.write(".profile", "x")


def only_the_starter(w: World) -> None:
    shutil.rmtree(w.tree)
    shutil.copytree(STARTER, w.tree)


invalid(15, "the starter", "tree", code="starter_only", keeps="", twin=one_byte)(only_the_starter)


@invalid(15, "the starter with other times", "tree", code="starter_only", keeps="", twin=one_byte)
def touched(w: World) -> None:
    only_the_starter(w)
    os.utime(w.tree / "reproduce.sh", (1, 1))


@invalid(
    15, "the starter with outputs and byte code", "tree", code="starter_only", keeps="",
    twin=one_byte,
)  # fmt: skip
def starter_with_outputs(w: World) -> None:
    only_the_starter(w)
    w.store("outputs")
    w.write("src/__pycache__/solve.pyc", "x")


@invalid(15, "a report alone", "tree", code="missing_entrypoint", keeps="", twin=one_byte)
def report_alone(w: World) -> None:
    shutil.rmtree(w.tree)
    w.write("report.md", "Normal incidence, lossless.\n")


@infra(15, "the starter cannot be read", "tree", code="runner_error")
def unreadable_starter(w: World) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    w.patch.setattr("referee.replay.delivery.sha256_file", refuse)


elsewhere(
    15,
    "an agent that ran out of budget is graded by what it left",
    "trial/test_trial_model.py::test_an_agent_that_used_up_its_budget_is_scored",
)
elsewhere(
    15,
    "a fault of the machine before the agent's first turn withholds that trial alone",
    "trial/test_trial_faults.py::test_a_fault_withholds_its_trial_and_no_other",
)
