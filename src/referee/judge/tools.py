"""What a judge can do: look. Each tool is read-only and its result names path and digest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from referee.agent.gateway.plain import clean_text
from referee.evidence.binding import Binding
from referee.evidence.fault import EvidenceFault
from referee.evidence.measure import Measurement, MetricModule, measure
from referee.evidence.read import open_arrays
from referee.evidence.roots import CANDIDATE_ROOTS, Evidence, Root, RootKind
from referee.evidence.units import convert
from referee.judge.numbers import MOST_TERMS, downsampled, histogram, linear_relation
from referee.judge.pictures import Album
from referee.record.fault import Infrastructure

_KINDS: tuple[str, ...] = (*CANDIDATE_ROOTS, "paper", "refs", "diagnostic")
_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}


def _tool(name: str, does: str, optional: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name not in optional],
        "additionalProperties": False,
    }
    return {"name": name, "description": does, "parameters": schema}


_ROOT = {"type": "string", "enum": list(_KINDS)}
_FILE: dict[str, Any] = {"root": _ROOT, "path": _TEXT}
TOOLS: tuple[Mapping[str, Any], ...] = (
    _tool(
        "list", "Files of a root, up to 1000 from offset on", ("offset",),
        root=_ROOT, offset=_COUNT,
    ),
    _tool(
        "read", "Up to 60000 bytes of a text file from offset on", ("offset",),
        **_FILE, offset=_COUNT,
    ),
    _tool("inspect", "Names, shapes, range and mean of the arrays of a data file", **_FILE),
    _tool(
        "slice", "Up to 400 values of an array from offset on", ("offset",),
        **_FILE, array=_TEXT, offset=_COUNT,
    ),
    _tool(
        "compare", "Largest, mean and rms difference, and correlation, of two arrays",
        **_FILE, array=_TEXT, other_root=_ROOT, other_path=_TEXT, other_array=_TEXT,
    ),
    _tool(
        "convert_units", "Numbers in another unit of the same dimension",
        values={"type": "array", "items": {"type": "number"}, "maxItems": 400},
        source=_TEXT, target=_TEXT,
    ),
    _tool("describe_metrics", "Operations of the task with quantities and units; how to bind them"),
    _tool(
        "derive_metrics", "Recompute an operation from bound arrays of the candidate", ("context",),
        operation=_TEXT, bindings={"type": "object"}, context={"type": "object"},
    ),
    _tool("inspect_image", "Format and size of an image, and the image itself", **_FILE),
    _tool("histogram", "Counts of an array in 1 to 100 bins", **_FILE, array=_TEXT, bins=_COUNT),
    _tool(
        "downsample_2d", "Means of a 2-D array over at most 80 x 80 blocks",
        **_FILE, array=_TEXT, rows=_COUNT, columns=_COUNT,
    ),
    _tool(
        "linear_relation", "Least squares of an array on up to 8 others of the same file",
        **_FILE, array=_TEXT,
        terms={"type": "array", "items": {"type": "string"}, "maxItems": MOST_TERMS},
    ),
)  # fmt: skip
_REQUIRED: Mapping[str, Any] = {str(tool["name"]): tool["parameters"] for tool in TOOLS}


@dataclass
class Trace:
    """What was looked at in one conversation. Keys of `read` are `root:path`, its values the kinds
    of looking; `listed` has the roots that were listed to their end, `pages` where the next page of
    one begins; `broken` the evaluator's own failures by call."""

    read: dict[str, set[str]] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    pages: dict[str, int] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    measured: list[Measurement] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)

    def candidate_files(self) -> set[str]:
        """Files of the candidate whose content was seen."""
        return {name for name in self.read if name.split(":", 1)[0] in CANDIDATE_ROOTS}


class BadCall(ValueError):
    """The judge called a tool that is not there, or in a way that its schema does not allow."""


