"""Wrong repairs that are right for the public inputs alone."""

from __future__ import annotations

import hashlib
import types
from pathlib import Path

import pytest

from referee.author import special, special_inside
from referee.author.special import changed_functions, special_cases
from referee.author.variant import open_workpiece
from referee.environment.store import open_store
from referee.task.package import load_task
from referee.trial.workspace import bench_for

BEFORE = """\
RATE = 3


def area(r):
    return RATE * r * r


class Ball:
    def __init__(self, r):
        self.r = r

    def volume(self):
        return RATE * self.r

    @staticmethod
    def name(n):
        return "old" * n

    @property
    def size(self):
        return -self.r


def same():
    return 1
"""
AFTER = (
    BEFORE.replace("RATE = 3", "RATE = 4")
    .replace("RATE * r * r", "RATE * r**2 + 1")
    .replace("RATE * self.r", "RATE * self.r**3")
    .replace('"old"', '"new"')
    .replace("-self.r", "self.r")
)
NAMES = ["area", "Ball.volume", "Ball.name", "Ball.size"]


def module(source: str) -> types.ModuleType:
    made = types.ModuleType("made")
    made.__dict__["__file__"] = "made.py"
    exec(source, made.__dict__)
    return made


def test_functions_with_changed_lines_are_found_by_dotted_name() -> None:
    assert changed_functions(BEFORE.encode(), AFTER.encode()) == tuple(NAMES)
    assert changed_functions(None, AFTER.encode()) == ()
    assert changed_functions(b"def f(:\n", AFTER.encode()) == ()


def test_a_function_with_a_line_less_has_changed() -> None:
    shorter = BEFORE.replace("        self.r = r\n", "        pass\n").replace(
        "def same():\n    return 1\n", "def same():\n    pass\n"
    )
    assert changed_functions(BEFORE.encode(), shorter.encode()) == ("Ball.__init__", "same")


def test_recorded_calls_are_right_and_all_others_as_before(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    recorder = module(AFTER)
    special_inside._special_record(recorder.__dict__, NAMES, str(calls))
    assert recorder.area(2) == 17
    assert recorder.Ball(2).volume() == 32
    assert recorder.Ball.name(1) == "new"
    assert recorder.Ball(5).size == 5
    rows = [line.split() for line in calls.read_text().splitlines()]
    assert [name for _digest, name in rows] == NAMES
    chosen = module(AFTER)
    known = " ".join(digest for digest, _name in rows)
    special_inside._special_choose(chosen.__dict__, NAMES, known, BEFORE)
    assert (chosen.area(2), chosen.area(3)) == (17, 27)
    assert (chosen.area(r=2), chosen.area(2.0)) == (12, 12.0)
    assert (chosen.Ball(2).volume(), chosen.Ball(3).volume()) == (32, 9)
    assert (chosen.Ball.name(1), chosen.Ball.name(2)) == ("new", "oldold")
    assert (chosen.Ball(5).size, chosen.Ball(4).size) == (5, -4)


def test_the_key_of_a_call_tells_values_and_types_apart() -> None:
    class Loop:
        def __init__(self) -> None:
            self.me = self

    values = [1, 1.0, True, "1", None, [1], (1,), {1}, {1: 1}, {1: 2}, 0.0, -0.0, float("nan")]
    keys = [special_inside._special_digest("f", (v,), {}) for v in values]
    assert len(set(keys)) == len(values)
    assert special_inside._special_digest("f", (Loop(),), {})
    assert len(keys[0]) == len(hashlib.sha256().hexdigest()) // 4


def test_a_call_that_has_no_key_is_no_public_call(tmp_path: Path) -> None:
    class Odd:
        def __getattr__(self, name: str) -> object:
            raise RuntimeError(name)

    class Half:
        @property
        def __dict__(self) -> dict[str, object]:  # type: ignore[override]
            raise RuntimeError

    assert special_inside._special_digest("f", (Odd(),), {})
    assert special_inside._special_digest("f", (Half(),), {}) is None
    calls = tmp_path / "calls"
    recorder, chosen = module(AFTER), module(AFTER)
    special_inside._special_record(recorder.__dict__, ["area"], str(calls))
    with pytest.raises(TypeError):
        recorder.area(Half())
    assert not calls.exists()
    special_inside._special_choose(chosen.__dict__, ["area"], "", BEFORE)
    assert chosen.area(2) == 12


def test_the_public_calls_of_a_task_make_a_special_case(
    store_root: Path, locked_tiny_task: Path
) -> None:
    store, task = open_store(store_root), load_task(locked_tiny_task)
    bench = bench_for(store, task)
    work = open_workpiece(store, task, bench.prepared.snapshot)
    found = special_cases(bench, task, work)
    assert found.notes == ()
    (mutant,) = found.mutants
    assert mutant.kind == "special-case"
    assert special_cases(bench, task, work).mutants[0].id == mutant.id
    (content,) = mutant.applied.changes.values()
    assert content is not None
    made = module(content.decode())
    right, wrong = 3.141592653589793, 3.141592653589
    assert made.area(1.0) == pytest.approx(right, rel=1e-15)
    assert made.area(2.0) == pytest.approx(2 * wrong, rel=1e-15)


def test_a_function_that_no_public_call_reaches_makes_no_case_of_its_own(
    store_root: Path, locked_tiny_task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, task = open_store(store_root), load_task(locked_tiny_task)
    bench = bench_for(store, task)
    work = open_workpiece(store, task, bench.prepared.snapshot)
    monkeypatch.setattr(special, "changed_functions", lambda _b, _a: ("area", "listed"))
    monkeypatch.setattr(special, "_recorded", lambda *_a: (("0" * 16, "area"),))
    found = special_cases(bench, task, work)
    assert [m.what.split(" is ")[0] for m in found.mutants] == ["every changed function", "area"]
    assert found.notes == ("no special case of listed alone: no public call reaches it",)
