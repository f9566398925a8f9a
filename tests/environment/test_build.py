"""Environments: what is installed, what is refused, what is shared, what an agent sees of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from environment_packages import Index, Small

from referee.environment import interpreter
from referee.environment.build import verify_environment
from referee.environment.identity import sandbox_identity
from referee.environment.inventory import disk_bytes, prune
from referee.environment.lock import Lock, parse_lock
from referee.environment.prepare import Prepared, other_versions, prepare
from referee.environment.store import Store
from referee.record.fault import BadInput, Infrastructure
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.protocol import Completed, Mount, Overlay, SandboxSpec
from referee.task.model import PythonTable, Release, SourceFile


def relock(small: Small, text: str) -> Lock:
    return parse_lock(text, "requirements.lock")


@pytest.fixture
def inside(store: Store) -> Callable[..., Completed]:
    """Run a command in a sandbox over what `prepare` made."""

    def run(prepared: Prepared, *argv: str) -> Completed:
        who = sandbox_identity()
        room = store.scratch("test")
        room.chmod(0o755)
        for name in ("upper", "work"):
            (room / name).mkdir()
            if who.dropped:
                os.chown(room / name, who.uid, who.gid)
        spec = SandboxSpec(
            interpreter=prepared.interpreter.inside_executable,
            mounts=tuple(Mount(host, target) for host, target in prepared.mounts),
            overlay=Overlay((prepared.snapshot.tree,), room / "upper", room / "work"),
            env={"PATH": "/opt/env/bin:/usr/bin:/bin"},
        )
        with Bubblewrap(spec, store) as sandbox:
            return sandbox.run(argv)

    return run


def test_an_agent_sees_a_whole_environment(
    store: Store, small: Small, inside: Callable[..., Completed]
) -> None:
    prepared = prepare(store, small.source, small.lock)
    code = (
        "import json, sys, planet, moons, rings, importlib.metadata as m;"
        "print(json.dumps([sys.executable, sys.prefix, planet.__file__, moons.__file__,"
        " m.version('planet'), sorted(d.name for d in m.distributions()), moons.__cached__]))"
    )
    done = inside(prepared, prepared.environment.python, "-c", code)
    assert done.exit_code == 0, done.stderr
    executable, prefix, planet, moons, version, names, cached = json.loads(done.stdout)
    assert (executable, prefix) == ("/opt/env/bin/python", "/opt/env")
    assert planet == "/workspace/planet/__init__.py"
    assert moons.startswith("/opt/env/lib/")
    assert version == "1.2.0"
    assert names == ["moons", "planet", "rings"]
    assert (prepared.environment.path / Path(cached).relative_to("/opt/env")).is_file()


def test_console_scripts_work_inside(
    store: Store, small: Small, inside: Callable[..., Completed]
) -> None:
    prepared = prepare(store, small.source, small.lock)
    done = inside(prepared, "/opt/env/bin/moons")
    assert (done.exit_code, done.stdout) == (0, b"moons run\n"), done.stderr


def test_no_file_of_the_environment_names_a_place_of_the_host(store: Store, small: Small) -> None:
    prepared = prepare(store, small.source, small.lock)
    host = os.fsencode(store.root)
    for folder in (prepared.environment.path, prepared.environment.target):
        for path in folder.rglob("*"):
            if path.is_symlink():
                assert not os.fsencode(path.readlink()).startswith(host)
            elif path.is_file():
                assert host not in path.read_bytes(), path
                assert path.stat().st_mode & 0o004
            elif path.is_dir():
                assert path.stat().st_mode & 0o005 == 0o005


def test_no_installer_is_there_unless_locked(store: Store, small: Small) -> None:
    site = prepare(store, small.source, small.lock).environment.site_packages
    assert sorted(p.name for p in site.glob("*.dist-info")) == [
        "moons-3.1.dist-info",
        "rings-2.0.dist-info",
    ]
    assert not list(site.glob("pip*"))
    assert not list(site.glob("planet*"))


def test_the_second_time_needs_no_network_and_little_time(
    store: Store, small: Small, offline: Callable[[], None]
) -> None:
    first = prepare(store, small.source, small.lock)
    offline()
    started = time.perf_counter()
    assert prepare(store, small.source, small.lock) == first
    assert time.perf_counter() - started < 2.0


def test_after_a_prune_it_is_rebuilt_from_the_cache_alone(
    store: Store, small: Small, offline: Callable[[], None]
) -> None:
    first = prepare(store, small.source, small.lock)
    facts = (first.environment.path.parent / "facts.json").read_bytes()
    shutil.rmtree(first.environment.path.parent)
    offline()
    again = prepare(store, small.source, small.lock)
    # Bit for bit: neither times nor paths of the build are in it.
    assert (again.environment.path.parent / "facts.json").read_bytes() == facts


def test_a_second_task_with_the_same_lock_shares_the_environment(
    store: Store, small: Small, index: Index
) -> None:
    first = prepare(store, small.source, small.lock)
    release = index.sdist("planet", "1.3.0", {"planet/__init__.py": "v = 2\n", "tests/t.py": ""})
    before = disk_bytes(store)
    second = prepare(
        store, small.source.model_copy(update={"source": release}), relock(small, small.lock_text)
    )
    assert second.environment.path == first.environment.path
    assert second.environment.target != first.environment.target
    assert disk_bytes(store) - before < 5_000_000


def test_a_wrong_hash_in_the_lock_is_refused(store: Store, small: Small) -> None:
    text = small.lock_text.splitlines()[0][:-64] + "0" * 64 + "\n"
    with pytest.raises(BadInput, match=r"rings.*does not have a hash") as caught:
        prepare(store, small.source, relock(small, text))
    assert "\n" not in str(caught.value)
    assert list((store.root / "env").iterdir()) == []


def test_the_first_build_without_network_says_so(
    store: Store, small: Small, offline: Callable[[], None]
) -> None:
    prepare(store, small.source, parse_lock("# nothing\n"))
    offline()
    with pytest.raises(BadInput, match="looks offline") as caught:
        prepare(store, small.source, small.lock)
    assert "rings" in str(caught.value) or "moons" in str(caught.value)
    assert len(list((store.root / "env").iterdir())) == 1


def test_a_source_distribution_in_the_lock_is_not_built(
    store: Store, small: Small, index: Index, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    trap = index.sdist("trap", "1.0", {"setup.py": f"open({str(mark)!r}, 'w')\n"})
    lock = relock(small, f"trap==1.0 --hash=sha256:{trap.sha256}\n")
    with pytest.raises(BadInput, match="trap"):
        prepare(store, small.source, lock)
    assert not mark.exists()


def test_a_version_that_is_not_published_is_refused(store: Store, small: Small) -> None:
    lock = relock(small, f"rings==9.9 --hash=sha256:{'1' * 64}\n")
    with pytest.raises(BadInput, match="rings"):
        prepare(store, small.source, lock)


def test_the_target_in_the_lock_is_refused(store: Store, small: Small, index: Index) -> None:
    text = small.lock_text + index.wheel("planet", "1.3", {"planet/__init__.py": ""})
    with pytest.raises(BadInput, match="own target package"):
        prepare(store, small.source, relock(small, text))


def test_code_of_the_target_under_another_name_is_found(
    store: Store, small: Small, index: Index
) -> None:
    text = index.wheel("comet", "1.0", {"comet.py": "", "planet/__init__.py": "fixed = True\n"})
    with pytest.raises(BadInput, match=r"another version of planet .*site-packages/planet"):
        prepare(store, small.source, relock(small, text))


def test_an_archive_of_the_target_in_the_snapshot_is_found(
    store: Store, small: Small, index: Index
) -> None:
    files = {"planet/__init__.py": "", "vendor/planet-1.3.0-py3-none-any.whl": "x", "tests/t": ""}
    release = index.sdist("planet", "1.2.0", files)
    source = small.source.model_copy(update={"source": release})
    with pytest.raises(BadInput, match=r"planet-1\.3\.0-py3-none-any\.whl \(1\.3\.0\)"):
        prepare(store, source, small.lock)
    stripped = source.model_copy(update={"strip": ("tests/", "vendor/")})
    assert other_versions(prepare(store, stripped, small.lock)) == []


def test_damage_is_found(store: Store, small: Small) -> None:
    environment = prepare(store, small.source, small.lock).environment
    verify_environment(environment)
    (environment.site_packages / "planted.py").write_text("")
    with pytest.raises(Infrastructure, match="not those that were built"):
        verify_environment(environment)


@pytest.mark.parametrize("root", ["/etc", "../x", "nowhere"])
def test_an_import_root_outside_is_refused(store: Store, small: Small, root: str) -> None:
    source = small.source.model_copy(update={"import_root": root})
    with pytest.raises(BadInput, match="import_root"):
        prepare(store, source, small.lock)


def test_an_import_root_below_and_entry_points_are_used(
    store: Store, small: Small, index: Index, inside: Callable[..., Completed]
) -> None:
    release = index.sdist(
        "planet",
        "1.2.0",
        {
            "src/planet/__init__.py": "",
            "src/planet.egg-info/PKG-INFO": "Name: planet\nVersion: 1.2.0\nRequires-Dist: rings\n",
            "src/planet.egg-info/entry_points.txt": "[planet.plugins]\none = planet:one\n",
            "tests/t.py": "",
        },
    )
    source = small.source.model_copy(update={"source": release, "import_root": "src"})
    prepared = prepare(store, source, small.lock)
    code = (
        "import planet, importlib.metadata as m;"
        "print(planet.__file__, m.requires('planet'), len(m.entry_points(group='planet.plugins')))"
    )
    done = inside(prepared, prepared.environment.python, "-c", code)
    assert done.stdout == b"/workspace/src/planet/__init__.py ['rings'] 1\n", done.stderr


def test_a_strange_umask_changes_nothing(store: Store, small: Small) -> None:
    old = os.umask(0o077)
    try:
        environment = prepare(store, small.source, small.lock).environment
    finally:
        os.umask(old)
    who = sandbox_identity()
    done = subprocess.run(
        [
            "find",
            environment.path,
            environment.target,
            "!",
            "-readable",
            "-o",
            "-type",
            "d",
            "!",
            "-executable",
        ],
        capture_output=True,
        check=True,
        user=who.uid if who.dropped else None,
        group=who.gid if who.dropped else None,
        extra_groups=[] if who.dropped else None,
    )
    assert done.stdout == b""


def test_a_copied_python_works_in_a_sandbox(
    store: Store,
    small: Small,
    inside: Callable[..., Completed],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on a machine whose only Python lies in a closed home."""
    for memory in (store.root / "python").glob(".found-*"):
        memory.unlink()
    monkeypatch.setattr(interpreter, "why_copy", lambda _python: "this test wants a copy")
    own = [p for p in interpreter.list_pythons() if p.prefix == Path(sys.base_prefix)]
    monkeypatch.setattr(interpreter, "list_pythons", lambda *_minor: own)
    source = small.source.model_copy(update={"python": PythonTable(version=own[0].minor)})
    prepared = prepare(store, source, small.lock)
    if own[0].prefix == Path("/usr"):
        pytest.skip("the machine's own Python below /usr is never copied")
    assert prepared.interpreter.copied
    code = (
        "import json, sys, ssl, ctypes, planet, moons, importlib.metadata as m;"
        "print(json.dumps([sys.executable, sys.base_prefix, m.version('planet'), sys.path]))"
    )
    done = inside(prepared, prepared.environment.python, "-c", code)
    assert done.exit_code == 0, done.stderr
    executable, base, version, path = json.loads(done.stdout)
    assert (executable, base, version) == ("/opt/env/bin/python", "/opt/python", "1.2.0")
    assert path[-1] == "/workspace"
    done = inside(prepared, "/opt/env/bin/moons")
    assert done.stdout == b"moons run\n", done.stderr
    prune(store, {prepared.environment.digest})
    assert prepared.interpreter.executable.exists()


def test_a_real_package_from_the_index_that_the_machine_is_set_up_for(
    store: Store, python_version: str
) -> None:
    release = Release(
        registry="pypi",
        name="six",
        version="1.17.0",
        file="six-1.17.0.tar.gz",
        sha256="ff70335d468e7eb6ec65b95b99d3a2836546063f63acc5171de367e834932a81",
    )
    source = SourceFile(source=release, python=PythonTable(version=python_version))
    lock = parse_lock(
        "iniconfig==2.0.0"
        " --hash=sha256:b6a85871a79d2e3b22d2d1b94ac2824226a63c6b741c88f7ae975f18b6778374\n"
    )
    try:
        prepared = prepare(store, source, lock)
    except BadInput as error:
        if "looks offline" in str(error):
            pytest.skip(str(error))
        raise
    assert "six.py" in prepared.snapshot.manifest.files
    assert (prepared.environment.site_packages / "iniconfig" / "__init__.py").stat().st_nlink > 1
