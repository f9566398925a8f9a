"""Budgets and prices: what is admitted is never more than what was allowed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.agent.gateway.budget import Budget, Grant, Meter, Price
from referee.agent.gateway.usage import Usage

tokens = st.integers(0, 10**7)
dollars = st.floats(0, 100, allow_nan=False)


@given(tokens, tokens, tokens, tokens, dollars, dollars)
def test_the_cost_is_the_sum_of_the_parts(
    plain: int, cached: int, written: int, output: int, dear: float, cheap: float
) -> None:
    usage = Usage(
        input=plain + cached + written, output=output, cached=cached, cache_written=written
    )
    exact = Fraction(plain) * Fraction(dear) + Fraction(cached) * Fraction(cheap)
    exact += Fraction(written) * Fraction(dear) + Fraction(output) * Fraction(cheap)
    cost = Price(input=dear, output=cheap, cached_input=cheap).cost(usage)
    assert cost == pytest.approx(float(exact / 10**6), rel=1e-12, abs=1e-15)


@given(
    limit=st.integers(1, 200),
    asks=st.lists(st.tuples(st.none() | st.integers(1, 100), st.integers(0, 100)), max_size=30),
)
def test_output_never_passes_its_budget(limit: int, asks: list[tuple[int | None, int]]) -> None:
    meter = Meter(Budget(output_tokens=limit))
    running: list[tuple[Grant, int]] = []
    for most, wanted in asks:
        grant = meter.admit(most)
        if grant is None:  # the rest is held by what runs: it may yet be given back
            assert running
            assert meter.spent() is None
            first, made = running.pop(0)
            meter.settle(first, Usage(output=made), 0.0)
            continue
        if isinstance(grant, str):
            assert "output tokens" in grant
            assert meter.spent() == grant
            break
        assert grant.most_output is not None
        assert grant.most_output <= (most or limit)
        running.append((grant, min(wanted, grant.most_output)))
        if len(running) > 2:
            first, made = running.pop(0)
            meter.settle(first, Usage(output=made), 0.0)
    for grant, made in running:
        meter.settle(grant, Usage(output=made), 0.0)
    assert meter.usage.output <= limit


@given(st.integers(0, 20), st.integers(0, 30))
def test_no_more_calls_than_allowed_and_one_given_back_may_be_made_again(
    limit: int, asked: int
) -> None:
    meter = Meter(Budget(calls=limit))
    grants = [meter.admit(None) for _ in range(asked)]
    admitted = [grant for grant in grants if isinstance(grant, Grant)]
    assert len(admitted) == min(limit, asked)
    # a call that has not ended may be the last one, and is not spent
    assert (meter.spent() is None) == (limit > 0)
    if admitted:
        meter.give_back(admitted.pop())
        assert meter.spent() is None
        again = meter.admit(None)
        assert isinstance(again, Grant)
        for grant in (*admitted, again):
            meter.settle(grant, Usage(), 0.0)
        assert (meter.spent() is None) == (asked < limit)


def test_a_call_that_was_not_counted_shuts_what_it_would_have_to_be_counted_by() -> None:
    for budget in (Budget(input_tokens=9), Budget(output_tokens=9), Budget(cost=9.0)):
        meter = Meter(budget)
        grant = meter.admit(1)
        assert isinstance(grant, Grant)
        meter.settle(grant, None, None)
        assert "does not count tokens" in str(meter.admit(1))
    meter = Meter(Budget(calls=5))
    grant = meter.admit(1)
    assert isinstance(grant, Grant)
    meter.settle(grant, None, None)
    assert isinstance(meter.admit(1), Grant)
