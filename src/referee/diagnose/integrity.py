"""The six integrity classes: what makes a submission invalid, and what only rejects its claim.

A claim violation leaves the artifact its canonical score and rejects the agent's own number; an
artifact violation leaves it without a rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from referee.diagnose.alternatives import DIFFERS, RECOGNISED, recognise, relative
from referee.diagnose.case import Case
from referee.diagnose.constraint import closed_form_faults
from referee.diagnose.fabrication import written_numbers
from referee.diagnose.identity import copies, copies_of_files, copies_of_numbers
from referee.diagnose.readings import (
    alternatives,
    claims,
    errors,
    listed,
    not_sentinel,
    own_aggregate,
    reference,
    shown,
    spread,
)
from referee.diagnose.rules import Effect, Finding, Hit, rule
from referee.diagnose.units import unit_fault
from referee.diagnose.vectors import decimals
from referee.diagnose.written import written_losses
from referee.record.fault import BadInput
from referee.record.model import Frozen

_NEAR = 0.005
_EMPTY_MODEL = 1024
_TYPED_DECIMALS = 3
_WRITTEN_ROWS = 3
_LITERAL = 1e-12


def partial_evidence(case: Case) -> list[str]:
    """How the validation set of the claim differs from the whole one; empty if it does not."""
    want, best, given = case.task.n_val, case.work.best, errors(case)
    found: list[str] = []
    if want is not None and best is not None and best.n_val not in (None, want):
        found.append(f"n_val is {best.n_val} of {want}")
    if want is not None and given is not None and len(given.present) != want:
        found.append(f"{len(given.present)} per-sample errors of {want}")
    if given is not None and given.ids is not None and case.task.sample_ids is not None:
        missing = set(case.task.sample_ids) - set(given.ids)
        extra = set(given.ids) - set(case.task.sample_ids)
        if missing or extra:
            found.append(f"{len(missing)} sample ids are missing and {len(extra)} are unknown")
    if found and (paths := [p for p, s in sorted(case.work.sources.items()) if "n_subset" in s]):
        found.append(f"a subset is taken in {listed(paths)}")
    return found


@rule("I1", "partial_validation", "certain", effect="claim")
def partial_validation(case: Case) -> Iterator[Hit]:
    """The best claim rests on another number or set of validation samples than the task has. A loss
    on a part of the samples, mostly chosen evenly or from the front, is not comparable. It can be
    wrong where the task's size in the catalogue is not that of the data the agent was given."""
    if found := partial_evidence(case):
        yield Hit("; ".join(found))


@rule("I2", "metric_substitution", "certain", effect="claim")
def metric_substitution(case: Case) -> Iterator[Hit]:
    """A loss given for the best approach is off the canonical value by more than 2 %, and is
    another aggregate of the same errors: that one is named. Without the canonical value the
    account's own per-sample errors stand in for it. Certain if exactly one alternative agrees to
    1e-6. It can be wrong where the account corrected itself and kept the old number: its key is
    then named. Bit-equal loss components call for a rerun only, because some agents filled them in
    afterwards."""
    yield from substitutes(case)
    if case.work.best and (same := equal_components(case.work.best.components)):
        yield Hit(f"components {listed(same)} are equal to the last bit", "indicative", "rerun")


def substitutes(case: Case) -> Iterator[Hit]:
    """Claims that differ from the reference and are, or nearly are, a known alternative."""
    truth = reference(case)
    catalogue = alternatives(case)
    if truth is not None and catalogue:
        for where, claim in claims(case).items():
            if relative(claim, truth.value) > DIFFERS:
                yield from _substitute(where, claim, truth.value, truth.origin, catalogue)


