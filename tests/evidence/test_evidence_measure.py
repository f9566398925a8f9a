"""Units, citations, bindings and measurements: one verdict whatever the container."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from evidence_cases import FORMATS, array_name, evidence_in, write_columns
from pydantic import ValidationError

from referee.evidence.binding import Binding, Selection, Where, bound_array
from referee.evidence.citation import Attribute, Quote, cited, require_unit
from referee.evidence.fault import EvidenceError, EvidenceFault, EvidenceLimit, EvidenceMissing
from referee.evidence.limits import Limits
from referee.evidence.manifest import bindings_of, observed, read_manifest
from referee.evidence.measure import (
    MetricModule,
    Operation,
    Quantity,
    Unavailable,
    measure,
    usable,
)
from referee.evidence.plan import AcrossCases, EachCase, Source, carry_out
from referee.evidence.units import UNITS, UnitError, convert, factor, names_unit
from referee.metric.rubric.grade import grade
from referee.metric.rubric.leaf import Withheld
from referee.metric.rubric.numeric import coded_finding
from referee.metric.rubric.tree import rubric_from
from referee.record.fault import Infrastructure

# --- units ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "ratio"),
    [
        ("nm", "um", 1e-3),
        ("µm", "nm", 1e3),
        ("μm", "m", 1e-6),
        ("Å", "nm", 0.1),
        ("\N{ANGSTROM SIGN}", "nm", 0.1),
        ("THz", "GHz", 1e3),
        ("ps", "fs", 1e3),
        ("deg", "rad", np.pi / 180),
        ("%", "1", 0.01),
        ("mW", "W", 1e-3),
        ("Ha", "Ry", 2.0),
        ("Ha", "eV", 27.211386245988),  # CODATA 2018
        ("meV", "eV", 1e-3),
        ("GPa", "kbar", 10.0),
        ("K", "K", 1.0),
    ],
)
def test_conversions(source, target, ratio):
    assert factor(source, target) == pytest.approx(ratio, rel=1e-9)


@pytest.mark.parametrize("symbol", UNITS)
def test_every_unit_is_known_to_pint(symbol):
    same = [s for s, unit in UNITS.items() if unit.dimension == UNITS[symbol].dimension]
    for other in same:
        assert factor(symbol, other) * factor(other, symbol) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("nm", "THz"),
        ("rad", "1"),
        ("deg", "%"),
        ("1/um", "um"),
        ("eV", "K"),
        ("N/m", "GPa"),
        ("Hz", "s"),
        ("furlong", "m"),
        ("", "1"),
        ("a.u.", "1"),
    ],
)
def test_nothing_is_converted_across_dimensions_or_from_unknown_units(source, target):
    with pytest.raises(UnitError):
        factor(source, target)


def test_a_converted_value_stays_finite():
    assert convert(np.array([1550.0]), "nm", "um").tolist() == pytest.approx([1.55])
    with pytest.raises(UnitError, match="finite"):
        convert(np.array([1e308]), "m", "nm")


@pytest.mark.parametrize(
    ("text", "unit", "named"),
    [
        ("wavelength_nm", "nm", True),
        ("lambda/nm", "nm", True),
        ("wavelengths are in nanometres.", "nm", True),
        ("wavelength [µm]", "um", True),
        ("angle in deg", "deg", True),
        ("powers are fractions of the input: fraction", "1", True),
        ("nmax", "nm", False),
        ("k in 1/nm", "nm", False),
        ("k in nm^-1", "nm", False),
        ("wavelength in um", "nm", False),
        ("Fig. 1", "1", False),
        ("surface tension in N/m", "m", False),
    ],
)
def test_a_text_names_a_unit_or_does_not(text, unit, named):
    assert names_unit(text, unit) is named


# --- citations --------------------------------------------------------------------------------


def quote(words, path="README.md", root="outputs"):
    return Quote(kind="quote", root=root, path=path, quote=words)


def test_a_quote_must_stand_in_the_candidates_text(evidence, outputs):
    (outputs / "README.md").write_text("Wavelengths  are\n  in nm.\n")
    assert cited(evidence, quote("Wavelengths are in nm")) == "Wavelengths are in nm"
    require_unit(evidence, quote("are in nm"), "nm")
    for citation, unit in (
        (quote("Wavelengths are in um"), "um"),
        (quote("are in nm"), "um"),
        (quote("Wavelengths are"), "nm"),
        (quote("assume micrometres"), "um"),
        (quote(" "), "nm"),
        (quote("x" * 3000), "nm"),
    ):
        with pytest.raises(EvidenceError):
            require_unit(evidence, citation, unit)
    with pytest.raises(EvidenceMissing):
        require_unit(evidence, quote("in nm", path="no.md"), "nm")
    with pytest.raises(ValidationError):
        Quote(kind="quote", root="refs", path="answer.md", quote="in nm")


def test_an_attribute_must_be_the_unit_and_nothing_else(evidence, outputs):
    (outputs / "a.json").write_text(
        json.dumps({"x": {"values": [1.0], "unit": "nm"}, "y": {"values": [1], "unit": "not nm"}})
    )

    def attribute(array):
        return Attribute(kind="attribute", root="outputs", path="a.json", array=array, key="unit")

    require_unit(evidence, attribute("/x/values"), "nm")
    for array, unit in (("/x/values", "um"), ("/y/values", "nm")):
        with pytest.raises(EvidenceError):
            require_unit(evidence, attribute(array), unit)
    with pytest.raises(EvidenceMissing):
        require_unit(evidence, attribute("/z/values"), "nm")


def test_a_text_that_is_too_long_to_search_is_a_limit(tmp_path):
    evidence = evidence_in(tmp_path, limits=Limits(citation_text=10))
    (evidence.roots["outputs"].folder / "README.md").write_text("in nm" + " " * 20)
    with pytest.raises(EvidenceLimit):
        cited(evidence, quote("in nm"))


# --- the same verdict in every container ------------------------------------------------------

GRID = [1550.0, 1551.0, 1552.0]
COLUMNS = {
    "lam": GRID,
    "t_re": [0.6, 0.8, 0.0],
    "t_im": [0.8, 0.0, 1.0],
    "T": [100.0, 64.0, 100.0],
    "width": [30.0, 30.0, 50.0],
}


def closure(operation, arrays, context):
    """The largest difference between a given power and |t|^2."""
    error = np.abs(np.abs(arrays["t"]) ** 2 - arrays["T"])
    return {"error": error, "span": float(np.ptp(arrays["lam"])), "n": context.get("n")}


MODULE = MetricModule(
    sha256="f" * 64,
    operations={
        "closure": Operation(
            quantities={
                "lam": Quantity(unit="um", ndim=1),
                "t": Quantity(unit="1", complex_allowed=True),
                "T": Quantity(unit="1", least=2, most=10),
            },
            context=("n",),
        ),
        "analytic": Operation(context=("n",)),
    },
    derive=closure,
)

RUBRIC = rubric_from(
    {
        "id": "root",
        "requirements": "closure",
        "weight": 1,
        "sub_tasks": [
            {
                "id": "C3",
                "requirements": "powers close",
                "weight": 1,
                "task_category": "Validation",
                "metric_operation": "closure",
                "scoring": {"kind": "units", "units": ["closes", "spans"]},
                "numeric_checks": [
                    {"path": "/error/0", "operator": "abs_leq", "upper": 1e-9, "unit": "closes"},
                    {"path": "/error/1", "operator": "abs_leq", "upper": 1e-9, "unit": "closes"},
                    {
                        "path": "/span",
                        "operator": "rel_close",
                        "expected": 0.002,
                        "rtol": 1e-9,
                        "unit": "spans",
                    },
                ],
            }
        ],
    }
)


def manifest_for(outputs, form, columns=COLUMNS, **more):
    write_columns(outputs / f"results/data.{form}", columns)
    data = (outputs / f"results/data.{form}").read_bytes()
    entry = {
        "path": f"results/data.{form}",
        "sha256": hashlib.sha256(data).hexdigest(),
        "case_id": "w30",
        "units": {"lam": "nm", "t": "1", "T": "%"},
        "native_run_id": "run-1",
        "columns": {
            "lam": array_name(form, "lam"),
            "t": {"real": array_name(form, "t_re"), "imag": array_name(form, "t_im")},
            "T": array_name(form, "T"),
        },
        **more,
    }
    (outputs / "outputs").mkdir(exist_ok=True)
    return entry


def write_manifest(outputs, spectrum):
    (outputs / "outputs").mkdir(exist_ok=True)
    text = json.dumps({"observations": {"spectrum": spectrum}})
    (outputs / "outputs/evidence_manifest.json").write_text(text)


WANTED = {"lam": "um", "t": "1", "T": "1"}


def measured(evidence, context=None):
    manifest = read_manifest(evidence)
    bindings = bindings_of(evidence, manifest, "spectrum", "w30", WANTED)
    return measure(evidence, MODULE, "closure", bindings, context or {"n": 3})


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("form", FORMATS)
def test_the_verdict_does_not_depend_on_the_container(evidence, outputs, form, listed):
    entry = manifest_for(outputs, form)
    write_manifest(outputs, [entry] if listed else entry)
    made = measured(evidence)
    assert made.status == "recomputed_from_candidate_arrays"
    assert made.result["error"] == pytest.approx([0, 0, 0], abs=1e-12)
    assert made.result["span"] == pytest.approx(0.002, rel=1e-12)
    leaf = RUBRIC.by_id["C3"].node
    result = grade(RUBRIC, {"C3": coded_finding(leaf, made.result)})
    assert result.score == 1
    assert usable(evidence, MODULE, "closure", [made]) == made


@pytest.mark.parametrize("form", FORMATS)
def test_and_the_wrong_data_are_wrong_in_every_container(evidence, outputs, form):
    wrong = COLUMNS | {"T": [100.0, 65.0, 100.0]}
    write_manifest(outputs, manifest_for(outputs, form, wrong))
    found = coded_finding(RUBRIC.by_id["C3"].node, measured(evidence).result)
    assert grade(RUBRIC, {"C3": found}).score * 2 == 1


def test_a_manifest_identifies_and_is_checked(evidence, outputs):
    with pytest.raises(EvidenceMissing):
        read_manifest(evidence)
    good = manifest_for(outputs, "csv")
    other = good | {"case_id": "w50"}
    write_manifest(outputs, [good, other | {"sha256": "0" * 64}])
    manifest = read_manifest(evidence)
    assert set(bindings_of(evidence, manifest, "spectrum", "w30", WANTED)) == set(WANTED)
    with pytest.raises(EvidenceError, match="digest"):
        bindings_of(evidence, manifest, "spectrum", "w50", WANTED)
    with pytest.raises(EvidenceMissing):
        bindings_of(evidence, manifest, "spectrum", "w70", WANTED)
    with pytest.raises(EvidenceMissing):
        bindings_of(evidence, manifest, "other", "w30", WANTED)
    with pytest.raises(EvidenceMissing, match="no column"):
        bindings_of(evidence, manifest, "spectrum", "w30", {"R": "1"})
    write_manifest(outputs, [good, good])
    assert observed(read_manifest(evidence), "spectrum", "w30").entry.case_id == "w30"
    write_manifest(outputs, [good, good | {"native_run_id": "run-2"}])
    with pytest.raises(EvidenceError, match="two different"):
        observed(read_manifest(evidence), "spectrum", "w30")


@pytest.mark.parametrize(
    "broken",
    [
        {"sha256": "xyz"},
        {"path": ""},
        {"columns": {"lam": 3}},
        {"units": None},
        {"extra": 1},
    ],
)
def test_a_broken_entry_is_an_error(evidence, outputs, broken):
    write_manifest(outputs, manifest_for(outputs, "csv") | broken)
    with pytest.raises(EvidenceError):
        observed(read_manifest(evidence), "spectrum", "w30")


@pytest.mark.parametrize("broken", [{"sha256": "xyz"}, {"case_id": 5}, {"columns": None}])
def test_a_broken_entry_spoils_no_other_case(evidence, outputs, broken):
    good = manifest_for(outputs, "csv")
    write_manifest(outputs, [good | {"case_id": "w50"} | broken, good, "nonsense"])
    assert observed(read_manifest(evidence), "spectrum", "w30").pointer.endswith("/1")


@pytest.mark.parametrize("text", ["[]", "{}", '{"observations": []}', "{", '{"a": NaN}'])
def test_no_manifest_at_all_is_an_error(evidence, outputs, text):
    (outputs / "outputs").mkdir()
    (outputs / "outputs/evidence_manifest.json").write_text(text)
    with pytest.raises(EvidenceError):
        read_manifest(evidence)


# --- plans ---------------------------------------------------------------------------------------

EACH = EachCase(
    kind="each_case",
    operation="closure",
    key="spectrum",
    columns={"lam": "lam", "t": "t", "T": "T"},
    cases={"narrow": "w30", "wide": "w50"},
    context={"n": 3},
)


def two_cases(evidence, outputs, **more):
    good = manifest_for(outputs, "csv")
    write_manifest(outputs, [good, good | {"case_id": "w50"} | more])
    return read_manifest(evidence)


def test_a_plan_measures_each_case_by_itself(evidence, outputs):
    done = carry_out(evidence, MODULE, two_cases(evidence, outputs), EACH)
    assert done.returned["narrow"] == done.returned["wide"]
    assert done.faults == {}
    assert done.made["wide"].bindings["t"].imaginary_array == "t_im"
    assert usable(evidence, MODULE, "closure", [done.made["narrow"]]) == done.made["narrow"]


def test_what_one_case_lacks_costs_that_case_alone(evidence, outputs):
    for broken in ({"case_id": "w70"}, {"sha256": "0" * 64}, {"units": {"lam": "nm"}}):
        done = carry_out(evidence, MODULE, two_cases(evidence, outputs, **broken), EACH)
        assert done.returned["narrow"]["n"] == 3
        assert done.returned["wide"] is None
        assert list(done.faults) == ["wide"]


def test_what_the_evaluator_does_not_read_or_cannot_compute_is_withheld(tmp_path):
    evidence = evidence_in(tmp_path, limits=Limits(bound_arrays=60))
    manifest = two_cases(evidence, evidence.roots["outputs"].folder)
    limited = carry_out(evidence, MODULE, manifest, EACH)
    assert limited.returned == {name: Withheld("evaluator_limit") for name in EACH.cases}

    def broken(*_):
        raise TypeError("bug")

    evidence = evidence_in(tmp_path)
    crashed = carry_out(evidence, replace(MODULE, derive=broken), manifest, EACH)
    assert crashed.returned["wide"] == Withheld("metric_crash")


def test_a_plan_across_cases_is_whole_or_nothing(evidence, outputs):
    def source(case, column):
        return Source(key="spectrum", case=case, column=column)

    sources = {"lam": source("w30", "lam"), "t": source("w50", "t"), "T": source("w30", "T")}
    plan = AcrossCases(kind="across_cases", operation="closure", sources=sources, context={"n": 1})
    done = carry_out(evidence, MODULE, two_cases(evidence, outputs), plan)
    assert done.returned["error"] == pytest.approx([0, 0, 0], abs=1e-12)
    done = carry_out(evidence, MODULE, two_cases(evidence, outputs, case_id="w70"), plan)
    assert done.returned is None
    with pytest.raises(KeyError):
        carry_out(evidence, MODULE, read_manifest(evidence), plan.model_copy(
            update={"operation": "no_such"}
        ))  # fmt: skip


# --- bindings ---------------------------------------------------------------------------------


def binding(**more):
    plain = {
        "root": "outputs",
        "path": "a.csv",
        "array": "lam",
        "source_unit": "nm",
        "target_unit": "um",
        "unit_evidence": quote("lam in nm"),
    }
    return Binding(**(plain | more))


@pytest.fixture
def table(evidence, outputs):
    (outputs / "README.md").write_text("lam in nm; t as real and imaginary part; case names widths")
    (outputs / "a.csv").write_text(
        "case,width,lam,re,im\nw30,30,1550,1,2\nw30,30,1551,3,4\nw50,50,1552,5,6\n"
    )
    return evidence


def test_a_selection_needs_its_citation_and_takes_rows(table):
    def select(*where, index=()):
        part = Selection(where=tuple(Where(array=a, equals=v) for a, v in where), index=index)
        told = quote("case names widths")
        return bound_array(table, binding(selection=part, selection_evidence=told))

    by_name = select(("case", "w30"))
    by_width = select(("width", 30.0))
    assert by_name.tolist() == by_width.tolist() == pytest.approx([1.55, 1.551])
    assert select(("case", "w50"), ("width", 50.0), index=(0,)) == pytest.approx(1.552)
    assert select(index=(-1,)) == pytest.approx(1.552)
    for where, index in ((("case", "w70"), ()), (("width", 30.0), (7,))):
        with pytest.raises(EvidenceMissing):
            select(where, index=index)
    for where, index in ((("case", 30.0), ()), (("case", "w30"), (0, 0)), (("lam", "x" * 9), ())):
        with pytest.raises(EvidenceFault):
            select(where, index=index)
    with pytest.raises(ValidationError):
        binding(selection=Selection(index=(0,)))


def test_a_single_number_has_no_rows(table, outputs):
    (outputs / "one.json").write_text('{"x": 1550, "case": ["w30"]}')
    rows = Selection(where=(Where(array="/case", equals="w30"),))
    told = quote("case names widths")
    one = binding(path="one.json", array="/x", selection=rows, selection_evidence=told)
    with pytest.raises(EvidenceError, match="no rows"):
        bound_array(table, one)
    assert bound_array(table, binding(path="one.json", array="/x")) == pytest.approx(1.55)


def test_a_complex_quantity_needs_its_citation(table):
    parts = {"array": "re", "imaginary_array": "im", "source_unit": "nm"}
    told = quote("t as real and imaginary part")
    assert bound_array(
        table, binding(**parts, complex_evidence=told, target_unit="nm")
    ).tolist() == [
        1 + 2j,
        3 + 4j,
        5 + 6j,
    ]
    with pytest.raises(ValidationError):
        binding(**parts)
    with pytest.raises(EvidenceError):
        bound_array(table, binding(**parts, complex_evidence=quote("another convention")))


def test_a_binding_to_the_evaluators_files_cannot_be_written():
    for root in ("refs", "paper", "diagnostic"):
        with pytest.raises(ValidationError):
            binding(root=root)


@pytest.mark.parametrize("change", [{"source_unit": "THz"}, {"target_unit": "parsec"}])
def test_a_unit_that_does_not_fit_is_an_error(table, change):
    with pytest.raises(EvidenceError):
        bound_array(table, binding(**change))


# --- measurements -----------------------------------------------------------------------------


@pytest.fixture
def ready(evidence, outputs):
    write_manifest(outputs, manifest_for(outputs, "csv"))
    return evidence


def bindings(evidence):
    return bindings_of(evidence, read_manifest(evidence), "spectrum", "w30", WANTED)


def test_an_operation_gets_its_quantities_and_no_others(ready):
    bound = bindings(ready)
    without = {name: b for name, b in bound.items() if name != "T"}
    for wrong in (without, bound | {"R": bound["T"]}, bound | {"lam": bound["t"]}):
        with pytest.raises(EvidenceError):
            measure(ready, MODULE, "closure", wrong, {"n": 1})
    in_nm = bound["lam"].model_copy(update={"target_unit": "nm"})
    with pytest.raises(EvidenceError, match="needed in um"):
        measure(ready, MODULE, "closure", bound | {"lam": in_nm}, {"n": 1})
    with pytest.raises(KeyError):
        measure(ready, MODULE, "no_such", bound)


@pytest.mark.parametrize(
    "context", [{}, {"m": 1}, {"n": [1, 2]}, {"n": {"a": 1}}, {"n": float("nan")}, {"n": "x" * 501}]
)
def test_no_array_is_smuggled_in_as_context(ready, context):
    with pytest.raises(EvidenceError, match="context"):
        measure(ready, MODULE, "closure", bindings(ready), context)


def test_a_measurement_without_arrays_is_no_evidence(ready):
    module = MetricModule("f" * 64, MODULE.operations, lambda *_: {"x": 1.0})
    made = measure(ready, module, "analytic", {}, {"n": 1})
    assert made.status == "analytic_context_only"
    assert usable(ready, module, "analytic", [made]) == Unavailable("analytic_only")


def test_limits_of_a_measurement(tmp_path):
    evidence = evidence_in(tmp_path, limits=Limits(bound_arrays=60, bindings=2))
    write_manifest(
        evidence.roots["outputs"].folder, manifest_for(evidence.roots["outputs"].folder, "csv")
    )
    with pytest.raises(EvidenceLimit):
        measured(evidence)


def test_arrays_that_next_to_nothing_is_stored_of_are_no_limit(tmp_path):
    evidence = evidence_in(tmp_path, limits=Limits(bound_arrays=100_000, inflation=100))
    zeros = np.zeros(10_000)  # 80,000 bytes, and two of them are too many
    np.savez_compressed(evidence.roots["outputs"].folder / "a.npz", x=zeros, y=zeros)
    module = MetricModule(
        "f" * 64,
        {"sum": Operation(quantities={"x": Quantity(unit="1"), "y": Quantity(unit="1")})},
        lambda *_: {"x": 1.0},
    )
    (evidence.roots["outputs"].folder / "notes.txt").write_text("both are dimensionless")
    quote = Quote(kind="quote", root="outputs", path="notes.txt", quote="both are dimensionless")
    units = {"source_unit": "1", "target_unit": "1", "unit_evidence": quote}
    bound = {
        name: Binding(root="outputs", path="a.npz", array=name, **units) for name in ("x", "y")
    }
    with pytest.raises(EvidenceError, match="stored"):
        measure(evidence, module, "sum", bound)


def test_what_the_data_cause_is_the_candidates_and_a_crash_is_ours(ready):
    def module(derive):
        return MetricModule("f" * 64, MODULE.operations, derive)

    def raising(error):
        def derive(*_):
            raise error

        return derive

    for error in (ValueError("x does not increase"), ZeroDivisionError(), np.linalg.LinAlgError()):
        with pytest.raises(EvidenceError):
            measure(ready, module(raising(error)), "closure", bindings(ready), {"n": 1})
    for error in (TypeError("bug"), KeyError("bug"), MemoryError()):
        with pytest.raises(Infrastructure, match="metric_crash"):
            measure(ready, module(raising(error)), "closure", bindings(ready), {"n": 1})
    for result in (object(), {"a": {1, 2}}):
        with pytest.raises(Infrastructure):
            measure(ready, module(lambda *_, r=result: r), "closure", bindings(ready), {"n": 1})
    with pytest.raises(Infrastructure, match="metric_result"):
        measure(ready, module(lambda *_: "x" * 200_000), "closure", bindings(ready), {"n": 1})
    bad = measure(ready, module(lambda *_: {"a": np.nan}), "closure", bindings(ready), {"n": 1})
    assert bad.result == {"a": None}, "what is not finite satisfies no condition"


def test_arrays_cannot_be_changed_by_the_module(ready):
    def derive(operation, arrays, context):
        arrays["lam"][0] = 0.0

    module = MetricModule("f" * 64, MODULE.operations, derive)
    with pytest.raises(EvidenceError, match="read-only"):
        measure(ready, module, "closure", bindings(ready), {"n": 1})


def test_exactly_one_measurement_can_be_used(ready, outputs):
    first = measured(ready)
    assert usable(ready, MODULE, "closure", [first, measured(ready)]) == first
    assert usable(ready, MODULE, "closure", []) == Unavailable("none")
    second = measured(ready, {"n": 4})
    assert usable(ready, MODULE, "closure", [first, second]) == Unavailable("ambiguous")
    newer = MetricModule("e" * 64, MODULE.operations, closure)
    assert usable(ready, newer, "closure", [first]) == Unavailable("stale_module")
    lying = replace(first, result={"error": 0})
    with pytest.raises(Infrastructure, match="metric_unstable"):
        usable(ready, MODULE, "closure", [first, lying])
    with (outputs / "results/data.csv").open("a") as stream:
        stream.write("1553,0,0,0,30\n")
    assert usable(ready, MODULE, "closure", [first]) == Unavailable("changed_file")


def test_a_module_states_units_of_the_table():
    with pytest.raises(UnitError):
        MetricModule(
            "f" * 64, {"a": Operation(quantities={"x": Quantity(unit="furlong")})}, closure
        )
