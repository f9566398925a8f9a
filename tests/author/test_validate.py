"""Validation by the production grader: sound tasks pass, and every kind of fault is named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from referee.author.evidence import (
    EVIDENCE,
    VALIDATION,
    append_evidence,
    read_evidence,
    require_validated,
)
from referee.author.mutate import generate_mutants
from referee.author.validate import Settings, validate_task
from referee.author.validation import CaseRow, MutationScore, Problem, Validation
from referee.author.variant import open_workpiece
from referee.environment.store import open_store
from referee.grade.repair import grade_repair
from referee.record.fault import BadInput, Infrastructure
from referee.record.verdict import GraderFacts
from referee.task.package import load_task
from referee.task.strict import read_json
from referee.trial.baseline import lock_baseline
from referee.trial.workspace import bench_for

Done = subprocess.CompletedProcess[str]

HEAD = "diff --git a/tiny/shapes.py b/tiny/shapes.py\n--- a/tiny/shapes.py\n+++ b/tiny/shapes.py\n"
ONLY_ONE = (
    f"{HEAD}@@ -1,2 +1,4 @@\n def area(radius):\n+    if radius == 1.0:\n"
    "+        return 3.141592653589793\n     return 3.141592653589 * radius\n"
)
BY_HAND = (
    f"{HEAD}@@ -1,2 +1,2 @@\n def area(radius):\n-    return 3.141592653589 * radius\n"
    "+    return 3.141592653589793 * radius * radius\n"
)
ORDER = """\

SEEN = []


@contract("hygiene")
def test_a():
    SEEN.append("a")


@contract("hygiene")
def test_b():
    assert SEEN == ["a"]
