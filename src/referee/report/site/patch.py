"""A patch as lines that a page can colour; each keeps its sign, so no colour is needed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PatchLine:
    """`kind` is `add`, `del`, `hunk` or `same`."""

    kind: str
    text: str


@dataclass(frozen=True)
class PatchFile:
    """The lines of one file of a patch."""

    name: str
    lines: tuple[PatchLine, ...]

    @property
    def added(self) -> int:
        """Lines that are added."""
        return sum(line.kind == "add" for line in self.lines)

    @property
    def removed(self) -> int:
        """Lines that are removed."""
        return sum(line.kind == "del" for line in self.lines)


def patch_files(patch: str) -> tuple[PatchFile, ...]:
    """The files of a canonical patch (`diff --git` heads), in its order. Text before the first
    head, as a patch that was refused may have, is a file without a name."""
    files: list[tuple[str, list[PatchLine]]] = []
    inside = False
    for line in patch.splitlines():
        if line.startswith("diff --git "):
            files.append((_name(line), []))
            inside = False
            continue
        if not files:
            files.append(("", []))
        inside = inside or line.startswith("@@")
        files[-1][1].append(PatchLine(_kind(line, inside), line))
    return tuple(PatchFile(name, tuple(lines)) for name, lines in files)


def _name(head: str) -> str:
    _, _, second = head.removeprefix("diff --git ").rpartition(" b/")
    return second or head.removeprefix("diff --git ")


def _kind(line: str, inside: bool) -> str:
    if line.startswith("@@"):
        return "hunk"
    if not inside:
        return "same"
    return {"+": "add", "-": "del"}.get(line[:1], "same")
