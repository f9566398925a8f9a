"""Whether an upstream answers at all: a question of our own, so that no agent can make it fail."""

from __future__ import annotations

from referee.agent.gateway.dialect import DIALECTS, Body, upstream_url
from referee.agent.profile import Profile

_TIMEOUT_S = 60.0


def probe(profile: Profile, timeout_s: float = _TIMEOUT_S) -> str | None:
    """Why a small call to the upstream is not answered; None if it is."""
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
    try:
        with httpx.Client(trust_env=False, timeout=timeout_s) as client:
            answer = client.post(url, json=body, headers=headers)
            answer.json()
    except (httpx.HTTPError, ValueError) as error:
        return f"{type(error).__name__}: {error}".rstrip(": ").replace(key or "\0", "[key]")
    return None if answer.status_code == 200 else f"status {answer.status_code}"
