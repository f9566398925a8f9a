"""How the command-line agents are started without a person: arguments, variables, files, logs.

Each function is one agent's knowledge; what was measured of each is in docs/reference/agents.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.agent.gateway.dialect import WireProtocol
from referee.agent.gateway.usage import Usage, messages_usage, responses_usage
from referee.agent.link import ModelLink

LAUNCH = "1"
"""Raised when an agent is started in another way: it is another arm then."""
HOME = "/tmp/home"
LAYER = "/opt/agent"
INSTRUCTION = "/task/instruction.md"


@dataclass(frozen=True)
class Launch:
    """A command line inside the sandbox; `files` are written first, `logs` (inside path -> name in
    the record) are read afterwards."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    files: Mapping[str, bytes] = field(default_factory=dict)
    logs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """One command-line agent: what it speaks, how it is started, and what it says of its own use
    (from its standard output and its logs by name). `needs_tools`: its model must call tools.
    `reserve_mb`: address space that its runtime reserves, and does not use."""

    protocols: tuple[WireProtocol, ...]
    launch: Callable[[ModelLink, str], Launch]
    told: Callable[[bytes, Mapping[str, bytes]], Usage | None]
    memory_mb: int
    needs_tools: bool = True
    reserve_mb: int = 0


def _mini(link: ModelLink, instruction: str) -> Launch:
    trajectory = f"{HOME}/trajectory.json"
    form = ["-c", "mini.yaml"]
    if not link.tools:
        form = ["-c", "mini_textbased.yaml", "--model-class", "litellm_textbased"]
    return Launch(
        argv=(
            f"{LAYER}/bin/mini",
            *("-m", f"openai/{link.model}", "-t", instruction, "-y", "--exit-immediately"),
            *(*form, "-c", f"model.model_kwargs.api_base={link.url}/v1"),
            *("-o", trajectory),
        ),
        env={
            "MSWEA_GLOBAL_CONFIG_DIR": f"{HOME}/mini",
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "3",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENAI_API_KEY": link.token,
        },
        logs={trajectory: "trajectory.json"},
    )


def _mini_told(_stdout: bytes, logs: Mapping[str, bytes]) -> Usage | None:
    """The sum over its messages: it keeps no total."""
    rows = _object(logs.get("trajectory.json", b"")).get("messages")
    found = [
        Usage(int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0))
        for row in (rows if isinstance(rows, list) else [])
        if (used := _inside(row, "extra", "response", "usage"))
    ]
    return sum(found, Usage()) if found else None


def _claude(link: ModelLink, instruction: str) -> Launch:
    return Launch(
        argv=(
            *(f"{LAYER}/claude", "-p", instruction, "--output-format", "stream-json", "--verbose"),
            *("--dangerously-skip-permissions", "--strict-mcp-config"),
        ),
        env={
            "CLAUDE_CONFIG_DIR": f"{HOME}/.claude",
            "ANTHROPIC_BASE_URL": link.url,
            "ANTHROPIC_AUTH_TOKEN": link.token,
            "ANTHROPIC_MODEL": link.model,
            "ANTHROPIC_SMALL_FAST_MODEL": link.model,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",
        },
    )


def _claude_told(stdout: bytes, _logs: Mapping[str, bytes]) -> Usage | None:
    """`usage` of its last line."""
    results = [row for row in _lines(stdout) if row.get("type") == "result"]
    return messages_usage(results[-1].get("usage")) if results else None


def _codex(link: ModelLink, instruction: str) -> Launch:
    provider = (
        f'model_providers.gateway={{name="gateway",base_url="{link.url}/v1",'
        'env_key="GATEWAY_TOKEN",wire_api="responses",request_max_retries=1,stream_max_retries=1}'
    )
    return Launch(
        argv=(
            *(f"{LAYER}/bin/codex", "exec", "--json", "--skip-git-repo-check"),
            *("--dangerously-bypass-approvals-and-sandbox", "-m", link.model),
            *("-c", "model_provider=gateway", "-c", provider, instruction),
        ),
        env={"CODEX_HOME": f"{HOME}/.codex", "GATEWAY_TOKEN": link.token},
        files={f"{HOME}/.codex/.keep": b""},
    )


def _codex_told(stdout: bytes, _logs: Mapping[str, bytes]) -> Usage | None:
    """The last `turn.completed`, which counts the whole session."""
    turns = [row for row in _lines(stdout) if row.get("type") == "turn.completed"]
    if not turns:
        return None
    used = _inside(turns[-1], "usage")
    plain = {name: used.get(name) for name in ("input_tokens", "output_tokens")}
    cached = {"input_tokens_details": {"cached_tokens": used.get("cached_input_tokens")}}
    return responses_usage({**plain, **cached})


def _opencode(link: ModelLink, instruction: str) -> Launch:
    limits = {"context": link.context_window or 128_000, "output": link.max_output or 8_192}
    config = {
        "$schema": "https://opencode.ai/config.json",
        "model": f"gateway/{link.model}",
        "small_model": f"gateway/{link.model}",
        "autoupdate": False,
        "share": "disabled",
        "permission": {"*": "allow"},
        "provider": {
            "gateway": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "gateway",
                "options": {"baseURL": f"{link.url}/v1", "apiKey": link.token},
                "models": {link.model: {"name": link.model, "limit": limits, "tool_call": True}},
            }
        },
    }
    path = f"{HOME}/.config/opencode/opencode.json"
    return Launch(
        argv=(f"{LAYER}/bin/opencode", "run", "--format", "json", instruction),
        env={
            "OPENCODE_CONFIG": path,
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            "XDG_CONFIG_HOME": f"{HOME}/.config",
            "XDG_DATA_HOME": f"{HOME}/.local/share",
            "XDG_CACHE_HOME": f"{HOME}/.cache",
            "XDG_STATE_HOME": f"{HOME}/.local/state",
        },
        files={path: json.dumps(config).encode()},
    )


def _opencode_told(stdout: bytes, _logs: Mapping[str, bytes]) -> Usage | None:
    """The sum over `step_finish`; its `input` leaves the cache out."""
    found = []
    for row in _lines(stdout):
        tokens = _inside(row, "part", "tokens")
        if row.get("type") == "step_finish" and tokens:
            cache = tokens.get("cache") or {}
            read, written = int(cache.get("read") or 0), int(cache.get("write") or 0)
            found.append(
                Usage(
                    input=int(tokens.get("input") or 0) + read + written,
                    output=int(tokens.get("output") or 0) + int(tokens.get("reasoning") or 0),
                    cached=read,
                    cache_written=written,
                    reasoning=int(tokens.get("reasoning") or 0),
                )
            )
    return sum(found, Usage()) if found else None


_BUN_RESERVES_MB = 8192
"""Bun lays claim to more than 3 GiB of address space before it does anything, and dies without."""

KINDS: Mapping[str, Kind] = {
    "mini-swe-agent": Kind(("openai-chat",), _mini, _mini_told, 1024, needs_tools=False),
    "claude-code": Kind(
        ("anthropic-messages",), _claude, _claude_told, 2048, reserve_mb=_BUN_RESERVES_MB
    ),
    "codex": Kind(("openai-responses",), _codex, _codex_told, 1024),
    "opencode": Kind(
        ("openai-chat",), _opencode, _opencode_told, 2048, reserve_mb=_BUN_RESERVES_MB
    ),
}


def _lines(data: bytes) -> list[dict[str, Any]]:
    """JSON objects, one a line; other lines are passed over."""
    return [row for line in data.splitlines() if (row := _object(line))]


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _inside(value: object, *names: str) -> dict[str, Any]:
    """The object at a path of keys; empty if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
