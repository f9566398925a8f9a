"""Whether an upstream answers at all: a question of our own, so that no agent can make it fail."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.agent.gateway.dialect import DIALECTS, Body, upstream_url
from referee.agent.gateway.redact import redacted
from referee.agent.gateway.usage import Usage
from referee.agent.profile import Profile

if TYPE_CHECKING:
    import httpx

_TIMEOUT_S = 60.0
_TRIES = 3
_WAIT_S, _LONGEST_WAIT_S = 1.0, 20.0


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
    """Ask an upstream one small question, again if it is busy. Nothing of the answer holds the key.
    An upstream that blames the question (400, 422) does answer."""
    import httpx

    from referee.agent.gateway.upstream import retry_after

    dialect = DIALECTS[profile.table.protocol]
    body: Body = {"model": profile.table.model}
    if dialect.name == "openai-responses":
        body |= {"input": "Say yes."}
    else:
        body |= {"messages": [{"role": "user", "content": "Say yes."}]}
    body[dialect.bounds[0]] = 16
    key = profile.key.get_secret_value()
    headers = dialect.key_headers(key) if key else {}
    url = upstream_url(profile.table.base_url, dialect)
    start = time.monotonic()
    for left in range(_TRIES - 1, -1, -1):
        status, wait, value = 0, _WAIT_S, None
        try:
            with httpx.Client(trust_env=False, timeout=timeout_s) as client:
                answer = client.post(url, json=body, headers=headers)
            status, fault = answer.status_code, f"status {answer.status_code}"
            wait = retry_after(answer.headers.get("retry-after")) or _WAIT_S
            value = answer.json()
        except httpx.HTTPError as error:
            fault = redacted(_reason(error), key)
        except ValueError:
            fault = f"status {status}, not JSON"
        seconds = time.monotonic() - start
        if status in (400, 422):
            return Probe(None, None, seconds)
        if status == 200 and isinstance(value, dict):
            return Probe(None, dialect.usage(value), seconds)
        if not left or (status not in (408, 409, 429) and status < 500):
            break
        time.sleep(min(wait, _LONGEST_WAIT_S))
    return Probe(fault, None, time.monotonic() - start)


def _reason(error: httpx.HTTPError) -> str:
    """An error of the transport. What of our own request could not be sent is not repeated: it may
    hold the key."""
    import httpx

    name = type(error).__name__
    if isinstance(error, httpx.LocalProtocolError):
        return name
    return f"{name}: {error}".rstrip(": ")[:300]
