"""The ledger: canonical, linked, readable to the last good line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.record.fault import BadInput
from referee.trial.ledger import (
    NO_LINE,
    LedgerWriter,
    Line,
    ledger_head,
    lock_run,
    parse_ledger,
    read_ledger,
)

bodies = st.dictionaries(
    st.text(max_size=5),
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)),
    max_size=3,
)


def encode(rows) -> bytes:
    prev, out = NO_LINE, b""
    for seq, body in enumerate(rows):
        line = Line(seq, prev, "trial", body)
        prev, out = line.hash, out + line.encode()
    return out


@given(st.lists(bodies, max_size=5))
def test_lines_come_back(rows):
    text = parse_ledger(encode(rows))
    assert [dict(line.body) for line in text.lines] == rows
    assert (text.torn, text.fault) == (b"", None)
    assert text.size == len(encode(rows))


@given(st.lists(bodies, min_size=1, max_size=4), st.data())
def test_any_change_of_a_byte_is_seen(rows, data):
    whole = encode(rows)
    at = data.draw(st.integers(0, len(whole) - 1))
    changed = data.draw(st.integers(0, 255).filter(lambda b: b != whole[at]))
    text = parse_ledger(whole[:at] + bytes([changed]) + whole[at + 1 :])
    assert text.fault or text.torn
    assert len(text.lines) < len(rows)


@given(st.lists(bodies, min_size=1, max_size=4), st.data())
def test_a_ledger_that_is_cut_off_keeps_its_whole_lines(rows, data):
    whole = encode(rows)
    text = parse_ledger(whole[: data.draw(st.integers(0, len(whole)))])
    assert text.fault is None
    assert [dict(line.body) for line in text.lines] == rows[: len(text.lines)]
    assert whole[: text.size] + text.torn == whole[: text.size + len(text.torn)]


@given(st.lists(bodies, min_size=2, max_size=4, unique_by=repr), st.data())
def test_lines_cannot_be_left_out_doubled_or_exchanged(rows, data):
    lines = encode(rows).splitlines(keepends=True)
    i = data.draw(st.integers(0, len(lines) - 2))
    for changed in (
        lines[:i] + lines[i + 1 :],
        lines[: i + 1] + lines[i:],
        [*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]],
    ):
        assert parse_ledger(b"".join(changed)).fault is not None


@given(st.binary(max_size=200))
def test_no_bytes_make_the_reader_fail(data):
    text = parse_ledger(data)
    assert text.lines == ()


@pytest.mark.parametrize(
    "row",
    [b"[" * 100_000, b'{"body":{},"hash":NaN,"kind":"trial","prev":"","seq":0}', b"\xff", b"null"],
)
def test_odd_lines_are_faults(row):
    assert parse_ledger(row + b"\n").fault is not None


def test_the_writer_continues_the_chain(tmp_path):
    with lock_run(tmp_path):
        first = LedgerWriter(tmp_path).append("genesis", {"a": 1})
    with lock_run(tmp_path):
        second = LedgerWriter(tmp_path).append("trial", {"b": "é" * 70_000})
    assert second.prev == first.hash
    assert read_ledger(tmp_path).lines == (first, second)
    assert ledger_head(tmp_path) == second.hash


def test_a_ledger_that_another_program_touched_is_not_continued(tmp_path):
    writer = LedgerWriter(tmp_path)
    writer.append("genesis", {})
    with (tmp_path / "ledger.jsonl").open("ab") as stream:
        stream.write(b"hello\n")
    for _ in range(2):
        with pytest.raises(BadInput):
            writer.append("trial", {})
    assert (tmp_path / "ledger.jsonl").read_bytes().endswith(b"hello\n")
    with pytest.raises(BadInput, match="ledger is damaged"):
        LedgerWriter(tmp_path)


@pytest.mark.parametrize("data", [b"", b"x", b"x\n", b"[]\n"])
def test_no_head_is_one_sentence(tmp_path, data):
    (tmp_path / "ledger.jsonl").write_bytes(data)
    with pytest.raises(BadInput, match="no readable last line"):
        ledger_head(tmp_path)
