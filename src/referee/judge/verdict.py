"""What a judge's last words must be before they count."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from referee.agent.gateway.plain import clean
from referee.evidence.fault import EvidenceFault
from referee.evidence.measure import MetricModule, Unavailable, usable
from referee.evidence.roots import CANDIDATE_ROOTS, Evidence
from referee.judge.tools import Trace
from referee.metric.rubric.schema import FiveLevel, Node, Units
from referee.record.fault import Infrastructure

_NUMERIC = ("json", "csv", "sampled_csv", "npz", "hdf5", "data")
_LONGEST = 1 << 20


class Refused(ValueError):
    """A verdict that does not count, with what the judge is told about it."""


class ReaderFailed(Exception):
    """The judge could not read, and the trace says that this was the evaluator's fault."""


@dataclass(frozen=True)
class Verdict:
    """What a judge decided: a score, or one for each unit."""

    value: Any
    access: str
    paths: tuple[str, ...]
    reason: str


def only_object(text: str) -> Mapping[str, Any]:
    """The one JSON object of a text, alone, in a fence or among words.

    Raises:
        Refused: there is none, more than one, or a key twice.
    """
    if len(text) > _LONGEST:
        raise Refused("the answer is too long")
    decoder, found, at = json.JSONDecoder(object_pairs_hook=_once), [], text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except Refused:
            raise
        except (ValueError, RecursionError):  # also a number of thousands of digits
            # what is broken here may hide an object inside it: nothing of it counts
            raise Refused("the JSON cannot be read") from None
        found.append(value)
        at = text.find("{", end)
    if len(found) != 1:
        raise Refused(f"there are {len(found)} JSON objects, and one is needed")
    return cast(Mapping[str, Any], clean(found[0]))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise Refused("a key is there twice")
    return dict(pairs)


def verdict_of(text: str, node: Node) -> Verdict:
    """A verdict in its form; nothing is rounded or guessed.

    Raises:
        Refused: it is not in that form.
    """
    said = only_object(text)
    access = said.get("evidence_access")
    if access not in ("ok", "missing", "tool_error"):
        raise Refused("evidence_access is none of ok, missing, tool_error")
    paths = said.get("evidence_paths")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise Refused("evidence_paths is not a list of texts")
    return Verdict(
        _value(said, node), str(access), tuple(paths), str(said.get("reason", ""))[:4000]
    )


def _value(said: Mapping[str, Any], node: Node) -> Any:
    if isinstance(node.how, Units):
        scores = said.get("unit_scores")
        if not isinstance(scores, dict) or set(scores) != set(node.how.units):
            raise Refused(f"unit_scores must have exactly {', '.join(node.how.units)}")
        for unit, one in scores.items():
            if not _is_bit(one):
                raise Refused(f"the score of {unit} is not 0 or 1")
        return scores
    score: Any = said.get("score")
    if isinstance(node.how, FiveLevel):
        if not _is_number(score) or not 0 <= score <= 1:
            raise Refused("score is not a number in 0 to 1")
    elif not _is_bit(score):
        raise Refused("score is not exactly 0 or 1")
    return score


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_bit(value: Any) -> bool:
    return _is_number(value) and value in (0, 1)


def require_evidence(
    said: Verdict, node: Node, trace: Trace, evidence: Evidence, module: MetricModule | None
) -> None:
    """Whether the judge looked at what it must have looked at.

    Raises:
        Refused: it did not; the text says what is wanted.
        ReaderFailed: a reader failed for no fault of the candidate, and the judge says so.
    """
    if said.access == "tool_error":
        if trace.broken:
            raise ReaderFailed(next(iter(trace.broken.values())))
        raise Refused("no reader failed, so tool_error is not true: decide from what is there")
    if trace.broken:
        raise Refused("a reader failed: call it again, or answer tool_error")
    positive = _positive(said.value)
    roots = [kind for kind in CANDIDATE_ROOTS if kind in evidence.roots]
    if said.access == "missing":
        if positive:
            raise Refused("what is missing earns nothing")
        if left := sorted(set(roots) - trace.listed):
            raise Refused(f"list {left[0]} to its end before evidence is missing")
    empty = set(roots) <= trace.listed and not any(trace.files.get(kind) for kind in roots)
    if not trace.candidate_files() and not empty:
        raise Refused("open files of the candidate first; listing and refs are not enough")
    if unseen := sorted(path for path in said.paths if path not in trace.read):
        raise Refused(f"{unseen[0][:200]} is cited and was not opened")
    if positive:
        _require_kinds(node, trace)
        _require_recomputed(node, trace, evidence, module)


def _positive(value: Any) -> bool:
    return any(value.values()) if isinstance(value, dict) else bool(value)


def _require_kinds(node: Node, trace: Trace) -> None:
    seen = set().union(*(trace.read[name] for name in trace.candidate_files()))
    wanted = {hint.kind for hint in node.evidence_inputs}
    if wanted & set(_NUMERIC) and not seen & {"numeric", "text"}:
        raise Refused("this leaf needs data of the candidate opened")
    if "image" in wanted and "image" not in seen:
        raise Refused("this leaf needs an image of the candidate opened")
    sources = {name for name in trace.candidate_files() if name.startswith("source:")}
    if wanted & {"source", "source_complete"} and not sources:
        raise Refused("this leaf needs source of the candidate opened")


def needs_recomputation(node: Node) -> bool:
    """Whether a positive score rests on a number that the judge must recompute. Where code checks
    that number itself, the judge decides only what remains."""
    return node.metric_operation is not None and node.check is None


def _require_recomputed(
    node: Node, trace: Trace, evidence: Evidence, module: MetricModule | None
) -> None:
    if not needs_recomputation(node):
        return
    if module is None:
        raise Refused("the metric of this leaf cannot be recomputed, so it earns nothing")
    assert node.metric_operation is not None
    try:
        made = usable(evidence, module, node.metric_operation, trace.measured)
    except EvidenceFault as fault:
        raise Refused(f"a bound file can no longer be read: {fault}") from None
    except Infrastructure as error:  # the same inputs gave two results
        raise ReaderFailed(str(error)) from None
    if isinstance(made, Unavailable):
        raise Refused(f"recompute {node.metric_operation} first ({made.reason})")
