"""The manifest of observations that a candidate leaves: `outputs/evidence_manifest.json`.

It says under a locked key where the data of each case are, in which columns and units, and from
which native run. It identifies; it proves nothing: the digest is checked here, the science is
recomputed elsewhere. What is wrong with one entry spoils no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import StringConstraints, ValidationError

from referee.evidence.binding import Binding
from referee.evidence.citation import ArrayName, Attribute, FilePath
from referee.evidence.fault import EvidenceError, EvidenceMissing
from referee.evidence.jsonfile import parse_json
from referee.evidence.roots import Evidence
from referee.record.canonical import canonical_json
from referee.record.model import Frozen
from referee.record.pointer import escaped

MANIFEST = "outputs/evidence_manifest.json"
Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Split(Frozen):
    """A complex column that is stored as two real ones."""

    real: ArrayName
    imag: ArrayName


class Observation(Frozen):
    """Where the data of one case are. `columns` maps each logical name to the stored one, `units`
    each logical name to its unit; `static_columns` are settings rather than results."""

    path: FilePath
    sha256: Sha256
    case_id: Text
    units: dict[Text, Text]
    native_run_id: Text
    columns: dict[Text, ArrayName | Split]
    static_columns: tuple[Text, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """A manifest as it was read: the entries of each key, one or a list of them."""

    path: str
    groups: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Observed:
    """A valid entry and the pointer to it in the manifest."""

    entry: Observation
    pointer: str


def read_manifest(evidence: Evidence, path: str = MANIFEST) -> Manifest:
    """The manifest of a candidate.

    Raises:
        EvidenceMissing: there is none.
        EvidenceError: not valid JSON, or no object `observations` in it.
    """
    root = evidence.root("outputs")
    value = parse_json(root.where(path), root.text(path), root.limits)
    groups = value.get("observations") if isinstance(value, Mapping) else None
    if not isinstance(groups, Mapping):
        raise EvidenceError(root.where(path), "has no object `observations`")
    return Manifest(path, groups)


def observed(manifest: Manifest, key: str, case: str) -> Observed:
    """The entry of a case.

    Raises:
        EvidenceMissing: the manifest has none.
        EvidenceError: an entry of the case is not valid, or two of it disagree.
    """
    where = f"outputs:{manifest.path}#/observations/{key}"
    group, at = manifest.groups.get(key, []), f"/observations/{escaped(key)}"
    listed = group if isinstance(group, list) else [group]
    pointers = [f"{at}/{i}" for i in range(len(listed))] if isinstance(group, list) else [at]
    of_case = [
        Observed(_entry(where, entry), pointer)
        for entry, pointer in zip(listed, pointers, strict=True)
        if isinstance(entry, Mapping) and entry.get("case_id") == case
    ]
    if not of_case:
        raise EvidenceMissing(where, f"has no case {case}")
    if any(found.entry != of_case[0].entry for found in of_case):
        raise EvidenceError(where, f"the case {case} has two different entries")
    return of_case[0]


def checked_entry(evidence: Evidence, manifest: Manifest, key: str, case: str) -> Observed:
    """The entry of a case, whose file has the digest that it states.

    Raises:
        EvidenceMissing: no such case or file.
        EvidenceError: as `observed`, or the file has another digest.
    """
    found = observed(manifest, key, case)
    if evidence.root("outputs").sha256(found.entry.path) != found.entry.sha256:
        where = f"outputs:{manifest.path}#{found.pointer}"
        raise EvidenceError(where, f"{found.entry.path} does not have this digest")
    return found


def binding_of(manifest: Manifest, found: Observed, name: str, target: str) -> Binding:
    """The binding of a logical column, needed in the unit `target`. The unit that the manifest
    states is cited, and so is how a complex column is split.

    Raises:
        EvidenceMissing: the entry has no such column, or states no unit of it.
    """
    if name not in found.entry.columns or name not in found.entry.units:
        where = f"outputs:{manifest.path}#{found.pointer}"
        raise EvidenceMissing(where, f"has no column {name} with its unit")
    return _binding(manifest, found, name, target)


def bindings_of(
    evidence: Evidence, manifest: Manifest, key: str, case: str, wanted: Mapping[str, str]
) -> dict[str, Binding]:
    """Bindings of the wanted columns of a case, each logical name with the unit in which it is
    needed; raises as `checked_entry` and `binding_of`."""
    found = checked_entry(evidence, manifest, key, case)
    return {name: binding_of(manifest, found, name, unit) for name, unit in wanted.items()}


def _binding(manifest: Manifest, found: Observed, name: str, target: str) -> Binding:
    entry = found.entry
    column = entry.columns[name]

    def stated(table: str, word: str) -> Attribute:
        array = f"{found.pointer}/{table}"
        return Attribute(
            kind="attribute", root="outputs", path=manifest.path, array=array, key=word
        )

    is_split = isinstance(column, Split)
    return Binding(
        root="outputs",
        path=entry.path,
        array=column.real if isinstance(column, Split) else column,
        imaginary_array=column.imag if isinstance(column, Split) else None,
        source_unit=entry.units[name],
        target_unit=target,
        unit_evidence=stated("units", name),
        complex_evidence=stated(f"columns/{escaped(name)}", "imag") if is_split else None,
    )


def _entry(where: str, value: Any) -> Observation:
    try:
        return Observation.model_validate_json(canonical_json(value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = "/".join(str(part) for part in first["loc"])
        raise EvidenceError(where, f"{key}: {first['msg']}") from None
