"""Globs over the paths of a tree, read as in a .gitignore file."""

from __future__ import annotations

import re


def compile_glob(glob: str) -> re.Pattern[str]:
    """A pattern that fully matches each POSIX path named by `glob`, or lying below it.

    `*` and `?` stay inside one path part, `**` crosses parts, `[..]` is a set of characters. A glob
    with a slash that is not at its end starts at the root of the tree; any other matches at every
    depth. A slash at the end says that only a folder is meant.

    Raises:
        ValueError: the glob is empty or has an open set.
    """
    body = glob.removesuffix("/")
    anchored = "/" in body
    parts = [part for part in body.lstrip("/").split("/") if part]
    if not parts:
        raise ValueError("an empty glob")
    start = "" if anchored or parts[0] == "**" else "(?:.*/)?"
    below = "/.*" if glob.endswith("/") else "(?:/.*)?"
    try:
        return re.compile(f"(?s:{start}{_join(parts)}{below})")
    except re.error as error:
        raise ValueError(f"{glob!r} is not a glob ({error})") from error


def _join(parts: list[str]) -> str:
    out = ""
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**":
            out += ".*" if last else "(?:[^/]+/)*"
        else:
            out += _part(part) + ("" if last else "/")
    return out


def _part(part: str) -> str:
    out, at = "", 0
    while at < len(part):
        char = part[at]
        if char == "*":
            out += "[^/]*"
        elif char == "?":
            out += "[^/]"
        elif char == "[":
            end = part.find("]", at + 2)
            if end < 0:
                raise ValueError(f"an open set in {part!r}")
            inner = part[at + 1 : end].replace("\\", "\\\\")
            negated = inner[0] in "!^"
            inner = re.sub(r"([\[&~|])", r"\\\1", inner[1:] if negated else inner)
            out += f"[{'^/' if negated else ''}{inner}]"
            at = end
        else:
            out += re.escape(char)
        at += 1
    return out
