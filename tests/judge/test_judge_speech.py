"""Whatever a judge, a provider or a name in a candidate's file says, a leaf ends with a score or is
withheld, and the conversation goes on."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_world import GOOD, LOOK, NO, READ, WIRES, asked, said, server, task, value

from referee.judge.conversation import Call, Said
from referee.judge.loop import Limits
from referee.judge.tools import TOOLS
from referee.metric.rubric.leaf import Withheld

HALF = "\ud800"
"""Half a character: JSON can say it (`\\ud800`), and UTF-8 cannot hold it."""


def called(name: str, **arguments: Any) -> Said:
    return Said("", (READ, Call("2", name, arguments)))


def nested(depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for _ in range(depth):
        made = {"a": made}
    return made


@pytest.mark.parametrize(
    "odd",
    [
        Said(HALF), Said('{"score": ' + "1" * 5000 + "}"), Said('{"score":' * 100_000),
        Said('{"score": 1e999, "evidence_access": "ok", "evidence_paths": []}'),
        said(GOOD | {"score": [1]}), said(GOOD | {"evidence_paths": [HALF]}),
        called(HALF), called("read", **{HALF: 1}),
        called("slice", root="outputs", path="0.txt", array=HALF),
        called("convert_units", values=[float("nan")], source="m", target="um"),
        called("convert_units", values=[10**400], source="m", target="um"),
        called("derive_metrics", operation="x", bindings=nested(5000)),
        Said("", (READ, Call(HALF, "read", None))),
    ],
)  # fmt: skip
def test_odd_words_are_answered_and_a_verdict_still_counts(tmp_path: Path, odd: Said) -> None:
    assert value(task(tmp_path), LOOK, odd, said(GOOD)) == 1
    alone = value(task(tmp_path / "alone"), LOOK, odd)
    assert alone == "judge_invalid"


words = st.text(st.characters(), max_size=12)
plain = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(), words)
arguments = st.dictionaries(
    st.sampled_from(["root", "path", "array", "offset", "bins", "values", HALF]),
    st.one_of(plain, st.sampled_from(["outputs", "source", "src/solve.py", "0.txt"])),
    max_size=4,
)
calls = st.builds(
    Call,
    words,
    st.one_of(st.sampled_from([str(tool["name"]) for tool in TOOLS]), words),
    st.one_of(st.none(), arguments),
)
verdicts = st.fixed_dictionaries(
    {},
    optional={
        "score": plain,
        "evidence_access": st.sampled_from(["ok", "missing", "tool_error", "fine"]),
        "evidence_paths": st.lists(words, max_size=2),
    },
).map(lambda told: json.dumps(told))
sayings = st.builds(Said, st.one_of(words, verdicts), st.lists(calls, max_size=2).map(tuple))


@settings(max_examples=20, deadline=None)
@given(lines=st.lists(sayings, min_size=1, max_size=4))
def test_whatever_a_judge_says(tmp_path_factory: pytest.TempPathFactory, lines: list[Said]) -> None:
    folder = tmp_path_factory.mktemp("said")
    found = value(task(folder), *lines, limits=Limits(rounds=3))
    assert found in (0, 1, "judge_invalid")
    if found == 1:
        assert any(call.arguments for line in lines for call in line.calls)


@pytest.mark.parametrize("key", ["wavelength", HALF, f"score 1 {HALF}"])
def test_half_a_character_in_a_name_withholds_nothing(tmp_path: Path, key: str) -> None:
    judged = task(tmp_path)
    (tmp_path / "outputs/a.json").write_text(json.dumps({key: [1.0, 2.0]}))
    (tmp_path / "outputs" / os.fsdecode(b"\xff.txt")).write_text("x")
    look = Said(
        "",
        (
            READ,
            Call("2", "inspect", {"root": "outputs", "path": "a.json"}),
            Call("3", "list", {"root": "outputs"}),
        ),
    )
    assert value(judged, look, said(GOOD)) == 1
    assert value(task(tmp_path / "no"), look, said(NO)) == 0


def test_a_squeezed_conversation_says_what_was_cut_and_goes_on(tmp_path: Path) -> None:
    judged = task(tmp_path, source="x" * 5_000)
    limits = Limits(result=3_000, results=4_000, floor=500)
    assert value(judged, LOOK, LOOK, LOOK, said(GOOD), limits=limits) == 1
    audit = next(
        told
        for path in judged.audit.iterdir()
        if (told := json.loads(path.read_text()))["leaf"] == "model"
    )
    kept = [3_000, 1_000 - len(cut(3_000)), 500]
    assert [tool["chars"] for tool in audit["tools"]] == [n + len(cut(n)) for n in kept]


def cut(size: int) -> str:
    return f"\n[cut at {size} characters: ask for less at once]"


@pytest.mark.parametrize(("protocol", "form"), WIRES)
@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_answer_is_asked_again_and_is_no_zero(
    tmp_path: Path, protocol: str, form: Any, empty: str | None
) -> None:
    def answers(*_: object) -> tuple[int, dict[str, str], object]:
        if empty is None:
            return 200, {}, {"choices": []} if protocol == "openai-chat" else {"content": []}
        return 200, {}, form(Said(empty))

    with server(answers) as url:
        found = asked(url, protocol, task(tmp_path), limits=Limits(asked_again=1))
    assert found == Withheld("judge_invalid")


@pytest.mark.parametrize("protocol", [protocol for protocol, _ in WIRES])
@pytest.mark.parametrize("data", ["[" * 100_000, "<html>", '{"choices": ['])
def test_an_answer_that_is_no_json_withholds(tmp_path: Path, protocol: str, data: str) -> None:
    with server(lambda *_: (200, {}, data.encode())) as url:
        assert asked(url, protocol, task(tmp_path)) == Withheld("judge_unavailable")


@pytest.mark.parametrize("protocol", [protocol for protocol, _ in WIRES])
def test_a_provider_that_says_nothing_in_time_withholds(tmp_path: Path, protocol: str) -> None:
    ended = threading.Event()

    def answers(*_: object) -> tuple[int, dict[str, str], object]:
        ended.wait(20)
        return 200, {}, {}

    began = time.monotonic()
    with server(answers) as url:
        try:
            found = asked(url, protocol, task(tmp_path), idle_s=0.1)
        finally:
            ended.set()
    assert found == Withheld("judge_unavailable")
    assert time.monotonic() - began < 15


def test_a_provider_that_refuses_tool_choice_is_asked_without_tools(tmp_path: Path) -> None:
    bodies: list[dict[str, Any]] = []

    def answers(_number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], object]:
        bodies.append(body)
        form = dict(WIRES)["openai-chat"]
        if body.get("tool_choice") == "none":
            return 400, {}, {"error": "tool_choice"}
        if "tools" in body:
            return 200, {}, form(LOOK)
        canary = "referee.canary" in json.dumps(body)
        return 200, {}, form(said(NO if canary else GOOD))

    with server(answers) as url:
        found = asked(url, "openai-chat", task(tmp_path), limits=Limits(rounds=1))
    assert found == 1
    assert "tools" not in bodies[-1]
    assert "tool_choice" not in bodies[-1]
