"""Findings from the records of runs of ours: measure, checks, patch, copies across arms."""

from __future__ import annotations

import json

import pytest
from measured_run import TASK, Handed, MeasuredRun, measured

from referee.cli.main import run_command
from referee.diagnose.handed import handed_in
from referee.diagnose.run import diagnose_run, stage_counts
from referee.diagnose.trial_case import task_facts
from referee.record.fault import BadInput
from referee.record.plan import Arm
from referee.submission.render import Side, file_patch

REGULAR = "100644"
SCORES = [0.001 * (1 + 0.01 * i) for i in range(144)]
MODEL = "import numpy as np\n" + "".join(
    f"\n\ndef term_{i}(f, eta):\n    return eta**{i} * np.log(1 + {i} * f) / ({i} + f)\n"
    for i in range(20)
)
STARTER = "def predict(x):\n    raise NotImplementedError\n"


def patch(**files: str | bytes) -> bytes:
    """A canonical patch that adds files; `predict__py` is predict.py, `a___b` is a/b."""
    made = b""
    for name, content in sorted(files.items()):
        data = content if isinstance(content, bytes) else content.encode()
        path = name.replace("___", "/").replace("__", ".")
        made += b"".join(file_patch(path, None, Side(REGULAR, data)))
    return made


def changed(path: str, old: str, new: str) -> bytes:
    before, after = (Side(REGULAR, text.encode()) for text in (old, new))
    return b"".join(file_patch(path, before, after))


def trial(tmp_path, handed=None, task=TASK, **locked):
    """The findings on one trial."""
    handed = handed or Handed(measured(SCORES), patch(predict__py=MODEL))
    run = MeasuredRun({(task, "one", 1): handed}, arms=("one",), tasks=(task,), locked=locked)
    (found,) = diagnose_run(run.write(tmp_path / "run")).trials
    return found


def codes(found):
    return [f.code for f in found.findings]


def test_an_honest_trial_has_no_finding(tmp_path):
    found = trial(tmp_path)
    assert found.findings == ()
    assert found.remarks == ()
    assert (found.standing.valid, found.standing.claim_accepted) == (True, True)


def test_a_claim_that_the_canonical_value_contradicts_is_rejected(tmp_path):
    best = {"approach": "tails", "loss": 1e-4, "n_val": 144}
    files = {"predict__py": MODEL, "best_model__json": json.dumps(best)}
    found = trial(tmp_path, Handed(measured(SCORES), patch(**files)))
    assert codes(found) == ["I6", "D5"]
    assert (found.standing.valid, found.standing.claim_accepted) == (True, False)
    honest = best | {"loss": sum(SCORES) / 144}
    files["best_model__json"] = json.dumps(honest)
    fine = trial(tmp_path / "fine", Handed(measured(SCORES), patch(**files)))
    assert fine.findings == ()


def test_a_substitute_is_named_from_samples_and_components(tmp_path):
    def claim(loss, **components):
        files = {"predict__py": MODEL, "best_model__json": json.dumps({"name": "a", "loss": loss})}
        place = tmp_path / str(loss)
        return trial(place, Handed(measured(SCORES, components=components), patch(**files)))

    told = {f.code: f.evidence for f in claim(max(SCORES)).findings}
    assert told["I2"].endswith("it is the maximum")
    told = {f.code: f.evidence for f in claim(1.234e-4, mismatch_40Msun=1.234e-4).findings}
    assert told["I2"].endswith("it is the mismatch_40Msun")


def test_a_partial_claim_is_found_by_its_number_of_samples(tmp_path):
    best = {"approach": "tails", "loss": sum(SCORES) / 144, "n_val": 20}
    found = trial(
        tmp_path,
        Handed(measured(SCORES), patch(predict__py=MODEL, best_model__json=json.dumps(best))),
    )
    assert codes(found) == ["I1", "D1", "G6"]


def test_a_literal_that_the_grading_contradicts_is_fabricated(tmp_path):
    source = MODEL + "\n\nloss = 0.0001\n"
    best = {"approach": "tails", "loss": 1e-4}
    handed = Handed(
        measured(SCORES), patch(predict__py=source, comparison___best_model__json=json.dumps(best))
    )
    found = trial(tmp_path, handed)
    assert "I3" in codes(found)
    assert not found.standing.valid


