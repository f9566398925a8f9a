"""Which judge a run has: `scripted`, `recorded:FILE` or a profile of `models.toml`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.agent.profile import load_profile
from referee.judge.conversation import Call, Conversation, Said, Unavailable
from referee.judge.leafwise import LeafJudge
from referee.judge.model import ModelTransport
from referee.judge.scripted import ScriptedTransport, read_rules
from referee.record.canonical import sha256_file
from referee.record.fault import BadInput


@dataclass(frozen=True)
class RecordedTransport:
    """Answers that were recorded, by the digest of the conversation so far."""

    answers: Mapping[str, Said]

    def reply(self, talk: Conversation, *, final: bool) -> Said:
        """The recorded words.

        Raises:
            Unavailable: nothing was recorded for this conversation.
        """
        said = self.answers.get(talk.digest)
        if said is None:
            raise Unavailable(f"nothing was recorded for {talk.digest}")
        return said


def judge_for(text: str, config: Path) -> LeafJudge:
    """The judge that `--judge` names; `config` is the task's `tests/config`.

    Raises:
        BadInput: there is no such profile, file or rules, or a protocol that judges do not speak.
    """
    if text == "scripted":
        path = config / "scripted_judge.toml"
        transport = ScriptedTransport(read_rules(path))
        facts = {"rules": sha256_file(path)}
        return LeafJudge(transport, "scripted", "scripted stand-in", facts, stand_in=True)
    head, _, name = text.partition(":")
    if head == "recorded":
        return _recorded(Path(name))
    profile = load_profile(text)
    if profile.table.protocol == "openai-responses":
        hint = "use openai-chat or anthropic-messages"
        raise BadInput(f"--judge {text}: a judge does not speak openai-responses", hint=hint)
    price = profile.table.price
    prices = (0.0, 0.0) if price is None else (price.input / 1e6, price.output / 1e6)
    return LeafJudge(
        ModelTransport(profile),
        profile.table.protocol,
        profile.table.model,
        profile.facts,
        prices=prices,
    )


def _recorded(path: Path) -> LeafJudge:
    try:
        answers = {
            one["prompt"]: Said(one["text"], tuple(Call(*call) for call in one["calls"]))
            for one in json.loads(path.read_text("utf-8"))
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "a list of what audits have under `said`: prompt, text, calls"
        raise BadInput(f"recorded answers cannot be read: {error}", where=path, hint=hint) from None
    facts = {"answers": sha256_file(path)}
    return LeafJudge(RecordedTransport(answers), "recorded", "recorded", facts, stand_in=True)
