"""The upper folder is exactly what was written."""

from __future__ import annotations

import os
import stat

import pytest

from referee.environment.store import Store
from referee.record.fault import BadInput
from referee.record.tree import scan_tree
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.overlay import make_overlay
from referee.sandbox.protocol import Limits, Mount, SandboxSpec

PYTHON = "/usr/bin/python3"


def test_upper_holds_writes_and_whiteouts(make):
    place = make(files={"keep": "1", "edit": "old", "gone": "x", "d/inner": "y"})
    done = place.sh(
        "echo new > edit; rm gone; rm -r d; mkdir d; echo z > d/other; echo add > 'sp ace'; ls"
    )
    assert done.exit_code == 0, done.stderr
    place.sandbox.stop()
    upper = place.upper
    assert sorted(p.name for p in upper.iterdir()) == ["d", "edit", "gone", "sp ace"]
    assert (upper / "edit").read_text() == "new\n"
    gone = (upper / "gone").lstat()
    assert stat.S_ISCHR(gone.st_mode)
    assert gone.st_rdev == 0
    assert os.getxattr(upper / "d", "user.overlay.opaque") == b"y"
    assert [p.name for p in (upper / "d").iterdir()] == ["other"]


def test_large_result_is_exact(make):
    place = make()
    source = """
import hashlib, os
for i in range(300):
    os.makedirs(f"dir{i % 7}", exist_ok=True)
    with open(f"dir{i % 7}/f{i}", "wb") as f:
        f.write(hashlib.sha256(str(i).encode()).digest() * (i * 40))
"""
    assert place.python(source).exit_code == 0
    place.sandbox.stop()
    tree = scan_tree(place.upper)
    assert len(tree.files) == 300
    assert sum(e.size for e in tree.files.values()) == sum(i * 40 * 32 for i in range(300))


def test_untouched_workspace_leaves_an_empty_upper(make):
    place = make(files={"a": "1"})
    place.sh("cat a; ls -R")
    place.sandbox.stop()
    assert list(place.upper.iterdir()) == []


def test_later_layers_lie_on_top(store: Store, own_by_sandbox):
    folder = store.scratch("layers")
    lowers = []
    for name in ("bottom", "top"):
        lower = folder / name
        lower.mkdir()
        (lower / "file").write_text(name)
        (lower / name).write_text("")
        own_by_sandbox(lower)
        lowers.append(lower)
    with Bubblewrap(SandboxSpec(PYTHON, overlay=make_overlay(folder, lowers)), store) as sandbox:
        done = sandbox.run(["sh", "-c", "cat file; echo; ls"])
    assert done.stdout.split() == [b"top", b"bottom", b"file", b"top"]


def test_mounts_are_read_only(make, store):
    folder = store.scratch("mounted")
    (folder / "f").write_text("content")
    folder.chmod(0o755)
    place = make(mounts=(Mount(folder, "/opt/data"), Mount(folder / "f", "/opt/one")))
    done = place.sh(
        "cat /opt/data/f /opt/one; echo x > /opt/data/f; rm -f /opt/one; touch /opt/data/n"
    )
    assert done.stdout == b"contentcontent"
    assert (folder / "f").read_text() == "content"
    assert [p.name for p in folder.iterdir()] == ["f"]


def test_sandbox_without_workspace_has_an_empty_one(store: Store):
    with Bubblewrap(SandboxSpec(PYTHON, limits=Limits(tmp_bytes=1 << 20)), store) as sandbox:
        assert sandbox.run(["sh", "-c", "pwd; ls | wc -l; echo x > f"]).stdout == b"/workspace\n0\n"


def test_missing_mount_is_the_users_to_mend(make, tmp_path):
    with pytest.raises(BadInput, match="nothing to mount"):
        make(mounts=(Mount(tmp_path / "none", "/opt/x"),))


def test_missing_interpreter_is_the_users_to_mend(store: Store):
    with pytest.raises(BadInput, match="interpreter"):
        Bubblewrap(SandboxSpec("/opt/env/bin/python"), store).start()


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user owns what it makes")
def test_foreign_layer_is_refused_before_the_start(store: Store):
    folder = store.scratch("foreign")
    (folder / "lower").mkdir()
    overlay = make_overlay(folder, [folder / "lower"])
    os.chown(overlay.upper, 0, 0)
    with pytest.raises(BadInput, match="belongs to user"):
        Bubblewrap(SandboxSpec(PYTHON, overlay=overlay), store).start()


@pytest.mark.parametrize("name", ["memory_bytes", "cpu_s", "wall_s"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_limits_that_mean_nothing_are_refused(make, name, value):
    with pytest.raises(BadInput, match=name):
        make(limits=Limits(**{name: value}))
