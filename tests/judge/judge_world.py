"""A judge that says given lines, the task that it judges, and a provider on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from referee.agent.gateway.patience import Patience
from referee.agent.profile import Profile, ProfileTable
from referee.evidence.roots import Evidence, Root
from referee.judge.conversation import Call, Conversation, Said
from referee.judge.leafwise import CANARY, LeafJudge
from referee.judge.loop import Limits
from referee.judge.model import ModelTransport
from referee.judge.protocol import JudgedTask
from referee.metric.rubric.leaf import Withheld
from referee.metric.rubric.tree import rubric_from

KEY = "sk-canary-77ab01"
LEAF: dict[str, Any] = {
    "id": "model",
    "requirements": "The source has the transfer matrix.",
    "weight": 1,
    "task_category": "Modeling",
}
READ = Call("1", "read", {"root": "source", "path": "src/solve.py"})
GOOD = {"score": 1, "evidence_access": "ok", "evidence_paths": ["source:src/solve.py"]}
NO = {"score": 0, "evidence_access": "ok", "evidence_paths": []}


def said(value: object) -> Said:
    return Said(value if isinstance(value, str) else json.dumps(value))


@dataclass
class Lines:
    """Says the given lines about the leaf, the last for ever, and is honest about the canary."""

    lines: list[Said]
    canary: int = 0
    at: int = 0
    finals: list[bool] = field(default_factory=list)

    def reply(self, talk: Conversation, *, final: bool) -> Said:
        if talk.leaf == CANARY:
            return Said("", (READ,)) if len(talk.turns) == 1 else said(NO | {"score": self.canary})
        self.finals.append(final)
        line = self.lines[min(self.at, len(self.lines) - 1)]
        self.at += 1
        return line


def task(folder: Path, *, source: str = "matrix = 1\n", files: int = 1, **leaf: Any) -> JudgedTask:
    for kind in ("source", "inputs", "outputs", "refs"):
        (folder / kind / "src").mkdir(parents=True)
    (folder / "source/src/solve.py").write_text(source)
    (folder / "refs/a.txt").write_text("target")
    for number in range(files):
        (folder / f"outputs/{number}.txt").write_text("x")
    rubric = rubric_from(
        {"id": "root", "requirements": "r", "weight": 1, "sub_tasks": [LEAF | leaf]}
    )
    roots = {kind: Root(kind, folder / kind) for kind in ("source", "inputs", "outputs", "refs")}  # type: ignore[arg-type]
    return JudgedTask(rubric, Evidence(roots), ("model",), folder / "audit")  # type: ignore[arg-type]


def value(given: JudgedTask, *lines: Said, limits: Limits | None = None, canary: int = 0) -> object:
    judge = LeafJudge(Lines(list(lines), canary), "lines", "lines", limits=limits or Limits())
    found = judge.findings(given)["model"].value
    return found.reason if isinstance(found, Withheld) else found


LOOK = Said("", (READ,))


@contextmanager
def server(
    answers: Callable[[int, dict[str, Any]], tuple[int, dict[str, str], object]],
) -> Iterator[str]:
    count = iter(range(1000))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, headers, told = answers(next(count), body)
            data = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            for name, text in ({"content-type": "application/json"} | headers).items():
                self.send_header(name, text)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            with suppress(OSError):  # nobody waited
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{web.server_port}/v1"
    finally:
        web.shutdown()
        web.server_close()


def openai(said_: Said) -> object:
    calls = [
        {
            "id": c.id,
            "type": "function",
            "function": {"name": c.name, "arguments": json.dumps(c.arguments)},
        }
        for c in said_.calls
    ]
    return {"choices": [{"message": {"content": said_.text, "tool_calls": calls}}]}


def anthropic(said_: Said) -> object:
    uses = [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in said_.calls
    ]
    return {"content": [{"type": "text", "text": said_.text}, *uses]}


WIRES = [("openai-chat", openai), ("anthropic-messages", anthropic)]


def asked(
    url: str,
    protocol: str,
    given: JudgedTask,
    *,
    idle_s: float = 60.0,
    limits: Limits | None = None,
) -> object:
    table = ProfileTable.model_validate({"base_url": url, "protocol": protocol, "model": "m"})
    transport = ModelTransport(
        Profile("p", table, SecretStr(KEY)), Patience(retries=2, first_wait_s=0.01, idle_s=idle_s)
    )
    return (
        LeafJudge(transport, protocol, "m", limits=limits or Limits())
        .findings(given)["model"]
        .value
    )
