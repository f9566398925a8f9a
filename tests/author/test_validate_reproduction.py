"""Validation of a reproduction task: exact scores, or a sentence for each that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.author.evidence import read_evidence, require_validated
from referee.author.validate import Settings, validate_task
from referee.environment.store import open_store
from referee.record.fault import BadInput
from referee.task.package import load_task

SETTINGS = Settings(seed=0, repeats=3)


def test_known_submissions_get_their_scores_and_the_task_is_validated(
    reproduction_task: Path, store_root: Path
) -> None:
    done = validate_task(open_store(store_root), load_task(reproduction_task), SETTINGS)
    assert done.problems == ()
    assert {row.id: row.score for row in done.rows} == {
        "reference": "1",
        "reference#2": "1",
        "reference#3": "1",
        "nop": "0",
        "partial/one-wavelength-missing": "1/5",
        "wrong/one-interface": "0",
    }
    assert [line.stage for line in read_evidence(reproduction_task)] == ["validate"]
    require_validated(load_task(reproduction_task))
    rubric = reproduction_task / "solution/wrong/one-interface.patch"
    rubric.write_text(rubric.read_text() + "\n")
    with pytest.raises(BadInput, match="the package has changed since validate"):
        require_validated(load_task(reproduction_task))


def test_what_is_not_as_expected_falls_short(reproduction_task: Path, store_root: Path) -> None:
    told = reproduction_task / "solution/expected.toml"
    text = told.read_text().replace('score = "1/5"', 'score = "1/4"')
    told.write_text(
        text.replace('score = "0"\njudged = { A1 = 0 }', 'score = "0"\njudged = { A1 = 1 }')
    )
    done = validate_task(
        open_store(store_root),
        load_task(reproduction_task),
        Settings(seed=0, repeats=1, quick=True),
    )
    assert not done.passed
    found = {problem.row: problem.what for problem in done.problems}
    assert found == {
        "partial/one-wavelength-missing": "it scores 1/5, and 1/4 is expected",
        "wrong/one-interface": "the judge decides A1 as 0, and 1 is right",
    }
    assert not (reproduction_task / "validation.json").exists()


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda root: (root / "solution/partial/stray.patch").write_text(""), "does not name this"),
        (
            lambda root: (root / "solution/partial/one-wavelength-missing.patch").unlink(),
            "the patch is missing",
        ),
        (
            lambda root: (root / "solution/expected.toml").write_text('[reference]\nscore = "1"\n'),
            "partial",
        ),
    ],
)
def test_expectations_and_patches_go_together(
    reproduction_task: Path, store_root: Path, edit, told: str
) -> None:
    edit(reproduction_task)
    with pytest.raises(BadInput, match=told):
        validate_task(open_store(store_root), load_task(reproduction_task), SETTINGS)
