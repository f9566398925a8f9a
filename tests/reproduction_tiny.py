"""A tiny reproduction task: the transmission of a dielectric slab by 1-D transfer matrices.

`write_reproduction(folder)` writes a complete, sound package into `folder` and returns it; then
`load_task(folder)` and `load_reproduction(...)` read it. `change(folder, path, text)` replaces a
file and brings what is bound to it (the rubric's hash, the public contract) along. Use it as

    TINY = runpy.run_path(str(Path(__file__).parents[N] / "reproduction_tiny.py"))
    write_reproduction = TINY["write_reproduction"]

or by the fixture `reproduction_task` of conftest.py. `SOLVED` has the files of a submission that
does the work in pure Python within a second; `write_submission(folder, files)` writes one.
"""

from __future__ import annotations

import hashlib
import json
from difflib import unified_diff
from pathlib import Path

LOCK = (
    Path(__file__).parents[1] / "suites/repair/079-selfies-aromatic/environment/requirements.lock"
)
"""Any lock: the one that the other tests have in their store already."""

TASK_TOML = """schema_version = "1.4"

[task]
name = "tests/slab"
description = "Transmission of a dielectric slab"

[verifier]
timeout_sec = 90.0

[environment]
cpus = 1.0
memory_mb = 1024
storage_mb = 256

[referee]
kind = "reproduction"
suite = "tests"
id = "901"
domain = "optics"
licence = "MIT"
writable = ["**"]
"""
INSTRUCTION = """# Transmission of a slab

Compute the power transmission of the slab in `inputs/slab.json` by transfer matrices. Write
`outputs/transmission.json` with `wavelength` (in um) and `power`, and
`outputs/evidence_manifest.json`.
"""
ADDENDUM = """# Fixed protocol

Normal incidence, lossless slab in air. The manifest has one observation, key `slab`, case `base`,
with the columns `wavelength` and `power`. The tolerance of the power is 1e-9.

Replay limits: 30 s, 1 CPU, 1024 MB.
"""
STUB = "#!/bin/bash\nset -eu\npython3 src/solve.py\n"
STUB_SOLVE = 'raise SystemExit("not written yet")\n'
SLAB = '{"index": 2.0, "thickness_um": 1.0, "wavelength_um": [1.0, 1.1, 1.3, 1.6, 2.0, 2.5]}\n'
SOLVE = '''"""Transmission of a slab by the transfer matrix of one layer."""

import cmath
import hashlib
import json
import pathlib

slab = json.loads(pathlib.Path("inputs/slab.json").read_text())


def power(wavelength):
    n, d = slab["index"], slab["thickness_um"]
    phase = 2 * cmath.pi * n * d / wavelength
    a, b = cmath.cos(phase), 1j * cmath.sin(phase)
    return abs(2 / (2 * a + b / n + b * n)) ** 2


waves = slab["wavelength_um"]
out = pathlib.Path("outputs")
out.mkdir(exist_ok=True)
text = json.dumps({"wavelength": waves, "power": [power(w) for w in waves]})
(out / "transmission.json").write_text(text)
entry = {
    "path": "outputs/transmission.json",
    "sha256": hashlib.sha256(text.encode()).hexdigest(),
    "case_id": "base",
    "units": {"wavelength": "um", "power": "1"},
    "native_run_id": "transfer-matrix",
    "columns": {"wavelength": "/wavelength", "power": "/power"},
}
(out / "evidence_manifest.json").write_text(json.dumps({"observations": {"slab": [entry]}}))
print("transmission computed")
'''
METRICS = '''"""The evaluator's own transmission: the Airy sum, not a transfer matrix."""

import numpy as np

from referee.evidence.measure import Operation, Quantity

OPERATIONS = {
    "airy_error": Operation(
        quantities={"wavelength": Quantity(unit="um", ndim=1), "power": Quantity(unit="1", ndim=1)}
    ),
}


def derive(operation, quantities, context):
    waves, power = quantities["wavelength"], quantities["power"]
    if waves.shape != power.shape:
        raise ValueError("power and wavelength differ in length")
    finesse = ((2.0**2 - 1) / (2 * 2.0)) ** 2
    phase = 2 * np.pi * 2.0 * 1.0 / waves
    exact = 1 / (1 + finesse * np.sin(phase) ** 2)
    return {"error": float(np.max(np.abs(power - exact))), "count": int(waves.size)}
'''
RUBRIC = {
    "id": "root",
    "requirements": "The slab's transmission is reproduced.",
    "weight": 1,
    "sub_tasks": [
        {
            "id": "A1",
            "requirements": "The source solves a transfer matrix.",
            "weight": 20,
            "task_category": "Modeling",
            "evidence_inputs": [{"path": "submission/src/solve.py", "kind": "source"}],
        },
        {
            "id": "C1",
            "requirements": "The transmission is that of the slab within 1e-9.",
            "weight": 80,
            "task_category": "Validation",
            "scoring": {"kind": "binary", "by": "code"},
            "metric_operation": "airy_error",
            "numeric_checks": [
                {"path": "/error", "operator": "leq", "upper": 1e-9},
                {"path": "/count", "operator": "equals", "expected": 6},
            ],
        },
    ],
}
POLICY = {
    "generated_roots": ["outputs"],
    "mandatory_inputs": ["slab.json"],
    "forbidden_input_globs": ["**/*.npz"],
    "max_input_bytes": 1000000,
    "replay_timeout_sec": 30.0,
    "reserve_sec": 30.0,
}
PLANS = {
    "C1": {
        "kind": "across_cases",
        "operation": "airy_error",
        "sources": {
            "wavelength": {"key": "slab", "case": "base", "column": "wavelength"},
            "power": {"key": "slab", "case": "base", "column": "power"},
        },
    }
}
EXPECTED = """[reference]
score = "1"
judged = { A1 = 1 }

[partial.one-wavelength-missing]
score = "1/5"
judged = { A1 = 1 }

[wrong.one-interface]
score = "0"
judged = { A1 = 0 }
"""
JUDGE_RULES = """[leaf.A1]
open = ["source:*"]
all = ['cmath\\.sin']
"""
SHORT_SOLVE = SOLVE.replace('waves = slab["wavelength_um"]', 'waves = slab["wavelength_um"][1:]')
WRONG_SOLVE = SOLVE.replace(
    "    a, b = cmath.cos(phase), 1j * cmath.sin(phase)\n"
    "    return abs(2 / (2 * a + b / n + b * n)) ** 2\n",
    "    return abs(4 * n / (1 + n) ** 2) + 0 * abs(phase)\n",
)
SOLVED = {"reproduce.sh": STUB, "src/solve.py": SOLVE, "inputs/slab.json": SLAB}
STARTER = {"reproduce.sh": STUB, "src/solve.py": STUB_SOLVE, "inputs/slab.json": SLAB}


