"""Replays for tests: a delivered folder beside its starter, run in a real sandbox."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.environment.store import Store, open_store, remove_tree
from referee.replay.engine import Request, replay
from referee.replay.record import ReplayRecord
from referee.replay.sandboxed import Surroundings
from referee.sandbox.protocol import Limits
from referee.task.reproduction.package import EvaluationPolicy


@pytest.fixture(scope="session")
def store() -> Iterator[Store]:
    folder = Path(tempfile.mkdtemp(prefix="referee-test.", dir="/var/tmp"))
    folder.chmod(0o755)
    yield open_store(folder)
    remove_tree(folder)


class Case:
    """`submission` is what was delivered; change it, then `replay()`."""

    def __init__(self, root: Path, tiny: SimpleNamespace, store: Store):
        self.store, self.tiny = store, tiny
        self.submission = tiny.write_submission(root / "submission", tiny.SOLVED)
        self.starter = tiny.write_submission(root / "starter", tiny.STARTER)
        self.folder = root / "evidence"
        self.policy = {**tiny.POLICY, "source_rubric_sha256": "a" * 64}

    def script(self, text: str) -> None:
        (self.submission / "reproduce.sh").write_text(text)

    def request(self, **policy: object) -> Request:
        return Request(
            task="901-slab",
            task_digest="b" * 64,
            submission=self.submission,
            starter=self.starter,
            policy=EvaluationPolicy.model_validate_json(json.dumps(self.policy | policy)),
            folder=self.folder,
            around=Surroundings(
                limits=Limits(memory_bytes=512 << 20, file_bytes=64 << 20), environment="e" * 64
            ),
            grace_s=1.0,
        )

    def replay(
        self, reached: Callable[[str], None] = lambda step: None, **policy: object
    ) -> ReplayRecord:
        return replay(self.request(**policy), self.store, reached)


@pytest.fixture
def case(tmp_path: Path, tiny_reproduction: SimpleNamespace, store: Store) -> Iterator[Case]:
    yield Case(tmp_path, tiny_reproduction, store)
    for path in tmp_path.iterdir():
        if path.is_dir():
            remove_tree(path)
    shutil.rmtree(tmp_path, ignore_errors=True)
