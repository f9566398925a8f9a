"""Predictions from outside: good ones as bytes, bad ones as one sentence with the line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.record.fault import BadInput
from referee.submission.predictions import read_predictions


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_predictions_file(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "p.jsonl",
        {"instance_id": "a", "model_name_or_path": "m", "model_patch": "--- a/x\r\n"},
        {"instance_id": "b", "model_patch": None, "extra": [1]},
        {"instance_id": "c"},
    )
    assert read_predictions(path) == {"a": b"--- a/x\r\n", "b": b"", "c": b""}


def test_latin_1_bytes_that_were_escaped_come_back(tmp_path: Path) -> None:
    path = lines(tmp_path / "p.jsonl", {"instance_id": "a", "model_patch": "caf\udce9 \u00e9"})
    assert read_predictions(path) == {"a": b"caf\xe9 \xc3\xa9"}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"model_patch": ""}', "instance_id"),
        (b'{"instance_id": 7}', "instance_id"),
        (b'{"instance_id": "x", "model_patch": 7}', "model_patch"),
        (b'{"instance_id": "x", "instance_id": "y"}', "twice"),
        (b'{"instance_id": "x", "score": NaN}', "NaN"),
        (b'{"instance_id": "x\xe9"}', "not JSON"),
        (b'{"instance_id": "x", "model_patch": "\\ud800"}', "surrogate"),
        (b'{"instance_id": "ok"}', "already on line 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, says: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"instance_id": "ok"}\n\n' + line + b"\n")
    with pytest.raises(BadInput) as caught:
        read_predictions(path)
    assert says in caught.value.sentence()
    assert caught.value.where == f"{path}:3"


def test_a_folder_of_patches(tmp_path: Path) -> None:
    (tmp_path / "113.patch").write_bytes(b"caf\xe9")
    (tmp_path / "a.b.diff").write_bytes(b"")
    (tmp_path / ".hidden").write_text("")
    assert read_predictions(tmp_path) == {"113": b"caf\xe9", "a.b": b""}


@pytest.mark.parametrize(
    ("names", "says"),
    [(["1.patch", "1.diff"], "two patches"), (["1.patch.txt"], "not a patch file")],
)
def test_a_bad_folder_is_named(tmp_path: Path, names: list[str], says: str) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    with pytest.raises(BadInput, match=says):
        read_predictions(tmp_path)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        read_predictions(tmp_path / "none")


@given(st.dictionaries(st.text("abc-1", min_size=1), st.text(), max_size=4))
def test_any_text_comes_over(patches: dict[str, str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        rows = [{"instance_id": k, "model_patch": v} for k, v in patches.items()]
        found = read_predictions(lines(Path(folder) / "p", *rows))
    assert found == {k: v.encode() for k, v in patches.items()}
