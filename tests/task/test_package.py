"""A task package is read strictly: each fault is one sentence that names the file and the key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.record.fault import BadInput
from referee.task.model import AgentView, EvaluatorView
from referee.task.package import load_task


def test_a_complete_package_loads(tiny_task: Path) -> None:
    task = load_task(tiny_task)
    assert task.id == "001"
    assert task.label == "001-tiny"
    assert task.agent.instruction.startswith("# Areas")
    assert task.evaluator.baseline is None
    assert re.fullmatch(r"[0-9a-f]{64}", task.digest)


def test_the_two_halves_share_no_field() -> None:
    assert not set(AgentView.model_fields) & set(EvaluatorView.model_fields)


@pytest.mark.parametrize(
    "path",
    [
        "task.toml",
        "instruction.md",
        "environment/source.toml",
        "environment/requirements.lock",
        "environment/context/circle.md",
        "environment/science/pi.md",
        "environment/public/reproduce.py",
        "tests/private/test_area.py",
    ],
)
def test_every_file_that_can_move_a_score_is_in_the_digest(tiny_task: Path, path: str) -> None:
    before = load_task(tiny_task).digest
    with (tiny_task / path).open("a") as stream:
        stream.write("\n# changed\n")
    assert load_task(tiny_task).digest != before


def test_a_mode_bit_is_in_the_digest(tiny_task: Path) -> None:
    before = load_task(tiny_task).digest
    (tiny_task / "environment/public/reproduce.py").chmod(0o755)
    assert load_task(tiny_task).digest != before


def test_caches_and_solutions_are_not_in_the_digest(tiny_task: Path) -> None:
    before = load_task(tiny_task).digest
    (tiny_task / "tests/private/__pycache__").mkdir()
    (tiny_task / "tests/private/__pycache__/x.pyc").write_bytes(b"x")
    (tiny_task / "solution/reference.patch").write_text("# other\n")
    assert load_task(tiny_task).digest == before


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('domain = "', 'domein = "', r"task\.toml:\d+: .*referee\.domein; did you mean domain\?"),
        (
            "memory_mb = 512",
            'memory_mb = "512"',
            r"task\.toml:11: environment\.memory_mb = '512'",
        ),
        ("memory_mb = 512", "memory_mb = -1", r"environment\.memory_mb = -1"),
        ("memory_mb = 512", "memory = 512", r"environment\.memory; did you mean memory_mb\?"),
        ('licence = "MIT"\n', "", r"task\.toml.*: the key referee\.licence is missing; add it"),
        ('paradigm = "issue-driven"', 'paradigm = "magic"', r"referee\.paradigm = 'magic'"),
        ("[task]", "[task", r"task\.toml: not valid TOML"),
        ('["with", "without"]', '["with", "maybe"]', r"conditions\.science"),
        ("timeout_sec = 120", "timeout_sec = nan", r"verifier\.timeout_sec"),
        ("memory_mb = 512", 'env = { PYTHONPATH = "/" }', r"PYTHONPATH is set by referee alone"),
        ("memory_mb = 512", 'env = { "A B" = "1" }', r"environment\.env"),
    ],
)
def test_a_fault_in_task_toml_names_file_and_key(
    tiny_task: Path, old: str, new: str, sentence: str
) -> None:
    file = tiny_task / "task.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(BadInput, match=sentence) as caught:
        load_task(tiny_task)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["task.toml", "instruction.md", "environment/requirements.lock", "tests/private"]
)
def test_a_missing_file_is_named(tiny_task: Path, name: str) -> None:
    target = tiny_task / name
    if target.is_dir():
        (target / "test_area.py").unlink()
        target.rmdir()
    else:
        target.unlink()
    with pytest.raises(BadInput, match=re.escape(name)):
        load_task(tiny_task)


@pytest.mark.parametrize("name", ["Dockerfile", "tests/privat", "environment/sience"])
def test_an_unknown_file_is_an_error_with_a_suggestion(tiny_task: Path, name: str) -> None:
    (tiny_task / name).write_text("x")
    with pytest.raises(BadInput, match=f"unknown file {Path(name).name}"):
        load_task(tiny_task)


def test_a_link_out_of_the_package_is_refused(tiny_task: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tiny_task / "environment/context/link.md").symlink_to(tmp_path / "secret")
    with pytest.raises(BadInput, match=r"link\.md: a task package holds no symbolic links"):
        load_task(tiny_task)


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../b", "a\\\\b"])
def test_a_path_that_escapes_is_refused(tiny_task: Path, path: str) -> None:
    (tiny_task / "solution/reference.toml").write_text(f'patch = "{path}"\n')
    with pytest.raises(BadInput, match=r"reference\.toml: the path .* leaves its folder"):
        load_task(tiny_task)


def test_a_release_without_a_hash_is_refused(tiny_task: Path) -> None:
    file = tiny_task / "environment/source.toml"
    file.write_text(re.sub(r"sha256 = .*\n", "", file.read_text()))
    with pytest.raises(BadInput, match=r"source\.toml: a pypi release needs the key sha256"):
        load_task(tiny_task)


def test_a_baseline_of_another_content_cannot_score(tiny_task: Path) -> None:
    task = load_task(tiny_task)
    with pytest.raises(BadInput, match="no baseline"):
        task.checked_baseline()
    (tiny_task / "tests/baseline.json").write_text(
        f'{{"task_digest": "{task.digest}", "checks": {{}}}}'
    )
    assert load_task(tiny_task).checked_baseline().task_digest == task.digest
    (tiny_task / "instruction.md").write_text("Another question.\n")
    with pytest.raises(BadInput, match="changed since its baseline"):
        load_task(tiny_task).checked_baseline()


def test_an_unreadable_text_is_one_sentence(tiny_task: Path) -> None:
    (tiny_task / "instruction.md").write_bytes(b"\xff\xfe broken")
    with pytest.raises(BadInput, match=r"instruction\.md: byte 0 is not UTF-8"):
        load_task(tiny_task)
