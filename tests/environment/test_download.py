"""Fetching by hash: what is refused, what is said offline, what is kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from environment_packages import Index, Small, use_index

from referee.environment.debian import require_packages
from referee.environment.download import fetch_release
from referee.environment.fetch import split_password
from referee.environment.indexes import PUBLIC_INDEX, find_indexes, uv_environment
from referee.environment.simple import parse_links
from referee.environment.store import Store
from referee.record.fault import BadInput
from referee.task.model import Release


def left_in(store: Store) -> list[str]:
    return sorted(p.name for p in (store.root / "downloads").iterdir())


def test_a_wrong_hash_is_refused_and_nothing_is_kept(store: Store, small: Small) -> None:
    wrong = small.source.source.model_copy(update={"sha256": "1" * 64})
    with pytest.raises(BadInput, match=r"planet-1\.2\.0\.tar\.gz has sha256 [0-9a-f]{64}, but"):
        fetch_release(store, wrong)
    assert left_in(store) == []


def test_once_fetched_no_network_is_needed(
    store: Store, small: Small, index: Index, offline: Callable[[], None]
) -> None:
    first = fetch_release(store, small.source.source)
    offline()
    asked = len(index.asked)
    assert fetch_release(store, small.source.source) == first
    assert len(index.asked) == asked


def test_offline_names_the_file(store: Store, small: Small, offline: Callable[[], None]) -> None:
    offline()
    with pytest.raises(BadInput, match=r"planet-1\.2\.0\.tar\.gz .*looks offline") as caught:
        fetch_release(store, small.source.source)
    assert "\n" not in str(caught.value)
    assert left_in(store) == []


def test_an_archive_that_rots_in_the_store_is_fetched_again(store: Store, small: Small) -> None:
    path = fetch_release(store, small.source.source)
    good = path.read_bytes()
    path.write_bytes(good[:-1])
    assert fetch_release(store, small.source.source).read_bytes() == good


def test_a_file_that_no_index_has_is_named(store: Store, small: Small) -> None:
    missing = small.source.source.model_copy(update={"file": "planet-9.tar.gz"})
    with pytest.raises(BadInput, match=r"no package index has planet-9\.tar\.gz"):
        fetch_release(store, missing)
    unknown = missing.model_copy(update={"name": "nobody"})
    with pytest.raises(BadInput, match="no package index has"):
        fetch_release(store, unknown)


def test_nothing_of_a_source_distribution_is_run(
    store: Store, index: Index, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    release = index.sdist("trap", "1.0", {"setup.py": f"open({str(mark)!r}, 'w')\n"})
    fetch_release(store, release)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"sha256": None}, "no `sha256`"),
        ({"file": None}, "no `file`"),
        ({"file": "../planet.tar.gz"}, "not a plain file name"),
        ({"registry": "git"}, "no `url`"),
        ({"registry": "debian", "sha256": None}, "no `sha256`"),
    ],
)
def test_an_incomplete_release_is_refused(
    store: Store, fields: dict[str, str | None], says: str
) -> None:
    whole = Release(
        registry="pypi", name="planet", version="1", file="planet-1.tar.gz", sha256="1" * 64
    )
    with pytest.raises(BadInput, match=says):
        fetch_release(store, whole.model_copy(update=fields))


def test_a_folder_of_files_serves_without_an_index(
    store: Store, small: Small, index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_index(monkeypatch, "http://127.0.0.1:9/simple", tmp_path)
    monkeypatch.setenv("PIP_FIND_LINKS", str(index.folder / "simple" / "planet"))
    assert fetch_release(store, small.source.source).is_file()


def test_a_json_index_is_read_too() -> None:
    page = {"files": [{"filename": "a-1.tar.gz", "url": "../../files/a-1.tar.gz"}]}
    links = parse_links(
        json.dumps(page).encode(),
        "application/vnd.pypi.simple.v1+json",
        "https://index.test/simple/a/",
    )
    assert links == {"a-1.tar.gz": "https://index.test/files/a-1.tar.gz"}


def test_indexes_come_from_the_configuration(tmp_path: Path) -> None:
    nothing = {"PIP_CONFIG_FILE": "/dev/null", "XDG_CONFIG_DIRS": str(tmp_path)}
    nothing["HOME"] = str(tmp_path)
    assert find_indexes(nothing).urls == (PUBLIC_INDEX,)
    pip = {**nothing, "PIP_INDEX_URL": "https://pip.test/simple"}
    assert find_indexes(pip).urls == ("https://pip.test/simple",)
    uv = {**pip, "UV_DEFAULT_INDEX": "mine=https://uv.test/simple", "UV_INDEX": "https://x.test/s"}
    assert find_indexes(uv).urls == ("https://uv.test/simple", "https://x.test/s")
    (tmp_path / ".config/pip").mkdir(parents=True)
    (tmp_path / ".config/pip/pip.conf").write_text(
        "[global]\nindex-url = https://file.test/s\ncert = /c\n"
    )
    files = {"HOME": str(tmp_path), "XDG_CONFIG_DIRS": str(tmp_path)}
    assert find_indexes(files).urls[0] == "https://file.test/s"
    assert find_indexes(files).authorities == "/c"
    assert uv_environment(find_indexes(files), tmp_path)["SSL_CERT_FILE"] == "/c"
    (tmp_path / ".config/uv").mkdir()
    (tmp_path / ".config/uv/uv.toml").write_text(
        '[[index]]\nurl = "https://toml.test/s"\ndefault = true\n'
    )
    assert find_indexes(files).urls[0] == "https://toml.test/s"


def test_passwords_travel_as_headers_and_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETRC", "/dev/null")
    url, header = split_password("https://me:p%40ss@index.test/simple/a/")
    assert (url, header) == ("https://index.test/simple/a/", "Basic bWU6cEBzcw==")
    env = {
        "UV_DEFAULT_INDEX": "https://me:secret@index.test/simple",
        "PIP_CONFIG_FILE": "/dev/null",
    }
    assert "secret" not in find_indexes(env).shown


def test_uv_is_steered_by_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UV_CONSTRAINT", "/evil.txt")
    monkeypatch.setenv("UV_INDEX_MINE_PASSWORD", "kept")
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    env = uv_environment(find_indexes({}), tmp_path)
    assert "UV_CONSTRAINT" not in env
    assert "VIRTUAL_ENV" not in env
    assert env["UV_INDEX_MINE_PASSWORD"] == "kept"


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="no dpkg on this machine")
def test_missing_debian_packages_are_named_with_the_command() -> None:
    require_packages(("dpkg",))
    with pytest.raises(BadInput, match=r"sudo apt-get install no-such-package-x") as caught:
        require_packages(("dpkg", "no-such-package-x"))
    assert "dpkg," not in caught.value.what
    with pytest.raises(BadInput, match="not the name"):
        require_packages(("--root=/",))


def test_without_dpkg_the_machine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(BadInput, match="no dpkg"):
        require_packages(("gfortran",))


def test_a_killed_download_is_swept(store: Store, small: Small) -> None:
    partial = store.root / "downloads" / f".{small.source.source.sha256}.abcd"
    partial.mkdir()
    (partial / "half").write_bytes(b"half")
    with store.lock(f"downloads-{small.source.source.sha256}"):
        assert store.sweep() == 0
    assert store.sweep() == 1
    assert left_in(store) == []
