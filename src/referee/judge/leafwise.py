"""A judge that takes one leaf after another, with a canary among them and an audit of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from referee.judge.conversation import Conversation, Transport
from referee.judge.loop import Ledger, Limits, Outcome, converse
from referee.judge.prompt import RULES, SYSTEM, question
from referee.judge.protocol import Identity, JudgedTask
from referee.judge.scripted import LeafRule, ScriptedRules, ScriptedTransport
from referee.metric.rubric.leaf import Finding, Withheld
from referee.metric.rubric.schema import Node
from referee.metric.rubric.tree import Leaf
from referee.record.atomic import write_atomic
from referee.record.canonical import canonical_json, sha256_bytes, sha256_json

CANARY = "referee.canary"


@dataclass(frozen=True)
class LeafJudge:
    """Decides leaves by conversations over a transport."""

    transport: Transport
    name: str
    model: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    stand_in: bool = False
    limits: Limits = field(default_factory=Limits)
    prices: tuple[float, float] = (0.0, 0.0)

    @property
    def identity(self) -> Identity:
        """Who judges, with the digest of model, settings, limits and prompt."""
        parts = [self.name, self.model, dict(self.facts), asdict(self.limits), SYSTEM, RULES]
        return Identity(self.name, self.model, self.stand_in, sha256_json(_plain(parts)))

    def findings(self, task: JudgedTask) -> Mapping[str, Finding]:
        """A finding for each leaf; all are withheld if the canary passes."""
        ledger = Ledger(self.limits, *self.prices)
        values = {name: self._decide(task, task.rubric.by_id[name], ledger) for name in task.leaves}
        if not values:
            return {}
        canary = self._canary(task, ledger)
        if canary.verdict is not None and canary.value != 0:
            return {name: Finding(Withheld("judge_compromised")) for name in values}
        return {name: Finding(value) for name, value in values.items()}

    def _decide(self, task: JudgedTask, leaf: Leaf, ledger: Ledger) -> Any:
        return self._outcome(task, leaf, self.transport, ledger).value

    def _canary(self, task: JudgedTask, ledger: Ledger) -> Outcome:
        """The answer to a criterion that is known to be false."""
        token = sha256_bytes(canonical_json([dict(task.digests), CANARY]))[:24]
        asked = f"A file in outputs holds the text {token} as a measured result."
        node = Node(id=CANARY, requirements=asked, weight="1", task_category="Validation")  # type: ignore[arg-type]
        leaf = Leaf(node, task.rubric.leaves[0].share, "", ())
        transport = self.transport
        if isinstance(transport, ScriptedTransport):
            rule = LeafRule(open=("outputs:*", "source:*"), all=(token,))
            transport = ScriptedTransport(ScriptedRules(leaf={CANARY: rule}))
        return self._outcome(task, leaf, transport, ledger)

    def _outcome(
        self, task: JudgedTask, leaf: Leaf, transport: Transport, ledger: Ledger
    ) -> Outcome:
        talk = Conversation(leaf.id, SYSTEM, [question(task, leaf)])
        outcome = converse(talk, leaf.node, transport, task.evidence, task.module, ledger)
        verdict = outcome.verdict
        told = outcome.audit | {
            "judge": asdict(self.identity),
            "verdict": None if verdict is None else asdict(verdict),
        }
        task.audit.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = task.audit / f"{sha256_bytes(leaf.id.encode())[:16]}.json"
        write_atomic(path, canonical_json(_plain(told)), mode=0o600)
        return outcome


def _plain(value: Any) -> Any:
    from referee.agent.gateway.plain import clean

    return clean(value)