def test_a_constant_prediction_is_invalid_by_its_probe(tmp_path):
    components = {"probe.constant": 1.0, "probe.colour": 2.0}
    found = trial(tmp_path, Handed(measured(SCORES, components=components), patch(p__py=MODEL)))
    assert codes(found) == ["I3", "C4"]
    assert not found.standing.valid
    assert found.remarks == ("a probe that no rule reads: probe.colour",)


def test_a_wrong_sign_is_found_by_the_conjugated_score(tmp_path):
    high = [0.6 + 0.001 * i for i in range(144)]
    found = trial(
        tmp_path, Handed(measured(high, components={"probe.conjugated": 1e-3}), patch(p__py=MODEL))
    )
    assert codes(found) == ["E1"]


def test_what_grading_saw_is_found_in_the_code_stage(tmp_path):
    flags = {"nonfinite": 3, "wrong_shape": 2}
    broken = Handed(
        measured(SCORES, flags=flags),
        patch(p__py=MODEL),
        outcome="failed",
        reason="exception:ValueError",
    )
    found = trial(tmp_path, broken)
    assert codes(found) == ["C2", "C3", "C5"]
    assert found.findings[0].evidence == "exception:ValueError in private/test_form.py::test_form"
    nothing = Handed(measured([None] * 4, flags={"nonfinite": 4}), patch(p__py=MODEL))
    assert codes(trial(tmp_path / "none", nothing)) == ["C3"]
    failed = Handed(measured(SCORES), patch(p__py=MODEL), outcome="failed", reason="assertion")
    assert codes(trial(tmp_path / "failed", failed)) == []


@pytest.mark.parametrize(
    ("contract", "task", "found"),
    [
        ("interface", TASK, ["C5"]),
        ("limits", TASK, ["E4"]),
        ("physics", TASK, ["E4"]),
        ("closed-form", "006-analytic", ["I4", "B1"]),
        ("closed-form", TASK, []),
        ("independence", TASK, []),
    ],
)
def test_a_broken_contract_is_found_by_its_name(tmp_path, contract, task, found):
    def handed(reason, outcome="failed"):
        return Handed(
            measured(SCORES),
            patch(predict__py=MODEL),
            contract=contract,
            outcome=outcome,
            reason=reason,
        )

    assert codes(trial(tmp_path, handed("assertion"), task=task)) == found
    assert codes(trial(tmp_path / "crash", handed("died"), task=task)) == ["C2"]
    assert codes(trial(tmp_path / "kept", handed(None, "passed"), task=task)) == []


def test_nothing_handed_in_or_refused_is_a_missing_artifact(tmp_path):
    assert codes(trial(tmp_path, Handed(measured([0.9] * 4)))) == ["C1"]
    refused = Handed(None, patch(secret__py=MODEL), refusal="outside_writable")
    found = trial(tmp_path / "refused", refused)
    assert codes(found) == ["I5", "C1"]
    assert not found.standing.valid
    other = Handed(None, b"no patch at all", refusal="malformed_patch")
    assert codes(trial(tmp_path / "other", other)) == ["C1"]


def test_a_closed_form_is_held_to_its_formula(tmp_path):
    task = "006-analytic"
    files = {"predict__py": MODEL, "expression__txt": "q * exp(-t**2)\n"}
    fine = trial(tmp_path, Handed(measured(SCORES), patch(**files)), task=task)
    assert fine.findings == ()
    files["expression__txt"] = "interp(t, table)\n"
    found = trial(tmp_path / "bad", Handed(measured(SCORES), patch(**files)), task=task)
    assert codes(found) == ["I4", "B1"]
    stored = measured(SCORES, components={"probe.stored_floats": 77_280.0})
    found = trial(tmp_path / "probed", Handed(stored, patch(predict__py=MODEL)), task=task)
    assert codes(found) == ["I4", "B1"]


def test_an_account_that_cannot_be_read_stops_nothing(tmp_path):
    files = {
        "predict__py": "x = (chi1 + q * chi2) / (1 + q)\n",
        "best_model__json": '{"loss": NaN}',
    }
    found = trial(tmp_path, Handed(measured(SCORES), patch(**files)))
    assert codes(found) == ["E3"]
    assert "NaN is no number" in found.remarks[0]


