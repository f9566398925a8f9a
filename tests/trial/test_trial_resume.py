"""A run that is killed at any moment and resumed leaves the same records as one that was not."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from referee.record.fault import BadInput
from referee.record.load import load_record
from referee.record.trial import Trial
from referee.trial.audit import audit_run
from referee.trial.layout import trial_entries
from referee.trial.ledger import read_ledger
from referee.trial.run_folder import open_run

STEPS = ("os.rename", "os.mkdir", "os.remove", "os.truncate", "os.chmod", "os.rmdir")


class Killer:
    """Kills its own process before the `last`-th step that changes the disk; None only counts."""

    def __init__(self, last: int | None):
        self.last = last
        self.count = 0

    def step(self, half=None) -> None:
        self.count += 1
        if self.count == self.last:
            if half is not None:
                half()
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        write = os.write

        def torn_write(fd: int, data: bytes) -> int:
            self.step(lambda: write(fd, bytes(data[: len(data) // 2])))
            written = write(fd, data)
            self.step()
            return written

        def no_fsync(fd: int) -> None:
            self.step()  # the page cache survives a killed process, so the disk may be spared

        def hook(event: str, args: tuple) -> None:
            writing = event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if event in STEPS or writing:
                self.step()

        os.write, os.fsync = torn_write, no_fsync
        sys.addaudithook(hook)


def in_child(work, last: int | None) -> int:
    """Run `work` in a child that dies at step `last`; the number of steps if it lived, else -1."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reader)
            write = os.write
            killer = Killer(last)
            killer.install()
            work()
            write(writer, str(killer.count).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return -1
    assert os.WEXITSTATUS(status) == 0
    return int(said)


def records(run: Path) -> dict[str, str]:
    return {
        path.parent.relative_to(run).as_posix(): load_record(path, Trial).content_digest
        for path in run.glob("trials/*/*/*/trial.json")
    }


def finished(run: Path) -> dict[str, str]:
    return {e.path: e.digest for e in trial_entries(read_ledger(run).lines).values()}


@pytest.fixture(scope="module")
def spared(fake_run, tmp_path_factory):
    """A small fake and the records of its run when nothing disturbs it."""
    fake = fake_run(tasks=1, withheld=frozenset({("t0", "nop", 1)}))
    run = tmp_path_factory.mktemp("spared") / "run"
    fake.finish(run)
    return fake, records(run)


@pytest.fixture(autouse=True)
def _spare_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda fd: None)


def assert_resumes(fake, run: Path, expected: dict[str, str]) -> None:
    before = finished(run)
    fake.finish(run)
    report = audit_run(run)
    assert (report.findings, report.complete) == ((), True)
    assert records(run) == expected
    after = finished(run)
    assert {path: after[path] for path in before} == before, "a finished trial was run again"


def test_killed_at_every_step_and_again_while_it_resumes(spared, tmp_path):
    fake, expected = spared
    steps = in_child(lambda: fake.finish(tmp_path / "counted"), None)
    assert steps > 60
    chance = random.Random(20240229)
    for step in range(1, steps + 1):
        run = tmp_path / str(step)
        assert in_child(lambda run=run: fake.finish(run), step) == -1
        in_child(lambda run=run: fake.finish(run), chance.randint(1, 30))
        assert_resumes(fake, run, expected)
        shutil.rmtree(run)


def test_killed_at_any_time(fake_run, tmp_path):
    fake = fake_run(tasks=4)
    fake.finish(tmp_path / "spared")
    expected = records(tmp_path / "spared")
    chance = random.Random(7)
    for number in range(15):
        run = tmp_path / str(number)
        child = os.fork()
        if child == 0:
            try:
                fake.finish(run)
            finally:
                os._exit(0)
        time.sleep(chance.random() * 0.1)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert_resumes(fake, run, expected)
        shutil.rmtree(run)


def test_a_torn_line_is_cut_off_and_kept_by_the_writer_only(spared, tmp_path):
    fake, _ = spared
    run = tmp_path / "run"
    with open_run(run, fake.plan()) as writer:
        fake.commit(writer, writer.pending()[0])
    whole = (run / "ledger.jsonl").read_bytes()
    (run / "ledger.jsonl").write_bytes(whole + b'{"body":{"dig')
    report = audit_run(run)
    assert not report.ok
    assert "unfinished line" in report.findings[0].what
    assert (run / "ledger.jsonl").read_bytes() != whole
    fake.finish(run)
    assert (run / "ledger.torn-1").read_bytes() == b'{"body":{"dig'
    assert (run / "ledger.jsonl").read_bytes().startswith(whole)
    assert audit_run(run).ok


def test_a_part_is_put_aside_and_run_again(spared, tmp_path):
    fake, expected = spared
    run = tmp_path / "run"
    with open_run(run, fake.plan()) as writer:
        writer.begin_trial(writer.pending()[0]).write("agent/log", b"half")
    fake.finish(run)
    assert records(run) == expected
    assert [p.read_bytes() for p in run.glob("interrupted/t0/*/1.1/agent/log")] == [b"half"]


def test_a_finished_run_is_not_run_again(spared, tmp_path):
    fake, _ = spared
    head = fake.finish(tmp_path / "run")
    with open_run(tmp_path / "run", fake.plan(created="2027-01-01T00:00:00Z")) as run:
        assert run.pending() == ()
        with pytest.raises(ValueError, match="never run again"):
            run.begin_trial(run.plan.trials()[0])
    assert fake.finish(tmp_path / "run") == head


