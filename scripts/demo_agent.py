"""The demo with a real agent and a real model: mini-swe-agent, SmolLM2-135M on loopback, one task.

So small a model solves nothing. The point is that every call is made inside a sandbox without a
network, counted by the gateway, and told in the record.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from referee.agent.local_model import NAME
from referee.cli.console import print_table
from referee.cli.main import run_command

ROOT = Path(__file__).resolve().parents[1]
CALLS = 6


def main() -> int:
    """Run the agent as a user would, and show its transcript."""
    out = ROOT / "runs" / time.strftime("demo-agent-%Y%m%d-%H%M%S")
    command = ["run", str(ROOT / "suites" / "repair"), "--tasks", "079"]
    command += ["--agent", "mini-swe-agent", "--model", NAME]
    command += ["--limit-calls", str(CALLS), "--out", str(out)]
    print("referee " + " ".join(command))
    code = run_command(command)
    if code != 0:
        return code
    (trial,) = out.glob("trials/*/*/1")
    return shown(trial)


def told_by(step: dict[str, Any]) -> str:
    """The command in an answer, or why there was none."""
    if fault := step["extra"].get("fault"):
        return str(fault["detail"])
    found = re.search(r"```mswea_bash_command\n(.*?)\n```", step["message"], re.DOTALL)
    return found.group(1)[:64] if found else "(no command)"


def shown(trial: Path) -> int:
    """Print the calls and what they cost; an exit code of 1 if there were none."""
    record = json.loads((trial / "trial.json").read_text())
    totals = record["model"]["totals"]
    steps = json.loads((trial / "agent" / "transcript.json").read_text())["steps"]
    rows = [
        [
            str(step["step_id"]),
            str(step.get("metrics", {}).get("prompt_tokens", "")),
            str(step.get("metrics", {}).get("completion_tokens", "")),
            told_by(step),
        ]
        for step in steps
        if step["source"] == "agent"
    ]
    print_table("What the model answered", ["step>", "in>", "out>", "command"], rows)
    told = record["model"]["told"]
    print(
        f"{totals['answered']} calls answered, {totals['refused']} refused by the budget, "
        f"{totals['tokens']['input']} tokens in, {totals['tokens']['output']} out, "
        f"cost {totals['cost']} $; the agent's own count agrees: {record['model']['agrees']} "
        f"({told['input'] if told else '?'} in, {told['output'] if told else '?'} out)"
    )
    print(f"transcript: {trial / 'agent' / 'transcript.json'}")
    return 0 if totals["answered"] else 1


if __name__ == "__main__":
    sys.exit(main())
