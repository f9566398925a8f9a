"""Agents that leave a workspace which nobody can read, measure or remove: each is scored, by its
own doing never withheld, and leaves nothing on the host. The honest twin is as untidy as a real
agent, and scores 1."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from referee.environment.store import open_store
from referee.record.load import load_record
from referee.record.trial import Trial
from referee.trial.audit import audit_run
from referee.trial.contest import RunRequest, prepare_contest, run_contest

START = "#!/opt/env/bin/python\nimport os, pathlib, socket, subprocess, time\n"

ATTACKS = {
    "a tree deeper than any path or recursion": """
os.mkdir("/workspace/tiny/__pycache__")
os.chdir("/workspace/tiny/__pycache__")
for _ in range(5000):
    os.mkdir("d")
    os.chdir("d")
""",
    "a workspace closed against its owner": """
pathlib.Path("/workspace/tiny/new.py").write_text("x = 1")
os.chmod("/workspace", 0)
""",
    "folders swapped for links in a circle while the workspace is measured": """
os.makedirs("/workspace/__pycache__/q")
os.chdir("/workspace/__pycache__/q")
os.symlink("loop", "loop")
for number in range(3000):
    os.makedirs(f"a/{number}/b")
end = time.time() + 2
while time.time() < end:
    os.rename("a", "b")
    os.rename("loop", "a")
    os.rename("a", "loop")
    os.rename("b", "a")
""",
    "folders closed and opened while the workspace is measured": """
os.makedirs("/workspace/__pycache__/a/b/c")
os.chdir("/workspace/__pycache__")
end = time.time() + 2
while time.time() < end:
    os.chmod("a/b", 0)
    os.chmod("a", 0)
    os.chmod("a", 0o700)
    os.chmod("a/b", 0o700)
""",
    "a pipe and a socket": """
os.chdir("/workspace/tiny")
socket.socket(socket.AF_UNIX).bind("s")
os.mkfifo("pipe.py")
""",
    "names that are no text": """
open(b"/workspace/tiny/\\xff\\x1b[31m.py", "w").write("x = 1")
""",
    "the end of everything inside": """
os.kill(-1, 9)
""",
}

HONEST = """
os.chdir("/workspace")
pathlib.Path("tiny/shapes.py").write_text(
    "import math\\n\\n\\ndef area(radius):\\n    return math.pi * radius**2\\n"
)
subprocess.run(["python", "-m", "pytest", "-q", "tests"], check=True)
subprocess.run(["python", "-m", "compileall", "-q", "tiny"], check=True)
subprocess.run(["git", "init", "-q", "."], check=True)
os.utime("README.md")
os.rename("README.md", "tiny/kept")
os.rename("tiny/kept", "README.md")
os.chmod("tiny", 0o700)
os.chmod("tiny/shapes.py", 0o600)
subprocess.Popen(["sleep", "100"], start_new_session=True)
"""


def run_agent(suite: Path, store_root: Path, folder: Path, text: str) -> Trial:
    """The record of one trial of an agent that runs `text`; nothing of it is left in the store."""
    program = folder / "agent.py"
    program.write_text(START + text)
    program.chmod(0o755)
    store = open_store(store_root)
    mine = f".{os.getpid()}."
    request = RunRequest(suite=str(suite), agents=(f"command:{program}",), out=folder / "run")
    prepared = prepare_contest(request, say=lambda _line: None, store=store)
    run_contest(prepared, jobs=1, on_event=lambda _event: None)
    assert [p.name for p in (store.root / "scratch").iterdir() if mine in p.name] == []
    report = audit_run(folder / "run")
    assert (report.ok, report.complete) == (True, True)
    (record,) = (folder / "run" / "trials").glob("*/*/1/trial.json")
    return load_record(record, Trial)


@pytest.mark.parametrize("what", ATTACKS)
def test_a_hostile_workspace_is_scored(
    tiny_suite: Path, store_root: Path, tmp_path: Path, what: str
) -> None:
    trial = run_agent(tiny_suite, store_root, tmp_path, ATTACKS[what])
    assert trial.withheld is None
    assert trial.scores is not None
    assert (trial.scores.pass1, trial.scores.fail2pass) == (0, 0.0)


def test_an_untidy_honest_agent_scores_one(
    tiny_suite: Path, store_root: Path, tmp_path: Path
) -> None:
    trial = run_agent(tiny_suite, store_root, tmp_path, HONEST)
    assert trial.scores is not None
    assert trial.scores.pass1 == 1, trial.submission