"""


def lock(store_root: Path, root: Path) -> None:
    task = load_task(root)
    lock_baseline(bench_for(open_store(store_root), task), task)


def validate(store_root: Path, root: Path, **settings: object) -> Validation:
    given = {"seed": 7, "repeats": 1, "jobs": 2, **settings}
    return validate_task(open_store(store_root), load_task(root), Settings(**given))  # type: ignore[arg-type]


def by_kind(done: Validation) -> dict[str, list[CaseRow]]:
    kinds: dict[str, list[CaseRow]] = {}
    for row in done.rows:
        kinds.setdefault(row.kind, []).append(row)
    return kinds


@pytest.fixture
def sound_task(locked_tiny_task: Path, tmp_path: Path) -> Path:
    """A task with a wrong and another right repair."""
    root = tmp_path / "001-tiny"
    shutil.copytree(locked_tiny_task, root)
    for name, patch in (("mutants/only-one", ONLY_ONE), ("alternatives/by-hand", BY_HAND)):
        path = root / "solution" / f"{name}.patch"
        path.parent.mkdir(exist_ok=True)
        path.write_text(patch)
    return root


@pytest.mark.slow
def test_a_sound_task_passes_a_quick_validation(store_root: Path, sound_task: Path) -> None:
    done = validate(store_root, sound_task, quick=True)
    assert done.problems == ()
    assert done.passed
    assert done.mode == "quick"
    kinds = by_kind(done)
    assert set(kinds) == {
        *("reference", "nop", "budget", "alternative", "mutant", "hunk", "null", "generated")
    }
    for kind in ("reference", "budget", "alternative"):
        assert all(row.scores and row.scores.pass1 == 1 for row in kinds[kind])
    for kind in ("nop", "mutant", "hunk", "null"):
        assert all(row.scores and row.scores.pass1 == 0 for row in kinds[kind])
    (mutant,) = kinds["mutant"]
    assert set(mutant.caught_by) == {
        "private/test_area.py::test_area_grows_with_the_square",
        "private/test_area.py::test_area_of_two",
    }
    assert mutant.scores is not None
    assert mutant.scores.public == 1.0
    scaling = next(row for row in done.contracts if row.name == "scaling")
    assert scaling.checks == 2
    assert 1 <= scaling.only <= scaling.caught
    varied = next(row for row in done.rows if row.id == "reference/varied-1")
    assert varied.conditions.order == 0
    assert varied.conditions.env["TZ"] != "UTC"
    assert done.mutation.graded == len(kinds["generated"])
    assert not (sound_task / VALIDATION).exists()
    assert not (sound_task / EVIDENCE).exists()


def test_a_full_validation_needs_the_stages_before(store_root: Path, sound_task: Path) -> None:
    with pytest.raises(BadInput, match=r"screen has not been passed.*referee task screen"):
        validate(store_root, sound_task, repeats=3)


@pytest.mark.slow
def test_a_full_validation_leaves_its_evidence(store_root: Path, sound_task: Path) -> None:
    reference = sound_task / "solution" / "reference.toml"
    canary = "referee-canary 001 00000000-0000-0000-0000-000000000007"
    reference.write_text(f"# {canary}\n{reference.read_text()}")
    for stage in ("screen", "freeze", "abstract"):
        append_evidence(load_task(sound_task), stage, {})  # type: ignore[arg-type]
    done = validate(store_root, sound_task, repeats=3)
    assert done.passed, done.problems
    assert done.mode == "full"
    assert done.canary == canary
    assert read_json(sound_task / VALIDATION, Validation) == done
    task = load_task(sound_task)
    require_validated(task)
    assert read_evidence(sound_task)[-1].facts["mutants_graded"] == done.mutation.graded
    hidden = sound_task / "tests" / "private" / "test_area.py"
    hidden.write_text(hidden.read_text() + "\n")
    with pytest.raises(BadInput, match=r"changed since validate.*referee task validate"):
        require_validated(load_task(sound_task))


def test_a_mutant_that_passes_and_an_alternative_that_fails_fall_short(
    store_root: Path, sound_task: Path
) -> None:
    solution = sound_task / "solution"
    (solution / "mutants" / "right.patch").write_text(BY_HAND)
    (solution / "alternatives" / "wrong.patch").write_text(ONLY_ONE)
    (solution / "mutants" / "elsewhere.patch").write_text(
        HEAD.replace("shapes", "nothing") + "@@ -1 +1 @@\n-a\n+b\n"
    )
    done = validate(store_root, sound_task, only=("mutant", "alternative"))
    assert done.mode == "partial"
    problems = {p.row: p.what for p in done.problems}
    assert set(problems) == {"mutant/right", "mutant/elsewhere", "alternative/wrong"}
    assert "no private or regression check fails" in problems["mutant/right"]
    assert "the gate refuses it (missing_file)" in problems["mutant/elsewhere"]
    assert "test_area_of_two" in problems["alternative/wrong"]
    row = next(row for row in done.rows if row.id == "mutant/right")
    assert row.patch == BY_HAND
    assert done.problems[0].command.endswith("--seed 7 --repeats 1 --only mutant/elsewhere")


def test_a_check_that_depends_on_order_falls_short(store_root: Path, tiny_task: Path) -> None:
    hidden = tiny_task / "tests" / "private" / "test_area.py"
    hidden.write_text(hidden.read_text() + ORDER)
    lock(store_root, tiny_task)
    done = validate(store_root, tiny_task, only=("reference", "nop"))
    short = {p.row for p in done.problems}
    assert short == {"reference/varied-1", "nop/varied-1"}
    assert "test_b" in done.problems[0].what


def test_public_calls_are_recorded_only_for_generated_mutants(
    sound_task: Path, store_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> object:
        raise BadInput("the public programs ran", where=sound_task)

    monkeypatch.setattr("referee.author.validate.special_cases", refuse)
    assert validate(store_root, sound_task, only=("reference",)).passed
    with pytest.raises(BadInput, match="the public programs ran"):
        validate(store_root, sound_task, only=("generated",))


def test_weak_checks_let_mutants_and_hunks_survive(store_root: Path, tiny_task: Path) -> None:
    weak = tiny_task / "tests" / "private" / "test_area.py"
    weak.write_text(weak.read_text().replace("<= 1e-9", "<= 1e9"))
    text = weak.read_text() + (
        '\n\n@contract("scaling")\ndef test_area_of_ten(candidate):\n'
        "    assert candidate(area, 10.0) > 32\n"
    )
    weak.write_text(text)
    lock(store_root, tiny_task)
    store, task = open_store(store_root), load_task(tiny_task)
    work = open_workpiece(store, task, bench_for(store, task).prepared.snapshot)
    terms = [f"generated/{m.id}" for m in generate_mutants(work).mutants if m.kind == "term"]
    done = validate(store_root, tiny_task, only=tuple(terms))
    survivors = [row for row in done.rows if not row.caught]
    assert [row.what.endswith("becomes `radius ** 2`") for row in survivors] == [True]
    assert survivors[0].note == "it survived"
    assert b"return (radius ** 2)" in (survivors[0].patch or "").encode()
    assert done.mutation.score == 1 - 1 / len(terms)
    first = survivors[0].id.removeprefix("generated/")
    reference = tiny_task / "solution" / "reference.toml"
    reference.write_text(
        f'{reference.read_text()}\n[[equivalent]]\nmutant = "{first}"\n'
        'reason = "no radius tells them apart"\n'
    )
    again = validate(store_root, tiny_task, only=(survivors[0].id,))
    assert again.rows[0].note == "judged equivalent: no radius tells them apart"
    assert again.mutation.equivalent == 1


def test_only_what_changed_is_graded_again(store_root: Path, sound_task: Path) -> None:
    first = validate(store_root, sound_task, keep=False)
    kept = first.model_copy(update={"mode": "full"})
    (sound_task / VALIDATION).write_text(kept.model_dump_json())
    again, graded = validate_again(store_root, sound_task)
    assert graded == []
    assert again.rows == first.rows
    assert (again.reused, again.seed) == (len(first.rows), first.seed)

    solution = sound_task / "solution"
    caught = next(row for row in first.rows if row.kind == "generated" and row.caught)
    (solution / "mutants" / "right.patch").write_text(BY_HAND)
    (solution / "mutants" / "only-one.patch").unlink()
    with (solution / "reference.toml").open("a") as file:
        name = caught.id.removeprefix("generated/")
        file.write(f'\n[[equivalent]]\nmutant = "{name}"\nreason = "it is not, really"\n')
    again, graded = validate_again(store_root, sound_task)
    assert sorted(graded) == sorted([caught.id, "mutant/right"])
    assert {p.row for p in again.problems} == {caught.id, "mutant/right"}
    assert "mutant/only-one" not in {row.id for row in again.rows}


def validate_again(store_root: Path, root: Path) -> tuple[Validation, list[str]]:
    """The validation that reuses the kept one, and the cases that it graded."""
    graded: list[str] = []
    done = validate_task(
        open_store(store_root),
        load_task(root),
        Settings(seed=1, jobs=2, keep=False, reuse=True),
        on_row=lambda row, _done, _planned: graded.append(row.id),
    )
    return done, graded


def test_gradings_of_other_checks_are_not_reused(store_root: Path, sound_task: Path) -> None:
    with pytest.raises(BadInput, match=r"no validation whose gradings.*without --reuse"):
        validate(store_root, sound_task, reuse=True)
    done = validate(store_root, sound_task, only=("nop/1",))
    (sound_task / VALIDATION).write_text(done.model_dump_json())
    with pytest.raises(BadInput, match="the kind of validation changed"):
        validate(store_root, sound_task, reuse=True)
    other = done.grader.model_copy(update={"code_digest": "0" * 64})
    parts = {**done.parts, "baseline": "0" * 64}
    done = done.model_copy(update={"mode": "full", "grader": other, "parts": parts})
    (sound_task / VALIDATION).write_text(done.model_dump_json())
    with pytest.raises(BadInput, match="baseline, the grader changed since"):
        validate(store_root, sound_task, reuse=True)


@pytest.fixture
def referee(store_environment: Path, tmp_path: Path) -> Callable[..., Done]:
    """Runs one command line."""

    def call(*arguments: str | Path) -> Done:
        return subprocess.run(
            [sys.executable, "-m", "referee", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ},
            timeout=300,
        )

    return call


def test_the_command_prints_what_fell_short(referee: Callable[..., Done], sound_task: Path) -> None:
    (sound_task / "solution" / "mutants" / "right.patch").write_text(BY_HAND)
    command = ["task", "validate", sound_task, "--only", "mutant", "--seed", "3", "--jobs", "2"]
    shown = referee(*command)
    assert shown.returncode == 1, shown.stderr
    assert "mutant/right" in shown.stdout
    assert "fell short" in shown.stdout
    assert "[2/2]" in shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 100
    told = json.loads(referee(*command, "--json").stdout)
    assert [p["row"] for p in told["problems"]] == ["mutant/right"]


def test_what_the_machine_failed_once_is_graded_once_more_and_told(
    store_root: Path, sound_task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[int] = []

    def flaky(*args: object, **kwargs: object) -> object:
        if not failed:
            failed.append(1)
            raise Infrastructure("sandbox_start", "no sandbox just now")
        return grade_repair(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr("referee.author.validate.grade_repair", flaky)
    settings = Settings(seed=1, repeats=1, quick=True, only=("nop",), keep=False)
    done = validate_task(open_store(store_root), load_task(sound_task), settings)
    assert [row.again for row in done.rows] == ["sandbox_start"] + [None] * (len(done.rows) - 1)
    assert done.passed


@pytest.mark.parametrize(
    ("withheld", "code"), [(None, 1), ("sandbox_start", 3)], ids=["fell-short", "machine-failed"]
)
def test_the_exit_code_tells_a_weak_task_from_a_failed_machine(
    monkeypatch: pytest.MonkeyPatch, tiny_task: Path, withheld: str | None, code: int
) -> None:
    from referee.cli import author

    row = CaseRow(id="nop/1", kind="nop", what="", seed=1, submission="0" * 64, withheld=withheld)
    named = row.id if withheld else "generated"
    done = Validation(
        canary=None,
        task="001-tiny",
        mode="full",
        passed=False,
        parts={},
        grader=GraderFacts(version="1", code_digest="0" * 64),
        seed=1,
        repeats=3,
        mutation=MutationScore(
            candidates=0, graded=0, caught=0, equivalent=0, score=None, adjusted=None
        ),
        contracts=(),
        checks=(),
        problems=(Problem(row=named, what="it", command="referee"),),
        notes=(),
        rows=(row,),
        seconds=1.0,
        jobs=1,
    )
    monkeypatch.setattr("referee.author.validate.validate_task", lambda *_a, **_k: done)
    with pytest.raises(typer.Exit) as ended:
        author.validate(tiny_task, None, 3, 1, False, None, False, None, True)
    assert ended.value.exit_code == code


def test_bad_input_is_one_sentence(referee: Callable[..., Done], sound_task: Path) -> None:
    for words, sentence in (
        (["--only", "mutants"], "--only 'mutants' names no case"),
        (["--only", "nop", "--reuse"], "--reuse takes the seed and the cases of the last"),
        ([], "screen has not been passed"),
    ):
        done = referee("task", "validate", sound_task, *words)
        assert done.returncode == 2
        assert sentence in done.stderr.splitlines()[-1]
    (sound_task / "instruction.md").write_text("Changed.\n")
    done = referee("task", "validate", sound_task, "--quick")
    assert done.returncode == 2
    assert "referee task baseline" in done.stderr
