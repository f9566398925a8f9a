"""The index holds one row per check, follows the ledger, and cannot be bent unseen."""

from __future__ import annotations

import duckdb
import pytest

from referee.record.canonical import sha256_bytes
from referee.record.fault import BadInput
from referee.record.load import load_record
from referee.record.trial import Trial
from referee.trial.audit import audit_run
from referee.trial.index import build_index, index_head, trial_counts
from referee.trial.run_folder import open_run


@pytest.fixture
def fake(fake_run):
    return fake_run(arms=("nop", "half"), checks=7, withheld=frozenset({("t0", "nop", 1)}))


@pytest.fixture(params=["run", "odd [name]* 'x'"])
def run(request, tmp_path, fake):
    fake.finish(tmp_path / request.param)
    return tmp_path / request.param


def test_one_row_per_check_and_one_per_withheld_trial(run):
    path = build_index(run)
    path = path.rename(run.parent / "plain.parquet")
    rows = duckdb.sql(
        f"SELECT arm, task_id, outcome, withheld_reason, check_id FROM '{path}'"
    ).fetchall()
    assert len(rows) == 3 * 7 + 1
    assert [row for row in rows if row[2] == "withheld"] == [
        ("nop", "t0", "withheld", "sandbox_start", None)
    ]


def test_counts_give_the_scores_of_the_records(run):
    counts = {(c.task_id, c.arm, c.attempt): c for c in trial_counts(run)}
    assert len(counts) == 4
    for path in run.glob("trials/*/*/*/trial.json"):
        trial = load_record(path, Trial)
        got = counts[trial.identity.key]
        assert got.outcome == trial.outcome
        if trial.scores is not None:
            expected = trial.scores.as_json()
            del expected["pass2pass_empty"]
            assert got.scores() == expected


def test_the_index_follows_the_ledger(tmp_path, fake):
    run = tmp_path / "run"
    with open_run(run, fake.plan()) as writer:
        fake.commit(writer, writer.pending()[0])
        assert len(trial_counts(run)) == 1
        stale = index_head(run)
    head = fake.finish(run)
    assert index_head(run) == stale != head
    assert audit_run(run).ok
    assert len(trial_counts(run)) == 4
    assert index_head(run) == head
    before = (run / "index.parquet").stat().st_mtime_ns
    trial_counts(run)
    assert (run / "index.parquet").stat().st_mtime_ns == before


def test_a_broken_index_is_built_again(run):
    (run / "index.parquet").write_bytes(b"PAR1 no")
    assert index_head(run) is None
    assert len(trial_counts(run)) == 4


def test_a_bent_index_is_found_by_the_audit(tmp_path, fake):
    run = tmp_path / "run"
    head = fake.finish(run)
    path = str(build_index(run))
    assert audit_run(run).findings == ()
    duckdb.sql(
        f"COPY (SELECT * REPLACE ('passed' AS check_outcome) FROM '{path}') TO '{path}.new' "
        f"(FORMAT parquet, KV_METADATA {{ledger_head: '{head}', index_version: '1'}})"
    )
    (run / "index.parquet.new").rename(path)
    assert [finding.where for finding in audit_run(run).findings] == ["index.parquet"]


def test_an_edited_record_never_reaches_a_table(run):
    (path,) = run.glob("trials/t1/nop/1/grade/*/verdict.json")
    path.write_bytes(path.read_bytes().replace(b"failed", b"passed"))
    with pytest.raises(BadInput, match="not the one that the ledger names"):
        trial_counts(run)


def test_a_regrade_does_not_change_the_first_grading(run, fake):
    before = trial_counts(run)
    identity = fake.plan().trials()[2]
    newer = fake.plan().grader.model_copy(update={"code_digest": sha256_bytes(b"new")})
    with open_run(run, fake.plan()) as writer:
        assert writer.add_regrade(identity, fake.verdict(identity, grader=newer))
    assert trial_counts(run) == before


def test_a_run_in_which_everything_was_withheld_has_an_index(tmp_path, fake_run):
    fake = fake_run(tasks=1, arms=("nop",), withheld=frozenset({("t0", "nop", 1)}))
    fake.finish(tmp_path / "run")
    (count,) = trial_counts(tmp_path / "run")
    assert (count.scored, count.private) == (False, (0, 0))


def test_a_run_that_cannot_be_written_has_its_counts(tmp_path, fake, monkeypatch):
    run = tmp_path / "run"
    fake.finish(run)

    def refuse(path, data):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("referee.trial.index.write_atomic", refuse)
    assert len(trial_counts(run)) == 4
    assert not (run / "index.parquet").exists()
    with pytest.raises(BadInput, match="cannot be written"):
        build_index(run)


def test_no_run_is_one_sentence(tmp_path):
    with pytest.raises(BadInput, match="cannot be read"):
        trial_counts(tmp_path)
