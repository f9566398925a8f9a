"""Families 8 to 11: where results come from, whether they are right, and what a loss touches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from repro_registry import Act, elsewhere, infra, invalid, twin
from repro_world import MODULE, World

from referee.evidence.limits import LIMITS

THIN, FINE = "all but A2 C1 C2", "all but C3 C4"
NOTHING = "A1 B1 B2 C5"
"""What stands without any numbers."""


# -- 8: provenance


@twin("a manifest with more entries and notes", "frozen")
def more_entries(w: World) -> None:
    told = w.observations()
    told["notes"] = [{"of": "nobody's concern"}]
    w.tell(told)


def entry_with(**facts: object) -> Act:
    return lambda w: w.entry("thin", **facts) and None


for (name, words), facts in {
    ("another digest", "does not have this digest"): {"sha256": "0" * 64},
    ("a digest in capitals", "sha256: "): {"sha256": "A" * 64},
    ("no digest", "sha256: "): {"sha256": None},
    ("a number for a path", "path: "): {"path": 1},
    ("a path that leaves the root", "leaves the root"): {
        "path": "outputs/../../source/src/solve.py"
    },
    ("an absolute path", "is absolute"): {"path": "/etc/passwd"},
    ("a file that is not there", "no such file"): {"path": "outputs/other.json"},
    ("no name of its run", "native_run_id: "): {"native_run_id": None},
    ("a column that is not there", "no such value"): {
        "columns": {"wavelength": "/lambda", "power": "/power"}
    },
}.items():
    invalid(8, f"an entry with {name}", "frozen", code="no_evidence", keeps=THIN,
            twin=more_entries, says=words)(entry_with(**facts))  # fmt: skip


@twin("the same entry twice", "frozen")
def same_entry_twice(w: World) -> None:
    told = w.observations()
    told["slab"].append(told["slab"][0])
    w.tell(told)


@invalid(8, "two entries of a case that disagree", "frozen", code="no_evidence", keeps=THIN,
         twin=same_entry_twice)  # fmt: skip
def two_entries(w: World) -> None:
    told = w.observations()
    told["slab"].append({**told["slab"][0], "native_run_id": "another"})
    w.tell(told)


for name, text in {
    "no manifest": None,
    "a manifest that is a list": "[]",
    "half a manifest": "{",
}.items():

    @invalid(8, name, "frozen", code="no_evidence", keeps=NOTHING, twin=more_entries)
    def no_manifest(w: World, text: str | None = text) -> None:
        path = w.outputs / "evidence_manifest.json"
        path.unlink() if text is None else path.write_text(text)


@twin("both slabs in one file, each with its own columns", "frozen")
def one_file(w: World) -> None:
    both = {case: w.data(case) for case in ("thin", "thick")}
    w.put("thin", both, "both.json")
    w.put("thick", both, "both.json")
    for case, data in both.items():
        w.entry(case, columns={name: f"/{case}/{name}" for name in data})


@invalid(8, "one solve under the names of two cases", "frozen", code="code", keeps="all but C1",
         twin=one_file)  # fmt: skip
def relabelled(w: World) -> None:
    w.put("thick", w.data("thin"))


@invalid(8, "one solve under two names, with the thickness changed by hand", "frozen", code="code",
         keeps="all but C1", twin=one_file)  # fmt: skip
def relabelled_well(w: World) -> None:
    w.put("thick", {**w.data("thin"), "thickness": 3.0})


def curve(w: World, case: str) -> tuple[Any, Any]:
    data = w.data(case)
    return np.array(data["wavelength"]), np.array(data["power"])


def put_curve(w: World, case: str, waves: Any, power: Any, **more: object) -> None:
    w.put(case, {"wavelength": list(waves), "power": list(power), **more})


def state_mean(w: World) -> None:
    """The mean of whatever curve there is, so that it agrees."""
    waves, power = curve(w, "fine")
    area = float(np.sum(np.diff(waves) * (power[1:] + power[:-1]) / 2))
    w.put("summary", {"mean": area / float(waves[-1] - waves[0])})


@invalid(8, "a refinement that interpolates the coarse run", "frozen", code="code", keeps=FINE)
def interpolated(w: World) -> None:
    waves, _ = curve(w, "fine")
    put_curve(w, "fine", waves, np.interp(waves, *curve(w, "coarse")))
    state_mean(w)


@invalid(8, "a refinement that is the coarse run again", "frozen", code="code", keeps=FINE)
def coarse_again(w: World) -> None:
    put_curve(w, "fine", *curve(w, "coarse"))
    state_mean(w)


@invalid(8, "a coarse run that is cut from the fine one", "frozen", code="code", keeps=FINE)
def cut_from_fine(w: World) -> None:
    waves, power = curve(w, "fine")
    put_curve(w, "coarse", waves[::2], power[::2])


@invalid(8, "a run that says of itself that it converged", "frozen", code="code", keeps=FINE)
def says_converged(w: World) -> None:
    interpolated(w)
    put_curve(w, "fine", *curve(w, "fine"), converged=True, residual=1e-12)


@invalid(8, "a run that did not converge, and says so", "frozen", code="code", keeps=FINE)
def honest_failure(w: World) -> None:
    says_so = "Normal incidence, lossless. The fine run did not converge; its error is larger.\n"
    (w.outputs / "report.md").write_text(says_so)
    waves, power = curve(w, "fine")
    put_curve(w, "fine", waves, power + 5e-4)
    state_mean(w)


def source_with(old: str, new: str) -> Act:
    def act(w: World) -> None:
        path = w.folder / "source/src/solve.py"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return act


RENAMED = twin("other names of functions' results", "frozen")(
    source_with("layers = graded", "stack = graded")
)
invalid(8, "a closed formula in the place of the solver", "frozen", code="judge",
        keeps="all but A1", twin=RENAMED)(
    source_with("cmath.cos(phase), -1j * cmath.sin(phase)", "airy(phase)")
)  # fmt: skip


@infra(
    8, "a manifest over the limit of the evaluator", "frozen", code="evaluator_limit", keeps=NOTHING
)
def large_manifest(w: World) -> None:
    w.limits = replace(LIMITS, text=1000)


elsewhere(
    8, "manifests of native exports: ancestry, spans of logs, cycles, copies between variants",
    "evidence/test_evidence_exports.py::test_each_fault_has_its_code",
    "evidence/test_evidence_exports.py::test_copies_between_variants_are_found_unless_a_shared_solve_is_declared",
)  # fmt: skip
elsewhere(
    8, "native logs, forged and real",
    "evidence/test_evidence_logs.py::test_a_log_that_only_looks_right",
    "evidence/test_evidence_logs.py::test_an_honest_log_keeps_its_contract",
)  # fmt: skip

# -- 9: scientific results


def of_thin(**change: object) -> Act:
    return lambda w: w.put("thin", {**w.data("thin"), **change})


@twin("results to twelve digits", "frozen")
def rounded(w: World) -> None:
    w.put("thin", {**w.data("thin"), "power": [round(x, 12) for x in w.data("thin")["power"]]})


@invalid(9, "results to six digits, copied from a table", "frozen", code="code", keeps="all but C1",
         twin=rounded)  # fmt: skip
def copied_digits(w: World) -> None:
    w.put("thin", {**w.data("thin"), "power": [round(x, 6) for x in w.data("thin")["power"]]})


@invalid(9, "a global phase that was fitted away", "frozen", code="code", keeps="all but C2")
def fitted_phase(w: World) -> None:
    values = [complex(x["real"], x["imag"]) for x in w.data("thin")["amplitude"]]
    turned = [x * abs(values[1]) / values[1] for x in values]
    of_thin(amplitude=[{"real": x.real, "imag": x.imag} for x in turned])(w)


@invalid(9, "powers scaled to add up", "frozen", code="code", keeps="all but C1", twin=rounded)
def scaled(w: World) -> None:
    of_thin(power=[x * 1.0001 for x in w.data("thin")["power"]])(w)


@invalid(9, "a mean over part of the band", "frozen", code="code", keeps="all but C4")
def part_of_the_band(w: World) -> None:
    waves, power = curve(w, "fine")
    w.put("summary", {"mean": float(np.mean(power[waves < 2.0]))})


@invalid(9, "a mean weighted by samples", "frozen", code="code", keeps="all but C4")
def mean_of_samples(w: World) -> None:
    w.put("summary", {"mean": float(np.mean(curve(w, "fine")[1]))})


@invalid(9, "a coarse curve with the right mean", "frozen", code="requirement_not_met", keeps=FINE)
def right_by_luck(w: World) -> None:
    interpolated(w)
    state_mean(w)


@invalid(9, "a curve of the first order", "frozen", code="code", keeps=FINE)
def first_order(w: World) -> None:
    # the errors of a staircase that takes the front index of each layer halve, no more
    fine, coarse = curve(w, "fine"), curve(w, "coarse")
    put_curve(w, "coarse", coarse[0], coarse[1] + 3e-4)
    put_curve(w, "fine", fine[0], fine[1] + 1.5e-4)
    state_mean(w)


def breaks_at(operation: str) -> Act:
    def act(w: World) -> None:
        def derive(name: str, quantities: Mapping[str, Any], context: Mapping[str, Any]) -> Any:
            if name == operation:
                raise MemoryError("no room for the reference")
            return MODULE.derive(name, quantities, context)

        w.module = replace(MODULE, derive=derive)

    return act


infra(9, "the evaluator's reference fails", "frozen", code="metric_crash", keeps=FINE)(
    breaks_at("refinement")
)
elsewhere(
    9, "reference, partial and wrong submissions of every task, with exact scores",
    "reproduction/test_reproduction_registry.py::test_known_submissions_have_their_exact_scores",
    "suites/test_reproduction_suite.py::test_a_known_submission_scores_exactly_what_it_must",
)  # fmt: skip

# -- 10: locality


@invalid(10, "the files of one case are gone", "frozen", code="code", keeps="all but C1")
def one_case_gone(w: World) -> None:
    (w.outputs / "thick.json").unlink()


@invalid(10, "an entry of one case is no entry", "frozen", code="code", keeps="all but C1")
def broken_entry(w: World) -> None:
    w.entry("thick", sha256=None, columns=[])


@invalid(10, "one array is broken", "frozen", code="no_evidence", keeps="all but C2")
def one_array(w: World) -> None:
    of_thin(amplitude=["0.1"] * 6)(w)


invalid(10, "a gate fails", "frozen", code="judge", keeps="all but A2")(
    source_with("inputs/slab.json", "other.json")
)


@invalid(10, "what another leaf requires fails", "frozen", code="requirement_not_met", keeps=FINE)
def requirement_fails(w: World) -> None:
    waves, power = curve(w, "fine")
    put_curve(w, "fine", waves, power + 1e-3)
    state_mean(w)


@invalid(10, "no report", "frozen", code="judge", keeps="all but C5")
def no_report(w: World) -> None:
    (w.outputs / "report.md").unlink()


@invalid(10, "time is over after two of four cases", "run", code="timeout", keeps="A1 A2 B2 C1 C2",
         slow=True)  # fmt: skip
def two_of_four(w: World) -> None:
    w.policy["replay_timeout_sec"] = 4.0
    tell = '(OUT / "evidence_manifest.json").write_text(json.dumps({"observations": manifest}))'
    w.edit(
        "for case, axis in AXES.items():\n",
        f"{tell}\nimport time\nfor case, axis in AXES.items():\n    time.sleep(60)\n",
    )


@infra(
    10, "what another leaf requires is withheld", "frozen", code="requirement_withheld", keeps=FINE
)
def requirement_withheld(w: World) -> None:
    breaks_at("refinement")(w)


# -- 11: claims without evidence


def only(w: World, *names: str) -> None:
    for path in w.outputs.iterdir():
        if path.name not in names:
            path.unlink()


@invalid(11, "a report alone", "frozen", code="no_evidence", keeps=NOTHING)
def report_alone(w: World) -> None:
    only(w, "report.md")
    table = "| wavelength | power |\n| --- | --- |\n| 1.0 | 1.0 |\n"
    (w.outputs / "report.md").write_text(f"Normal incidence, lossless.\n\n{table}")


@invalid(11, "a summary alone", "frozen", code="no_evidence", keeps=NOTHING)
def summary_alone(w: World) -> None:
    only(w, "report.md", "summary.json", "evidence_manifest.json")


@invalid(11, "a picture alone", "frozen", code="no_evidence", keeps=NOTHING)
def picture_alone(w: World) -> None:
    only(w, "report.md")
    (w.outputs / "figure.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))


@invalid(11, "truth values alone", "frozen", code="no_evidence", keeps=NOTHING)
def truth_alone(w: World) -> None:
    only(w, "report.md")
    (w.outputs / "metrics.json").write_text(json.dumps({"converged": True, "C1": 1, "C3": 1}))


@twin("a report that says what went wrong on the way", "frozen")
def negative_result(w: World) -> None:
    path = w.outputs / "report.md"
    path.write_text(path.read_text() + "\nFewer than 20 layers did not converge.\n")


@invalid(11, "a negative result in the place of a measurement", "frozen", code="no_evidence",
         keeps=FINE, twin=negative_result)  # fmt: skip
def negative_for_numbers(w: World) -> None:
    told = "Normal incidence, lossless. The fine run cannot converge, which decides the question.\n"
    (w.outputs / "report.md").write_text(told)
    (w.outputs / "fine.json").unlink()


@invalid(11, "a summary that contradicts its arrays", "frozen", code="code", keeps="all but C4")
def contradiction(w: World) -> None:
    w.put("summary", {"mean": 0.9})


@infra(11, "no judge looks at the report", "frozen", code="judge_unavailable",
       keeps="B1 C1 C2 C3 C4")  # fmt: skip
def no_judge(w: World) -> None:
    w.judge = None
