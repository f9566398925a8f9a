"""From `--agent` texts to agents and arms."""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from referee import __version__
from referee.agent.cli_agent import CliAgent
from referee.agent.command import command_agent
from referee.agent.gateway.dialect import DIALECTS
from referee.agent.launch import KINDS
from referee.agent.profile import Profile
from referee.agent.protocol import Agent
from referee.agent.provision import SOURCES, is_provisioned, provision
from referee.agent.scripted import Baseline, Changes, Nop, Oracle, Replay
from referee.environment.progress import Say, silent
from referee.environment.store import Store
from referee.record.canonical import sha256_bytes, sha256_json
from referee.record.fault import BadInput
from referee.record.plan import Arm
from referee.record.trial import is_path_name
from referee.submission.predictions import read_predictions

PLAIN = ("nop", "oracle", "baseline", "replay", "command")
KNOWN = (*PLAIN, *SOURCES)
BASELINES = ("sensible", "trivial")


@dataclass(frozen=True)
class KnownAgent:
    """An agent by name: `provisioned` is None for those that need no installing."""

    name: str
    version: str
    protocols: tuple[str, ...]
    provisioned: bool | None
    what: str

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**vars(self), "protocols": list(self.protocols)}


def known_agents(store: Store) -> list[KnownAgent]:
    """Every agent that `--agent` takes by a name."""
    rows = [KnownAgent(name, __version__, (), None, what) for name, what in _WHAT.items()]
    rows[-1] = replace(rows[-1], protocols=tuple(DIALECTS))
    rows += [
        KnownAgent(
            name,
            source.version,
            KINDS[name].protocols,
            is_provisioned(store, name),
            "a command-line agent",
        )
        for name, source in SOURCES.items()
    ]
    return rows + [_known_plugin(*plugin) for plugin in sorted(_plugins().items())]


ENTRY_POINTS = "referee.agents"
"""The group in which an installed package registers its agents: a name, and MODULE:CLASS."""


def _plugins() -> dict[str, str]:
    """Agents of installed packages, by name; ours keep their names."""
    found = importlib.metadata.entry_points(group=ENTRY_POINTS)
    return {entry.name: entry.value for entry in found if entry.name not in KNOWN}


def _known_plugin(name: str, value: str) -> KnownAgent:
    try:
        agent = own_agent(*_module_and_class(value))
    except BadInput as fault:
        return KnownAgent(name, "?", (), False, fault.what)
    return KnownAgent(name, agent.version, agent.protocols, None, f"a plug-in: {value}")


def _module_and_class(value: str) -> tuple[str, str]:
    module, _, rest = value.partition(":")
    return module, rest.partition("[")[0].strip()


_WHAT = {
    "nop": "does nothing: the floor",
    "oracle": "writes the reference: the ceiling",
    "baseline": "runs the authors' sensible baseline; baseline:trivial the trivial one",
    "replay": "hands in patches that exist already: replay:PATH",
    "command": "any program: command:PATH",
}


def make_agent(
    text: str,
    store: Store,
    reference: Callable[[str], Changes],
    say: Say = silent,
    baselines: Callable[[str], Mapping[str, bytes]] = lambda _which: {},
) -> Agent:
    """The agent for a `--agent` text: `nop`, `oracle`, `baseline[:WHICH]`, `replay:PATH`,
    `command:PATH`, the name of a command-line agent, which is installed if it is not there yet,
    that of a plug-in, or `MODULE:CLASS`.

    Raises:
        BadInput: there is no such agent, or its argument is missing or unusable.
    """
    name, _, argument = text.partition(":")
    if name in SOURCES and not argument:
        layer = provision(store, name, say)
        return CliAgent(layer.name, layer.version, layer.mounts, layer.content)
    if not argument and (value := _plugins().get(name)):
        return own_agent(*_module_and_class(value))
    if name in SOURCES and argument:
        raise BadInput(f"--agent: {name} takes no argument", hint=f"write --agent {name}")
    if name and name not in KNOWN and argument:
        return own_agent(name, argument)
    if name not in KNOWN:
        known = (*KNOWN, *_plugins())
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"known agents: {', '.join(known)}"
        raise BadInput(f"--agent: there is no agent {name!r}", hint=hint)
    if name in ("replay", "command") and not argument:
        raise BadInput(f"--agent: {name} needs a path", hint=f"write --agent {name}:PATH")
    if name in ("nop", "oracle") and argument:
        raise BadInput(f"--agent: {name} takes no argument", hint=f"write --agent {name}")
    if name == "nop":
        return Nop()
    if name == "oracle":
        return Oracle(reference)
    if name == "baseline":
        return _baseline(argument or "sensible", baselines)
    if name == "command":
        return command_agent(argument, store)
    return _replay(Path(argument))


