"""Manifests of native exports: which files a solver wrote, and which were derived from them.

One manifest describes one variant, whose folder has the solver's own files below `raw/`. Digests
that agree show where a file comes from, not that what was derived from it is right: that is read
from the source.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from referee.evidence.fault import EvidenceFault
from referee.evidence.roots import Root, path_problem
from referee.metric.rubric.graph import cycle_in
from referee.record.model import Frozen

Text = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
RAW = "raw/"


class Export(Frozen):
    """A file that a solver wrote. `run_log_lines` are the first and last line, counted from 1, of
    the run log that tell of it; `exported_utc` is a time in UTC."""

    file: Text
    sha256: Sha256
    bytes: Annotated[int, Field(ge=0)]
    producer: Text
    solution_id: Text
    exported_utc: Text
    run_log_lines: tuple[int, int]


class Derived(Frozen):
    """A file that a program made from others: `by` is `derive.py:function`."""

    file: Text
    sources: Annotated[tuple[Text, ...], Field(min_length=1, alias="from")]
    by: Annotated[str, StringConstraints(pattern=r"^[\w./-]+\.py:\w+$", max_length=200)]


class ExportManifest(Frozen):
    """The files of one variant."""

    variant: Text
    exports: Annotated[tuple[Export, ...], Field(min_length=1)]
    derived: tuple[Derived, ...] = ()


class SharedSolve(Frozen):
    """Variants that share one solve, declared: its log, and what differs, which must differ."""

    source: Text
    variation: Annotated[dict[Text, Text], Field(min_length=2)]

    @model_validator(mode="after")
    def _varies(self) -> SharedSolve:
        if len(set(self.variation.values())) != len(self.variation):
            raise ValueError("two variants of a shared solve declare the same variation")
        return self


@dataclass(frozen=True, slots=True)
class ExportProblem:
    """A fault of a manifest: a code for programs, the file, and what is wrong in words."""

    code: str
    file: str
    what: str


def export_problems(
    root: Root,
    folder: str,
    manifest: ExportManifest,
    *,
    scored: Iterable[str],
    static: Iterable[str] = (),
    run_log: str = "run.log",
) -> tuple[ExportProblem, ...]:
    """Every fault of the manifest of the variant in `folder`.

    `scored` files must each descend from at least one export; `static` ones (source, declared
    settings) may stand among the sources of a derived file and are no native ancestors.

    Raises:
        EvidenceLimit: the root has more files than are listed.
    """
    found = _name_problems(manifest)
    if any(p.code == "path" for p in found):
        return tuple(found)
    for export in manifest.exports:
        found += _file_problems(root, folder, export)
        found += _utc_problems(export)
    found += _log_problems(root, folder, manifest, run_log)
    found += _inventory_problems(root, folder, manifest)
    found += _ancestry_problems(manifest, tuple(scored), frozenset(static))
    return tuple(found)


def copies(
    digests: Mapping[str, str], shared: Iterable[SharedSolve] = ()
) -> tuple[tuple[str, ...], ...]:
    """Groups of variants whose files have the same digest and who do not all share one solve."""
    by_digest: dict[str, list[str]] = defaultdict(list)
    for name, digest in digests.items():
        by_digest[digest].append(name)
    allowed = [set(group.variation) for group in shared]
    return tuple(
        tuple(sorted(names))
        for names in by_digest.values()
        if len(names) > 1 and not any(set(names) <= group for group in allowed)
    )


def _name_problems(manifest: ExportManifest) -> list[ExportProblem]:
    exports = [export.file for export in manifest.exports]
    derived = [item.file for item in manifest.derived]
    sources = [name for item in manifest.derived for name in item.sources]
    found = [
        ExportProblem("path", name, f"the path {problem}")
        for name in dict.fromkeys([*exports, *derived, *sources])
        if (problem := path_problem(name))
    ]
    found += [
        ExportProblem("duplicate", name, f"is listed {count} times")
        for name, count in Counter([*exports, *derived]).items()
        if count > 1
    ]
    found += [
        ExportProblem("outside_raw", name, f"an export is not in {RAW}")
        for name in exports
        if not name.startswith(RAW)
    ]
    return found + [
        ExportProblem("inside_raw", name, f"a derived file is in {RAW}")
        for name in derived
        if name.startswith(RAW)
    ]


def _file_problems(root: Root, folder: str, export: Export) -> list[ExportProblem]:
    try:
        data_size = _size(root, f"{folder}/{export.file}")
        digest = root.sha256(f"{folder}/{export.file}")
    except EvidenceFault as fault:
        return [ExportProblem("file", export.file, fault.what)]
    found = []
    if data_size != export.bytes:
        told = f"has {data_size} bytes, and {export.bytes} are stated"
        found.append(ExportProblem("bytes", export.file, told))
    if digest != export.sha256:
        found.append(ExportProblem("sha256", export.file, "does not have the stated digest"))
    return found


def _size(root: Root, path: str) -> int:
    with root.open(path) as stream:
        return stream.seek(0, 2)


def _utc_problems(export: Export) -> list[ExportProblem]:
    try:
        when = datetime.fromisoformat(export.exported_utc)
    except ValueError:
        when = None
    if when is not None and when.utcoffset() == timedelta(0):
        return []
    told = f"{export.exported_utc[:40]!r} is not a time in UTC"
    return [ExportProblem("not_utc", export.file, told)]


def _log_problems(
    root: Root, folder: str, manifest: ExportManifest, run_log: str
) -> list[ExportProblem]:
    try:
        lines = len(root.text(f"{folder}/{run_log}").splitlines())
    except EvidenceFault as fault:
        return [ExportProblem("run_log", run_log, fault.what)]
    return [
        ExportProblem("log_span", export.file, f"lines {first} to {last} of {lines}")
        for export in manifest.exports
        for first, last in [export.run_log_lines]
        if not 1 <= first <= last <= lines
    ]


def _inventory_problems(root: Root, folder: str, manifest: ExportManifest) -> list[ExportProblem]:
    prefix = f"{folder}/{RAW}"
    there = {e.path[len(folder) + 1 :] for e in root.entries() if e.path.startswith(prefix)}
    listed = {export.file for export in manifest.exports}
    return [
        ExportProblem("unlisted", name, f"is in {RAW} and not listed")
        for name in sorted(there - listed)
    ]


def _ancestry_problems(
    manifest: ExportManifest, scored: tuple[str, ...], static: frozenset[str]
) -> list[ExportProblem]:
    exports = {export.file for export in manifest.exports}
    sources = {item.file: item.sources for item in manifest.derived}
    if cycle := cycle_in(sources):
        told = f"is derived from itself: {' from '.join(cycle)}"
        return [ExportProblem("cycle", cycle[0], told)]
    found = [
        ExportProblem("unknown_source", item.file, f"{name} is no export, derived or static file")
        for item in manifest.derived
        for name in item.sources
        if name not in exports and name not in sources and name not in static
    ]
    return found + [
        ExportProblem("no_native_ancestor", name, "does not descend from an export")
        for name in scored
        if not _descends(name, exports, sources)
    ]


def _descends(name: str, exports: set[str], sources: Mapping[str, tuple[str, ...]]) -> bool:
    pending, seen = [name], set()
    while pending:
        current = pending.pop()
        if current in exports:
            return True
        if current not in seen:
            seen.add(current)
            pending += sources.get(current, ())
    return False
