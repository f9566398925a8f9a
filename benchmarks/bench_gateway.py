"""The gateway: what it adds to a streamed call, 200 streams at a time, and memory over many calls.

Usage: python benchmarks/bench_gateway.py [--json] [--calls N]

The stand-in for a model, the gateway and the caller are three processes. Calls with and without the
gateway are made in turn, so that a busy machine is busy for both.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx

PATH = "/v1/chat/completions"
TOKEN = "trial-token"
BODY = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "x" * 4000}]}
HEADERS = {"authorization": f"Bearer {TOKEN}"}
STREAMS = 200


def upstream(pipe: Connection) -> None:
    """The stand-in, in a process of its own, until the pipe is closed."""
    from referee.agent.standin import Turn, scripted_upstream

    with scripted_upstream([Turn(" ".join(["word"] * 50))]) as running:
        pipe.send(running.url)
        with contextlib.suppress(EOFError):
            pipe.recv()


def gateway(pipe: Connection, url: str, folder: str) -> None:
    """A gateway before it; answers each word on the pipe with its resident memory in bytes."""
    from referee.agent.gateway.app import Access
    from referee.agent.gateway.budget import Budget, Meter
    from referee.agent.gateway.exchange import CallLog
    from referee.agent.gateway.server import serving
    from referee.agent.profile import Profile, ProfileTable

    table = ProfileTable(base_url=url, protocol="openai-chat", model="m")
    log = CallLog(Path(folder) / "calls.jsonl")
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    port = listener.getsockname()[1]
    access = Access(Profile("p", table), TOKEN, Meter(Budget()), Meter(Budget()), log)
    with serving(access, listener):
        pipe.send(f"http://127.0.0.1:{port}")
        with contextlib.suppress(EOFError):
            while pipe.recv():
                pipe.send((resident_bytes(), log.totals.answered))


def resident_bytes() -> int:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@contextlib.contextmanager
def process(target: Any, *arguments: Any) -> Iterator[tuple[Connection, str]]:
    """A process with a pipe, and the address that it serves."""
    ours, theirs = multiprocessing.Pipe()
    made = multiprocessing.get_context("spawn").Process(target=target, args=(theirs, *arguments))
    made.start()
    try:
        yield ours, ours.recv()
    finally:
        ours.close()
        theirs.close()
        made.terminate()
        made.join(10)


def one(client: httpx.Client, url: str) -> float:
    """Milliseconds of one streamed call, from its start to its last byte."""
    start = time.perf_counter()
    with client.stream("POST", url + PATH, json=BODY, headers=HEADERS) as answer:
        text = b"".join(answer.iter_bytes())
    assert text.rstrip().endswith(b"data: [DONE]")
    return 1000 * (time.perf_counter() - start)


def added(direct: str, through: str, rounds: int) -> dict[str, Any]:
    """What the gateway adds to a call, as the median of paired differences."""
    with httpx.Client(timeout=30) as client:
        for url in (direct, through):
            for _ in range(10):
                one(client, url)
        pairs = [(one(client, direct), one(client, through)) for _ in range(rounds)]
    extra = [after - before for before, after in pairs]
    low, middle, high = statistics.quantiles(extra, n=4)
    return {
        "direct_ms": round(statistics.median(before for before, _ in pairs), 3),
        "added_ms": round(middle, 3),
        "quartiles_ms": [round(low, 3), round(high, 3)],
        "target_ms": 3,
        "met": middle <= 3,
    }


async def many(url: str, count: int) -> int:
    """How many of `count` streams at a time came to their end."""
    limits = httpx.Limits(max_connections=None)

    async def stream(client: httpx.AsyncClient) -> bool:
        async with client.stream("POST", url + PATH, json=BODY, headers=HEADERS) as answer:
            data = b"".join([chunk async for chunk in answer.aiter_bytes()])
        return data.rstrip().endswith(b"data: [DONE]")

    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        return sum(await asyncio.gather(*(stream(client) for _ in range(count))))


def memory(pipe: Connection, url: str, calls: int) -> dict[str, Any]:
    """Resident memory of the gateway after a tenth of the calls, and after all of them."""
    seen = []
    for share in (calls // 10, calls - calls // 10):
        threads = [threading.Thread(target=_calls, args=(url, share // 4)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pipe.send("how much?")
        seen.append(pipe.recv())
    (first, _), (last, answered) = seen
    return {
        "calls": answered,
        "first_mb": round(first / 1e6, 1),
        "last_mb": round(last / 1e6, 1),
        "growth_bytes_per_call": round((last - first) / max(1, calls), 1),
        "met": last - first <= 10e6,
    }


def _calls(url: str, count: int) -> None:
    with httpx.Client(timeout=60) as client:
        for _ in range(count):
            one(client, url)


def main() -> int:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--calls", type=int, default=10_000)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        process(upstream) as (_pipe, direct),
        process(gateway, direct, folder) as (pipe, through),
    ):
        ended = asyncio.run(many(through, STREAMS))
        figures = {
            "streamed_call": added(direct, through, 200),
            "streams_at_a_time": {"asked": STREAMS, "ended": ended, "met": ended == STREAMS},
            "memory": memory(pipe, through, options.calls),
        }
    print(json.dumps(figures, indent=None if options.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