@dataclass
class Toolbox:
    """The tools on one task's evidence; `trace` remembers what they showed."""

    evidence: Evidence
    module: MetricModule | None
    trace: Trace = field(default_factory=Trace)
    album: Album = field(default_factory=Album)

    def run(self, name: str, arguments: Mapping[str, Any] | None) -> str:
        """The result of a call as JSON, or what is wrong with it; raises nothing a caller or a
        candidate can cause."""
        key = json.dumps([name, arguments], sort_keys=True, default=str)
        try:
            given = _checked(name, arguments)
            told = _DO[name](self, given)
            self.trace.broken.pop(key, None)
            return _shown(told)
        except (EvidenceFault, ValueError, KeyError, OverflowError) as error:
            told = {"error": str(error)[:500]}
        except Infrastructure as error:
            self.trace.broken[key] = str(error)[:500]
            told = {"reader_error": str(error)[:500]}
        return _shown(told)

    def root(self, kind: str) -> Root:
        """A root by its name."""
        known: RootKind = next(k for k in _all_kinds() if k == kind)
        return self.evidence.root(known)

    def seen(self, root: Root, path: str, how: str) -> dict[str, str]:
        """Remember that a file was looked at; path and digest for the result."""
        digest = root.sha256(path)
        self.trace.read.setdefault(root.where(path), set()).add(how)
        return {"path": root.where(path), "sha256": digest}


def _shown(told: Mapping[str, Any]) -> str:
    # names of arrays and files are a candidate's: half a character in one must break nothing
    return clean_text(json.dumps(told, ensure_ascii=False, allow_nan=False))


def _all_kinds() -> tuple[RootKind, ...]:
    return ("source", "inputs", "outputs", "paper", "refs", "diagnostic")