def own_agent(module: str, name: str) -> Agent:
    """A user's own agent: a class without arguments that keeps to the `Agent` protocol.

    Raises:
        BadInput: it cannot be imported, made, or lacks a part of the protocol.
    """
    text = f"{module}:{name}"
    try:
        found = importlib.import_module(module)
    except Exception as error:  # a module of the user's: anything can go wrong in it
        hint = "run referee where the module can be imported, or set PYTHONPATH"
        what = f"--agent: {text} cannot be imported ({type(error).__name__}: {error})"
        raise BadInput(what, hint=hint) from None
    if not hasattr(found, name):
        raise BadInput(f"--agent: {text} is not there", hint=f"{module} has no {name}")
    try:
        made = getattr(found, name)()
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise BadInput(f"--agent: {text} cannot be made without arguments ({what})") from None
    parts = ("name", "version", "settings", "mounts", "protocols", "needs_model", "memory_mb")
    missing = [part for part in (*parts, "work") if not hasattr(made, part)]
    if missing:
        raise BadInput(
            f"--agent: {text} has no {', '.join(missing)}",
            hint="see the Agent protocol in referee.agent.protocol",
        )
    agent: Agent = made
    return agent


def _baseline(which: str, baselines: Callable[[str], Mapping[str, bytes]]) -> Baseline:
    if which not in BASELINES:
        raise BadInput(
            f"--agent: there is no baseline {which!r}", hint=f"choose of {', '.join(BASELINES)}"
        )
    scripts = baselines(which)
    digest = sha256_json({task: sha256_bytes(script) for task, script in scripts.items()})
    return Baseline(scripts, digest, which)


def _replay(path: Path) -> Replay:
    patches: Mapping[str, bytes] = read_predictions(path)
    digest = sha256_json({task: sha256_bytes(patch) for task, patch in patches.items()})
    return Replay(patches, digest)


def make_arms(
    agents: Sequence[Agent],
    conditions: Sequence[Mapping[str, str]],
    profiles: Sequence[Profile] = (),
) -> tuple[dict[str, Arm], dict[str, Profile]]:
    """One arm for each agent, model that it can speak with, and condition, by name; and the
    profile of each arm that has a model.

    Raises:
        BadInput: two arms would have the same name, or one a name that no folder may have; an
            agent that needs a model has none; a profile that no agent can speak with.
    """
    arms: dict[str, Arm] = {}
    with_model: dict[str, Profile] = {}
    for agent in agents:
        for profile in _profiles_of(agent, profiles):
            for condition in conditions:
                arm = _arm(agent, profile, condition, len(profiles) > 1)
                if arm.name in arms:
                    raise BadInput(
                        f"--agent: two arms are named {arm.name}", hint="rename one program"
                    )
                arms[arm.name] = arm
                if profile is not None:
                    with_model[arm.name] = profile
    if idle := {profile.name for profile in profiles} - {p.name for p in with_model.values()}:
        raise BadInput(
            f"--model: no agent of this run can speak with {', '.join(sorted(idle))}",
            hint="give --agent one that speaks the protocol of the profile",
        )
    return arms, with_model


def _profiles_of(agent: Agent, profiles: Sequence[Profile]) -> list[Profile | None]:
    spoken_with = [p for p in profiles if p.table.protocol in agent.protocols]
    fit: list[Profile | None] = [p for p in spoken_with if p.table.tools or not _needs_tools(agent)]
    if fit:
        return fit
    if spoken_with:
        raise BadInput(
            f"--agent: {agent.name} needs a model that calls tools, and {spoken_with[0].name} does"
            " not",
            hint="mini-swe-agent can do without",
        )
    if agent.needs_model:
        spoken = " or ".join(agent.protocols)
        raise BadInput(
            f"--agent: {agent.name} needs a model that speaks {spoken}",
            hint="give one with --model PROFILE",
        )
    return [None]


def _needs_tools(agent: Agent) -> bool:
    return isinstance(agent, CliAgent) and agent.needs_tools


def _arm(agent: Agent, profile: Profile | None, condition: Mapping[str, str], several: bool) -> Arm:
    name = arm_name(agent.name, condition)
    if profile is not None and several:
        name = arm_name(f"{agent.name}+{profile.name}", condition)
    if not is_path_name(name):
        raise BadInput(
            f"--agent: an arm cannot be named {name!r}",
            hint="rename the program, with at most 100 letters, digits and . _ = + -",
        )
    facts = {} if profile is None else {"profile": profile.facts}
    return Arm(
        name=name,
        agent=agent.name,
        agent_version=agent.version,
        model=None if profile is None else profile.table.model,
        settings={**agent.settings, **facts},
        condition=dict(condition),
    )


def arm_name(agent: str, condition: Mapping[str, str]) -> str:
    """The agent's name, with every condition that is not the full one."""
    extra = [f"{key}={value}" for key, value in sorted(condition.items()) if value != "with"]
    return "+".join([agent, *extra])
