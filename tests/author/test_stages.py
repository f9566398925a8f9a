"""The stages before validation, the scaffold, and the search for leaks."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.author.abstract import abstract_task
from referee.author.evidence import read_evidence
from referee.author.freeze import freeze_task
from referee.author.leaks import find_leaks
from referee.author.leaks_inside import gram_share, search_file
from referee.author.overlap import assertion_grams, grams, share
from referee.author.scaffold import new_task
from referee.author.screen import screen_task
from referee.environment.store import Store, open_store
from referee.record.fault import BadInput
from referee.record.tree import scan_tree
from referee.task.package import TaskPackage, load_task

WHY = "The formula for the area must be derived; a constant does not repair it."
REPRODUCE = """\
import sys

sys.path.insert(0, ".")
import tiny

sys.exit(abs(tiny.area(2.0) - 12.566370614359172) > 1e-9)
"""


@pytest.fixture
def store(store_root: Path) -> Store:
    return open_store(store_root)


@pytest.fixture
def task_root(tiny_task: Path) -> Path:
    """A task whose release says its licence, in a suite of one."""
    (tiny_task / "environment" / "public" / "reproduce.py").write_text(REPRODUCE)
    return tiny_task


def quiet(_line: str) -> None:
    """Say nothing."""


def screened(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> TaskPackage:
    """The task after stage 1; the tiny release has no licence, so one is put in its place."""
    monkeypatch.setattr("referee.author.screen.licence_evidence", lambda _snapshot: ("LICENSE",))
    task = load_task(root)
    screen_task(store, task, WHY, quiet)
    return task


def test_a_release_without_a_licence_is_refused(store: Store, task_root: Path) -> None:
    with pytest.raises(BadInput, match="says nothing about its licence"):
        screen_task(store, load_task(task_root), WHY, quiet)


def test_screening_needs_a_reason_and_keeps_it(
    store: Store, task_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match=r"why is this task not trivial\?.*--why"):
        screen_task(store, load_task(task_root), None, quiet)
    with pytest.raises(BadInput, match="not trivial"):
        screen_task(store, load_task(task_root), "It is hard.", quiet)
    task = screened(store, task_root, monkeypatch)
    again = screen_task(store, task, None, quiet)
    assert again.facts["why"] == WHY
    assert again.facts["licence"] == "MIT"
    assert again.facts["same_package"] == []


def test_a_task_that_is_there_already_is_refused(
    store: Store, write_tiny_task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    first = write_tiny_task(tmp_path / "suite" / "001-tiny")
    second = write_tiny_task(tmp_path / "suite" / "002-other")
    text = (second / "task.toml").read_text()
    words = "The area of a circle that the package gives is not the area of any circle at all.\n"
    for root in (first, second):
        (root / "instruction.md").write_text(words)
    (tmp_path / "suite" / "suite.toml").write_text(
        '[suite]\nname = "s"\nversion = "1"\ntitle = "S"\ntasks = ["001-tiny", "002-other"]\n'
    )
    with pytest.raises(BadInput, match="has the id 001 already"):
        screened(store, second, monkeypatch)
    (second / "task.toml").write_text(text.replace('id = "001"', 'id = "002"'))
    with pytest.raises(BadInput, match="100% of the instruction stands in that of 001-tiny"):
        screened(store, second, monkeypatch)
    (second / "instruction.md").write_text("Mend the volume of spheres.\n")
    screened(store, second, monkeypatch)
    assert read_evidence(second)[0].facts["same_package"] == ["001-tiny"]


def test_the_stages_in_order(
    store: Store, task_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="referee task screen"):
        freeze_task(store, load_task(task_root), quiet)
    task = screened(store, task_root, monkeypatch)
    with pytest.raises(BadInput, match="referee task freeze"):
        abstract_task(store, task, quiet)
    frozen = freeze_task(store, task, quiet)
    assert frozen.facts["anomaly"]["exit_code"] == 1  # type: ignore[index,call-overload]
    assert frozen.facts["repaired"]["exit_code"] == 0  # type: ignore[index,call-overload]
    abstract_task(store, task, quiet)
    assert [line.stage for line in read_evidence(task_root)] == ["screen", "freeze", "abstract"]


def test_a_program_that_shows_nothing_is_refused(
    store: Store, task_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task_root / "environment" / "public" / "reproduce.py").write_text("print('wrong')\n")
    task = screened(store, task_root, monkeypatch)
    with pytest.raises(BadInput, match=r"reproduce\.py: it says the same.*exit with 1"):
        freeze_task(store, task, quiet)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Return `math.pi * radius**2` from `def area(radius):`, with `import math`.", "reference"),
        ("Look into tiny/shapes.py.", "names tiny/shapes.py"),
        ("It holds that assert abs(candidate(area, 2.0) - 4 * 3.141592653589793) <= 1e-09",
         "hidden assertions"),
    ],
    ids=["the-fix", "the-file", "the-check"],
)  # fmt: skip
def test_an_instruction_that_gives_it_away_is_refused(
    store: Store, task_root: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    (task_root / "instruction.md").write_text(f"Mend the area.\n\n{text}\n")
    task = screened(store, task_root, monkeypatch)
    freeze_task(store, task, quiet)
    with pytest.raises(BadInput, match=why):
        abstract_task(store, task, quiet)
    assert len(read_evidence(task_root)) == 2


def test_a_clean_sandbox_has_no_leaks_and_a_planted_one_is_found(
    store: Store, task_root: Path
) -> None:
    clean = find_leaks(store, load_task(task_root), quiet)
    assert clean.leaks == ()
    assert clean.files > 1000
    assert "solution/reference.toml" in clean.silent
    assert "tests/private/test_area.py" not in clean.silent
    context = task_root / "environment" / "context"
    hidden = (task_root / "tests" / "private" / "test_area.py").read_text()
    (context / "notes.py").write_text(hidden)
    fixed = "import math\n\n\ndef area(radius):\n    return math.pi * radius**2\n"
    (context / "shapes.py").write_text(fixed)
    found = {
        (leak.kind, leak.where) for leak in find_leaks(store, load_task(task_root), quiet).leaks
    }
    assert ("canary", "/task/context/notes.py") in found
    assert ("fixed", "/task/context/shapes.py") in found
    assert ("public-text", "environment/") in found


def test_what_one_file_gives_away(tmp_path: Path) -> None:
    line = "value = series(order, argument, nome)"
    question = {
        "canaries": ["referee-canary"],
        "lines": [line],
        "least_lines": 1,
        "grams": {},
        "gram": 8,
        "most_grams": 0.05,
        "most_own": 0.25,
        "names": ["theta.py"],
        "fixed": [],
        "newest": None,
    }

    def kinds(path: str, data: bytes) -> list[str]:
        return [kind for kind, _path, _what in search_file(Path(path), data, question)]

    assert kinds("/opt/env/lib/x.py", line.encode()) == ["reference"]
    assert kinds("/opt/env/lib/x.py", b"something else") == []
    assert kinds("/tmp/.git/HEAD", b"") == ["git"]
    assert kinds("/srv/objects/ab/" + "0" * 38, b"") == ["git"]
    assert kinds("/opt/objects/ab.py", b"") == []
    assert kinds("/etc/hosts", b"a referee-canary 1") == ["canary"]
    assert gram_share(b"a b c", 2, {}) == 0.0


def test_a_snapshot_may_share_idioms_with_the_reference_and_not_a_copy_of_it() -> None:
    words = [f"w{n}" for n in range(40)]
    wanted = {
        hashlib.sha256("\0".join(words[n : n + 8]).encode()).hexdigest()[:16]: 1 for n in range(33)
    }
    question = {
        **{"canaries": [], "lines": [], "least_lines": 1, "grams": wanted, "gram": 8},
        **{"most_grams": 0.05, "most_own": 0.25, "names": ["x.c"], "fixed": [], "newest": None},
    }

    def leaks(path: str, count: int) -> bool:
        data = " ".join(words[:count]).encode()
        return bool(list(search_file(Path(path), data, question)))

    idioms, copy = 12, 30
    assert not leaks("/workspace/src/y.c", idioms)
    assert leaks("/opt/env/x.c", idioms)
    assert leaks("/task/context/y.c", idioms)
    assert leaks("/workspace/src/y.c", copy)


def test_shares_of_n_grams() -> None:
    hidden = grams("one two three four five", 3)
    assert len(hidden) == 3
    assert share(hidden, grams("zero one two three four", 3)) == pytest.approx(2 / 3)
    assert share(frozenset(), hidden) == 0.0
    source = b"def test():\n    x = 1\n    assert_allclose(a.b, [1, 2], rtol=3)\n    assert x\n"
    found = assertion_grams(source)
    assert ("assert_allclose", "(", "a", ".", "b", ",", "[", "1") in found
    assert assertion_grams(b"def (") == frozenset()


def test_a_new_task_is_refused_until_it_is_filled_in(tmp_path: Path) -> None:
    root = tmp_path / "079-aromatic"
    names = new_task(root)
    assert set(names) == set(scan_tree(root).files)
    assert "TODO" not in "".join((root / name).read_text() for name in names)
    canaries = {
        match
        for folder in ("tests", "solution")
        for path in (root / folder).rglob("*.*")
        if path.is_file()
        for match in re.findall(r"referee-canary 079 [0-9a-f-]{36}", path.read_text())
    }
    assert len(canaries) == 1
    with pytest.raises(BadInput, match=r"referee\.(domain|paradigm|licence|writable)"):
        load_task(root)
    text = (root / "task.toml").read_text()
    filled = text.replace('domain = ""', 'domain = "Chemistry"').replace(
        'paradigm = ""', 'paradigm = "issue-driven"'
    )
    filled = filled.replace('licence = ""', 'licence = "MIT"')
    (root / "task.toml").write_text(filled.replace("writable = []", 'writable = ["a/*.py"]'))
    with pytest.raises(BadInput, match="source"):
        load_task(root)
    with pytest.raises(BadInput, match="such a folder already"):
        new_task(root)
    with pytest.raises(BadInput, match="no name for a task"):
        new_task(tmp_path / "aromatic")


def test_the_commands_speak_json(tmp_path: Path, store_environment: Path) -> None:
    def call(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "referee", "task", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)

    made = call("new", "900-mine", "--json")
    assert json.loads(made.stdout)["folder"] == "900-mine"
    refused = call("freeze", "900-mine")
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
