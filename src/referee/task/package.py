"""Loading a task package: strict about every file, name and path in it."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from referee.record.canonical import sha256_json
from referee.record.fault import BadInput
from referee.record.tree import SYMLINK, Tree, scan_tree
from referee.task.layout import STARTER, PackageLayout, layout_of
from referee.task.model import (
    AgentView,
    Baseline,
    EvaluatorView,
    Reference,
    Regression,
    Release,
    SourceFile,
    TaskFile,
)
from referee.task.strict import read_json, read_text, read_toml

CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
"""Folders that are no part of a package."""

GENERATOR = "tests/data.py"
_RELEASE_NEEDS = {
    "pypi": ("file", "sha256"),
    "debian": ("file", "sha256"),
    "git": ("url", "commit"),
    STARTER: ("sha256", "folder"),
}


@dataclass(frozen=True)
class TaskPackage:
    """A loaded task. `digest` names everything that can move a score: what reaches a sandbox and
    what decides; `tests/baseline.json`, which cites it, and `solution/` stay out."""

    root: Path
    digest: str
    agent: AgentView
    evaluator: EvaluatorView

    @property
    def id(self) -> str:
        """The short id within its suite, such as `113`."""
        return self.agent.file.referee.id

    @property
    def label(self) -> str:
        """The folder name, which records use, such as `113-pvlib-instant`."""
        return self.root.name

    @property
    def lock(self) -> Path:
        """The hash-pinned dependencies."""
        return self.root / "environment" / "requirements.lock"

    def require_checks(self) -> None:
        """A task that checks decide.

        Raises:
            BadInput: it is a reproduction task.
        """
        if self.agent.file.referee.kind == "reproduction":
            raise BadInput(
                "a reproduction task is decided by its rubric, and has no baseline of checks",
                where=self.root,
                hint="`referee task validate` grades its known submissions",
            )

    def checked_baseline(self) -> Baseline:
        """The baseline, if it belongs to this very package.

        Raises:
            BadInput: there is none, or the package has changed since it was written.
        """
        self.require_checks()
        where = self.evaluator.tests / "baseline.json"
        hint = f"run `referee task baseline {self.root}`"
        if self.evaluator.baseline is None:
            raise BadInput(
                "the task has no baseline, so it cannot be scored", where=where, hint=hint
            )
        if self.evaluator.baseline.task_digest != self.digest:
            raise BadInput("the task has changed since its baseline", where=where, hint=hint)
        return self.evaluator.baseline


def load_task(root: Path) -> TaskPackage:
    """Load and check one package without running anything.

    Raises:
        BadInput: an unknown or missing file or key, a bad type, a path that leaves the package.
    """
    root = root.absolute()
    if not root.is_dir():
        raise BadInput("there is no such task folder", where=root)
    layout = layout_of(_kind(root / "task.toml"))
    tree = _package_tree(root, layout)
    for name in layout.required:
        if not (root / name).exists():
            raise BadInput(f"{name} is missing", where=root, hint="every task needs it")
    file = read_toml(root / "task.toml", TaskFile)
    agent = AgentView(
        root=root,
        file=file,
        source=_checked_source(root / "environment", layout.starter),
        instruction=_instruction(root / "instruction.md"),
        has_science=(root / "environment" / "science").is_dir(),
    )
    _check_conditions(root, agent)
    _check_generator(root, agent)
    evaluator = _load_evaluator(root, file.referee.kind)
    return TaskPackage(root, task_digest(tree), agent, evaluator)


def task_digest(tree: Tree) -> str:
    """Digest of the files of a package that can move a score."""
    counted = {
        path: entry
        for path, entry in tree.files.items()
        if path in ("task.toml", "instruction.md")
        or path.startswith("environment/")
        or (path.startswith("tests/") and path != "tests/baseline.json")
    }
    return sha256_json({path: [e.mode, e.sha256] for path, e in counted.items()})


def _kind(path: Path) -> str:
    """What `task.toml` says of its kind, before anything in it is believed."""
    try:
        value = tomllib.loads(path.read_text(encoding="utf-8"))
        return str(value["referee"]["kind"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _package_tree(root: Path, layout: PackageLayout) -> Tree:
    for folder, known in layout.names.items():
        if (root / folder).is_dir():
            _check_names(root / folder, known)
    try:
        tree = package_files(root)
    except ValueError as error:
        raise BadInput(str(error), where=root, hint="remove it") from None
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=error.filename) from None
    for path, entry in tree.files.items():
        if entry.mode == SYMLINK:
            raise BadInput(
                "a task package holds no symbolic links", where=root / path, hint="copy the file"
            )
    return tree


def package_files(folder: Path) -> Tree:
    """The files below a folder of a package, without the caches that tools leave behind.

    Raises:
        ValueError, OSError: as `scan_tree`.
    """
    files = scan_tree(folder).files
    return Tree({p: e for p, e in files.items() if not CACHES & set(PurePosixPath(p).parts)})


def _check_names(folder: Path, known: frozenset[str]) -> None:
    for path in sorted(folder.iterdir()):
        if path.name not in known and path.name not in CACHES:
            near = difflib.get_close_matches(path.name, sorted(known), n=1, cutoff=0.5)
            hint = (
                f"did you mean {near[0]}?" if near else f"known names: {', '.join(sorted(known))}"
            )
            raise BadInput(f"unknown file {path.name}", where=folder, hint=hint)


def _instruction(path: Path) -> str:
    text = read_text(path)
    if not text.strip():
        raise BadInput("the instruction is empty", where=path)
    return text


def _checked_source(environment: Path, name: str) -> SourceFile:
    path, starter = environment / "source.toml", environment / name
    source = read_toml(path, SourceFile)
    if (source.source.registry == STARTER) != starter.is_dir():
        raise BadInput(
            f'the folder {name} and `registry = "starter"` go together', where=path, hint="add it"
        )
    if source.source.registry == STARTER:
        source = source.model_copy(update={"source": _with_starter(source.source, starter, path)})
    check_release(source, path)
    for text in (*source.strip, source.import_root):
        check_inside(text, path)
    return source


def _with_starter(release: Release, starter: Path, path: Path) -> Release:
    for key in ("file", "sha256", "url", "commit", "folder"):
        if getattr(release, key) is not None:
            raise BadInput(f"the key {key} is not for a starter", where=path, hint="remove it")
    tree = package_files(starter)
    if not tree.files:
        raise BadInput("the starter has no files", where=starter)
    return release.model_copy(update={"sha256": tree.digest, "folder": str(starter)})


def check_release(holder: SourceFile | Reference, path: Path) -> None:
    """Each registry needs its own facts.

    Raises:
        BadInput: one of them is missing.
    """
    release = holder.source if isinstance(holder, SourceFile) else holder.release
    if release is None:
        return
    if release.folder is not None and release.registry != STARTER:
        raise BadInput("the key folder is not for a task to say", where=path, hint="remove it")
    for key in _RELEASE_NEEDS[release.registry]:
        if getattr(release, key) is None:
            raise BadInput(
                f"a {release.registry} release needs the key {key}", where=path, hint="add it"
            )


def check_inside(text: str, path: Path) -> None:
    """A path written in a task file stays inside.

    Raises:
        BadInput: it is absolute or climbs out.
    """
    parts = PurePosixPath(text).parts
    if text.startswith("/") or ".." in parts or "\\" in text or "\0" in text:
        raise BadInput(f"the path {text!r} leaves its folder", where=path, hint="use a path inside")


def _check_conditions(root: Path, agent: AgentView) -> None:
    for name, values in agent.file.referee.conditions.items():
        if name != "science" or set(values) - {"with", "without"}:
            raise BadInput(
                f"unknown condition referee.conditions.{name} = {list(values)}",
                where=root / "task.toml",
                hint='the only condition is science = ["with", "without"]',
            )
    if "science" in agent.file.referee.conditions and not agent.has_science:
        raise BadInput(
            "the condition science is declared, but environment/science is missing", where=root
        )


def _check_generator(root: Path, agent: AgentView) -> None:
    """The table of the data and the program that makes them go together."""
    if (agent.file.referee.data is None) == (root / GENERATOR).is_file():
        raise BadInput(
            f"[referee.data] in task.toml and {GENERATOR} go together", where=root, hint="add it"
        )


def _load_evaluator(root: Path, kind: str) -> EvaluatorView:
    tests, solution = root / "tests", root / "solution"
    reference = read_toml(solution / "reference.toml", Reference)
    check_release(reference, solution / "reference.toml")
    if (reference.patch is None) == (reference.release is None):
        raise BadInput(
            "the reference is either a patch or files of a release",
            where=solution / "reference.toml",
        )
    for text in (*reference.files, *([reference.patch] if reference.patch else [])):
        check_inside(text, solution / "reference.toml")
    if reference.patch and not (solution / reference.patch).is_file():
        raise BadInput("the file is missing", where=solution / reference.patch)
    regression, baseline = tests / "regression.toml", tests / "baseline.json"
    if kind != "reproduction" and not list((tests / "private").glob("test_*.py")):
        raise BadInput("there are no private checks (test_*.py)", where=tests / "private")
    return EvaluatorView(
        tests=tests,
        solution=solution,
        regression=read_toml(regression, Regression) if regression.is_file() else None,
        baseline=read_json(baseline, Baseline) if baseline.is_file() else None,
        reference=reference,
    )