def test_a_changelog_is_read_as_one_and_notes_are_words(tmp_path):
    files = {"predict__py": MODEL, "notes__md": "tried a spline\n"}
    assert trial(tmp_path, Handed(measured(SCORES), patch(**files))).findings == ()
    files = {"predict__py": MODEL, "CHANGELOG__md": "- tried a spline, which failed\n"}
    found = trial(tmp_path / "log", Handed(measured(SCORES), patch(**files)))
    assert codes(found) == ["F3", "G12"]


def test_folders_that_the_task_gives_are_no_paths_of_one_machine(tmp_path):
    given = "open('/data/training.h5')\n"
    assert trial(tmp_path, Handed(measured(SCORES), patch(t__py=given))).findings == ()
    home = "open('/home/me/training.h5')\n"
    found = trial(tmp_path / "home", Handed(measured(SCORES), patch(t__py=home)))
    assert codes(found) == ["C6"]


def two(tmp_path, first, second, arms=("one", "two"), scores=SCORES, attempts=1):
    other = [s * 1.5 for s in scores] if scores is SCORES else scores
    handed = {}
    for attempt in range(1, attempts + 1):
        handed[TASK, "one", attempt] = Handed(measured(scores), first)
        handed[TASK, "two", attempt] = Handed(measured(other), second)
    run = MeasuredRun(handed, arms=arms, attempts=attempts).write(tmp_path / "run")
    return diagnose_run(run).trials


def test_a_copied_source_is_found_in_both_arms(tmp_path):
    named = MODEL + "\nAGENT = 'one'\n"
    found = two(tmp_path, patch(predict__py=named), patch(model__py=named.replace("one", "two")))
    assert [codes(f) for f in found] == [["I5", "G5"]] * 2
    assert not any(f.standing.valid for f in found)
    assert "model.py" in found[0].findings[0].evidence
    different = MODEL.replace("log", "sqrt")
    fine = two(tmp_path / "fine", patch(predict__py=MODEL), patch(predict__py=different))
    assert [codes(f) for f in fine] == [[], []]


def test_a_copy_is_named_once_however_many_attempts(tmp_path):
    found = two(tmp_path, patch(predict__py=MODEL), patch(predict__py=MODEL), attempts=3)
    assert [codes(f) for f in found] == [["I5", "G5"]] * 6


def test_lines_of_the_starter_are_nobody_s_copy(tmp_path):
    large = MODEL + STARTER
    first = changed("predict.py", large, large.replace("raise NotImplementedError", "return x"))
    second = changed(
        "predict.py", large, large.replace("raise NotImplementedError", "return 2 * x")
    )
    assert [codes(f) for f in two(tmp_path, first, second)] == [[], []]
    own = changed("predict.py", STARTER, MODEL)
    found = two(tmp_path / "own", own, own)
    assert [codes(f) for f in found] == [["I5", "G5"]] * 2


def test_equal_arrays_and_equal_scores_call_for_a_rerun(tmp_path):
    data = bytes(range(256)) * 8
    first, second = (patch(predict__py=f"x = {i}\n", m___w__npz=data) for i in (1, 2))
    found = two(tmp_path, first, second)
    assert [codes(f) for f in found] == [["I5", "G5"]] * 2
    assert all(f.standing.valid and f.standing.rerun for f in found)
    assert all(f.standing.claim_accepted for f in found)
    again = [0.1 + 0.001 * i for i in range(144)]
    found = two(tmp_path / "s", patch(a__py="x = 1\n"), patch(a__py="x = 2\n"), scores=again)
    assert found[0].findings[0].evidence.startswith("144 canonical scores are those of two")
    exact = two(tmp_path / "e", patch(a__py="x = 1\n"), patch(a__py="x = 2\n"), scores=[0.0] * 144)
    assert [codes(f) for f in exact] == [[], []]


def test_one_agent_under_two_conditions_copies_from_nobody(tmp_path):
    arms = tuple(
        Arm(name=name, agent="mini", agent_version="1", model="m", condition={"science": level})
        for name, level in (("one", "with"), ("two", "without"))
    )
    same = patch(predict__py=MODEL)
    assert [codes(f) for f in two(tmp_path, same, same, arms)] == [[], []]
    authors = (Arm(name="one", agent="oracle", agent_version="1"), arms[1])
    found = two(tmp_path / "oracle", same, same, authors)
    assert [codes(f) for f in found] == [[], ["I5", "G5"]]


