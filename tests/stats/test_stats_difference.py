"""Intervals of a paired difference: published and recomputed values, borders, symmetry."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats_oracles import ORACLES, about

from referee.stats.difference import agresti_min, newcombe_paired, paired_wald, tango
from referee.stats.estimate import normal_quantile
from referee.stats.paired import PairedTable

FUNCTIONS = {"newcombe": newcombe_paired, "tango": tango, "agresti_min": agresti_min}
every_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
TABLES = st.tuples(*[st.integers(0, 40)] * 4).filter(sum).map(lambda x: PairedTable(*x))
LEVELS = st.floats(0.5, 0.999)


@pytest.mark.parametrize("case", ORACLES["paired"], ids=lambda case: case["name"])
@pytest.mark.parametrize("name", [*FUNCTIONS, "wald", "student"])
def test_intervals_of_the_oracles(case, name):
    function = FUNCTIONS.get(name, paired_wald)
    table = PairedTable(*case["table"])
    found = function(table, student=True) if name == "student" else function(table)
    assert [found.low, found.high] == about(case["intervals"][name])
    assert (found.value, found.n, found.coverage) == (table.difference, 91, 1.0)


@pytest.mark.parametrize("name", ["newcombe", "tango"])
def test_newcombes_published_example(name):
    case = ORACLES["newcombe_published"]
    found = FUNCTIONS[name](PairedTable(*case["table"]))
    assert [found.low, found.high] == pytest.approx(case[name], abs=0.00005)  # as many as printed


@every_function
@given(TABLES, LEVELS)
def test_bounded_around_the_difference_and_symmetric(function, table, level):
    swapped = PairedTable(table.both, table.only_second, table.only_first, table.neither)
    found, mirror = function(table, level=level), function(swapped, level=level)
    assert -1.0 <= found.low <= found.high <= 1.0
    assert [found.low, found.high] == pytest.approx([-mirror.high, -mirror.low], abs=1e-9)
    if function is not agresti_min:  # its middle is shrunk, and may leave a difference of 1 outside
        assert found.low - 1e-12 <= table.difference <= found.high + 1e-12


@every_function
@given(TABLES, LEVELS)
def test_more_confidence_never_narrows(function, table, level):
    found, surer = function(table, level=level), function(table, level=(1 + level) / 2)
    assert surer.low <= found.low + 1e-9
    assert surer.high >= found.high - 1e-9


@given(TABLES, LEVELS)
def test_tangos_ends_solve_his_equation(table, level):
    found, z = tango(table, level=level), normal_quantile(level)
    n, b, c = table.n, table.only_first, table.only_second
    for end in (found.low, found.high):
        if abs(end) > 1 - 1e-9:
            continue
        # the likelihood of (b, c, rest) with rates (q + end, q, 1 - 2 q - end), by golden section
        q = _most_likely(b, c, n - b - c, end)
        assert abs(b - c - n * end) == pytest.approx(
            z * sqrt(n * (2 * q + end * (1 - end))), rel=1e-4, abs=1e-4
        )


def test_no_discordant_task_still_leaves_doubt():
    z2 = normal_quantile(0.95) ** 2
    found = tango(PairedTable(5, 0, 0, 5))
    assert [found.low, found.high] == about([-z2 / (10 + z2), z2 / (10 + z2)])
    for table in (PairedTable(5, 0, 0, 5), PairedTable(10, 0, 0, 0), PairedTable(0, 0, 0, 10)):
        assert newcombe_paired(table).low < 0.0 < newcombe_paired(table).high
    assert paired_wald(PairedTable(5, 0, 0, 5)).low == 0.0


def test_all_discordant_ends_at_one():
    z2 = normal_quantile(0.95) ** 2
    found = tango(PairedTable(0, 10, 0, 0))
    assert [found.low, found.high] == about([(10 - z2) / (10 + z2), 1.0])


def test_coverage_is_told_and_bad_levels_are_refused():
    table = PairedTable(1, 2, 0, 1, planned=8)
    for function in (*FUNCTIONS.values(), paired_wald):
        assert function(table).coverage == 0.5
        with pytest.raises(ValueError, match="level must lie between 0 and 1"):
            function(table, level=0.0)


def _most_likely(b, c, rest, d):
    """The q that maximises b log(q + d) + c log(q) + rest log(1 - 2 q - d), by bisection."""
    low, high = max(0.0, -d), (1.0 - d) / 2.0

    def slope(q):
        return (
            (b / (q + d) if b else 0.0)
            + (c / q if c else 0.0)
            - (2 * rest / (1 - 2 * q - d) if rest else 0.0)
        )

    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return (low + high) / 2
