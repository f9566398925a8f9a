"""Packages of the npm registry: by hash, from the registry that the user set up."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from referee.environment.npm import (
    PUBLIC_REGISTRY,
    NpmPackage,
    fetch_npm,
    find_registry,
    integrity_of,
)
from referee.environment.store import Store, open_store
from referee.record.fault import BadInput


@pytest.fixture
def store(open_folder: Path) -> Store:
    return open_store(open_folder / "store")


def published(root: Path) -> NpmPackage:
    """A registry of plain files with one package in it."""
    folder = root / "@made" / "tool" / "-"
    folder.mkdir(parents=True)
    (root / "tool").write_text("#!/bin/sh\n")
    archive = folder / "tool-1.0.0.tgz"
    with tarfile.open(archive, "w:gz") as bundle:
        bundle.add(root / "tool", "package/tool")
    return NpmPackage("@made/tool", "1.0.0", integrity_of(archive))


def test_an_archive_is_fetched_once_and_hashed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = published(tmp_path)
    monkeypatch.setenv("npm_config_registry", tmp_path.as_uri() + "/")
    first = fetch_npm(store, package)
    assert first.name == "tool-1.0.0.tgz"
    (tmp_path / "@made" / "tool" / "-" / "tool-1.0.0.tgz").unlink()
    assert fetch_npm(store, package) == first
    first.write_bytes(b"damaged")
    with pytest.raises(BadInput, match=r"does not have @made/tool 1.0.0.*npm_config_registry"):
        fetch_npm(store, package)


def test_another_content_is_refused_and_not_kept(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = published(tmp_path)
    monkeypatch.setenv("npm_config_registry", tmp_path.as_uri())
    other = NpmPackage(package.name, package.version, "sha512-" + "A" * 86 + "==")
    with pytest.raises(BadInput, match=r"tool-1.0.0.tgz has integrity sha512-.*was not kept"):
        fetch_npm(store, other)
    assert not list((store.root / "downloads").rglob("*.tgz"))


def test_the_registry_is_the_one_that_npm_would_ask(tmp_path: Path) -> None:
    settings = tmp_path / ".npmrc"
    home = {"HOME": str(tmp_path)}
    assert find_registry(home) == PUBLIC_REGISTRY
    settings.write_text("fund = false\nregistry = https://own.example.org/npm/\n")
    assert find_registry(home) == "https://own.example.org/npm"
    assert find_registry({**home, "NPM_CONFIG_REGISTRY": "https://x.example.org/"}) == (
        "https://x.example.org"
    )
    elsewhere = tmp_path / "other"
    elsewhere.write_text("registry=http://127.0.0.1:4873\n")
    assert find_registry({"NPM_CONFIG_USERCONFIG": str(elsewhere)}) == "http://127.0.0.1:4873"