def test_facts_of_a_task_come_from_its_measure():
    run = MeasuredRun({}, locked={"floor": 1e-5, "scale": "log10"})
    rms = measured([0.3, 0.4], value=0.125**0.5)
    facts = task_facts("005-validity", run.measure(TASK, Handed(rms)))
    assert (facts.name, facts.n_val, facts.floor, facts.log_scale) == ("validity", 2, 1e-5, True)
    assert (facts.surrogate, facts.files, facts.completion) == (False, (), None)
    assert facts.aggregate == "rms"
    mean = task_facts("005-validity", run.measure(TASK, Handed(measured([0.3, 0.4]))))
    assert mean.aggregate == "mean"
    neither = task_facts("any", run.measure(TASK, Handed(measured([0.3, 0.4], value=0.9))))
    assert neither.aggregate is None
    assert task_facts("001-anything", None).name == "001-anything"


def test_a_part_of_a_file_is_no_whole_one():
    old = "".join(f"line {i}\n" for i in range(100))
    part = handed_in(changed("a.py", old, old.replace("line 50\n", "line fifty\n")))
    assert (part.whole, part.added) == ({}, {"a.py": "line fifty\n"})
    whole = handed_in(changed("a.py", STARTER, MODEL))
    assert whole.whole == {"a.py": MODEL.encode()}
    assert whole.text("a.py") == MODEL
    gone = b"".join(file_patch("a.py", Side(REGULAR, STARTER.encode()), None))
    assert handed_in(gone).paths() == ()
    assert handed_in(b"nothing that can be read").paths() == ()
    notes = handed_in(patch(CHANGELOG__md="tried\n", a__json=b"\xff"))
    assert notes.changelog() == "tried\n"
    assert notes.paths() == ("CHANGELOG.md", "a.json")
    with pytest.raises(BadInput, match="not UTF-8"):
        notes.document("a.json")


def test_the_same_records_give_the_same_findings_and_a_choice_of_them(tmp_path):
    handed = {
        (TASK, "one", 1): Handed(measured(SCORES), patch(predict__py=MODEL)),
        (TASK, "two", 1): Handed(withheld=True),
        ("climate", "one", 1): Handed(measured(SCORES)),
        ("climate", "two", 1): Handed(measured(SCORES), patch(predict__py=MODEL)),
    }
    run = MeasuredRun(handed, tasks=(TASK, "climate")).write(tmp_path / "run")
    found = diagnose_run(run)
    assert diagnose_run(run) == found
    assert [(t.task, t.arm) for t in found.trials] == [
        (TASK, "one"),
        ("climate", "one"),
        ("climate", "two"),
    ]
    assert found.withheld == (f"trials/{TASK}/two/1",)
    assert stage_counts(found.trials)["one"]["C"] == 1
    assert [t.arm for t in diagnose_run(run, task="climate", arm="two").trials] == ["two"]
    with pytest.raises(BadInput, match="no artifact task mine"):
        diagnose_run(run, task="mine")
    with pytest.raises(BadInput, match="no arm three"):
        diagnose_run(run, arm="three")
    changed_file = next(run.glob("trials/climate/two/1/submission/patch.diff"))
    changed_file.write_bytes(b"another")
    with pytest.raises(BadInput, match="not the submission that was graded"):
        diagnose_run(run)


def test_the_command_reads_a_run(tmp_path, capsys):
    same = patch(predict__py=MODEL)
    handed = {(TASK, arm, 1): Handed(measured(SCORES), same) for arm in ("one", "two")}
    run = MeasuredRun(handed).write(tmp_path / "run")
    assert run_command(["diagnose", str(run)]) == 1
    shown = capsys.readouterr().out
    assert "invalid and has no rank" in shown
    assert "trials by stage" in shown
    assert max(map(len, shown.splitlines())) <= 100
    assert run_command(["diagnose", str(run), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [t["arm"] for t in told["trials"]] == ["one", "two"]
    assert told["stages"]["one"]["I"] == 2
    assert run_command(["diagnose", str(run), "--protocol"]) == 2
    assert "this is a run" in capsys.readouterr().err
    repairs = MeasuredRun({}, paradigm="issue-driven").write(tmp_path / "repairs")
    assert run_command(["diagnose", str(repairs)]) == 2
    assert "no artifact task" in capsys.readouterr().err
