"""A task package as data: what `task.toml` and its companions may say, and nothing else.

The agent-visible half (`AgentView`) and the evaluator-only half (`EvaluatorView`) are separate
types with no field in common, so that a function that takes one cannot be handed the other.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from referee.record.measure import Better, Finite, Scale
from referee.record.model import Frozen
from referee.task.contract import ContractTable

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
Text = Annotated[str, StringConstraints(min_length=1)]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=80)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]

Kind = Literal["repair", "artifact", "reproduction"]
Paradigm = Literal["issue-driven", "expert-exploratory", "engineering-integration"]


class Author(Frozen):
    name: str
    email: str | None = None


class Package(Frozen):
    """Harbor's `[task]`: the name under which the task is published."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*/[A-Za-z0-9._-]+$")]
    version: str = "1.0.0"
    description: str = ""
    authors: tuple[Author, ...] = ()
    keywords: tuple[str, ...] = ()


class AgentTable(Frozen):
    """Harbor's `[agent]`."""

    timeout_sec: Positive = 3600.0


class VerifierTable(Frozen):
    """Harbor's `[verifier]`; grading is always in a sandbox of its own."""

    timeout_sec: Positive = 900.0
    environment_mode: Literal["separate"] = "separate"


_OURS = re.compile(r"REFEREE_|PYTHON(?!WARNINGS$)|LD_|PATH$|HOME$|TMPDIR$|LANG$|LC_|TZ$")