def write_reproduction(root: Path) -> Path:
    """A complete package in `root`."""
    files = {
        "task.toml": TASK_TOML,
        "instruction.md": INSTRUCTION,
        "environment/source.toml": (
            '[source]\nregistry = "starter"\nname = "slab"\nversion = "1"\n\n'
            '[python]\nversion = "3.11"\n'
        ),
        "environment/requirements.lock": LOCK.read_text(encoding="utf-8"),
        "environment/paper/paper.md": "# A slab\n\nIts transmission follows from two interfaces.\n",
        "environment/paper/addendum.md": ADDENDUM,
        "tests/rubric.json": json.dumps(RUBRIC, indent=2) + "\n",
        "tests/config/judge_prompt.md": "Judge the source.\n",
        "tests/config/plans.json": json.dumps(PLANS, indent=2) + "\n",
        "tests/src/metrics.py": METRICS,
        "tests/refs/README.md": "The reference is computed by metrics.py.\n",
        "solution/reference.toml": 'patch = "reference.patch"\n',
        "solution/reference.patch": solve_patch(SOLVE),
        "solution/partial/one-wavelength-missing.patch": solve_patch(SHORT_SOLVE),
        "solution/wrong/one-interface.patch": solve_patch(WRONG_SOLVE),
        "solution/expected.toml": EXPECTED,
        "tests/config/scripted_judge.toml": JUDGE_RULES,
    }
    files |= {f"environment/starter_submission/{name}": text for name, text in STARTER.items()}
    for name, text in files.items():
        _write(root / name, text)
    _write(root / "tests/config/evaluation.json", json.dumps(POLICY))
    _bind(root)
    return root


def solve_patch(text: str) -> str:
    """The patch that makes `text` of the starter's src/solve.py."""
    old, new = STUB_SOLVE.splitlines(keepends=True), text.splitlines(keepends=True)
    head = "diff --git a/src/solve.py b/src/solve.py\n"
    return head + "".join(unified_diff(old, new, "a/src/solve.py", "b/src/solve.py"))


def change(root: Path, path: str, text: str) -> None:
    """Replace a file of a package, and bring along what is bound to it."""
    _write(root / path, text)
    _bind(root)


def write_submission(root: Path, files: dict[str, str]) -> Path:
    """The files of a submission in `root`."""
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        _write(root / name, text)
    return root


def _bind(root: Path) -> None:
    evaluation = root / "tests/config/evaluation.json"
    policy = json.loads(evaluation.read_text(encoding="utf-8"))
    rubric = (root / "tests/rubric.json").read_bytes()
    policy["source_rubric_sha256"] = hashlib.sha256(rubric).hexdigest()
    evaluation.write_text(json.dumps(policy, indent=2) + "\n", encoding="utf-8")
    texts = [root / "instruction.md", root / "environment/paper/addendum.md"]
    parts = [path.read_text(encoding="utf-8").strip("\n") for path in texts]
    _write(root / "tests/config/public_contract.md", "\n\n".join(parts) + "\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
