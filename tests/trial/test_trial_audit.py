"""An audit passes an untouched run and finds every edited, missing or added byte."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput
from referee.trial.audit import audit_run
from referee.trial.index import trial_counts
from referee.trial.run_folder import open_run


@pytest.fixture(scope="module")
def template(tmp_path_factory, fake_run):
    run = tmp_path_factory.mktemp("template") / "run"
    fake_run(withheld=frozenset({("t1", "nop", 1)})).finish(run)
    return run


@pytest.fixture
def finished(tmp_path, template):
    return Path(shutil.copytree(template, tmp_path / "run"))


def found(run: Path) -> bool:
    report = audit_run(run)
    return not (report.ok and report.complete)


def files_of(run: Path) -> list[Path]:
    return sorted(path for path in run.rglob("*") if path.is_file())


def test_an_untouched_run_is_whole(finished):
    report = audit_run(finished)
    assert (report.findings, report.notes) == ((), ())
    assert report.ok
    assert report.complete
    assert (report.planned, report.scored, report.withheld) == (4, 3, 1)


def test_an_audit_changes_nothing(finished):
    before = {path: path.read_bytes() for path in files_of(finished)}
    audit_run(finished)
    assert {path: path.read_bytes() for path in files_of(finished)} == before


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_any_edit_of_any_file_is_found(finished, data):
    with tempfile.TemporaryDirectory() as place:
        run = Path(place) / "run"
        shutil.copytree(finished, run, symlinks=True)
        path = data.draw(st.sampled_from([p.relative_to(run) for p in files_of(run)]))
        edit_file(run / path, data)
        assert found(run), path


def edit_file(path: Path, data) -> None:
    old = path.read_bytes()
    at = data.draw(st.integers(0, max(0, len(old) - 1)))
    how = data.draw(st.sampled_from(["flip", "insert", "cut", "delete", "add", "rename", "link"]))
    if how == "flip" and old:
        path.write_bytes(old[:at] + bytes([old[at] ^ (1 << (at % 8))]) + old[at + 1 :])
    elif how == "cut" and old:
        path.write_bytes(old[:at])
    elif how == "delete":
        path.unlink()
    elif how == "add":
        path.with_name("added").write_bytes(b"")
    elif how == "rename":
        path.rename(path.with_name(path.name + "x"))
    elif how == "link":
        path.rename(path.with_name("moved"))
        path.symlink_to("moved")
    else:
        path.write_bytes(old[:at] + b" " + old[at:])


def test_every_folder_may_gain_neither_a_file_nor_a_folder(finished):
    for folder in [finished, *(p for p in finished.rglob("*") if p.is_dir())]:
        extra = folder / "extra"
        extra.mkdir()
        assert found(finished), folder
        extra.rmdir()
        extra.touch()
        assert found(finished), folder
        extra.unlink()
    assert not found(finished)


@pytest.fixture
def no_waiting() -> Iterator[None]:
    """End a test that waits for ever."""

    def give_up(_number: int, _frame: object) -> None:
        raise TimeoutError("a reader waits for a pipe")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("no_waiting")
@pytest.mark.parametrize("put", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_pipe_or_device_in_the_place_of_any_file_is_found(finished, put):
    for path in files_of(finished):
        data = path.read_bytes()
        path.unlink()
        put(path)
        assert found(finished), path
        path.unlink()
        path.write_bytes(data)
    assert not found(finished)


@pytest.mark.usefixtures("no_waiting")
@pytest.mark.parametrize("name", ["run.json", "ledger.jsonl"])
def test_a_table_does_not_wait_for_a_pipe(finished, name):
    (finished / name).unlink()
    os.mkfifo(finished / name)
    with pytest.raises(BadInput, match="not a regular file"):
        trial_counts(finished)


def test_every_deleted_folder_and_file_is_found(finished, tmp_path):
    for path in sorted(finished.rglob("*")):
        aside = tmp_path / "aside"
        path.rename(aside)
        assert found(finished), path
        aside.rename(path)
    assert not found(finished)


def test_a_ledger_without_its_seal_is_incomplete_and_without_a_trial_is_wrong(finished):
    ledger = finished / "ledger.jsonl"
    rows = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(rows[:-1]))
    report = audit_run(finished)
    assert (report.ok, report.complete) == (True, False)
    ledger.write_bytes(b"".join(rows[:-2]))
    assert not audit_run(finished).ok


def rewritten(finished: Path, change) -> None:
    """Change the record of an oracle's trial and forge every hash of the ledger to fit."""
    from referee.record.folder import folder_digest
    from referee.trial.ledger import Line, parse_ledger

    folder = finished / "trials/t0/nop/1"
    change(folder)
    prev, out = "0" * 64, b""
    for line in parse_ledger((finished / "ledger.jsonl").read_bytes()).lines:
        body = dict(line.body)
        if line.kind == "trial" and body["identity"]["task_id"] == "t0":
            here = finished / f"trials/t0/{body['identity']['arm']}/1"
            body["digest"] = folder_digest(here)
        forged = Line(line.seq, prev, line.kind, body)
        prev, out = forged.hash, out + forged.encode()
    (finished / "ledger.jsonl").write_bytes(out)