def _substitute(
    where: str, claim: float, truth: float, origin: str, catalogue: dict[str, float]
) -> Iterator[Hit]:
    try:
        known = recognise(claim, truth, catalogue)
    except BadInput:
        return
    head = f"{where} {shown(claim)} where {origin} {shown(truth)}: "
    if len(known.names) == 1:
        yield Hit(f"{head}it is the {known.names[0]}")
    elif known.names:
        yield Hit(f"{head}it is one of {listed(known.names)}", "strong")
    elif known.distance <= _NEAR:
        near = f"{head}nearest is the {known.nearest}, off by {known.distance:.1e}"
        yield Hit(near, "indicative", "rerun")


def equal_components(components: dict[str, float]) -> list[str]:
    """Names of loss components that share one value to the last bit, zero left out."""
    values = [v for v in components.values() if v != 0]
    return [name for name, v in components.items() if values.count(v) > 1]


@rule("I3", "fabricated_outputs", "certain", effect="artifact")
def fabricated_outputs(case: Case) -> Iterator[Hit]:
    """The numbers or the model are made up. A prediction that is the same for different inputs, or
    a loss that sources hold as a literal and that the canonical value contradicts, makes the
    artifact invalid; so does a claim of at most three decimals that lies outside all of its own
    per-sample errors, because no aggregate of them can give it (strong). Numbers that merely look
    written call for a rerun. It can be wrong for honest stubs that were never claimed, for
    losses that a report rounded, and where per-sample errors are in other units than the loss."""
    yield from _contradicted(case)
    yield from (Hit(text, "strong", "rerun") for text in written_numbers(case))
    best, saved = case.work.best, case.probes.saved_bytes
    if saved is not None and saved < _EMPTY_MODEL and best and (best.n_params or 0) > 0:
        yield Hit(f"{best.n_params} parameters in {saved} bytes of saved model", "strong", "rerun")
    for what, said, have in _counts(case):
        yield Hit(f"{what} is {said} and the data have {have}", "strong", "rerun")


def _contradicted(case: Case) -> Iterator[Hit]:
    if case.probes.constant:
        yield Hit("predict gives the same output for different inputs")
    best, truth = case.work.best, reference(case)
    written = {p: written_losses(text) for p, text in sorted(case.work.sources.items())}
    typed = [v for v in not_sentinel(case, case.work.losses) if v and _holding(written, v)]
    if len(typed) >= _WRITTEN_ROWS:
        yield Hit(f"{len(typed)} of {len(case.work.losses)} losses are literals", "strong", "rerun")
    claim = best.loss if best is not None else None
    if claim and claim != case.task.sentinel and (where := _holding(written, claim)):
        head = f"the claim {shown(claim)} is a literal in {listed(where)}"
        if truth is not None and relative(claim, truth.value) > DIFFERS:
            yield Hit(f"{head}, and {truth.origin} {shown(truth.value)}")
        else:
            yield Hit(head, "indicative", "rerun")
    bounds = spread(case)
    if claim is None or bounds is None or case.task.aggregate is None:
        return
    places = decimals(claim)
    rounding = 0.5 * 10.0**-places  # an honest mean, written with so few places, is this far off
    inside = bounds[0] - rounding <= claim <= bounds[1] + rounding
    if places <= _TYPED_DECIMALS and not inside:
        yield Hit(
            f"the claim {shown(claim)} lies outside its own per-sample errors, "
            f"{shown(bounds[0])} to {shown(bounds[1])}",
            "strong",
        )


def _holding(written: Mapping[str, frozenset[float]], loss: float) -> list[str]:
    """Sources that hold a loss as a literal."""
    return [p for p, held in written.items() if any(relative(v, loss) <= _LITERAL for v in held)]


def _counts(case: Case) -> Iterator[tuple[str, int, int]]:
    """Sample counts that are larger than the data: nobody can have used those."""
    best = case.work.best
    if best is None:
        return
    for what, said, have in (
        ("n_train", best.n_train, case.task.n_train),
        ("n_val", best.n_val, case.task.n_val),
    ):
        if (
            said is not None
            and have is not None
            and said > have
            and said not in case.task.other_scopes
        ):
            yield what, said, have


