"""Where one agent's files and numbers are those of another. Identity is found here, not guilt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from referee.diagnose import sources
from referee.diagnose.aliases import plain
from referee.diagnose.case import Case
from referee.diagnose.vectors import is_measured
from referee.diagnose.work import WorkRecord

_LEAST_BYTES = 1000
_SHARED = 0.95
_LEAST_LOSSES = 10
_LEAST_SAMPLES = 100


def copies(case: Case) -> Iterator[str]:
    """Source files that another agent has too, agents' names and blanks aside; other agents' paths
    in sources; rows that carry another agent's name."""
    agents = [case.work.agent, *(o.agent for o in case.others)]
    own = _normal(case.work, agents)
    for other in case.others:
        theirs = _normal(other, agents)
        for path, text in own.items():
            if (same := _same_file(path, text, theirs)) is not None:
                yield f"{path} is {same} of {other.agent}"
        for path, source in sorted(case.work.sources.items()):
            if any(_names(p, other.agent) for p in sources.absolute_paths(source)):
                yield f"{path} holds a path of {other.agent}"
        if plain(other.agent) in {plain(a) for a in case.work.agents_named}:
            yield f"rows of the account name {other.agent} as their agent"


def _names(path: str, agent: str) -> bool:
    """A path has an agent's name in it, and not only as a part of a word."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(agent)}(?![A-Za-z0-9])", path) is not None


def _normal(work: WorkRecord, agents: list[str]) -> dict[str, str]:
    own = {p: s for p, s in (work.sources | work.added).items() if p not in work.digests}
    large = {p: s for p, s in sorted(own.items()) if len(s.encode()) > _LEAST_BYTES}
    return {p: sources.normalised(s, agents) for p, s in large.items()}


def _same_file(path: str, text: str, theirs: dict[str, str]) -> str | None:
    for other, source in theirs.items():
        if source == text:
            return f"{other} (fingerprint {sources.fingerprint(text)})"
    name = path.rsplit("/", 1)[-1]
    for other, source in theirs.items():
        if other.rsplit("/", 1)[-1] == name:
            part = sources.shared_lines(text, source)
            if part > _SHARED:
                return f"{100 * part:.1f} % of {other}"
    return None


def copies_of_files(case: Case) -> Iterator[str]:
    """Files that are no sources, such as stored arrays, and are another agent's byte for byte."""
    for other in case.others:
        theirs = {digest: path for path, digest in other.digests.items()}
        for path, digest in sorted(case.work.digests.items()):
            if digest in theirs:
                yield f"{path} is {theirs[digest]} of {other.agent}, byte for byte"


def copies_of_numbers(case: Case) -> Iterator[tuple[str, bool]]:
    """Vectors that another agent has to the last bit; True if it is the vector of losses.

    Compared are at least ten losses, of which half look measured, and at least a hundred
    per-sample errors, claimed or canonical, that are not all the same.
    """
    for other in case.others:
        mine, theirs = case.work.losses, other.losses
        long = len(mine) >= _LEAST_LOSSES and 2 * sum(map(is_measured, mine)) >= len(mine)
        if long and sorted(mine) == sorted(theirs):
            yield f"all {len(mine)} losses are those of {other.agent}", True
        arrays = {p.values: p.approach for p in other.per_sample if len(p.values) >= _LEAST_SAMPLES}
        for p in case.work.per_sample:
            if p.values in arrays and len(set(p.values)) > 1:
                yield (
                    f"{len(p.values)} errors of {p.approach} are those of {arrays[p.values]} "
                    f"of {other.agent}",
                    False,
                )
    own = case.canonical.scores if case.canonical else ()
    if len(own) >= _LEAST_SAMPLES and len(set(own)) > 1:
        for agent, scores in case.other_scores.items():
            if scores == own:
                yield f"{len(own)} canonical scores are those of {agent}", False
