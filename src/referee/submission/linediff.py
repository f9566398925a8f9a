"""Line differences of two files, the same bytes on every machine and Python version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CONTEXT = 3
MOST_EDITS = 600
"""Beyond this many line edits between the common head and tail the whole middle is replaced; it
bounds the time of the quadratic search to about a tenth of a second."""


def split_lines(data: bytes) -> list[bytes]:
    """Lines with their newline; only the last one may lack it. A carriage return is content."""
    parts = data.split(b"\n")
    tail = parts.pop()
    lines = [part + b"\n" for part in parts]
    return [*lines, tail] if tail else lines


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `a0:a1` of the old file became lines `b0:b1` of the new one (counted from 0)."""

    a0: int
    a1: int
    b0: int
    b1: int


def changed_blocks(old: Sequence[bytes], new: Sequence[bytes]) -> list[Block]:
    """The blocks that differ, in order, with at least one equal line between two of them."""
    head = 0
    shortest = min(len(old), len(new))
    while head < shortest and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if not a and not b:
        return []
    path = _shortest_edit(a, b) if a and b else None
    if path is None:
        return [Block(head, head + len(a), head, head + len(b))]
    return [Block(k.a0 + head, k.a1 + head, k.b0 + head, k.b1 + head) for k in path]


def _shortest_edit(a: Sequence[bytes], b: Sequence[bytes]) -> list[Block] | None:
    """Greedy O(ND) search for a shortest edit script; None if it needs more than MOST_EDITS."""
    names: dict[bytes, int] = {}
    x_of = [names.setdefault(line, len(names)) for line in a]
    y_of = [names.setdefault(line, len(names)) for line in b]
    n, m = len(x_of), len(y_of)
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(n + m, MOST_EDITS) + 1):
        trace.append(dict(reach))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            y = x - k
            while x < n and y < m and x_of[x] == y_of[y]:
                x += 1
                y += 1
            reach[k] = x
            if x >= n and y >= m:
                return _blocks(trace, n, m)
    return None


def _blocks(trace: list[dict[int, int]], n: int, m: int) -> list[Block]:
    x, y = n, m
    blocks: list[Block] = []
    for edits in range(len(trace) - 1, 0, -1):
        reach = trace[edits]
        k = x - y
        down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
        x0 = reach[k + 1] if down else reach[k - 1]
        y0 = x0 - (k + 1 if down else k - 1)
        step = Block(x0, x0, y0, y0 + 1) if down else Block(x0, x0 + 1, y0, y0)
        if blocks and blocks[-1].a0 == step.a1 and blocks[-1].b0 == step.b1:
            last = blocks.pop()
            step = Block(step.a0, last.a1, step.b0, last.b1)
        blocks.append(step)
        x, y = x0, y0
    return blocks[::-1]


def unified(old: Sequence[bytes], new: Sequence[bytes]) -> list[bytes]:
    """Hunks of a unified diff with three lines of context, as lines with their newlines."""
    out: list[bytes] = []
    for group in _groups(changed_blocks(old, new)):
        a0, b0 = max(group[0].a0 - CONTEXT, 0), max(group[0].b0 - CONTEXT, 0)
        a1, b1 = min(group[-1].a1 + CONTEXT, len(old)), min(group[-1].b1 + CONTEXT, len(new))
        out.append(b"@@ -%s +%s @@\n" % (_span(a0, a1), _span(b0, b1)))
        at = a0
        for block in group:
            out += [_line(b" ", line) for line in old[at : block.a0]]
            out += [_line(b"-", line) for line in old[block.a0 : block.a1]]
            out += [_line(b"+", line) for line in new[block.b0 : block.b1]]
            at = block.a1
        out += [_line(b" ", line) for line in old[at:a1]]
    return out


def _groups(blocks: list[Block]) -> list[list[Block]]:
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and block.a0 - groups[-1][-1].a1 <= 2 * CONTEXT:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _span(start: int, end: int) -> bytes:
    size = end - start
    first = start + 1 if size else start
    return b"%d" % first if size == 1 else b"%d,%d" % (first, size)


def _line(tag: bytes, line: bytes) -> bytes:
    if line.endswith(b"\n"):
        return tag + line
    return tag + line + b"\n\\ No newline at end of file\n"
