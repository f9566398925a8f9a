"""Model profiles: which model, where it answers, what it costs. Files are read as data only.

A profile is a table of `models.toml`, which holds no key but the name of a variable, or an
environment file of mode 0600, which may hold the key as well.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, JsonValue, SecretStr, StringConstraints, field_validator

from referee.agent.gateway.budget import Price
from referee.agent.gateway.dialect import WireProtocol
from referee.record.fault import BadInput
from referee.record.model import Frozen
from referee.task.strict import read_text, read_toml, validated

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s?#@]+$")]
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]

_NO_KEY = SecretStr("")
_KEY = re.compile(r"""[!#-&(-\[\]-~]{8,4096}""")
"""Printable ASCII without blanks, quotes and backslashes."""
_OURS_OR_THE_AGENTS = {
    *("model", "messages", "input", "system", "instructions", "stream", "stream_options", "tools"),
    *("max_tokens", "max_completion_tokens", "max_output_tokens", "temperature", "top_p", "seed"),
}
"""Fields of a request that `extra` may not hold: an agent's, the budget's, or `sampling`'s."""


class PriceTable(Frozen):
    """`price`: dollars for a million tokens."""

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None
    cache_write: Dollars | None = None


class Sampling(Frozen):
    """`sampling`: what every call is given, whatever the agent asks for."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: Annotated[int, Field(ge=0)] | None = None


class ProfileTable(Frozen):
    """One `[models.NAME]`. `model` is the upstream's name for it, `also` are further models that
    an agent may ask for; `context_window` in tokens; `tools` says whether the model can call tools;
    `extra` are further fields of every request, such as a reasoning effort. `provider_tools` lets
    tools through that the provider runs, such as a web search: the agent is then not without a
    network any more."""

    base_url: Url
    protocol: WireProtocol
    model: str
    also: tuple[str, ...] = ()
    key_variable: Variable | None = None
    context_window: Annotated[int, Field(gt=0)] | None = None
    max_output: Annotated[int, Field(gt=0)] | None = None
    tools: bool = True
    provider_tools: bool = False
    price: PriceTable | None = None
    sampling: Sampling = Sampling()
    extra: dict[str, JsonValue] = Field(default_factory=dict)

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if not urlsplit(value).hostname:
            raise ValueError("the address names no host")
        return value

    @field_validator("extra")
    @classmethod
    def _leaves_the_call_alone(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted(_OURS_OR_THE_AGENTS & value.keys()):
            raise ValueError(f"{taken[0]} is not for a profile to say here")
        return value


class ModelsFile(Frozen):
    """The whole of `models.toml`."""

    models: dict[str, ProfileTable]


@dataclass(frozen=True)
class Profile:
    """A profile that can be used: its table and the key, which prints as stars."""

    name: str
    table: ProfileTable
    key: SecretStr = _NO_KEY

    @property
    def facts(self) -> dict[str, Any]:
        """What of it belongs to an arm: nothing secret, and no address of this machine alone."""
        local = urlsplit(self.table.base_url).hostname in _LOOPBACK
        hidden = {"key_variable", "base_url"} if local else {"key_variable"}
        facts: dict[str, Any] = self.table.model_dump(mode="json", exclude=hidden)
        return facts

    @property
    def price(self) -> Price | None:
        """The price, if it is known."""
        table = self.table.price
        return None if table is None else Price(**table.model_dump())

    @property
    def models(self) -> frozenset[str]:
        """Names that an agent may ask for."""
        return frozenset({self.table.model, *self.table.also})


def load_profile(text: str, environ: Mapping[str, str] = os.environ) -> Profile:
    """The profile for `NAME` (of `models.toml` here), `FILE.toml:NAME` or an environment file.

    Raises:
        BadInput: it is not there, is readable by others, or is not filled in.
    """
    head, _, name = text.rpartition(":")
    if head:
        return _from_toml(Path(head), name, environ)
    path = Path(text)
    if path.is_file():
        return _from_env(path)
    if Path("models.toml").is_file():
        return _from_toml(Path("models.toml"), text, environ)
    hint = "write models.toml here, or give FILE.toml:NAME or an environment file"
    raise BadInput(f"--model: there is no profile {text!r}", hint=hint)


def _from_toml(path: Path, name: str, environ: Mapping[str, str]) -> Profile:
    models = read_toml(path, ModelsFile).models
    if name not in models:
        hint = f"it has {', '.join(sorted(models)) or 'none'}"
        raise BadInput(f"there is no [models.{name}]", where=path, hint=hint)
    table = models[name]
    return Profile(name=name, table=table, key=_key(table, path, environ))


def _key(table: ProfileTable, path: Path, environ: Mapping[str, str]) -> SecretStr:
    if table.key_variable is None:
        return _NO_KEY
    value = environ.get(table.key_variable, "")
    if not value:
        raise BadInput(
            f"the variable {table.key_variable}, which holds the key, is not set",
            where=path,
            hint="export it, or put the profile into an environment file of mode 0600",
        )
    return _checked_key(value, f"{path}: the variable {table.key_variable}")


def _checked_key(value: str, where: str | Path) -> SecretStr:
    """A key that can be sent, and told apart from other text so that it can be kept out of it."""
    if value and not _KEY.fullmatch(value):
        raise BadInput(
            "the key has blanks, quotes, control or other odd characters, or fewer than 8",
            where=where,
            hint="look for a line end or quotes that were copied with it",
        )
    return SecretStr(value)


_FIELDS: Mapping[str, tuple[str, ...]] = {
    "BASE_URL": ("base_url",),
    "PROTOCOL": ("protocol",),
    "MODEL": ("model",),
    "CONTEXT_WINDOW": ("context_window",),
    "MAX_OUTPUT": ("max_output",),
    "TOOLS": ("tools",),
    "PRICE_INPUT": ("price", "input"),
    "PRICE_OUTPUT": ("price", "output"),
    "PRICE_CACHED_INPUT": ("price", "cached_input"),
    "PRICE_CACHE_WRITE": ("price", "cache_write"),
    "TEMPERATURE": ("sampling", "temperature"),
    "TOP_P": ("sampling", "top_p"),
    "SEED": ("sampling", "seed"),
}
"""Variables of an environment file, and the fields that they fill; `KEY` holds the key."""


def _from_env(path: Path) -> Profile:
    from dotenv import dotenv_values

    _must_be_private(path)
    values = dotenv_values(stream=io.StringIO(read_text(path)), interpolate=False)
    table: dict[str, Any] = {}
    for name, value in values.items():
        if name == "KEY":
            continue
        if name not in _FIELDS:
            known = ", ".join(("KEY", *_FIELDS))
            raise BadInput(
                f"{name} is no variable of a profile", where=path, hint=f"known: {known}"
            )
        *outer, last = _FIELDS[name]
        inside = table
        for part in outer:
            inside = inside.setdefault(part, {})
        inside[last] = _plain(value or "")
    return Profile(
        name=path.stem,
        table=validated(path, table, ProfileTable),
        key=_checked_key(values.get("KEY") or "", path),
    )


def _plain(text: str) -> str | int | float | bool:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _must_be_private(path: Path) -> None:
    info = path.stat()
    if stat.S_IMODE(info.st_mode) & 0o077 or info.st_uid not in (os.geteuid(), 0):
        raise BadInput(
            "others can read this file, and it may hold a key",
            where=path,
            hint=f"run `chmod 600 {path}`",
        )
