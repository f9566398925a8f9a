"""Whether an upstream answers at all: a question of our own, so that no agent can make it fail."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from referee.agent.gateway.dialect import DIALECTS, Body, upstream_url
from referee.agent.gateway.usage import Usage
from referee.agent.profile import Profile

_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Probe:
    """What came of the question: `fault` is None if it was answered, `usage` what was counted."""

    fault: str | None
    usage: Usage | None
    seconds: float


def probe(profile: Profile, timeout_s: float = _TIMEOUT_S) -> str | None:
    """Why a small call to the upstream is not answered; None if it is."""
    return ask_once(profile, timeout_s).fault


def ask_once(profile: Profile, timeout_s: float = _TIMEOUT_S) -> Probe:
    """Ask an upstream one small question. Nothing of the answer holds the key."""
    import httpx

    dialect = DIALECTS[profile.table.protocol]
    body: Body = {"model": profile.table.model}
    if dialect.name == "openai-responses":
        body |= {"input": "Say yes.", "max_output_tokens": 16}
    else:
        body |= {"messages": [{"role": "user", "content": "Say yes."}], dialect.bounds[-1]: 16}
    key = profile.key.get_secret_value()
    headers = dialect.key_headers(key) if key else {}
    url = upstream_url(profile.table.base_url, dialect)
    start = time.monotonic()
    try:
        with httpx.Client(trust_env=False, timeout=timeout_s) as client:
            answer = client.post(url, json=body, headers=headers)
            value: Any = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}".rstrip(": ").replace(key or "\0", "[key]")
        return Probe(reason, None, time.monotonic() - start)
    seconds = time.monotonic() - start
    if answer.status_code != 200 or not isinstance(value, dict):
        return Probe(f"status {answer.status_code}", None, seconds)
    return Probe(None, dialect.usage(value), seconds)
