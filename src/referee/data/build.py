"""Data sets of tasks in the store: made once, found again, never changed."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from referee.data.generate import generate, require_files
from referee.data.recipe import Recipe, recipe_of, require_generator
from referee.environment.progress import Say, silent
from referee.environment.store import Store
from referee.record.atomic import write_atomic
from referee.record.canonical import sha256_file, sha256_json
from referee.record.data import DataFacts
from referee.record.fault import BadInput, Infrastructure
from referee.record.tree import scan_tree
from referee.task.model import DataSize
from referee.task.package import TaskPackage

_PARTS = {"public": "data", "hidden": "hidden-data"}
"""The kinds of the store in which the two halves of a data set lie."""
_FILES = "files"
_PROVENANCE = "provenance.json"


@dataclass(frozen=True)
class DataSet:
    """The data of one task: what is known about them, and the folders of their files; `keys` are
    (kind, digest) in the store."""

    facts: DataFacts
    public: Path
    hidden: Path
    keys: tuple[tuple[str, str], ...]

    def provenance(self) -> dict[str, Any]:
        """How each half came about: packages, seed, hashes of the files, seconds."""
        return {
            part: json.loads((folder.parent / _PROVENANCE).read_bytes())
            for part, folder in (("public", self.public), ("hidden", self.hidden))
        }


def data_for(store: Store, task: TaskPackage, size: DataSize, say: Say = silent) -> DataSet:
    """The present data set of a task, made with a hidden seed drawn now if there is none yet.

    Raises:
        BadInput: there is no such size, the generator cannot run, or published files were not
            given before.
    """
    found = current(store, task, size)
    if found is not None:
        return found
    if size == "published":
        raise BadInput(
            f"the published data of {task.label} are not in the store",
            hint=f"run `referee data build {task.root} --from FOLDER`",
        )
    return build_data(store, task, size, say=say)


def current(store: Store, task: TaskPackage, size: DataSize) -> DataSet | None:
    """The data set that was built last of this very recipe; None if there is none."""
    recipe = recipe_of(task, size)
    try:
        pointer = json.loads(_pointer(store, recipe).read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        return None  # damaged: it is made again
    if pointer.get("recipe") != recipe.digest or pointer.get("packages") != recipe.packages:
        return None
    keys = {part: str(pointer[part]) for part in _PARTS}
    return _open(store, recipe, keys)


def build_data(
    store: Store,
    task: TaskPackage,
    size: DataSize,
    *,
    hidden_seed: int | None = None,
    say: Say = silent,
) -> DataSet:
    """Make the data of a task and let later runs use them. The hidden seed (63 bits) is drawn if it
    is not given; it is kept in the store alone.

    Raises:
        BadInput: there is no such size, or the generator cannot run or fails.
    """
    recipe = recipe_of(task, size)
    if size == "published":
        raise BadInput("published data are not generated", hint="give their folder with --from")
    require_generator(task)
    if hidden_seed is not None and not 0 <= hidden_seed < 2**63:
        raise BadInput(f"--hidden-seed {hidden_seed} is not a whole number of 63 bits")
    drawn = secrets.randbits(63) if hidden_seed is None else hidden_seed
    keys = {}
    for part, seed in (("public", recipe.table.seed), ("hidden", drawn)):
        keys[part] = recipe.key(part, seed)
        make = partial(_generated, recipe, part, seed, say)
        if not store.path(_PARTS[part], keys[part]).is_dir():
            say(f"{recipe.label}: making the {part} {size} data")
        store.publish(_PARTS[part], keys[part], make)
    return _kept(store, recipe, keys)


def take_published(store: Store, task: TaskPackage, folder: Path, say: Say = silent) -> DataSet:
    """Copy released files of a task's layout into the store and let later runs use them.

    Raises:
        BadInput: the task has no such layout, or a file is missing.
    """
    recipe = recipe_of(task, "published")
    keys = {}
    for part in _PARTS:
        names = recipe.table.public if part == "public" else recipe.table.hidden
        for name in names:
            if not (folder / name).is_file():
                raise BadInput(
                    f"the published data of {recipe.label} need {name}",
                    where=folder,
                    hint="give the folder that holds it with --from",
                )
        hashes = {name: sha256_file(folder / name) for name in names}
        keys[part] = sha256_json({"recipe": recipe.digest, "part": part, "files": hashes})
        say(f"{recipe.label}: taking the {part} published data")
        copy = partial(_copied, recipe, part, {name: folder / name for name in names})
        store.publish(_PARTS[part], keys[part], copy)
    return _kept(store, recipe, keys)


@contextlib.contextmanager
def data_in_use(store: Store, data: DataSet | None) -> Iterator[None]:
    """Keep `prune` from removing the data of a running trial."""
    with contextlib.ExitStack() as stack:
        for kind, digest in () if data is None else data.keys:
            stack.enter_context(store.hold(kind, digest))
        yield


def needed_data(store: Store) -> set[str]:
    """Digests of every data set that a later run would use."""
    needed: set[str] = set()
    for path in (store.root / "sets").glob("*.json"):
        with contextlib.suppress(ValueError, OSError, KeyError):
            pointer = json.loads(path.read_bytes())
            needed |= {str(pointer[part]) for part in _PARTS}
    return needed


def _generated(recipe: Recipe, part: str, seed: int, say: Say, folder: Path) -> None:
    files = _files_folder(folder)
    start = time.monotonic()
    generate(recipe, part, seed, files, say)
    facts = {
        "source": "generated",
        "generator_sha256": recipe.generator_sha256,
        "packages": recipe.packages,
        "seed": seed,
        "seconds": round(time.monotonic() - start, 3),
    }
    _finish(recipe, part, folder, facts)


def _copied(recipe: Recipe, part: str, sources: dict[str, Path], folder: Path) -> None:
    files = _files_folder(folder)
    for name, source in sources.items():
        shutil.copyfile(source, files / name)
    require_files(recipe, part, files)
    _finish(recipe, part, folder, {"source": "published"})


def _files_folder(folder: Path) -> Path:
    files = folder / _FILES
    files.mkdir()
    files.chmod(0o755)
    return files


def _finish(recipe: Recipe, part: str, folder: Path, facts: dict[str, Any]) -> None:
    files = folder / _FILES
    for path in files.iterdir():
        path.chmod(0o444)
    tree = scan_tree(files)
    told = {
        "task": recipe.label,
        "size": recipe.size,
        "part": part,
        **facts,
        "files": {name: entry.sha256 for name, entry in tree.files.items()},
        "digest": tree.digest,
    }
    (folder / _PROVENANCE).write_text(json.dumps(told, indent=1) + "\n")


def _kept(store: Store, recipe: Recipe, keys: dict[str, str]) -> DataSet:
    data = _open(store, recipe, keys)
    if data is None:
        raise BadInput(f"the data of {recipe.label} are gone again", hint="build them once more")
    pointer = {"recipe": recipe.digest, "packages": recipe.packages, **keys}
    write_atomic(_pointer(store, recipe), json.dumps(pointer, indent=1).encode() + b"\n")
    return data


def _open(store: Store, recipe: Recipe, keys: dict[str, str]) -> DataSet | None:
    folders = {part: store.path(kind, keys[part]) for part, kind in _PARTS.items()}
    if not all(folder.is_dir() for folder in folders.values()):
        return None
    told = {part: json.loads((folders[part] / _PROVENANCE).read_bytes()) for part in _PARTS}
    for part, kind in _PARTS.items():
        _require_unchanged(folders[part], told[part])
        store.touch(kind, keys[part])
    facts = DataFacts(
        size=recipe.size,
        source=told["hidden"]["source"],
        public=told["public"]["digest"],
        hidden=told["hidden"]["digest"],
    )
    return DataSet(
        facts,
        folders["public"] / _FILES,
        folders["hidden"] / _FILES,
        tuple((kind, keys[part]) for part, kind in _PARTS.items()),
    )


def _pointer(store: Store, recipe: Recipe) -> Path:
    return store.root / "sets" / f"{recipe.suite}.{recipe.label}.{recipe.size}.json"


def _require_unchanged(folder: Path, told: dict[str, Any]) -> None:
    if scan_tree(folder / _FILES).digest != told["digest"]:
        raise Infrastructure("data_damaged", f"the data in {folder} are not those that were built")