def test_a_rewritten_ledger_has_another_head(finished):
    head = audit_run(finished).head
    rewritten(finished, lambda folder: (folder / "agent/transcript.jsonl").write_bytes(b"{}"))
    report = audit_run(finished)
    assert report.ok
    assert report.head != head


def test_scores_are_computed_again_even_when_every_hash_fits(finished):
    def lie(folder):
        path = folder / "trial.json"
        value = json.loads(path.read_bytes())
        value["scores"] |= {"private": 1.0, "fail2pass": 1.0, "pass1": 1}
        path.write_text(
            json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
        )

    rewritten(finished, lie)
    assert [f.what for f in audit_run(finished).findings] == [
        "the scores in trial.json are not those of the verdict"
    ]


def test_another_patch_is_found_even_when_every_hash_fits(finished):
    rewritten(finished, lambda folder: (folder / "submission/patch.diff").write_bytes(b"x"))
    assert "not the submission" in audit_run(finished).findings[0].what


def test_a_foreign_folder_and_a_foreign_version_are_bad_input(tmp_path, finished):
    with pytest.raises(BadInput, match="not a run"):
        audit_run(tmp_path)
    with pytest.raises(BadInput, match="no such run"):
        audit_run(tmp_path / "nothing")
    old = tmp_path / "old"
    old.mkdir()
    (old / "run.json").write_text('{"record_version":0}\n')
    with pytest.raises(BadInput, match="record version 0"):
        audit_run(old)


def test_a_running_run_is_incomplete_and_sound(tmp_path, fake_run):
    fake = fake_run()
    with open_run(tmp_path / "run", fake.plan()) as run:
        first, second, *_ = run.pending()
        fake.commit(run, first)
        run.begin_trial(second)
        report = audit_run(tmp_path / "run")
    assert (report.ok, report.complete, report.scored) == (True, False, 1)
    assert len(report.notes) >= 1


def test_an_interrupted_part_is_guarded_too(tmp_path, fake_run):
    fake = fake_run()
    with open_run(tmp_path / "run", fake.plan()) as run:
        partial = run.begin_trial(run.pending()[0])
        partial.write("agent/log", b"half")
    fake.finish(tmp_path / "run")
    assert not found(tmp_path / "run")
    (kept,) = (tmp_path / "run/interrupted").glob("*/*/*/agent/log")
    kept.write_bytes(b"HALF")
    assert found(tmp_path / "run")


def test_a_regrade_stands_beside_the_first_verdict(finished, fake_run):
    fake = fake_run()
    with open_run(finished, fake.plan()) as run:
        identity = run.plan.trials()[0]
        assert not run.add_regrade(identity, fake.verdict(identity))
        newer = fake.plan().grader.model_copy(update={"code_digest": sha256_bytes(b"new")})
        assert run.add_regrade(identity, fake.verdict(identity, grader=newer))
    assert not found(finished)
    assert len(list((finished / identity.folder / "grade").iterdir())) == 2
    shutil.rmtree(sorted((finished / identity.folder / "grade").iterdir())[0])
    assert found(finished)
