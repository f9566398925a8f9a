"""Every command that the documentation shows is run, in the order in which it is shown."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]
LONG = {"judge.md", "run-an-agent-that-people-use.md", "write-a-repair-task.md"}
"""Pages whose commands install or do what takes minutes."""
SET_UP = ("make demo", "make test")
"""What this test itself was started by, or would start it again."""


def steps_of(page: Path) -> list[tuple[str, str | None]]:
    """What a page has its reader do, in order: `(command, None)` for each line that begins with
    `$ ` in a console block, `(path, content)` for each block that says `file=path`."""
    steps: list[tuple[str, str | None]] = []
    blocks = re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```$", page.read_text("utf-8"), re.S | re.M)
    for language, said, content in blocks:
        if language == "console":
            steps += [(x[2:], None) for x in content.splitlines() if x.startswith("$ ")]
        elif named := re.fullmatch(r" file=(\S+)", said):
            steps.append((named[1], content))
    return steps


def commands_of(page: Path) -> list[str]:
    """The commands of a page."""
    return [step for step, content in steps_of(page) if content is None]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like a clone, in which pages may write."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("suites", "demo"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "my.patch").write_bytes(b"")
    return folder


@pytest.mark.xdist_group("docs")
@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=[pytest.mark.slow] if p.name in LONG else []) for p in PAGES],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_commands_of_a_page_run(page: Path, clone: Path, store_environment: Path) -> None:
    for command, content in steps_of(page):
        if content is not None:
            file = clone / command
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
            continue
        if command.split("#")[0].strip() in SET_UP:
            continue
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=clone,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=900,
        )
        # `grade` answers no by 1, and my.patch is empty.
        allowed = (0, 1) if command.startswith("referee grade") else (0,)
        assert done.returncode in allowed, (command, done.stdout, done.stderr)


def test_pages_show_commands_and_link_to_pages_that_exist() -> None:
    assert sum(len(commands_of(page)) for page in PAGES) > 20
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if not link.startswith("http"):
                assert (page.parent / link).exists(), f"{page}: {link}"


def test_the_composition_of_the_repair_suite_is_of_the_suite(
    store_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    made = importlib.import_module("composition")
    text = made.PAGE.read_text(encoding="utf-8")
    assert made.page(text) == text, "run `python scripts/composition.py`"


def test_the_table_of_the_artifact_suites_is_of_the_suites(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    made = importlib.import_module("artifact_page")
    text = made.PAGE.read_text(encoding="utf-8")
    assert made.page(text) == text, "run `python scripts/artifact_page.py`"