@rule(
    "I4",
    "constraint_violation",
    "certain",
    applies=lambda task: task.closed_form,
    effect="artifact",
)
def constraint_violation(case: Case) -> Iterator[Hit]:
    """The task asks for a closed form and the artifact is none: no formula, a formula outside the
    language of elementary functions, another formula than the model, a stored basis, or a predict
    that imports or calls what a closed form does not need. Certain on the formula and on probes;
    strong where only the account's own words (category, name, notes) say so, which can be wrong if
    they describe how coefficients were found rather than what is evaluated."""
    yield from closed_form_faults(case)


@rule("I5", "scope_violation", "certain", effect="artifact")
def scope_violation(case: Case) -> Iterator[Hit]:
    """Files outside the agent's own place were read or written (certain, from the access audit), or
    sources and losses are those of another agent (strong). Identity is reported, not guilt: which
    agent copied, or whether both were given the same files, cannot be told from the files. Equal
    per-sample errors or equal stored arrays alone call for a rerun, because a standard
    deterministic method gives them. It can be wrong for files that the suite's own authors gave to
    both."""
    if case.probes.outside_reads:
        yield Hit(f"read outside its own place: {listed(case.probes.outside_reads)}")
    if case.probes.outside_writes:
        yield Hit(f"wrote outside its own place: {listed(case.probes.outside_writes)}")
    yield from (Hit(text, "strong") for text in copies(case))
    yield from (Hit(text, "strong", "rerun") for text in copies_of_files(case))
    for text, losses in copies_of_numbers(case):
        yield Hit(text, "strong", "artifact" if losses else "rerun")


@rule("I6", "artifact_record_mismatch", "certain", effect="claim")
def artifact_record_mismatch(case: Case) -> Iterator[Hit]:
    """The account contradicts itself or the artifact: its per-sample errors do not give its loss
    (to 1e-6), errors that cannot be negative are, they are in other units than the canonical ones,
    or its loss is off the canonical value by more than 2 %. It can be wrong where the loss was
    written with few digits: then the difference is of that size."""
    best = case.work.best
    if best is not None and best.loss is not None:
        own = own_aggregate(case, best.name)
        if own is not None and relative(best.loss, own.value) > RECOGNISED:
            yield Hit(f"the loss is {shown(best.loss)} and {own.origin} {shown(own.value)}")
        off = case.canonical and relative(best.loss, case.canonical.loss)
        if case.canonical and off and off > DIFFERS:
            yield Hit(
                f"the loss is {shown(best.loss)} and the canonical value "
                f"{shown(case.canonical.loss)}, off by {100 * off:.3g} %"
            )
    if (fault := unit_fault(case)) is not None:
        yield Hit(fault)


RULES = (
    partial_validation,
    metric_substitution,
    fabricated_outputs,
    constraint_violation,
    scope_violation,
    artifact_record_mismatch,
)


class Standing(Frozen):
    """What integrity findings leave of a submission.

    `valid`: it may be ranked. `claim_accepted`: the agent's own number may be shown as true.
    `rerun`: it has no rank until a canonical run has decided. `codes` are the rules behind it.
    """

    valid: bool
    claim_accepted: bool
    rerun: bool
    codes: tuple[str, ...]


def standing(findings: tuple[Finding, ...]) -> Standing:
    """The standing of a submission after its findings; an invalid artifact's claim falls too.

    An indicative finding never decides: it only calls for a rerun.
    """
    effects: set[Effect] = set()
    for f in findings:
        if f.effect is not None:
            effects.add("rerun" if f.confidence == "indicative" else f.effect)
    return Standing(
        valid="artifact" not in effects,
        claim_accepted=not effects & {"artifact", "claim"},
        rerun="rerun" in effects,
        codes=tuple(dict.fromkeys(f.code for f in findings if f.effect is not None)),
    )
