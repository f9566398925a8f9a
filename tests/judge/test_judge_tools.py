"""What the judge sees of an array does not depend on its container."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from referee.evidence.roots import Evidence, Root
from referee.judge.tools import Toolbox

VALUES = [0.25, 0.5, 1.0]


def written(folder: Path, name: str) -> str:
    """The name of the array in the file that is written."""
    path = folder / name
    if name == "a.csv":
        path.write_text("x\n" + "\n".join(map(str, VALUES)))
    elif name == "a.json":
        path.write_text(json.dumps({"x": VALUES}))
        return "/x"
    elif name == "a.npz":
        np.savez(path, x=VALUES)
    else:
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "w") as file:
            file["x"] = VALUES
        return "/x"
    return "x"


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.npz", "a.h5"])
def test_every_container_shows_the_same(tmp_path: Path, name: str) -> None:
    array = written(tmp_path, name)
    box = Toolbox(Evidence({"outputs": Root("outputs", tmp_path)}), None)
    place = {"root": "outputs", "path": name}
    (info,) = json.loads(box.run("inspect", place))["arrays"]
    assert (info["min"], info["max"], info["shape"]) == (0.25, 1.0, [3])
    told = json.loads(box.run("slice", {**place, "array": info["array"]}))
    assert told["values"] == VALUES
    assert info["array"].strip("/") == array.strip("/")
    assert box.trace.read == {f"outputs:{name}": {"numeric"}}


def test_a_broken_file_is_the_candidates_and_no_reader_error(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 no archive")
    box = Toolbox(Evidence({"outputs": Root("outputs", tmp_path)}), None)
    told = json.loads(box.run("inspect", {"root": "outputs", "path": "a.npz"}))
    assert "error" in told
    assert box.trace.broken == {}
