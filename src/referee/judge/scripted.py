"""A stand-in for a judge that we wrote, and no model: rules say what it opens and what decides.

It speaks through the same loop, tools and validator as a model, so that a run without a model still
exercises them. Every record names it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator

from referee.judge.conversation import Call, Conversation, Said, Unavailable
from referee.record.model import Frozen
from referee.task.strict import read_toml

_ROOTS = ("source", "inputs", "outputs")


class Patterns(Frozen):
    """Regular expressions that must, and must not, occur in the files that were opened."""

    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    @field_validator("all", "none")
    @classmethod
    def _compile(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
        return patterns

    def hold(self, text: str) -> bool:
        """Whether a text has all of the first and none of the others."""
        return all(re.search(p, text) for p in self.all) and not any(
            re.search(p, text) for p in self.none
        )


class Level(Patterns):
    """A grade of a five-level leaf; the first whose patterns hold counts."""

    score: Annotated[float, Field(ge=0, le=1)]


class LeafRule(Patterns):
    """How a leaf is decided. `open` are globs such as `source:src/*.py`; score 1 if the patterns
    hold, else 0; `units` have patterns of their own, `levels` grades."""

    open: Annotated[tuple[str, ...], Field(min_length=1)]
    units: dict[str, Patterns] = Field(default_factory=dict)
    levels: tuple[Level, ...] = ()


class ScriptedRules(Frozen):
    """The whole of `tests/config/scripted_judge.toml`: a table `[leaf.ID]` for each judged leaf."""

    leaf: dict[str, LeafRule]


def read_rules(path: Path) -> ScriptedRules:
    """The rules of a task.

    Raises:
        BadInput: the file is not there or not in its form.
    """
    return read_toml(path, ScriptedRules)


@dataclass(frozen=True)
class ScriptedTransport:
    """Lists the candidate's files, opens those that a rule names, and decides by its patterns."""

    rules: ScriptedRules

    def reply(self, talk: Conversation, *, final: bool) -> Said:
        """The next call, or the verdict.

        Raises:
            Unavailable: no rule for the leaf.
        """
        rule = self.rules.leaf.get(talk.leaf)
        if rule is None:
            raise Unavailable(f"scripted_judge.toml has no [leaf.{talk.leaf}]")
        results = list(_results(talk))
        if not final and (calls := _next(rule, results)):
            return Said("", calls)
        return Said(json.dumps(_verdict(rule, results)))


def _results(talk: Conversation) -> Iterator[tuple[Call, dict[str, Any]]]:
    for turn in talk.turns:
        if isinstance(turn, tuple):
            for result in turn:
                try:
                    yield result.call, json.loads(result.content)
                except ValueError:
                    yield result.call, {"error": "cut"}


def _next(rule: LeafRule, results: list[tuple[Call, dict[str, Any]]]) -> tuple[Call, ...]:
    asked = {(call.name, json.dumps(call.arguments, sort_keys=True)) for call, _ in results}
    wanted: list[dict[str, Any]] = [{"root": root, "offset": 0} for root in _ROOTS]
    reads: list[dict[str, Any]] = []
    files: list[dict[str, Any]] = []
    for call, told in results:
        after = told.get("next_offset")
        if after is not None:
            (wanted if call.name == "list" else reads).append(
                {**(call.arguments or {}), "offset": after}
            )
        if call.name == "list":
            files += [
                {"root": told["root"], "path": entry["path"], "offset": 0}
                for entry in told.get("entries", ())
                if entry["kind"] == "file"
            ]
    reads += [one for one in files if _is_named(rule, f"{one['root']}:{one['path']}")]
    todo = [("list", w) for w in wanted] + [("read", r) for r in reads]
    if results and not reads:  # nothing that a rule names is there: that takes a look to say
        todo += [("read", one) for one in files[:1]]
    new = [(n, a) for n, a in todo if (n, json.dumps(a, sort_keys=True)) not in asked]
    return tuple(Call(f"call-{len(results) + i}", n, a) for i, (n, a) in enumerate(new[:20]))


def _is_named(rule: LeafRule, path: str) -> bool:
    return any(fnmatchcase(path, glob) for glob in rule.open)


def _verdict(rule: LeafRule, results: list[tuple[Call, dict[str, Any]]]) -> dict[str, Any]:
    opened = [told for call, told in results if call.name == "read" and "text" in told]
    reads = [told for told in opened if _is_named(rule, str(told["path"]))]
    text = "\n".join(str(told["text"]) for told in reads)
    said: dict[str, Any] = {
        "evidence_access": "ok" if reads else "missing",
        "evidence_paths": sorted({str(told["path"]) for told in opened}),
        "reason": "patterns of scripted_judge.toml",
    }
    if rule.units:
        scores = {u: int(bool(reads) and p.hold(text)) for u, p in rule.units.items()}
        return said | {"unit_scores": scores}
    if rule.levels:
        first = next((level.score for level in rule.levels if level.hold(text)), 0)
        return said | {"score": first if reads else 0}
    return said | {"score": int(bool(reads) and rule.hold(text))}
