"""Tables as CSV, Markdown and LaTeX: read back by what reads them, and safe against odd names."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.report.formats import FORMATS, as_csv, as_latex, as_markdown

HEADS = ["arm", "score>"]
CELLS = st.lists(st.tuples(st.text(max_size=20), st.text(max_size=5)), max_size=5)


@given(CELLS)
def test_csv_is_read_back(rows):
    kept = [tuple(cell.replace("\r", "") for cell in row) for row in rows]
    found = list(csv.reader(io.StringIO(as_csv(HEADS, kept), newline="")))
    assert found == [["arm", "score"], *(list(row) for row in kept)]


@given(CELLS)
def test_markdown_has_one_line_a_row_and_one_cell_a_column(rows):
    lines = as_markdown(HEADS, rows).split("\n")
    assert lines[:2] == ["| arm | score |", "| --- | ---: |"]
    assert len(lines) == len(rows) + 3
    for line in lines[2:-1]:
        bare = re.sub(r"\\.", "", line)  # an escaped character ends no cell and begins no markup
        assert bare.count("|") == 3
        assert not set("`*_<[") & set(bare)


@given(CELLS)
def test_latex_has_no_bare_character_that_means_something(rows):
    text = as_latex(HEADS, rows)
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0]
    assert text.startswith("\\begin{tabular}{lr}\n\\toprule\narm & score \\\\\n")
    assert body.count(" \\\\\n") == len(rows)
    bare = re.sub(r"\\text(backslash|asciitilde|asciicircum)\{\}|\\[&%$#_{}]", "", body)
    assert bare.count("&") == len(rows)
    assert not set("%$#_{}~^") & set(bare)


@pytest.mark.parametrize("form", FORMATS.values())
def test_a_row_of_another_length_is_refused(form):
    with pytest.raises(ValueError, match="3 cells under 2 heads"):
        form(HEADS, [["a", "b", "c"]])
