"""Images are shown as images, each once and within bounds; a reference's only where it belongs."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest

from referee.evidence.roots import Evidence, Root
from referee.judge import pictures
from referee.judge.conversation import Call, Conversation, Result, Said
from referee.judge.pictures import Album
from referee.judge.tools import Toolbox
from referee.judge.wire import chat_body, messages_body

Image = pytest.importorskip("PIL.Image")


def png(shade: int, side: int = 64) -> bytes:
    stream = BytesIO()
    Image.new("L", (side, side), shade).save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    for name in ("outputs", "refs"):
        (tmp_path / name).mkdir()
    (tmp_path / "outputs/a.png").write_bytes(png(10))
    (tmp_path / "outputs/again.png").write_bytes(png(10))
    (tmp_path / "outputs/b.png").write_bytes(png(20))
    (tmp_path / "refs/ours.png").write_bytes(png(30))
    return Toolbox(Evidence({n: Root(n, tmp_path / n) for n in ("outputs", "refs")}), None)


def look(box: Toolbox, path: str, root: str = "outputs") -> str:
    return json.loads(box.run("inspect_image", {"root": root, "path": path}))["shown"]


def test_an_image_is_shown_once(box: Toolbox) -> None:
    assert look(box, "a.png") == "below"
    assert look(box, "again.png").startswith("before")
    assert [one.label for one in box.album.take()] == ["outputs:a.png"]
    assert box.album.take() == ()
    assert look(box, "b.png") == "below"


def test_our_images_are_for_leaves_about_images(box: Toolbox) -> None:
    assert look(box, "ours.png", "refs").startswith("no:")
    box.album = Album(with_ours=True)
    assert look(box, "ours.png", "refs") == "below"


def test_number_and_size_are_bounded(box: Toolbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_PICTURES", 1)
    assert look(box, "a.png") == "below"
    assert look(box, "b.png") == "no: 1 images were shown"
    monkeypatch.setattr(pictures, "MOST_BYTES", 10)
    box.album = Album()
    assert "10 are shown at most" in look(box, "a.png")


def talk_with(box: Toolbox) -> Conversation:
    look(box, "a.png")
    call = Call("c1", "inspect_image", {"root": "outputs", "path": "a.png"})
    result = Result(call, "{}", "<<<DATA {} DATA>>>", box.album.take())
    return Conversation("A", "system", ["question", Said("", (call,)), (result,)])


def test_both_protocols_carry_the_very_bytes(box: Toolbox) -> None:
    talk = talk_with(box)
    *_, tool, user = chat_body(talk, final=False)["messages"]
    assert tool["role"] == "tool"
    label, image = user["content"]
    assert "outputs:a.png" in label["text"]
    assert image["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    (*_, last) = messages_body(talk, final=False)["messages"]
    (answer,) = last["content"]
    kinds = [block["type"] for block in answer["content"]]
    assert kinds == ["text", "text", "image"]
    assert answer["content"][2]["source"]["media_type"] == "image/png"


def test_a_conversation_with_another_image_is_another_one(box: Toolbox) -> None:
    first = talk_with(box)
    (box.evidence.root("outputs").folder / "a.png").write_bytes(png(11))
    box.album = Album()
    assert first.digest != talk_with(box).digest
