"""Artifacts before the production grader: what each kind of submission is worth, and why."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from referee.author.evidence import require_validated
from referee.environment.store import open_store
from referee.record.fault import BadInput
from referee.record.measure import Measure
from referee.record.verdict import Verdict
from referee.report.measures import measure_rows
from referee.task.package import load_task
from referee.task.suite import open_suite
from referee.trial.audit import audit_run
from referee.trial.baseline import lock_baseline
from referee.trial.contest import RunRequest, prepare_contest, run_contest
from referee.trial.grade_one import grade_patch
from referee.trial.workspace import bench_for

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "suites/climate/001-mauna-loa/environment/requirements.lock"
STARTER = "def predict(x):\n    raise NotImplementedError\n"
TASK = """\
schema_version = "1.4"

[task]
name = "test/001-line"

[environment]
memory_mb = 512
storage_mb = 64

[verifier]
timeout_sec = 120

[referee]
kind = "artifact"
suite = "lines"
id = "001"
domain = "Mathematics"
licence = "MIT"
writable = ["model.py"]

[referee.artifact]
measure = "mean_error"
units = "m"
better = "lower"
samples = 4
requirement = 0.5
"""
PRIVATE = """\
# referee-canary 001 00000000-0000-0000-0000-000000000009
import numpy as np

from referee.wall import contract, probe


@probe
def predicted(x):
    import model

    return model.predict(x)


@contract("interface")
def test_shape(candidate):
    got = candidate(predicted, np.arange(4.0))
    assert isinstance(got, np.ndarray)
    assert got.shape == (4,)


@contract("score")
def test_score(candidate, measure):
    x = np.arange(4.0)
    errors = np.abs(np.asarray(candidate(predicted, x), dtype=float) - (2 * x + 1))
    measure(float(errors.mean()), errors.tolist(), components={"largest": float(errors.max())})
"""
PUBLIC = PRIVATE.partition('@contract("score")')[0].partition("\n")[2]
MODEL = "import numpy as np\n\n\ndef predict(x):\n    return {}\n"


def patch(body: str) -> bytes:
    """A submission whose model returns `body`."""
    old, new = STARTER.splitlines(), MODEL.format(body).splitlines()
    lines = [f"@@ -1,{len(old)} +1,{len(new)} @@", *(f"-{x}" for x in old), *(f"+{x}" for x in new)]
    head = "diff --git a/model.py b/model.py\n--- a/model.py\n+++ b/model.py\n"
    return (head + "\n".join(lines) + "\n").encode()


def write(root: Path) -> Path:
    """An artifact task about a straight line."""
    files = {
        "task.toml": TASK,
        "instruction.md": "Write `predict(x)`.\n",
        "environment/source.toml": (
            '[source]\nregistry = "starter"\nname = "line-model"\nversion = "1"\n\n'
            '[python]\nversion = "3.11"\n'
        ),
        "environment/requirements.lock": LOCK.read_text(),
        "environment/starter/model.py": STARTER,
        "environment/public/test_public.py": PUBLIC,
        "tests/private/test_line.py": PRIVATE,
        "solution/reference.toml": 'patch = "reference.patch"\n',
        "solution/reference.patch": patch("2.0 * x + 1.0").decode(),
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture(scope="module")
def line_task(store_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The task with its baseline."""
    root = write(tmp_path_factory.mktemp("artifact") / "001-line")
    task = load_task(root)
    baseline = lock_baseline(bench_for(open_store(store_root), task), task)
    assert not any(check.passed for check in baseline.checks.values())
    assert "private/requirement" in baseline.checks
    return root


def graded(store_root: Path, task: Path, body: str) -> tuple[Verdict, Measure]:
    _submission, verdict = grade_patch(
        open_store(store_root), load_task(task), patch(body), seed=1, say=lambda _line: None
    )
    assert verdict.measure is not None
    return verdict, verdict.measure


@pytest.mark.parametrize(
    ("body", "valid", "met", "value"),
    [
        ("2.0 * x + 1.0", True, True, 0.0),
        ("2.0 * x + 1.25", True, True, 0.25),
        ("2.0 * x + 2.0", True, False, 1.0),
        ("np.zeros(x.shape)", True, False, 4.0),
        ("np.full(x.shape, 4.0)", True, False, 2.0),
        ("2.0 * x[::-1] + 1.0", True, False, 4.0),
        ("np.full(x.shape, np.nan)", False, False, None),
        ("np.where(x > 2, np.inf, 2.0 * x + 1.0)", False, False, None),
        ("(2.0 * x + 1.0)[:, None]", False, False, None),
        ("2.0 * x[:1] + 1.0", False, False, None),
        ("list(2.0 * x + 1.0)", False, False, 0.0),
        ("open('/proc/self/mem').read()", False, False, None),
    ],
    ids=[
        *("right", "near", "shifted", "zeros", "constant", "order", "nan", "one-inf", "column"),
        *("one-of-four", "list", "crash"),
    ],
)
def test_what_a_submission_is_worth(
    store_root: Path, line_task: Path, body: str, valid: bool, met: bool, value: float | None
) -> None:
    verdict, measure = graded(store_root, line_task, body)
    if body.startswith(("(2.0", "2.0 * x[:1]")):
        # broadcasting gives a number of something else: whatever it is, it has no rank
        assert not measure.valid
        return
    assert (measure.valid, measure.met, measure.value) == (valid, met, value)
    assert verdict.scores.pass1 == int(met)
    if body == "np.full(x.shape, np.nan)":
        assert measure.reported is not None
        assert measure.reported.flags == {"nonfinite": 6}


