"""A table of texts as CSV, Markdown or LaTeX: pure functions of heads and cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def as_csv(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """RFC 4180, lines ended by a line feed. Heads that end in `>` lose that mark."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_name(head) for head in heads])
    writer.writerows(_same_length(heads, rows))
    return out.getvalue()


def as_markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of GitHub's dialect. Columns whose head ends in `>` are set to the right."""
    lines = [
        [_name(head) for head in heads],
        ["---:" if head.endswith(">") else "---" for head in heads],
        *([_markdown(cell) for cell in row] for row in _same_length(heads, rows)),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_latex(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A `tabular` with the rules of the package booktabs. Columns whose head ends in `>` are set to
    the right."""
    columns = "".join("r" if head.endswith(">") else "l" for head in heads)
    lines = [[_name(head) for head in heads], *_same_length(heads, rows)]
    head, *body = (" & ".join(map(_latex, line)) + r" \\" for line in lines)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


FORMATS: Mapping[str, Callable[[Sequence[str], Sequence[Sequence[str]]], str]] = {
    "csv": as_csv,
    "markdown": as_markdown,
    "latex": as_latex,
}


def _same_length(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    for row in rows:
        if len(row) != len(heads):
            raise ValueError(f"a row has {len(row)} cells under {len(heads)} heads")
    return rows


def _name(head: str) -> str:
    return head.removesuffix(">")


def _markdown(cell: str) -> str:
    text = " ".join(cell.split())
    return "".join(f"\\{c}" if c in "\\|`*_<>[]" else c for c in text)


def _latex(cell: str) -> str:
    return "".join(_LATEX.get(c, c) for c in " ".join(cell.split()))
