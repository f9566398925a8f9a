"""Limits on the command line: what is none is one sentence."""

from __future__ import annotations

import pytest

from referee.cli.main import run_command


@pytest.mark.parametrize("value", ["inf", "nan"])
@pytest.mark.parametrize("option", ["--limit-cost", "--limit-trial-cost", "--limit-seconds"])
def test_a_limit_is_finite(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["run", "repair", "--agent", "nop", option, value]) == 2
    said = capsys.readouterr().err
    assert "is not finite" in said or "Invalid value" in said
    assert option in said


def test_every_limit_is_told() -> None:
    from referee.cli.limiting import _OPTIONS, TURNS, _limits

    given = {name: default for name, (_kind, default) in _OPTIONS.items()}
    found = _limits(**given)
    assert (found.trial.calls, found.run.calls) == (TURNS, None)
    given |= {"run_wall_s": 5.0, "wall_s": 2.0, "run_cost": 1.0, "cost": 0.5}
    found = _limits(**given)
    assert (found.trial.wall_s, found.run.wall_s) == (2.0, 5.0)
    assert (found.trial.cost, found.run.cost) == (0.5, 1.0)
