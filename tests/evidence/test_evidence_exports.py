"""Manifests of native exports: an honest one, and each way in which one is not."""

from __future__ import annotations

import hashlib
import json

import pytest
from pydantic import ValidationError

from referee.evidence.exports import ExportManifest, SharedSolve, copies, export_problems


@pytest.fixture
def folder(outputs):
    raw = outputs / "w30" / "raw"
    raw.mkdir(parents=True)
    (raw / "field.h5").write_bytes(b"field")
    (raw / "flux.csv").write_bytes(b"flux")
    (outputs / "w30" / "run.log").write_text("one\ntwo\nthree\n")
    (outputs / "w30" / "spectrum.csv").write_text("x\n1\n")
    return outputs / "w30"


def export(name, data, **more):
    return {
        "file": f"raw/{name}",
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "producer": "solver 1.2",
        "solution_id": "w30",
        "exported_utc": "2026-01-02T03:04:05Z",
        "run_log_lines": [1, 2],
        **more,
    }


def manifest(*, field=None, derived=None, exports=None):
    listed = [export("field.h5", b"field", **(field or {})), export("flux.csv", b"flux")]
    plain = [
        {"file": "power.csv", "from": ["raw/flux.csv", "settings.json"], "by": "derive.py:power"},
        {"file": "spectrum.csv", "from": ["power.csv"], "by": "src/derive.py:spectrum"},
    ]
    return {
        "variant": "w30",
        "exports": listed if exports is None else exports,
        "derived": plain if derived is None else derived,
    }


def codes(evidence, data, scored=("spectrum.csv",), **more):
    read = ExportManifest.model_validate_json(json.dumps(data))
    root = evidence.roots["outputs"]
    options = {"static": ("settings.json",), **more}
    return {p.code for p in export_problems(root, "w30", read, scored=scored, **options)}


def test_an_honest_manifest_has_no_fault(evidence, folder):
    assert codes(evidence, manifest()) == set()
    offset = manifest(field={"exported_utc": "2026-01-02T03:04:05+00:00"})
    assert codes(evidence, offset, scored=("raw/flux.csv", "spectrum.csv")) == set()


def derived(**more):
    return [{"file": "spectrum.csv", "from": ["raw/flux.csv"], "by": "derive.py:f", **more}]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (manifest(field={"sha256": "0" * 64}), "sha256"),
        (manifest(field={"bytes": 4}), "bytes"),
        (manifest(field={"exported_utc": "2026-01-02T03:04:05"}), "not_utc"),
        (manifest(field={"exported_utc": "2026-01-02T03:04:05+01:00"}), "not_utc"),
        (manifest(field={"exported_utc": "yesterday"}), "not_utc"),
        (manifest(field={"run_log_lines": [2, 4]}), "log_span"),
        (manifest(field={"run_log_lines": [0, 1]}), "log_span"),
        (manifest(field={"run_log_lines": [3, 2]}), "log_span"),
        (manifest(field={"file": "raw/no.h5"}), "file"),
        (manifest(field={"file": "raw/no.h5"}), "unlisted"),
        (manifest(field={"file": "../refs/a"}), "path"),
        (manifest(field={"file": "/etc/passwd"}), "path"),
        (manifest(field={"file": "spectrum.csv"}), "outside_raw"),
        (manifest(field={"file": "raw/flux.csv"}), "duplicate"),
        (manifest(exports=[export("flux.csv", b"flux")]), "unlisted"),
        (manifest(derived=derived(file="raw/spectrum.csv")), "inside_raw"),
        (manifest(derived=derived(**{"from": ["elsewhere.csv"]})), "unknown_source"),
        (manifest(derived=derived(**{"from": ["settings.json"]})), "no_native_ancestor"),
        (manifest(derived=[]), "no_native_ancestor"),
        (
            manifest(derived=[
                {"file": "spectrum.csv", "from": ["b.csv"], "by": "derive.py:f"},
                {"file": "b.csv", "from": ["spectrum.csv"], "by": "derive.py:f"},
            ]),
            "cycle",
        ),
    ],
)  # fmt: skip
def test_each_fault_has_its_code(evidence, folder, data, code):
    assert code in codes(evidence, data)


def test_a_missing_log_is_a_fault(evidence, folder):
    (folder / "run.log").unlink()
    assert codes(evidence, manifest()) == {"run_log"}


def test_a_link_in_raw_is_a_fault(evidence, folder):
    (folder / "raw" / "field.h5").unlink()
    (folder / "raw" / "field.h5").symlink_to(folder / "raw" / "flux.csv")
    assert "file" in codes(evidence, manifest())


@pytest.mark.parametrize(
    "broken",
    [
        {"bytes": "5"},
        {"producer": ""},
        {"solution_id": None},
        {"run_log_lines": [1]},
        {"extra": 1},
        {"sha256": "ABC"},
    ],
)
def test_an_entry_of_the_wrong_form_is_refused(evidence, folder, broken):
    with pytest.raises(ValidationError):
        codes(evidence, manifest(field=broken))


def test_copies_between_variants_are_found_unless_a_shared_solve_is_declared():
    logs = {"w30": "a", "w50": "b", "w70": "a", "w90": "a"}
    assert copies(logs) == (("w30", "w70", "w90"),)
    part = SharedSolve(source="raw/log", variation={"w30": "port 1", "w70": "port 2"})
    assert copies(logs, [part]) == (("w30", "w70", "w90"),), "w90 is not part of it"
    names = {"w30": "port 1", "w70": "port 2", "w90": "port 3"}
    assert copies(logs, [SharedSolve(source="raw/log", variation=names)]) == ()
    with pytest.raises(ValidationError):
        SharedSolve(source="raw/log", variation={"w30": "port 1", "w70": "port 1"})
