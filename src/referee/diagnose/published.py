"""The released result layout of the gravitational-wave suite, read into a `WorkRecord`.

Keys vary by agent, so that each field has a list of names it may go by; a key that no list knows
is kept as a note. Files that a folder lacks leave their part of the record empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.diagnose.aliases import plain
from referee.diagnose.document import Row, kind, rows_of
from referee.diagnose.folder import Folder, Place
from referee.diagnose.tasks import facts_of
from referee.diagnose.work import Approach, Expression, Meaning, PerSample, Split, WorkRecord
from referee.record.fault import BadInput

NAMES = ("approach", "model_name", "name", "best_approach", "best_model", "directory", "model")
_TABLES = ("approaches", "results", "models", "rows", "summary")
_LOSS = ("loss", "val_loss", "validation_loss", "mean_loss")
_TRAIN_LOSS = ("train_loss", "training_loss", "loss_train")
_SPLITS: tuple[tuple[Split, tuple[str, ...]], ...] = (
    ("train", ("train", "train_losses", "train_errors", "training", "train_per_sample")),
    (
        "val",
        (
            "val",
            "val_losses",
            "val_errors",
            "validation",
            "val_per_sample",
            "per_sample_loss",
            "per_sample",
            "errors",
            "value",
        ),
    ),
)
_FORMULA = re.compile(r"^expression")
_KEPT = re.compile(r"models/([^/]+)/saved_model/expressions\.json")
_POINTER = re.compile(r"\.(txt|json|csv)\s*$")


@dataclass
class _Pieces:
    """What the files of one folder gave so far."""

    approaches: list[Approach] = field(default_factory=list)
    best: Approach | None = None
    per_sample: list[PerSample] = field(default_factory=list)
    expressions: list[Expression] | None = None
    stated: dict[str, float] = field(default_factory=dict)
    agents: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)

    def keep(self, row: Row) -> None:
        """Keep what nobody took from a row, under the file and key where it stood."""
        place = ".".join(part for part in (row.path.name, row.key) if part)
        self.notes |= {f"{place}.{name}": text for name, text in row.notes().items()}

    def add_errors(self, errors: PerSample) -> None:
        """Keep errors of an approach and split unless they are already there."""
        key = (errors.approach, errors.split)
        if key not in {(p.approach, p.split) for p in self.per_sample}:
            self.per_sample.append(errors)

    def add_expression(self, expression: Expression) -> None:
        """Keep a formula; a bare pointer to another file is no formula."""
        if expression.text.strip() and not _POINTER.search(expression.text):
            self.expressions = [*(self.expressions or []), expression]


def read_published(
    folder: Path,
    *,
    agent: str | None = None,
    task: str | None = None,
    completion: str | None = None,
) -> WorkRecord:
    """The account in a folder of the released layout: a task's folder, or its `comparison` folder.

    `agent` and `task` go before what the files say; `completion` is the line with which the agent
    ended, which stands in no file.

    Raises:
        BadInput: the folder or all its files are missing, a file is not JSON or has a value of a
            wrong type, or neither files nor arguments name the agent and the task.
    """
    place = Folder(folder)
    pieces = _Pieces()
    if not _read_all(place, pieces):
        raise BadInput(
            "none of the result files is there", where=folder, hint=f"it needs {', '.join(READERS)}"
        )
    agent = agent or next(iter(pieces.agents), None)
    task = task or next(iter(pieces.tasks), None)
    if agent is None or task is None:
        missing = "agent" if agent is None else "task"
        raise BadInput(
            f"no file names the {missing}", where=place.path, hint=f"say which {missing} it is"
        )
    return _record(place, pieces, agent, task, facts_of(task).per_sample, completion)


def read_account(place: Place, *, agent: str, task: str, meaning: Meaning) -> WorkRecord:
    """The account in a place of ours, in which all files of the released layout may be missing;
    `meaning` is what per-sample errors are.

    An account that cannot be read is left out, and `notes["unreadable"]` says why: an agent must
    not be able to stop its own diagnosis by it.
    """
    pieces = _Pieces()
    try:
        _read_all(place, pieces)
    except BadInput as fault:
        pieces = _Pieces(notes={"unreadable": fault.sentence()})
    return _record(place, pieces, agent, task, meaning, None)


def _read_all(place: Place, pieces: _Pieces) -> bool:
    """Read every result file that is there; False if none is."""
    found = False
    for name, read in READERS.items():
        if (document := place.document(name)) is not None:
            found = True
            read(*document, pieces)
    _read_kept_formulas(place, pieces)
    return found


def _record(
    place: Place,
    pieces: _Pieces,
    agent: str,
    task: str,
    meaning: Meaning,
    completion: str | None,
) -> WorkRecord:
    sources, left_out = place.sources()
    if left_out:
        pieces.notes["sources left out"] = ", ".join(left_out)
    return WorkRecord(
        agent=agent,
        task=task,
        approaches=tuple(pieces.approaches),
        best=pieces.best,
        per_sample=tuple(p.model_copy(update={"meaning": meaning}) for p in pieces.per_sample),
        expressions=None if pieces.expressions is None else tuple(pieces.expressions),
        formula=place.text("expression.txt"),
        changelog=place.changelog(),
        sources=sources,
        files=place.files(),
        completion=completion,
        stated=pieces.stated,
        notes=pieces.notes,
        agents_named=tuple(dict.fromkeys(pieces.agents)),
    )


def _read_summary(path: Path, value: Any, pieces: _Pieces) -> None:
    for row in rows_of(value, path, _TABLES, "approach"):
        pieces.approaches.append(_approach(row, pieces))


def _read_best(path: Path, value: Any, pieces: _Pieces) -> None:
    pieces.best = _approach(Row(value, path), pieces)


def _approach(row: Row, pieces: _Pieces) -> Approach:
    name = row.text(NAMES)
    if name is None:
        row.fail("approach", f"no name is given; one of {', '.join(NAMES)} is wanted")
    if agent := row.text(("agent",)):
        pieces.agents.append(agent)
    if task := row.text(("benchmark", "task")):
        pieces.tasks.append(task)
    _errors_of(row, name, pieces)
    has_loss = any(key in row.keys for key in _LOSS)
    loss = row.number(_LOSS)
    earlier = row.starting("loss_old") | row.starting("loss_proxy")
    earlier |= {key: v for key in _LOSS if (v := row.number((key,))) is not None}
    _formulas(row, name, loss, pieces)
    return Approach(
        name=name,
        number=row.count(("approach_number", "number", "index", "id")),
        title=row.text(("display_name", "title", "label")),
        category=row.text(("category", "approach_category", "family", "type")),
        parameterisation=row.text(("parameterization", "parameterisation", "reparam")),
        mode=row.text(("mode",)),
        loss=loss,
        loss_null=has_loss and loss is None,
        train_loss=row.number(_TRAIN_LOSS),
        earlier=earlier,
        components=row.numbers_by_name(("loss_components", "components")),
        n_params=row.count(("n_params", "n_parameters")),
        n_train=row.count(("n_train",)),
        n_val=row.count(("n_val", "n_validation")),
        n_terms=row.count(("n_terms",)),
        runtime_ms=row.number(("runtime_ms", "runtime")),
        train_time_s=row.number(("train_time_s", "wall_time_s")),
        notes=row.notes(),
    )


def _formulas(row: Row, name: str, loss: float | None, pieces: _Pieces) -> None:
    """Take formulas that stand in a scorecard, or in the notes of one, beside its numbers."""
    _, notes = row.first(("notes",))
    if isinstance(notes, dict):
        inner = Row(notes, row.path, f"{row.key}.notes")
        for key in [k for k in inner.keys if _FORMULA.match(k)]:
            _, value = inner.first((key,))
            if isinstance(value, str):
                pieces.add_expression(Expression(approach=name, text=value, loss=loss))
        row.put_back("notes", inner.notes())
    elif notes is not None:
        row.put_back("notes", notes)
    if text := row.text(("expression",)):
        pieces.add_expression(Expression(approach=name, text=text, loss=loss))


def _errors_of(row: Row, name: str, pieces: _Pieces) -> None:
    ids = None
    key, given = row.first(("sample_ids", "val_ids", "ids"))
    if given is not None:
        if not isinstance(given, list) or not all(isinstance(i, str | int) for i in given):
            row.fail(key, "a list of sample ids is wanted")
        ids = tuple(str(i) for i in given)
    for split, names in _SPLITS:
        key, value = row.first(names)
        if value is None:
            continue
        if isinstance(value, dict):
            inner = Row(value, row.path, f"{row.key}.{key}")
            _, value = inner.first(("per_sample", "errors", "values", "losses", "loss"))
            pieces.keep(inner)
        values = row.numbers(key, value)
        pieces.add_errors(
            PerSample(
                approach=name, split=split, values=values, ids=ids if split == "val" else None
            )
        )


def _read_errors(path: Path, value: Any, pieces: _Pieces) -> None:
    for row in rows_of(value, path, _TABLES, "approach"):
        name = row.text(NAMES)
        if name is None:
            row.fail("approach", "no name is given")
        _errors_of(row, name, pieces)
        pieces.keep(row)


def _read_expressions(path: Path, value: Any, pieces: _Pieces) -> None:
    pieces.expressions = pieces.expressions or []
    for row in rows_of(value, path, ("expressions", *_TABLES), "approach"):
        name = row.text(NAMES)
        if name is None:
            row.fail("approach", "no name is given")
        text = row.text(("expression", "equation", "formula", "value"))
        pieces.add_expression(
            Expression(
                approach=name,
                text=text or "",
                loss=row.number(_LOSS),
                complexity=row.count(("complexity", "expression_complexity")),
            )
        )
        pieces.keep(row)


def _read_kept_formulas(place: Place, pieces: _Pieces) -> None:
    """The fronts of symbolic regression that lie in the folders of the approaches themselves."""
    for path in place.paths():
        found = _KEPT.fullmatch(path)
        document = place.document(path) if found else None
        if found is None or document is None:
            continue
        file, value = document
        pieces.expressions = pieces.expressions or []
        name = _approach_of(found[1], pieces.approaches)
        for row in rows_of(value, file, ("expressions", "equations"), "expression"):
            text = row.text(("expression", "equation", "formula"))
            size = row.count(("complexity",))
            pieces.add_expression(
                Expression(approach=name, text=text or "", loss=row.number(_LOSS), complexity=size)
            )


def _approach_of(folder: str, approaches: list[Approach]) -> str:
    """The approach whose name the folder has or holds, the longest of them; else the folder."""
    held = [a.name for a in approaches if plain(a.name) and plain(a.name) in plain(folder)]
    return max(held, key=lambda name: (len(plain(name)), name), default=folder)


def _read_cases(path: Path, value: Any, pieces: _Pieces) -> None:
    """One number per case, with the parameters of the case beside it."""
    if not isinstance(value, list):
        raise BadInput(f"a list of cases is wanted and this is {kind(value)}", where=path)
    rows = [Row(v, path, f"[{i}]") for i, v in enumerate(value)]
    scores: list[float | None] = []
    columns: dict[str, list[float]] = {}
    for row in rows:
        if "mismatch" not in row.keys:
            row.fail("mismatch", "the key is missing")
        scores.append(row.number(("mismatch",)))
        for key in row.keys:
            number = row.number((key,))
            columns.setdefault(key, []).extend([] if number is None else [number])
    if any(len(column) != len(rows) for column in columns.values()):
        raise BadInput("the cases do not all give the same parameters", where=path)
    pieces.add_errors(
        PerSample(
            approach="candidate",
            split="val",
            values=tuple(scores),
            parameters={key: tuple(column) for key, column in columns.items()},
        )
    )


def _read_run_summary(path: Path, value: Any, pieces: _Pieces) -> None:
    row = Row(value, path)
    for key in row.keys:
        _, given = row.first((key,))
        if isinstance(given, int | float) and not isinstance(given, bool):
            pieces.stated[key] = float(given)
        else:
            row.put_back(key, given)
    pieces.keep(row)


READERS: Mapping[str, Callable[[Path, Any, _Pieces], None]] = {
    "summary_table.json": _read_summary,
    "best_model.json": _read_best,
    "error_data.json": _read_errors,
    "all_expressions.json": _read_expressions,
    "mismatch_per_case.json": _read_cases,
    "run_summary.json": _read_run_summary,
}
"""The result files, and who reads each."""
