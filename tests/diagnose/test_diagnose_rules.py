"""Every rule finds what it is for and leaves the near case alone; the set is closed and ordered."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest
from diagnose_cases import bare, best_with, case, work
from diagnose_more import MORE
from diagnose_table import TABLE

from referee.diagnose.case import Canonical, case_of
from referee.diagnose.integrity import standing
from referee.diagnose.registry import all_rules, built_in, diagnose
from referee.diagnose.rules import STAGES, VERSION, Finding, rule, rule_set
from referee.diagnose.tasks import PUBLISHED
from referee.record.fault import BadInput

RULES = {r.code: r for r in built_in().rules}


def test_no_rule_is_without_a_case_that_it_finds_and_one_that_it_does_not():
    assert sorted(TABLE) == sorted(RULES)


@pytest.mark.parametrize("code", TABLE)
def test_the_rule_finds_its_case_and_not_the_near_one(code):
    bad, fine = TABLE[code]
    found = RULES[code].find(bad)
    assert found
    assert {f.code for f in found} == {code}
    assert RULES[code].find(fine) == []


@pytest.mark.parametrize(("code", "expected", "given"), MORE)
def test_the_other_branches_of_a_rule(code, expected, given):
    assert bool(RULES[code].find(given)) == expected


@pytest.mark.parametrize(
    "task", ["waveform", "remnant", "dynamics", "ringdown", "validity", "analytic"]
)
def test_an_honest_account_has_no_findings(task):
    assert diagnose(case(work(task)), built_in()) == ()


@pytest.mark.parametrize("task", [*PUBLISHED, "a task that nobody knows"])
def test_an_account_with_nothing_in_it_is_not_accused_of_wrong_numbers(task):
    codes = {f.code for f in diagnose(case(bare(task)), built_in())}
    assert codes <= {"A1"}


def test_a_rule_says_what_it_finds_and_how_it_can_be_wrong():
    for r in RULES.values():
        assert "can be wrong" in r.doc, r.code
        assert len(r.doc) > 80, r.code
        assert r.stage == r.code[0]


def test_each_stage_has_the_rules_of_the_specification():
    counts = {stage: sum(r.stage == stage for r in RULES.values()) for stage in STAGES}
    assert counts == {"I": 6, "A": 7, "B": 8, "C": 10, "D": 11, "E": 7, "F": 8, "G": 12}


def test_only_integrity_rules_have_an_effect():
    assert all((r.effect is not None) == (r.stage == "I") for r in RULES.values())
    for bad, _ in TABLE.values():
        assert all((f.effect is not None) == (f.stage == "I") for f in diagnose(bad, built_in()))


def test_findings_stand_in_order_of_stage_and_number():
    codes = [r.code for r in built_in().rules]
    assert codes[:7] == ["I1", "I2", "I3", "I4", "I5", "I6", "A1"]
    assert codes.index("C10") > codes.index("C9") > codes.index("C2")


def test_the_order_of_the_other_agents_does_not_matter():
    rivals = [work().model_copy(update={"agent": name}) for name in ("b", "a", "c")]
    one = diagnose(case_of(work(), others=tuple(rivals)), built_in())
    two = diagnose(case_of(work(), others=tuple(reversed(rivals))), built_in())
    assert one == two
    assert len([f for f in one if f.code == "I5"]) == 6


def test_the_same_files_give_the_same_findings_in_another_process():
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from diagnose_table import TABLE\n"
        "from referee.diagnose.registry import built_in\n"
        "for bad, _ in TABLE.values():\n"
        "    for f in built_in().diagnose(bad): print(f.canonical().decode())\n"
    )
    folder = __file__.rpartition("/")[0]
    there = subprocess.run(
        [sys.executable, "-c", program, folder],
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(p for p in sys.path if p)},
        capture_output=True,
        check=True,
    ).stdout
    here = [f.canonical() for bad, _ in TABLE.values() for f in built_in().diagnose(bad)]
    assert there.splitlines() == here


def finding(code, effect, confidence="certain"):
    return Finding(
        agent="a",
        task="t",
        stage="I",
        code=code,
        type="x",
        evidence="e",
        confidence=confidence,
        n_approaches=0,
        effect=effect,
    )


@pytest.mark.parametrize(
    ("effects", "valid", "accepted", "rerun"),
    [
        ([], True, True, False),
        ([("I1", "claim")], True, False, False),
        ([("I3", "rerun")], True, True, True),
        ([("I4", "artifact")], False, False, False),
        ([("I1", "claim"), ("I3", "artifact"), ("I3", "rerun")], False, False, True),
        ([("I3", "artifact", "indicative")], True, True, True),
    ],
)
def test_an_artifact_violation_unranks_and_a_claim_violation_only_rejects_the_claim(
    effects, valid, accepted, rerun
):
    result = standing(tuple(finding(*e) for e in effects))
    assert (result.valid, result.claim_accepted, result.rerun) == (valid, accepted, rerun)


def test_evidence_is_one_bounded_line_whatever_an_agent_calls_its_models():
    w = work()
    rows = tuple(a.model_copy(update={"name": "x\n\x1b[2J" * 500}) for a in w.approaches)
    hostile = w.model_copy(update={"approaches": rows, "per_sample": ()})
    found = [f for bad in (hostile,) for f in diagnose(case_of(bad), built_in())]
    assert found
    for f in found:
        assert len(f.evidence) <= 400
        assert f.evidence.isprintable()


@rule("G99", "of_a_plug_in", "indicative")
def plugged(case):
    """A rule of another package; it finds everything, and so it can be wrong."""
    yield "found"


class Entry:
    def __init__(self, value, name="mine"):
        self.name, self.value, self.dist = name, "mine:RULES", None
        self._value = value

    def load(self):
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


def with_entries(monkeypatch, *entries):
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: list(entries))


def test_other_packages_bring_rules(monkeypatch):
    with_entries(monkeypatch, Entry([plugged]))
    rules = all_rules()
    assert rules.by_code("G99").find(case(work()))[0].type == "of_a_plug_in"
    assert len(rules.rules) == len(RULES) + 1


def test_the_version_names_the_packages_that_bring_rules(monkeypatch):
    entry = Entry(plugged)
    entry.dist = importlib.metadata.distribution("numpy")
    with_entries(monkeypatch, entry)
    assert all_rules().version.startswith(f"{VERSION}+numpy==")
    with_entries(monkeypatch)
    assert all_rules().version == VERSION


@pytest.mark.parametrize("value", [ImportError("no such module"), "a text", [1], None])
def test_a_plug_in_that_is_no_rule_is_a_sentence(monkeypatch, value):
    with_entries(monkeypatch, Entry(value))
    with pytest.raises(BadInput, match="mine"):
        all_rules()


def test_two_rules_cannot_have_one_code():
    with pytest.raises(BadInput, match="two rules have the code G99"):
        rule_set([plugged, plugged])


def test_a_rule_needs_a_stage_and_a_doc():
    with pytest.raises(BadInput, match="stage's letter"):
        rule("Z1", "x", "certain")
    with pytest.raises(BadInput, match="docstring"):
        rule("A99", "x", "certain")(lambda case: [])
    with pytest.raises(BadInput, match="there is no rule A98"):
        built_in().by_code("A98")


def test_the_reference_page_lists_every_rule():
    page = (Path(__file__).parents[2] / "docs/reference/diagnosis.md").read_text()
    for r in RULES.values():
        effect = f" {r.effect} |" if r.effect else ""
        assert f"| {r.code} | {r.name} | {r.confidence} |{effect}\n" in page


@pytest.mark.parametrize(
    ("source", "canonical", "effect"),
    [
        ("loss = 0.082", 0.2, "artifact"),
        ("card['loss'] = 0.082", 0.2, "artifact"),
        ("losses = [0.07, 0.082, 0.9]", 0.2, "artifact"),
        ("cards = [{'val_loss': 0.08 + 0.002 * i} for i in range(20)]", 0.2, "artifact"),
        ("loss = 0.082", 0.082, "rerun"),
        ("loss = 9.99", 0.2, None),
        ("loss = 1.0", 0.2, None),
        ("loss = score(0.082)", 0.2, None),
        ("gloss = 0.082", 0.2, None),
        ("loss = 0.082 if x else y", 0.2, None),
        ("loss = 0.041 * " + "-" * 3000 + "2", 0.2, None),
        ("loss = " + "9" * 400, 0.2, None),
        ("loss = (", 0.2, None),
    ],
)
def test_a_claim_that_a_source_holds_as_a_literal_is_made_up_if_it_is_not_true(
    source, canonical, effect
):
    w = best_with(loss=0.082).model_copy(update={"sources": {"a.py": source}, "per_sample": ()})
    findings = RULES["I3"].find(case(w, canonical=Canonical(loss=canonical)))
    assert [f.effect for f in findings] == ([effect] if effect else [])


@pytest.mark.parametrize("claim", [0.58, 0.58123456, 0.95])
@pytest.mark.parametrize("error", [0.5796, 1.0])
def test_a_typed_claim_outside_its_own_errors_is_made_up_but_a_rounded_one_is_not(claim, error):
    w = best_with("analytic", loss=claim)
    given = w.per_sample[0].model_copy(update={"values": (error,) * 21})
    findings = RULES["I3"].find(case(w.model_copy(update={"per_sample": (given,)})))
    far = abs(claim - error) > 0.01
    typed = claim != 0.58123456
    assert bool(findings) == (far and typed)


def test_an_indicative_integrity_finding_only_calls_for_a_rerun():
    cases = [bad for bad, _ in TABLE.values()] + [given for _, _, given in MORE]
    found = [f for c in cases for f in diagnose(c, built_in()) if f.confidence == "indicative"]
    assert all(f.effect in (None, "rerun") for f in found)
