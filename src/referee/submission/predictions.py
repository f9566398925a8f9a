"""Patches that were made elsewhere: SWE-bench predictions, or a folder of patch files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.record.fault import BadInput

LARGEST_FILE = 256 << 20
"""Bytes of the largest predictions file or patch file that is read."""

_SUFFIXES = (".patch", ".diff")


def read_predictions(path: Path) -> Mapping[str, bytes]:
    """Patch bytes by task id, from a JSONL file or from a folder of `<task>.patch` or `.diff`.

    A missing or null patch is an empty one.

    Raises:
        BadInput: the input cannot be read, is not in its format, or names a task twice.
    """
    if path.is_dir():
        return _read_folder(path)
    if not path.is_file():
        raise BadInput(
            "there is no such file or folder",
            where=path,
            hint="give a predictions JSONL file or a folder of <task>.patch files",
        )
    return _read_jsonl(path)


def _read_folder(folder: Path) -> Mapping[str, bytes]:
    patches: dict[str, bytes] = {}
    for place in sorted(folder.iterdir()):
        if place.name.startswith("."):
            continue
        if place.suffix not in _SUFFIXES or not place.is_file():
            raise BadInput(
                "this is not a patch file", where=place, hint="name it <task>.patch or <task>.diff"
            )
        if place.stem in patches:
            raise BadInput(
                f"task {place.stem} has two patches", where=folder, hint="keep one of them"
            )
        patches[place.stem] = _read_bytes(place)
    return patches


def _read_bytes(place: Path) -> bytes:
    try:
        if place.stat().st_size > LARGEST_FILE:
            raise BadInput(f"the file has more than {LARGEST_FILE} bytes", where=place)
        return place.read_bytes()
    except OSError as error:
        raise BadInput(f"the file cannot be read ({error.strerror})", where=place) from error


def _read_jsonl(path: Path) -> Mapping[str, bytes]:
    patches: dict[str, bytes] = {}
    lines: dict[str, int] = {}
    for number, raw in enumerate(_read_bytes(path).split(b"\n"), 1):
        if not raw.strip():
            continue
        where = f"{path}:{number}"
        task, patch = _prediction(raw, where)
        if task in patches:
            raise BadInput(
                f"task {task} was predicted already on line {lines[task]}",
                where=where,
                hint="keep one of the two lines",
            )
        patches[task] = patch
        lines[task] = number
    return patches


def _prediction(raw: bytes, where: str) -> tuple[str, bytes]:
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_no_twice, parse_constant=_none)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"the line is not JSON ({error})", where=where, hint="write one JSON object a line"
        ) from error
    if not isinstance(value, dict):
        raise BadInput("the line is not a JSON object", where=where)
    task = value.get("instance_id")
    if not isinstance(task, str) or not task:
        raise BadInput("instance_id is missing or is not a name", where=where)
    patch = value.get("model_patch")
    if patch is not None and not isinstance(patch, str):
        raise BadInput("model_patch is neither a string nor null", where=where)
    return task, _patch_bytes(patch or "", where)


def _patch_bytes(patch: str, where: str) -> bytes:
    """Bytes that are not UTF-8 stand in JSON as lone surrogates (`surrogateescape`)."""
    try:
        return patch.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise BadInput(
            "model_patch has half of a surrogate pair",
            where=where,
            hint=f"see character {error.start} of the patch",
        ) from error


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {key} is there twice")
        found[key] = value
    return found


def _none(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