def _checked(name: str, arguments: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if name not in _REQUIRED:
        raise BadCall(f"there is no tool {name[:60]!r}; there are {', '.join(_REQUIRED)}")
    if arguments is None:
        raise BadCall("the arguments are not a JSON object")
    schema = _REQUIRED[name]
    fields: Mapping[str, Any] = schema["properties"]
    if extra := sorted(str(key)[:60] for key in arguments if key not in fields):
        raise BadCall(f"{name} takes no {extra[0]}")
    for key in schema["required"]:
        if key not in arguments:
            raise BadCall(f"{name} needs {key}")
    for key, value in arguments.items():
        _require_type(name, key, value, fields[key])
    return arguments


def _require_type(name: str, key: str, value: Any, field_: Mapping[str, Any]) -> None:
    kinds = {"string": "str", "integer": "int", "object": "dict", "array": "list"}
    if type(value).__name__ != kinds[field_["type"]]:
        raise BadCall(f"{name}: {key} is no {field_['type']}")
    if "enum" in field_ and value not in field_["enum"]:
        raise BadCall(f"{name}: {key} is none of {', '.join(field_['enum'])}")
    if field_["type"] == "integer" and value < 0:
        raise BadCall(f"{name}: {key} is negative")
    if field_["type"] == "array":
        kind = field_["items"]["type"]
        if len(value) > field_["maxItems"] or not all(_is_a(kind, one) for one in value):
            raise BadCall(f"{name}: {key} is not a list of at most {field_['maxItems']} {kind}s")


def _is_a(kind: str, value: Any) -> bool:
    if kind == "string":
        return isinstance(value, str)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    kind, offset = str(given["root"]), int(given.get("offset", 0))
    page = box.root(kind).page(offset)
    trace = box.trace
    if offset <= trace.pages.get(kind, 0):
        trace.pages[kind] = max(trace.pages.get(kind, 0), offset + len(page.entries))
        if page.next_offset is None:
            trace.listed.add(kind)
    trace.files[kind] = page.total_files
    entries = [{"path": e.path, "kind": e.kind, "bytes": e.size} for e in page.entries]
    return {
        "root": kind,
        "entries": entries,
        "total": page.total_files,
        "next_offset": page.next_offset,
    }


_CHUNK = 60_000


def _read(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    root, path, offset = box.root(given["root"]), given["path"], int(given.get("offset", 0))
    with root.open(path) as stream:
        size = stream.seek(0, 2)
        stream.seek(offset)
        text = stream.read(_CHUNK).decode("utf-8", "replace")
    after = offset + _CHUNK if offset + _CHUNK < size else None
    return box.seen(root, path, "text") | {"text": text, "bytes": size, "next_offset": after}


def _inspect(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    root, path = box.root(given["root"]), given["path"]
    told: list[dict[str, Any]] = []
    good = False
    with open_arrays(root, path) as arrays:
        for info in arrays.infos()[:200]:
            one: dict[str, Any] = {"array": info.name, "kind": info.kind, "shape": list(info.shape)}
            if info.kind in ("real", "complex"):
                try:
                    one |= _summary(np.asarray(arrays.numbers(info.name)))
                    good = True
                except EvidenceFault as fault:
                    one["error"] = fault.what
            told.append(one)
    return box.seen(root, path, "numeric" if good else "text") | {"arrays": told}


def _summary(values: Any) -> dict[str, Any]:
    size = np.abs(values) if np.iscomplexobj(values) else values
    with np.errstate(over="ignore"):
        numbers = {"min": size.min(), "max": size.max(), "mean": size.mean(), "std": size.std()}
    return {k: float(v) if np.isfinite(v) else None for k, v in numbers.items()}


def _numbers(root: Root, path: str, name: str) -> Any:
    with open_arrays(root, path) as arrays:
        return np.asarray(arrays.numbers(name)).ravel()


def _slice(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    root, path, offset = box.root(given["root"]), given["path"], int(given.get("offset", 0))
    values = _numbers(root, path, given["array"])
    part = values[offset : offset + 400]
    plain = [[v.real, v.imag] for v in part] if np.iscomplexobj(part) else part.tolist()
    after = offset + 400 if offset + 400 < values.size else None
    return box.seen(root, path, "numeric") | {"values": plain, "next_offset": after}


def _compare(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    root, other = box.root(given["root"]), box.root(given["other_root"])
    a = _numbers(root, given["path"], given["array"])
    b = _numbers(other, given["other_path"], given["other_array"])
    if a.size != b.size:
        raise BadCall(f"the arrays have {a.size} and {b.size} values")
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)
        told = {"max": gap.max(), "mean": gap.mean(), "rms": np.sqrt((gap**2).mean())}
        told["correlation"] = np.abs(np.corrcoef(a, b)[0, 1]) if a.size > 1 else np.nan
    plain = {k: float(v) if np.isfinite(v) else None for k, v in told.items()}
    box.seen(other, given["other_path"], "numeric")
    return box.seen(root, given["path"], "numeric") | plain


def _convert(_box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    values = np.asarray(given["values"], dtype=np.float64)
    if not np.all(np.isfinite(values)):
        raise BadCall("convert_units: a value is not finite")
    return {"values": convert(values, given["source"], given["target"]).tolist()}


def _describe(box: Toolbox, _given: Mapping[str, Any]) -> dict[str, Any]:
    if box.module is None:
        return {"operations": {}}
    operations = {k: v.model_dump(mode="json") for k, v in box.module.operations.items()}
    binding = Binding.model_json_schema()
    return {"module": box.module.sha256, "operations": operations, "binding": binding}


def _derive(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    module, operation = box.module, str(given["operation"])
    if module is None or operation not in module.operations:
        raise BadCall(f"there is no operation {operation[:60]!r}")
    bindings = {k: Binding.model_validate(v) for k, v in given["bindings"].items()}
    made = measure(box.evidence, module, operation, bindings, given.get("context") or {})
    box.trace.measured.append(made)
    for name in made.files:
        box.trace.read.setdefault(name, set()).add("numeric")
    return {"result": made.result, "status": made.status, "files": dict(made.files)}


def _image(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    root, path = box.root(given["root"]), given["path"]
    told = box.album.look(root, path)
    return box.seen(root, path, "image") | told


def _histogram(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    root, path = box.root(given["root"]), given["path"]
    told = histogram(_numbers(root, path, given["array"]), given["bins"])
    return box.seen(root, path, "numeric") | told


def _downsample(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    root, path = box.root(given["root"]), given["path"]
    with open_arrays(root, path) as arrays:
        grid = np.asarray(arrays.numbers(given["array"]))
    return box.seen(root, path, "numeric") | downsampled(grid, given["rows"], given["columns"])


def _relation(box: Toolbox, given: Mapping[str, Any]) -> dict[str, Any]:
    root, path = box.root(given["root"]), given["path"]
    terms = {name: _numbers(root, path, name) for name in given["terms"]}
    told = linear_relation(_numbers(root, path, given["array"]), terms)
    return box.seen(root, path, "numeric") | told


_DO: Mapping[str, Callable[[Toolbox, Mapping[str, Any]], dict[str, Any]]] = {
    "list": _list,
    "read": _read,
    "inspect": _inspect,
    "slice": _slice,
    "compare": _compare,
    "convert_units": _convert,
    "describe_metrics": _describe,
    "derive_metrics": _derive,
    "inspect_image": _image,
    "histogram": _histogram,
    "downsample_2d": _downsample,
    "linear_relation": _relation,
}
