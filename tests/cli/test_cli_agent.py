"""`referee agent`: which agents there are, and what cannot be installed."""

from __future__ import annotations

import json
import subprocess
import sys

from referee.agent.provision import SOURCES


def referee(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments], capture_output=True, text=True, timeout=60
    )


def test_the_list_names_every_agent(store_environment: object) -> None:
    shown = referee("agent", "list")
    assert shown.returncode == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 100
    rows = {row["name"]: row for row in json.loads(referee("agent", "list", "--json").stdout)}
    assert set(rows) == {"nop", "oracle", "baseline", "replay", "command", *SOURCES}
    assert rows["nop"]["provisioned"] is None
    for name, source in SOURCES.items():
        assert rows[name]["version"] == source.version
        assert isinstance(rows[name]["provisioned"], bool)
        assert name in shown.stdout


def test_what_is_not_installed_is_refused(store_environment: object) -> None:
    done = referee("agent", "provision", "nop")
    assert done.returncode == 2
    assert "'nop' is not an agent that is installed; these are: mini-swe-agent" in done.stderr
