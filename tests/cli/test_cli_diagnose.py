"""`referee diagnose` on released records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.cli.main import run_command

RECORDS = Path(__file__).resolve().parents[1] / "data" / "gw-records"


@pytest.mark.parametrize(
    ("folder", "task", "code", "said"),
    [
        ("gpt52-ringdown-comparison", "ringdown", 0, "No integrity rule speaks against the claim."),
        ("opus48-waveform-comparison", "waveform", 1, "The claim is rejected"),
        ("kimi_k26-analytic-comparison", "analytic", 1, "invalid and has no rank"),
        ("sonnet46-remnant-comparison", "remnant", 1, "metric_substitution"),
    ],
)
def test_released_records(
    folder: str, task: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["diagnose", str(RECORDS / folder), "--task", task, "--agent", "someone"]
    assert run_command(asked) == code
    assert said in capsys.readouterr().out
    assert run_command([*asked, "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"rules", "standing", "findings"}
    assert all(row["agent"] == "someone" for row in told["findings"])


def test_a_folder_without_results_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        assert run_command(["diagnose", str(place)]) == 2
        said = capsys.readouterr().err
        assert said.startswith("referee: ")
        assert "Traceback" not in said
