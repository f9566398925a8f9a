"""Agents: what a user may name, and what bad names get."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.agent.cli_agent import CliAgent
from referee.agent.command import command_agent
from referee.agent.profile import Profile, ProfileTable
from referee.agent.scripted import Replay
from referee.environment.store import Store, open_store
from referee.record.fault import BadInput
from referee.trial.agents import arm_name, known_agents, make_agent, make_arms


@pytest.fixture
def store(open_folder: Path) -> Store:
    """A store of its own."""
    return open_store(open_folder / "store")


def _agent(text: str, store: Store) -> object:
    return make_agent(text, store, lambda _label: {})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("orakle", "there is no agent 'orakle'; did you mean oracle"),
        ("nop:x", "nop takes no argument"),
        ("codex:/some/path", "codex takes no argument"),
        (":Class", "there is no agent ''"),
        ("replay", "replay needs a path; write --agent replay:PATH"),
        ("command:", "command needs a path"),
        ("command:/no/such/program", "there is no such program"),
        ("replay:/no/such/folder", "/no/such/folder"),
    ],
)
def test_a_bad_agent_is_one_sentence(text: str, sentence: str, store: Store) -> None:
    with pytest.raises(BadInput, match=sentence) as caught:
        _agent(text, store)
    assert "\n" not in str(caught.value)


def test_a_program_is_named_by_its_content(store: Store, tmp_path: Path) -> None:
    program = tmp_path / "fix.sh"
    program.write_text("#!/bin/sh\ntrue\n")
    with pytest.raises(BadInput, match="not executable; chmod"):
        command_agent(str(program), store)
    program.chmod(0o755)
    first = command_agent(str(program), store)
    assert first.name == "command-fix.sh"
    assert (first.mounts[0].source / "run").read_text() == program.read_text()
    program.write_text("#!/bin/sh\nfalse\n")
    second = command_agent(str(program), store)
    assert first.version != second.version
    assert (first.mounts[0].source / "run").read_text().endswith("true\n")


def test_a_folder_needs_a_program_named_run(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    folder.mkdir()
    with pytest.raises(BadInput, match="no executable named run"):
        command_agent(str(folder), store)
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    (folder / "helper.txt").write_text("x")
    agent = command_agent(str(folder), store)
    assert (agent.mounts[0].source / "helper.txt").read_text() == "x"
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(BadInput, match="no symbolic links"):
        command_agent(str(folder), store)


def test_replay_says_before_the_run_which_task_has_no_patch() -> None:
    replay = Replay({"079": b""}, "0" * 64)
    replay.require(["079-selfies"])
    with pytest.raises(BadInput, match="none for 113-pvlib"):
        replay.require(["079-selfies", "113-pvlib"])


def test_a_condition_makes_another_arm(store: Store) -> None:
    agent = make_agent("nop", store, lambda _label: {})
    arms, _models = make_arms([agent], [{"science": "with"}, {"science": "without"}])
    assert list(arms) == ["nop", "nop+science=without"]
    assert arms["nop"].digest != arms["nop+science=without"].digest
    assert arm_name("nop", {"science": "with"}) == "nop"
    with pytest.raises(BadInput, match="two arms are named nop"):
        make_arms([agent, agent], [{"science": "with"}])


@pytest.mark.parametrize("name", ["my agent!", "a" * 130, "agent\n", "é"])
def test_a_program_whose_name_no_folder_may_have_is_refused(
    store: Store, tmp_path: Path, name: str
) -> None:
    program = tmp_path / name
    program.write_text("#!/bin/sh\ntrue\n")
    program.chmod(0o755)
    with pytest.raises(BadInput, match="an arm cannot be named"):
        make_arms([command_agent(str(program), store)], [{}])


PLUGIN = """\
class Idle:
    name, version, settings, mounts = "idle", "7", {}, ()
    protocols, needs_model, memory_mb = ("openai-chat",), False, 0

    def work(self, session):
        raise NotImplementedError
"""


def test_an_installed_package_brings_agents(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "idle_agent.py").write_text(PLUGIN)
    facts = tmp_path / "idle_agent-7.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: idle-agent\nVersion: 7\n")
    entries = "idle = idle_agent:Idle\nbroken = idle_agent:Nothing\nnop = idle_agent:Idle\n"
    (facts / "entry_points.txt").write_text(f"[referee.agents]\n{entries}")
    monkeypatch.syspath_prepend(str(tmp_path))
    made = make_agent("idle", store, lambda _label: {})
    assert (made.name, made.version) == ("idle", "7")
    assert type(make_agent("nop", store, lambda _label: {})).__name__ == "Nop"
    rows = {row.name: row for row in known_agents(store)}
    assert (rows["idle"].version, rows["idle"].protocols) == ("7", ("openai-chat",))
    assert "is not there" in rows["broken"].what
    with pytest.raises(BadInput, match="is not there"):
        make_agent("broken", store, lambda _label: {})
    with pytest.raises(BadInput, match="did you mean idle"):
        make_agent("idel", store, lambda _label: {})


def test_whatever_a_module_of_ones_own_does_is_one_sentence(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd_agents.py").write_text(
        "class Raises:\n    def __init__(self):\n        raise OSError('no key')\n"
    )
    (tmp_path / "not_python.py").write_text("class (\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for text, sentence in (
        ("odd_agents:Raises", r"cannot be made without arguments \(OSError: no key\)"),
        ("odd_agents:Other", "is not there; odd_agents has no Other"),
        ("not_python:Agent", r"cannot be imported \(SyntaxError"),
    ):
        with pytest.raises(BadInput, match=sentence):
            _agent(text, store)


def test_a_model_without_tools_is_for_agents_that_need_none() -> None:
    def profile(protocol: str) -> Profile:
        return Profile(
            "plain",
            ProfileTable.model_validate(
                {"base_url": "http://h", "protocol": protocol, "model": "m", "tools": False}
            ),
        )

    mini = CliAgent("mini-swe-agent", "1", ())
    arms, with_model = make_arms([mini], [{}], [profile("openai-chat")])
    assert list(arms) == list(with_model) == ["mini-swe-agent"]
    codex = CliAgent("codex", "1", ())
    with pytest.raises(BadInput, match="codex needs a model that calls tools, and plain does not"):
        make_arms([codex], [{}], [profile("openai-responses")])
