"""A real model as judge: the gateway's upstream client and the profiles of `models.toml`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from referee.agent.gateway.dialect import DIALECTS, upstream_url
from referee.agent.gateway.patience import Patience
from referee.agent.gateway.redact import redacted
from referee.agent.profile import Profile
from referee.judge.conversation import Conversation, Said, Unavailable
from referee.judge.wire import chat_body, chat_said, messages_body, messages_said

PATIENCE = Patience(retries=4, idle_s=300.0, longest_wait_s=120.0)


@dataclass(frozen=True)
class ModelTransport:
    """Asks the model of a profile. Its key is in the header of a request and nowhere else."""

    profile: Profile
    patience: Patience = field(default=PATIENCE)
    max_tokens: int = 8192

    def reply(self, talk: Conversation, *, final: bool) -> Said:
        """What the model says.

        Raises:
            Unavailable: it could not be had, refused the question, or answered in no known form.
        """
        table, key = self.profile.table, self.profile.key.get_secret_value()
        dialect = DIALECTS[table.protocol]
        chat = table.protocol == "openai-chat"
        body = (chat_body if chat else messages_body)(talk, final=final)
        body |= table.sampling.model_dump(exclude_none=True) | dict(table.extra)
        body |= {"model": table.model, dialect.bounds[0]: table.max_output or self.max_tokens}
        headers = {"content-type": "application/json"} | (dialect.key_headers(key) if key else {})
        url = upstream_url(table.base_url, dialect)
        status, text = asyncio.run(_asked(url, headers, body, self.patience))
        if status == 400 and final and chat:
            # servers that know no `tool_choice` none: without tools none can be called
            body = {k: v for k, v in body.items() if k not in ("tools", "tool_choice")}
            status, text = asyncio.run(_asked(url, headers, body, self.patience))
        if status != 200:
            raise Unavailable(f"status {status}")
        text = redacted(text, key)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise Unavailable("the answer is not JSON") from None
        if not isinstance(value, dict):
            raise Unavailable("the answer is not an object")
        said = (chat_said if chat else messages_said)(value)
        usage = dialect.usage(value)
        if usage is None:
            return said
        return replace(said, input_tokens=usage.input, output_tokens=usage.output)


async def _asked(
    url: str, headers: Mapping[str, str], body: Mapping[str, Any], patience: Patience
) -> tuple[int, str]:
    """Status and text of the answer."""
    from referee.agent.gateway.transport import Broken, upstream_session
    from referee.agent.gateway.upstream import Unanswered, ask

    async with upstream_session(patience) as session:
        try:
            answer = await ask(session, url, headers, body, patience)
        except Unanswered as error:
            raise Unavailable(error.detail[:300]) from None
        try:
            rest = [chunk async for chunk in answer.rest]
        except Broken as error:
            raise Unavailable(str(error)[:300]) from None
        finally:
            answer.close()
        return answer.status, b"".join([answer.first, *rest]).decode("utf-8", "replace")
