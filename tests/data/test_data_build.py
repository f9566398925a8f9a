"""Data sets: made once, hidden from agents, named in plan, record and table."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from referee.author.leaks import find_leaks
from referee.data.build import build_data, current, data_for, needed_data, take_published
from referee.environment.inventory import list_store, prune
from referee.environment.store import Store, open_store
from referee.record.fault import BadInput, Infrastructure
from referee.record.load import load_record
from referee.record.plan import RunPlan
from referee.record.verdict import Verdict
from referee.report.measures import measure_cells, measure_rows
from referee.report.table import table_rows
from referee.task.package import TaskPackage, load_task
from referee.trial.audit import audit_run
from referee.trial.baseline import lock_baseline
from referee.trial.contest import RunRequest, prepare_contest, run_contest
from referee.trial.workspace import bench_for

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "suites/climate/001-mauna-loa/environment/requirements.lock"
STARTER = "def predict(x):\n    raise NotImplementedError\n"
TASK = """\
schema_version = "1.4"

[task]
name = "test/001-slope"

[environment]
memory_mb = 512
storage_mb = 64

[verifier]
timeout_sec = 120

[referee]
kind = "artifact"
suite = "slopes"
id = "001"
domain = "Mathematics"
licence = "MIT"
writable = ["model.py"]

[referee.artifact]
measure = "mean_error"
units = "1"
better = "lower"
samples = { small = 5, full = 50, published = 5 }
requirement = 1e-9
sensible = 0.5

[referee.data]
public = ["training.csv"]
hidden = ["validation.csv"]
seed = 42
modules = ["numpy"]
published = true
"""
GENERATOR = """\
# referee-canary 001 00000000-0000-0000-0000-000000000010
import numpy as np


def write(path, size, seed):
    x = np.random.default_rng(seed).uniform(0, 1, {"small": 5, "full": 50}[size])
    np.savetxt(path, np.stack([x, 2 * x + 0.1], axis=1), delimiter=",")
    print(f"{x.size} rows")


def public(size, seed, folder):
    write(folder / "training.csv", size, seed)


def hidden(size, seed, folder):
    write(folder / "validation.csv", size, seed)
"""
PRIVATE = """\
# referee-canary 001 00000000-0000-0000-0000-000000000010
import numpy as np

from referee.wall import contract, probe


@probe
def predicted(x):
    import model

    return model.predict(x)


@contract("score")
def test_score(candidate, public_data, hidden_data, measure):
    assert [path.name for path in public_data.iterdir()] == ["training.csv"]
    x, y = np.loadtxt(hidden_data / "validation.csv", delimiter=",").T
    errors = np.abs(np.asarray(candidate(predicted, x), dtype=float) - y)
    measure(float(errors.mean()), errors.tolist())
"""
PUBLIC = """\
from referee.wall import contract, probe


@probe
def predicted(x):
    import model

    return model.predict(x)


@contract("interface")
def test_answers(candidate):
    assert candidate(predicted, 1.0) is not None
"""
SENSIBLE = """\
# referee-canary 001 00000000-0000-0000-0000-000000000010
from pathlib import Path

import numpy as np

x, y = np.loadtxt("/data/training.csv", delimiter=",").T
a, b = np.polyfit(x, y, 1)
Path("model.py").write_text(f"def predict(x):\\n    return {a!s} * x + {b!s}\\n")
"""
TRIVIAL = """\
# referee-canary 001 00000000-0000-0000-0000-000000000010
from pathlib import Path

Path("model.py").write_text("def predict(x):\\n    return 0 * x\\n")
"""
REFERENCE = """\
diff --git a/model.py b/model.py
--- a/model.py
+++ b/model.py
@@ -1,2 +1,2 @@
 def predict(x):
