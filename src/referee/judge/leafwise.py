"""A judge that takes one leaf after another, with a canary among them and an audit of each."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

from referee.evidence.fault import EvidenceFault
from referee.judge.cache import VerdictCache, key_of
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
    """Decides leaves by conversations over a transport, `workers` at a time. `run` is the ledger of
    the whole run."""

    transport: Transport
    name: str
    model: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    stand_in: bool = False
    limits: Limits = field(default_factory=Limits)
    prices: tuple[float, float] = (0.0, 0.0)
    cache: VerdictCache | None = None
    workers: int = 4
    run: Ledger | None = None

    @property
    def identity(self) -> Identity:
        """Who judges, with the digest of model, settings, limits and prompt."""
        parts = [self.name, self.model, dict(self.facts), asdict(self.limits), SYSTEM, RULES]
        return Identity(self.name, self.model, self.stand_in, sha256_json(_plain(parts)))

    def findings(self, task: JudgedTask) -> Mapping[str, Finding]:
        """A finding for each leaf; all are withheld if the canary passes."""
        if not task.leaves:
            return {}
        ledger = Ledger(self.limits, *self.prices, above=self.run)
        try:
            return self._judged(task, ledger)
        finally:
            ledger.close()

    def _judged(self, task: JudgedTask, ledger: Ledger) -> Mapping[str, Finding]:
        canary = self._canary(task, ledger)
        if canary.verdict is not None and canary.value != 0:
            return {name: Finding(Withheld("judge_compromised")) for name in task.leaves}
        leaves = task.rubric.by_id
        with ThreadPoolExecutor(self.workers, thread_name_prefix="judge") as pool:
            values = pool.map(lambda name: self._decide(task, leaves[name], ledger), task.leaves)
            return {name: Finding(value) for name, value in zip(task.leaves, values, strict=True)}

    def _decide(self, task: JudgedTask, leaf: Leaf, ledger: Ledger) -> Any:
        if self.cache is None:
            return self._outcome(task, leaf, self.transport, ledger).value
        key = self._key(task, leaf)
        if key is not None and (kept := self.cache.get(key)) is not None:
            return kept
        value = self._outcome(task, leaf, self.transport, ledger).value
        # evidence that changed while it was judged gives a verdict for neither state
        if key is not None and not isinstance(value, Withheld) and key == self._key(task, leaf):
            self.cache.put(key, value)
        return value

    def _key(self, task: JudgedTask, leaf: Leaf) -> str | None:
        try:
            return key_of(self.identity, task, leaf.node, question(task, leaf))
        except EvidenceFault:
            return None

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