def test_a_whole_record_that_lies_is_not_adopted(spared, tmp_path):
    fake, _ = spared
    run = tmp_path / "run"
    fake.finish(run)
    ledger = run / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    (run / "trials/t0/oracle/1/submission/patch.diff").write_bytes(b"other")
    with pytest.raises(BadInput, match="cannot be adopted"):
        fake.finish(run)


def test_a_damaged_run_is_never_continued(spared, tmp_path):
    fake, _ = spared
    run = tmp_path / "run"
    fake.finish(run)
    ledger = (run / "ledger.jsonl").read_bytes()
    (run / "ledger.jsonl").write_bytes(ledger.replace(b"withheld", b"deferred"))
    with pytest.raises(BadInput, match="ledger is damaged"):
        fake.finish(run)
    (run / "ledger.jsonl").write_bytes(ledger)
    shutil.rmtree(run / "trials/t0/oracle/1")
    with pytest.raises(BadInput, match="finished trial is missing"):
        fake.finish(run)


def test_two_processes_cannot_write_one_run(spared, tmp_path):
    fake, _ = spared
    with (
        open_run(tmp_path / "run", fake.plan()),
        pytest.raises(BadInput, match="another process"),
        open_run(tmp_path / "run", fake.plan()),
    ):
        pytest.fail("both hold the run")


def test_a_closed_run_takes_no_more(spared, tmp_path):
    fake, _ = spared
    with open_run(tmp_path / "run", fake.plan()) as run:
        first, second = run.pending()
        fake.commit(run, first)
    with pytest.raises(BadInput, match="closed"):
        fake.commit(run, second)
    with pytest.raises(BadInput, match="closed"):
        run.seal()


def test_another_plan_or_a_foreign_folder_is_refused(spared, tmp_path, fake_run):
    fake, _ = spared
    fake.finish(tmp_path / "run")
    other = fake.plan(seed=1, limits={"a": 1})
    with (
        pytest.raises(BadInput, match="differs in limits, seed"),
        open_run(tmp_path / "run", other),
    ):
        pytest.fail("another plan was let in")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.tex").touch()
    with pytest.raises(BadInput, match=r"thesis\.tex"):
        fake.finish(tmp_path / "mine")
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="not a folder"):
        fake.finish(tmp_path / "file")
    (tmp_path / "run/run.json").write_text('{"record_version":99}')
    with pytest.raises(BadInput, match="record version 99"):
        fake.finish(tmp_path / "run")


def test_a_record_that_does_not_fit_together_is_not_committed(spared, tmp_path):
    fake, _ = spared
    with open_run(tmp_path / "run", fake.plan()) as run:
        first, second = run.pending()
        partial = run.begin_trial(first)
        scored = fake.verdict(second)
        trial = Trial.model_validate(
            {
                "identity": second,
                "outcome": "scored",
                "submission": {
                    "submission_digest": scored.submission_digest,
                    "bytes": 1,
                    "files": 1,
                },
                "verdict_digest": scored.content_digest,
                "scores": scored.scores,
            }
        )
        with pytest.raises(ValueError, match="another trial"):
            run.commit_trial(partial, trial, verdict=scored, patch=b"x")
        assert run.finished == {}


def sentence_of(work) -> str | None:
    try:
        work()
    except BadInput as error:
        return str(error)
    return None


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO])
def test_a_full_disk_at_any_write_is_one_sentence_and_counts_nothing(
    spared, tmp_path, monkeypatch, fault
):
    fake, expected = spared
    write_bytes, write = Path.write_bytes, os.write
    refused = 0
    for number in range(1, 60):
        calls = {"left": number}

        def tick(calls=calls) -> bool:
            calls["left"] -= 1
            return calls["left"] == 0

        def fsync(fd, tick=tick):
            if tick():
                raise OSError(fault, os.strerror(fault))

        def short_write(fd, data, tick=tick):
            if tick():
                return write(fd, data[: len(data) // 2])
            return write(fd, data)

        def full_write_bytes(path, data, tick=tick):
            if tick():
                write_bytes(path, data[: len(data) // 2])
                raise OSError(fault, os.strerror(fault))
            return write_bytes(path, data)

        run = tmp_path / str(number)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fsync)
            patch.setattr(os, "write", short_write)
            patch.setattr(Path, "write_bytes", full_write_bytes)
            said = sentence_of(lambda run=run: fake.finish(run))
        if said is None:
            assert calls["left"] > 0, f"write {number} failed and nobody said so"
            break
        refused += 1
        assert "\n" not in said
        assert "disk is full" in said or "cannot be written" in said
        assert_resumes(fake, run, expected)
        shutil.rmtree(run)
    assert refused > 15


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system")
def test_a_really_full_disk(fake_run, tmp_path):
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(place)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("this machine lets nobody mount a tmpfs")
    try:
        fake = fake_run(tasks=30)
        with pytest.raises(BadInput, match="disk is full"):
            fake.finish(place / "run")
        report = audit_run(place / "run")
        assert not report.complete
        assert 0 < report.scored < 60
        shutil.copytree(place / "run", tmp_path / "run")
    finally:
        subprocess.run(["umount", str(place)], check=True)
    fake.finish(tmp_path / "run")
    assert audit_run(tmp_path / "run").ok
