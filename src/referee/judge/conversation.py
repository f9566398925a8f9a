"""One conversation about one leaf, in no wire protocol's words, and what answers in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from referee.agent.gateway.plain import clean, clean_text
from referee.judge.pictures import Picture
from referee.record.canonical import sha256_json


class Unavailable(Exception):
    """The judge did not answer, or in no usable form; the text holds no key."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the judge wants run. `arguments` is None where they were no JSON object."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Said:
    """What the judge said: text, calls of tools, and tokens as the provider counted them."""

    text: str
    calls: tuple[Call, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0


def plainly(said: Said) -> Said:
    """The same words as records and requests can hold them: whole characters, finite numbers and
    bounded depth, whatever a model came to say."""
    calls = tuple(
        Call(
            clean_text(call.id),
            clean_text(call.name),
            None if call.arguments is None else cast(dict[str, Any], clean(dict(call.arguments))),
        )
        for call in said.calls
    )
    return replace(said, text=clean_text(said.text), calls=calls)


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave: `content` as it was read, `shown` as the judge sees it, and images."""

    call: Call
    content: str
    shown: str
    pictures: tuple[Picture, ...] = ()


Turn = str | Said | tuple[Result, ...]
"""Our words, the judge's, or results of tools."""


@dataclass
class Conversation:
    """The turns about a leaf so far; `turns` begins with our question."""

    leaf: str
    system: str
    turns: list[Turn] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """Digest of all that was said, without the random delimiters."""
        return sha256_json([self.leaf, self.system, [_plain(turn) for turn in self.turns]])


class Transport(Protocol):
    """Answers a conversation; at the end (`final`) without calling a tool."""

    def reply(self, talk: Conversation, *, final: bool) -> Said: ...


def _plain(turn: Turn) -> Any:
    match turn:
        case str():
            return turn
        case Said():
            return [turn.text, [[c.name, c.arguments] for c in turn.calls]]
    return [
        [r.call.name, r.call.arguments, r.content, *(p.sha256 for p in r.pictures)] for r in turn
    ]
