"""What `referee.stats` offers by name, and that asking for it costs only what it needs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import referee.stats

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/statistics.md"


def test_every_name_is_there_and_listed_once():
    assert referee.stats.__all__ == sorted(referee.stats._HOMES)
    for name in referee.stats.__all__:
        assert getattr(referee.stats, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'wilsom'"):
        referee.stats.wilsom  # noqa: B018


def test_rates_and_exact_tests_of_a_table_need_no_scipy():
    code = (
        "import sys; from referee.stats import mcnemar_exact, newcombe_paired, pass_at_k, wilson, "
        "PairedTable; wilson(57, 119); mcnemar_exact(8, 12); pass_at_k(4, 2, 2); "
        "newcombe_paired(PairedTable(21, 8, 12, 50)); "
        "print([m for m in ('numpy', 'scipy', 'statsmodels') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_reference_names_every_function_and_its_example_runs(capsys):
    text = PAGE.read_text("utf-8")
    assert [name for name in referee.stats.__all__ if f"`{name}`" not in text] == []
    (example,) = re.findall(r"^```python\n(.*?)^```$", text, re.S | re.M)
    exec(example, {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("0.4789")
    assert printed[1].startswith("0.5034")
    assert printed[3] == "5/6"
