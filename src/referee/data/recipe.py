"""What decides which data come out: the generator, its seed, and the packages it computes with."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from referee.record.canonical import sha256_file, sha256_json
from referee.record.fault import BadInput
from referee.task.model import DataSize, DataTable
from referee.task.package import GENERATOR, TaskPackage


@dataclass(frozen=True)
class Recipe:
    """How the data of one task and size are made. `digest` names generator and table; `packages`
    are the versions of what the generator imports."""

    suite: str
    label: str
    size: DataSize
    generator: Path
    table: DataTable
    generator_sha256: str
    digest: str
    packages: dict[str, str]

    def key(self, part: str, seed: int) -> str:
        """The digest under which the `public` or `hidden` part for a seed lies in a store."""
        facts = {"recipe": self.digest, "packages": self.packages, "size": self.size}
        return sha256_json({**facts, "part": part, "seed": seed})


def recipe_of(task: TaskPackage, size: DataSize) -> Recipe:
    """The recipe of a task's data.

    Raises:
        BadInput: the task has no data, or none of this size.
    """
    table = table_of(task)
    if size not in table.sizes:
        raise BadInput(
            f"{task.label} has no {size} data",
            where=task.root / "task.toml",
            hint=f"choose one of {', '.join(table.sizes)}",
        )
    generator = task.root / GENERATOR
    generator_sha256 = sha256_file(generator)
    content = {"generator": generator_sha256, "table": table.as_json()}
    return Recipe(
        suite=task.agent.file.referee.suite,
        label=task.label,
        size=size,
        generator=generator,
        table=table,
        generator_sha256=generator_sha256,
        digest=sha256_json(content),
        packages={} if size == "published" else _versions(table.modules),
    )


def table_of(task: TaskPackage) -> DataTable:
    """The `[referee.data]` of a task.

    Raises:
        BadInput: it has none.
    """
    table = task.agent.file.referee.data
    if table is None:
        raise BadInput(f"{task.label} has no data to build", where=task.root / "task.toml")
    return table


def require_generator(task: TaskPackage) -> None:
    """Refuse a task whose generator needs what is not installed.

    Raises:
        BadInput: names the modules.
    """
    missing = missing_modules(table_of(task).modules)
    if missing:
        extra = task.agent.file.referee.grader.extra
        raise BadInput(
            f"the data of {task.label} are made with {', '.join(missing)}, which is not installed",
            where=task.root,
            hint=f"pip install 'referee[{extra}]'" if extra else "install it",
        )


def missing_modules(names: Iterable[str]) -> list[str]:
    """Those of some modules that are not installed here."""
    return [name for name in names if _spec(name) is None]


def _spec(name: str) -> object | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:  # of the package that holds it
        return None


def _versions(modules: tuple[str, ...]) -> dict[str, str]:
    """Versions of the distributions that hold some modules, and of Python."""
    owners = importlib.metadata.packages_distributions()
    names = {name for module in modules for name in owners.get(module.split(".")[0], ())}
    versions = {name: importlib.metadata.version(name) for name in sorted(names)}
    return {"python": platform.python_version(), **versions}
