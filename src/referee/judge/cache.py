"""Verdicts that may be used again: content-addressed by all that they rest on."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from referee.judge.protocol import Identity, JudgedTask
from referee.metric.rubric.schema import Node
from referee.record.atomic import write_atomic
from referee.record.canonical import canonical_json, sha256_json


def key_of(identity: Identity, task: JudgedTask, node: Node, asked: str) -> str:
    """Digest of the judge, the leaf and its question, the metric module, and every file that the
    judge can open: a change of any of them is another key.

    Raises:
        EvidenceFault: a root cannot be listed or a file in it not be read.
    """
    files = {
        ascii(root.where(entry.path)): root.sha256(entry.path)
        if entry.kind == "file"
        else entry.kind
        for root in task.evidence.roots.values()
        for entry in root.entries()
    }
    module = None if task.module is None else task.module.sha256
    parts = [asdict(identity), dict(task.digests), node.model_dump(mode="json"), asked, module]
    return sha256_json([*parts, files])


@dataclass(frozen=True)
class VerdictCache:
    """Decided values, one file for each key; what was withheld is never kept."""

    folder: Path

    def get(self, key: str) -> Any | None:
        """The value kept under a key; None if there is none or its file is not whole."""
        try:
            kept = json.loads((self.folder / f"{key}.json").read_bytes())
            return kept["value"] if kept["digest"] == sha256_json([key, kept["value"]]) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, value: Any) -> None:
        """Keep a value."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        kept = {"value": value, "digest": sha256_json([key, value])}
        write_atomic(self.folder / f"{key}.json", canonical_json(kept), mode=0o600)
