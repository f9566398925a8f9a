"""From `--agent` texts to agents and arms."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from referee.agent.command import command_agent
from referee.agent.protocol import Agent
from referee.agent.scripted import Changes, Nop, Oracle, Replay
from referee.environment.store import Store
from referee.record.canonical import sha256_bytes, sha256_json
from referee.record.fault import BadInput
from referee.record.plan import Arm
from referee.record.trial import is_path_name
from referee.submission.predictions import read_predictions

KNOWN = ("nop", "oracle", "replay", "command")


def make_agent(text: str, store: Store, reference: Callable[[str], Changes]) -> Agent:
    """The agent for a `--agent` text: `nop`, `oracle`, `replay:PATH` or `command:PATH`.

    Raises:
        BadInput: there is no such agent, or its argument is missing or unusable.
    """
    name, _, argument = text.partition(":")
    if name not in KNOWN:
        near = difflib.get_close_matches(name, KNOWN, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"known agents: {', '.join(KNOWN)}"
        raise BadInput(f"--agent: there is no agent {name!r}", hint=hint)
    if name in ("replay", "command") and not argument:
        raise BadInput(f"--agent: {name} needs a path", hint=f"write --agent {name}:PATH")
    if name in ("nop", "oracle") and argument:
        raise BadInput(f"--agent: {name} takes no argument", hint=f"write --agent {name}")
    if name == "nop":
        return Nop()
    if name == "oracle":
        return Oracle(reference)
    if name == "command":
        return command_agent(argument, store)
    return _replay(Path(argument))


def _replay(path: Path) -> Replay:
    patches: Mapping[str, bytes] = read_predictions(path)
    digest = sha256_json({task: sha256_bytes(patch) for task, patch in patches.items()})
    return Replay(patches, digest)


def make_arms(agents: Sequence[Agent], conditions: Sequence[Mapping[str, str]]) -> dict[str, Arm]:
    """One arm for each agent and condition, by name.

    Raises:
        BadInput: two arms would have the same name, or one a name that no folder may have.
    """
    arms: dict[str, Arm] = {}
    for agent in agents:
        for condition in conditions:
            name = arm_name(agent.name, condition)
            if name in arms:
                raise BadInput(f"--agent: two arms are named {name}", hint="rename one program")
            if not is_path_name(name):
                raise BadInput(
                    f"--agent: an arm cannot be named {name!r}",
                    hint="rename the program, with at most 100 letters, digits and . _ = + -",
                )
            arms[name] = Arm(
                name=name,
                agent=agent.name,
                agent_version=agent.version,
                settings=dict(agent.settings),
                condition=dict(condition),
            )
    return arms


def arm_name(agent: str, condition: Mapping[str, str]) -> str:
    """The agent's name, with every condition that is not the full one."""
    extra = [f"{key}={value}" for key, value in sorted(condition.items()) if value != "with"]
    return "+".join([agent, *extra])