class EnvironmentTable(Frozen):
    """Harbor's `[environment]`; referee's own tasks have no network. `env` are variables of every
    command in every sandbox of the task, the agent's and the grader's."""

    cpus: Positive = 1.0
    memory_mb: Count = 4096
    storage_mb: Count = 2048
    network_mode: Literal["no-network"] = "no-network"
    env: dict[Variable, Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _only_the_tasks_own(self) -> EnvironmentTable:
        if taken := sorted(name for name in self.env if _OURS.match(name)):
            raise ValueError(f"{', '.join(taken)} is set by referee alone")
        return self


class LimitsTable(Frozen):
    """`[referee.limits]`: what a submission and one wall call may use."""

    submission_kb: Count = 1024
    submission_files: Count = 64
    call_timeout_sec: Positive = 60.0
    processes: Count = 512


class WallTable(Frozen):
    """`[referee.wall]`: modules that the candidate's worker imports once, before it forks."""

    preload: tuple[str, ...] = ()


class GraderTable(Frozen):
    """`[referee.grader]`: modules that the trusted checks import, and the extra of referee that
    brings them; without them a task is not begun."""

    modules: tuple[Text, ...] = ()
    extra: Name | None = None


class BuildTable(Frozen):
    """`[referee.build]`: commands that rebuild a compiled project in /workspace after a patch."""

    commands: tuple[tuple[str, ...], ...] = ()
    outputs: tuple[str, ...] = ()
    timeout_sec: Positive = 900.0


DataSize = Literal["small", "full", "published"]
"""How much data a task has: two sizes that are generated, and the files that were published."""


class ArtifactTable(Frozen):
    """`[referee.artifact]`: the one number that decides about an artifact. `samples` is how many
    single values it is made of, by the size of the data where a task has any; `requirement` and
    `floor` are in `units` (`1`: a pure number). `sensible` is what a sensible baseline reaches:
    validation asks it in the place of the requirement, which nobody may have reached so far.
    `contract` says how the artifact is asked; checks ask it by the fixture `artifact`."""

    measure: Name
    units: Text
    scale: Scale = "linear"
    better: Better
    samples: Count | dict[DataSize, Count]
    requirement: Finite | None = None
    floor: Finite | None = None
    sensible: Finite | None = None
    contract: ContractTable | None = None

    @model_validator(mode="after")
    def _sensible_stands_for_a_requirement(self) -> ArtifactTable:
        if self.sensible is not None and self.requirement is None:
            raise ValueError("sensible stands in the place of a requirement, and there is none")
        return self

    def planned(self, size: DataSize | None) -> int:
        """The number of single values with data of a size; None is for a task without data."""
        if isinstance(self.samples, int):
            return self.samples
        if size is None:
            raise ValueError("the number of samples depends on the data, and there are none")
        return self.samples[size]


class DataTable(Frozen):
    """`[referee.data]`: what `tests/data.py` makes: `public` files for the agent and `hidden` ones
    for the evaluator, by name. `seed` is that of the public ones; `modules` is what the generator
    imports; `published` says that the released files have this layout, so that they can be read."""

    public: Annotated[tuple[Name, ...], Field(min_length=1)]
    hidden: Annotated[tuple[Name, ...], Field(min_length=1)]
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    modules: tuple[Text, ...] = ()
    published: bool = False

    @model_validator(mode="after")
    def _each_file_once(self) -> DataTable:
        names = [name.casefold() for name in (*self.public, *self.hidden)]
        if len(set(names)) != len(names):
            raise ValueError("a file stands twice among public and hidden")
        return self

    @property
    def sizes(self) -> tuple[DataSize, ...]:
        """The sizes that there can be."""
        return ("small", "full", "published") if self.published else ("small", "full")


class RefereeTable(Frozen):
    """`[referee]`: what Harbor has no word for. Repair tasks have a paradigm, artifact tasks the
    table that says what is measured."""

    kind: Kind
    suite: Name
    id: Name
    domain: Text
    paradigm: Paradigm | None = None
    licence: Text
    writable: Annotated[tuple[str, ...], Field(min_length=1)]
    writable_binary: tuple[str, ...] = ()
    conditions: dict[Name, tuple[Name, ...]] = Field(default_factory=dict)
    limits: LimitsTable = LimitsTable()
    wall: WallTable = WallTable()
    build: BuildTable = BuildTable()
    grader: GraderTable = GraderTable()
    artifact: ArtifactTable | None = None
    data: DataTable | None = None

    @model_validator(mode="after")
    def _samples_fit_the_data(self) -> RefereeTable:
        samples = None if self.artifact is None else self.artifact.samples
        if isinstance(samples, int) and self.data is not None:
            raise ValueError("artifact.samples is a table by size where a task has data")
        if isinstance(samples, dict):
            sizes = () if self.data is None else self.data.sizes
            if set(samples) != set(sizes):
                told = ", ".join(sizes) or "nothing: without data it is one number"
                raise ValueError(f"artifact.samples needs a number for each of {told}")
        return self

    @model_validator(mode="after")
    def _each_kind_has_its_own(self) -> RefereeTable:
        if (self.paradigm is not None) != (self.kind == "repair"):
            raise ValueError("paradigm is for tasks of the kind repair, and they need it")
        if (self.artifact is not None) != (self.kind == "artifact"):
            raise ValueError("artifact is a table for tasks of that kind, and they need it")
        return self

    @property
    def group(self) -> str:
        """What tables split by paradigm show: the paradigm, or the kind."""
        return self.paradigm or self.kind


class TaskFile(Frozen):
    """The whole of `task.toml`."""

    schema_version: Literal["1.0", "1.1", "1.2", "1.3", "1.4"] = "1.4"
    task: Package
    metadata: dict[str, Any] = Field(default_factory=dict)
    agent: AgentTable = AgentTable()
    verifier: VerifierTable = VerifierTable()
    environment: EnvironmentTable = EnvironmentTable()
    referee: RefereeTable


class Release(Frozen):
    """One archive, by hash. `pypi`: an sdist or wheel file of a project; `git`: a commit of `url`;
    `debian`: a source package, whose `file` is the upstream tarball; `starter`: the files of
    `environment/starter` (or `starter_submission`), whose hash and place (`folder`) are filled in
    when a task is loaded."""

    registry: Literal["pypi", "git", "debian", "starter"]
    name: str
    version: str
    file: str | None = None
    sha256: Sha256 | None = None
    url: str | None = None
    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")] | None = None
    folder: str | None = Field(default=None, exclude=True)


class PythonTable(Frozen):
    """`[python]`: a minor version such as `3.11`."""

    version: Annotated[str, StringConstraints(pattern=r"^3\.\d{1,2}$")]


class SourceFile(Frozen):
    """The whole of `environment/source.toml`.

    `strip` are globs of paths that the agent must not get (tests that reveal the fix, documentation
    of the fix, build leftovers); `import_root` is where the package is imported from; `debian` are
    host packages that must be installed, by name; of `native` ones (a solver and what it needs) the
    sandbox also shows the modules of Debian's own Python, and their data.
    """

    source: Release
    python: PythonTable
    strip: tuple[str, ...] = ()
    import_root: str = "."
    debian: tuple[str, ...] = ()
    native: tuple[str, ...] = ()


class Regression(Frozen):
    """The whole of `tests/regression.toml`: upstream tests that run in the candidate's process."""

    files: dict[str, Sha256] = Field(default_factory=dict)
    args: tuple[str, ...] = ()
    ids: Annotated[tuple[str, ...], Field(min_length=1)]
    timeout_sec: Positive = 600.0


class BaselineCheck(Frozen):
    kind: Literal["public", "private", "regression"]
    contract: str | None = None
    passed: bool


class Baseline(Frozen):
    """The whole of `tests/baseline.json`: every check that must come back, and its outcome on the
    untouched snapshot."""

    task_digest: Sha256
    checks: dict[str, BaselineCheck]


class Cosmetic(Frozen):
    """`[[cosmetic]]`: a hunk of the reference that no check needs, and why; `hunk` is the name that
    `referee task validate` gives it."""

    file: str
    hunk: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
    reason: Annotated[str, StringConstraints(min_length=10)]


class Equivalent(Frozen):
    """`[[equivalent]]`: a generated mutant that no check can fail, and why; `mutant` is its id."""

    mutant: Annotated[str, StringConstraints(pattern=r"^[a-z-]+-[0-9a-f]{10}$")]
    reason: Annotated[str, StringConstraints(min_length=10)]


class Reference(Frozen):
    """The whole of `solution/reference.toml`: a patch of our own, or files of the fixed release;
    and what the author judged about its hunks and mutants."""

    patch: str | None = None
    release: Release | None = None
    files: tuple[str, ...] = ()
    cosmetic: tuple[Cosmetic, ...] = ()
    equivalent: tuple[Equivalent, ...] = ()


class AgentView(Frozen):
    """What an agent may know: built from `task.toml`, `instruction.md` and `environment/` alone."""

    root: Path
    file: TaskFile
    source: SourceFile
    instruction: str
    has_science: bool


class EvaluatorView(Frozen):
    """What only the evaluator may know: built from `tests/` and `solution/`."""

    tests: Path
    solution: Path
    regression: Regression | None
    baseline: Baseline | None
    reference: Reference