def test_a_refused_artifact_has_no_measure(store_root: Path, line_task: Path) -> None:
    data = patch("x").replace(b"model.py", b"other.py")
    _submission, verdict = grade_patch(
        open_store(store_root), load_task(line_task), data, seed=1, say=lambda _line: None
    )
    assert verdict.refusal is not None
    assert verdict.measure is not None
    assert (verdict.measure.reported, verdict.measure.valid, verdict.measure.met) == (
        None,
        False,
        False,
    )


def test_a_run_has_a_table_of_measures_and_an_audit_computes_them_again(
    store_root: Path, line_task: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    request = RunRequest(
        suite=str(line_task), agents=("nop", "oracle"), out=out, unvalidated=True, seed=1
    )
    contest = prepare_contest(request, say=lambda _line: None, store=open_store(store_root))
    run_contest(contest, jobs=1, on_event=lambda _event: None)
    nop, oracle = measure_rows(out)
    assert (nop.arm, nop.median, nop.invalid, nop.met) == ("nop", None, 1, 0)
    assert (oracle.arm, oracle.median, oracle.invalid, oracle.met) == ("oracle", 0.0, 0, 1)
    assert (oracle.units, oracle.requirement, oracle.planned) == ("m", 0.5, 1)
    assert audit_run(out).ok
    (file,) = out.glob("trials/*/nop/1/grade/*/verdict.json")
    verdict = json.loads(file.read_text())
    verdict["measure"] |= {"valid": True, "met": True}
    verdict["measure"]["reported"] = {
        "value": 0.0,
        "samples": [0.0] * 4,
        "components": {},
        "flags": {},
        "data": {},
    }
    file.write_text(json.dumps(verdict, sort_keys=True, separators=(",", ":")))
    found = [finding.what for finding in audit_run(out).findings]
    assert any("does not follow from the checks" in what for what in found)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('kind = "artifact"', 'kind = "repair"', "paradigm is for tasks of the kind repair"),
        ("[referee.artifact]", "[referee.artefact]", "unknown key referee.artefact"),
        ('better = "lower"', 'better = "smaller"', "referee.artifact.better"),
        ("requirement = 0.5", "requirement = nan", "referee.artifact.requirement"),
        ("samples = 4", "samples = 0", "referee.artifact.samples"),
    ],
)
def test_a_bad_table_is_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    root = write(tmp_path / "001-line")
    (root / "task.toml").write_text(TASK.replace(old, new))
    with pytest.raises(BadInput, match=sentence):
        load_task(root)


def test_a_starter_and_its_registry_go_together(tmp_path: Path) -> None:
    root = write(tmp_path / "001-line")
    source = root / "environment/source.toml"
    text = source.read_text()
    first = load_task(root).agent.source.source
    assert str(tmp_path) not in first.model_dump_json()
    (root / "environment/starter/model.py").write_text("other = 1\n")
    assert load_task(root).agent.source.source.sha256 != first.sha256
    for changed, sentence in (
        (text.replace("starter", "pypi"), "go together"),
        (text.replace('version = "1"', 'version = "1"\nfolder = "/etc"'), "folder is not for a"),
        (text.replace('version = "1"', 'version = "1"\nfile = "x"'), "file is not for a starter"),
    ):
        source.write_text(changed)
        with pytest.raises(BadInput, match=sentence):
            load_task(root)
    source.write_text(text)
    (root / "environment/starter/model.py").unlink()
    with pytest.raises(BadInput, match="the starter has no files"):
        load_task(root)


@pytest.mark.parametrize("suite", ["climate", "gw"])
def test_the_artifact_tasks_are_validated(suite: str) -> None:
    for task in open_suite(ROOT / "suites" / suite).load():
        require_validated(task)
        artifact = task.agent.file.referee.artifact
        assert artifact is not None
        assert artifact.requirement is not None
        private = [c for c in task.checked_baseline().checks.values() if c.kind == "private"]
        assert len(private) >= 5
        assert len({check.contract for check in private}) >= 3


def test_a_task_whose_checks_cannot_be_run_here_is_not_begun(
    store_root: Path, line_task: Path, tmp_path: Path
) -> None:
    root = tmp_path / "001-line"
    shutil.copytree(line_task, root)
    table = '\n[referee.grader]\nmodules = ["json", "no_such_module"]\nextra = "gw"\n'
    (root / "task.toml").write_text(TASK + table)
    with pytest.raises(BadInput, match=r"need no_such_module, .*pip install 'referee\[gw\]'"):
        bench_for(open_store(store_root), load_task(root))
