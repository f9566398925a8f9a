"""The live display: what it says of trials, tries, tokens and cost."""

from __future__ import annotations

import pytest

from referee.cli.progress import show_progress
from referee.record.model_call import CallTotals, ModelUse, Tokens
from referee.record.trial import TrialIdentity
from referee.trial.execute import TrialEvent

IDENTITY = TrialIdentity(
    task_id="001-tiny", task_digest="0" * 64, arm="mini", arm_digest="1" * 64, attempt=1, seed=1
)


def used(cost: float | None) -> ModelUse:
    """A trial of two calls."""
    tokens = Tokens(input=1500, output=500)
    return ModelUse(profile="p", totals=CallTotals(calls=2, answered=2, tokens=tokens, cost=cost))


def test_each_trial_has_its_line_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with show_progress(1) as on_event:
        on_event(TrialEvent(IDENTITY))
        on_event(TrialEvent(IDENTITY, "retried", None, "grader_crash", used(0.25)))
        on_event(TrialEvent(IDENTITY, "withheld", None, "model_unavailable", used(0.25)))
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "[0/1] 001-tiny mini #1: the machine failed it (grader_crash), tried again",
        "[1/1] 001-tiny mini #1: withheld (model_unavailable)",
    ]


@pytest.mark.parametrize(
    ("costs", "said"), [((0.25, 0.5), "0.75 $"), ((0.25, None, 0.5), "cost unknown")]
)
def test_the_bar_counts_tokens_and_dollars(costs: tuple[float | None, ...], said: str) -> None:
    from referee.cli.progress import Tally

    tally = Tally()
    for cost in costs:
        tally.take(TrialEvent(IDENTITY))
        tally.take(TrialEvent(IDENTITY, "withheld", None, "other", used(cost)))
    assert f"{len(costs)} withheld  0 running  {2 * len(costs)}k tokens  {said}" in tally.text()