-    raise NotImplementedError
+    return 2 * x
"""


def write(root: Path) -> Path:
    """An artifact task about a straight line that has to be found in data."""
    files = {
        "task.toml": TASK,
        "instruction.md": "Write `predict(x)`.\n",
        "environment/source.toml": (
            '[source]\nregistry = "starter"\nname = "slope-model"\nversion = "1"\n\n'
            '[python]\nversion = "3.11"\n'
        ),
        "environment/requirements.lock": LOCK.read_text(),
        "environment/starter/model.py": STARTER,
        "environment/public/test_public.py": PUBLIC,
        "tests/data.py": GENERATOR,
        "tests/private/test_slope.py": PRIVATE,
        "solution/reference.toml": (
            '# referee-canary 001 00000000-0000-0000-0000-000000000010\npatch = "reference.patch"\n'
        ),
        "solution/reference.patch": REFERENCE,
        "solution/baseline/sensible.py": SENSIBLE,
        "solution/baseline/trivial.py": TRIVIAL,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def task(tmp_path: Path) -> TaskPackage:
    return load_task(write(tmp_path / "001-slope"))


@pytest.fixture
def store(open_folder: Path) -> Store:
    return open_store(open_folder / "store")


def test_data_are_made_once_and_found_again(store: Store, task: TaskPackage) -> None:
    lines: list[str] = []
    first = data_for(store, task, "small", lines.append)
    assert lines == [
        "001-slope: making the public small data",
        "  5 rows",
        "001-slope: making the hidden small data",
        "  5 rows",
    ]
    assert data_for(store, task, "small", lines.append) == first
    assert len(lines) == 4
    assert first.facts.text == "generated (small)"
    told = first.provenance()
    assert told["public"]["seed"] == 42
    assert told["public"]["packages"].keys() == {"python", "numpy"}
    assert set(told["hidden"]["files"]) == {"validation.csv"}


def test_hidden_data_are_closed_and_drawn_anew(store: Store, task: TaskPackage) -> None:
    first, second = build_data(store, task, "small"), build_data(store, task, "small")
    assert first.facts.public == second.facts.public
    assert first.facts.hidden != second.facts.hidden
    assert current(store, task, "small") == second
    assert stat.S_IMODE((store.root / "hidden-data").stat().st_mode) == 0o700
    again = build_data(store, task, "small", hidden_seed=7)
    assert again == build_data(store, task, "small", hidden_seed=7)
    assert again.facts != build_data(store, task, "full", hidden_seed=7).facts


def test_two_stores_make_the_same_files_of_one_seed(open_folder: Path, task: TaskPackage) -> None:
    here, there = (
        build_data(open_store(open_folder / name), task, "small", hidden_seed=3) for name in "ab"
    )
    assert here.facts == there.facts


def test_another_generator_makes_other_data(store: Store, task: TaskPackage) -> None:
    build_data(store, task, "small", hidden_seed=1)
    generator = task.root / "tests/data.py"
    generator.write_text(generator.read_text().replace("0.1", "0.2"))
    assert current(store, load_task(task.root), "small") is None


def test_published_files_are_taken_and_not_generated(
    store: Store, task: TaskPackage, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="are not in the store"):
        data_for(store, task, "published")
    given = tmp_path / "released"
    given.mkdir()
    (given / "training.csv").write_text("0,1\n")
    with pytest.raises(BadInput, match=r"need validation\.csv"):
        take_published(store, task, given)
    (given / "validation.csv").write_text("1,2\n")
    (given / "other.csv").write_text("3,4\n")
    data = take_published(store, task, given)
    assert data.facts.text == "published"
    assert [path.name for path in data.hidden.iterdir()] == ["validation.csv"]
    assert data_for(store, task, "published") == data


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('print(f"{x.size} rows")', "raise RuntimeError('no luck')", "failed: RuntimeError: no"),
        ('"training.csv"', '"train.csv"', "have no training.csv"),
        ('print(f"{x.size} rows")', 'open("more.csv", "w").close()', r"made more\.csv"),
        ("import numpy as np", "import numpi as np", "No module named 'numpi'"),
    ],
)
def test_a_bad_generator_is_one_sentence_and_leaves_nothing(
    store: Store, task: TaskPackage, old: str, new: str, sentence: str
) -> None:
    generator = task.root / "tests/data.py"
    generator.write_text(generator.read_text().replace(old, new))
    with pytest.raises(BadInput, match=sentence):
        build_data(store, load_task(task.root), "small")
    assert not list((store.root / "data").iterdir())
    assert not list((store.root / "hidden-data").iterdir())


def test_a_missing_module_is_named_before_anything_is_made(store: Store, task: TaskPackage) -> None:
    file = task.root / "task.toml"
    file.write_text(TASK.replace('modules = ["numpy"]', 'modules = ["no_such.solver"]'))
    with pytest.raises(BadInput, match=r"no_such\.solver, which is not installed"):
        build_data(store, load_task(task.root), "small")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (", published = 5 }", " }", "a number for each of small, full, published"),
        ("samples = { small = 5, full = 50, published = 5 }", "samples = 5", "table by size"),
        ('hidden = ["validation.csv"]', 'hidden = ["Training.csv"]', "stands twice"),
        ("seed = 42", "seed = -1", "referee.data.seed"),
        ('hidden = ["validation.csv"]', 'hidden = ["../validation.csv"]', "referee.data.hidden"),
        ("requirement = 1e-9\n", "", "stands in the place of a requirement"),
    ],
)
def test_a_bad_table_is_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    root = write(tmp_path / "001-slope")
    (root / "task.toml").write_text(TASK.replace(old, new))
    with pytest.raises(BadInput, match=sentence):
        load_task(root)


def test_table_and_generator_go_together(tmp_path: Path) -> None:
    root = write(tmp_path / "001-slope")
    (root / "tests/data.py").unlink()
    with pytest.raises(BadInput, match="go together"):
        load_task(root)


def test_changed_data_are_the_machines_fault(store: Store, task: TaskPackage) -> None:
    data = build_data(store, task, "small")
    file = data.hidden / "validation.csv"
    file.chmod(0o644)
    file.write_text("0,0\n")
    with pytest.raises(Infrastructure, match="data_damaged"):
        data_for(store, task, "small")


def test_pruning_keeps_what_runs_would_use(store: Store, task: TaskPackage) -> None:
    old = build_data(store, task, "small", hidden_seed=1)
    new = build_data(store, task, "small", hidden_seed=2)
    assert {row.what for row in list_store(store) if row.kind == "hidden-data"} == {
        "001-slope (small), 1 files"
    }
    prune(store, needed_data(store))
    assert not old.hidden.exists()
    assert current(store, task, "small") == new


@pytest.fixture(scope="module")
def slope_task(store_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("data") / "001-slope")
    store, task = open_store(store_root), load_task(root)
    build_data(store, task, "small", hidden_seed=11)
    lock_baseline(bench_for(store, task), task)
    return root


def run_of(store_root: Path, task: Path, out: Path, *agents: str) -> Path:
    request = RunRequest(suite=str(task), agents=agents, out=out, unvalidated=True, seed=1)
    contest = prepare_contest(request, say=lambda _line: None, store=open_store(store_root))
    run_contest(contest, jobs=1, on_event=lambda _event: None)
    return out


def test_baselines_learn_from_the_data_and_the_record_says_which(
    store_root: Path, slope_task: Path, tmp_path: Path
) -> None:
    out = run_of(store_root, slope_task, tmp_path / "run", "baseline", "baseline:trivial")
    sensible, trivial = measure_rows(out)
    assert (sensible.arm, trivial.arm) == ("baseline", "baseline-trivial")
    assert sensible.median is not None
    assert sensible.median < 1e-9 < 0.5 < (trivial.median or 0)
    assert (sensible.met, trivial.met) == (1, 0)
    assert sensible.data == "generated (small)"
    heads, cells = measure_cells([sensible])
    assert dict(zip(heads, cells[0], strict=True))["data"] == "small"
    facts = load_record(out / "run.json", RunPlan).data["001-slope"]
    (file,) = out.glob("trials/*/baseline/1/grade/*/verdict.json")
    measure = load_record(file, Verdict).measure
    assert measure is not None
    assert measure.reported is not None
    assert measure.reported.data == facts.labels()
    assert measure.planned == 5
    assert audit_run(out).ok


def test_runs_on_other_hidden_data_share_no_table(
    store_root: Path, slope_task: Path, tmp_path: Path
) -> None:
    first = run_of(store_root, slope_task, tmp_path / "one", "nop")
    build_data(open_store(store_root), load_task(slope_task), "small", hidden_seed=12)
    second = run_of(store_root, slope_task, tmp_path / "two", "nop")
    with pytest.raises(BadInput, match="differ in data"):
        table_rows([first, second])


def test_the_agents_sandbox_has_public_data_alone(store_root: Path, slope_task: Path) -> None:
    report = find_leaks(open_store(store_root), load_task(slope_task), lambda _line: None)
    assert [leak for leak in report.leaks if leak.kind == "fixed"] == []
    generator = slope_task / "tests/data.py"
    text = generator.read_text()
    generator.write_text(text.replace("size, seed)\n", "size, 5)\n"))  # both halves alike
    try:
        report = find_leaks(open_store(store_root), load_task(slope_task), lambda _line: None)
    finally:
        generator.write_text(text)
    assert ("fixed", "/data/training.csv") in {(leak.kind, leak.where) for leak in report.leaks}


def test_a_plan_without_data_keeps_the_identity_that_it_had(
    store_root: Path, slope_task: Path, tmp_path: Path
) -> None:
    plan = load_record(
        run_of(store_root, slope_task, tmp_path / "run", "nop") / "run.json", RunPlan
    )
    assert "data" in plan.identity()
    assert "data" not in plan.model_copy(update={"data": {}}).identity()
