"""Stage B, method selection: could the chosen representation do what was asked."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from math import pi

from referee.diagnose import sources
from referee.diagnose.case import Case
from referee.diagnose.constraint import closed_form_faults, forbidden_words
from referee.diagnose.readings import listed, not_sentinel, shown
from referee.diagnose.rules import Hit, rule, surrogate_task
from referee.diagnose.vectors import equal_groups, is_measured
from referee.diagnose.work import Approach

_SYMBOLIC = re.compile(r"pysr|gplearn|symbolic", re.IGNORECASE)
_FALLBACK = re.compile(r"\bunavailable\b|\bfall(?:s|ing)? ?back\b|\bnot installed\b", re.IGNORECASE)
_DEGREE = re.compile(r"(?:poly(?:nomial)?|deg(?:ree)?|cheb(?:yshev)?)[-_ ]?(\d{1,3})\b")
_PARETO = 3
_GROUP = 3
_HIGH_DEGREE = 8
_EXTRAPOLATES = 100.0
_PARAMS = 10
_OVERFITS = 10.0


@rule("B1", "forbidden_representation", "certain", applies=lambda task: task.closed_form)
def forbidden_representation(case: Case) -> Iterator[Hit]:
    """Approaches to a closed-form task are stored bases, interpolants, kernels or learners. The
    best approach is judged by rule I4; from words alone the finding is strong, because a basis may
    have served only to find coefficients. Those words can be wrong evidence."""
    yield from closed_form_faults(case)
    if rows := [a.name for a in case.work.approaches if forbidden_words(a)]:
        yield Hit(
            f"{len(rows)} of {len(case.work.approaches)} approaches: {listed(rows)}", "strong"
        )


def symbolic(case: Case) -> list[Approach]:
    """Approaches that the account calls symbolic regression."""
    return [
        a
        for a in case.work.approaches
        if _SYMBOLIC.search(" ".join(t for t in (a.name, a.title, a.category) if t))
    ]


@rule("B2", "symbolic_not_run", "strong", applies=surrogate_task)
def symbolic_not_run(case: Case) -> Iterator[str]:
    """Symbolic regression, which the protocol requires, left no formula, was imported by no source,
    or left a Pareto front of fewer than three formulas. Each is asked only where the account has
    the formulas or the sources at all. It can be wrong where formulas were kept in a file of
    another name."""
    work = case.work
    if work.approaches and not symbolic(case):
        yield "no approach is symbolic regression"
    names = {a.name for a in symbolic(case)}
    if work.expressions is not None and names:
        without = sorted(names - {e.approach for e in work.expressions})
        if without:
            yield f"no formula is kept of {listed(without)}"
    imported = {m for text in work.sources.values() for m in sources.imports(text)}
    if work.sources and not imported & {"pysr", "gplearn"}:
        yield f"none of {len(work.sources)} sources imports pysr or gplearn"
    fronts = [e for e in work.expressions or () if e.complexity is not None]
    for name in dict.fromkeys(e.approach for e in fronts):
        sizes = {e.complexity for e in fronts if e.approach == name}
        if len(sizes) < _PARETO:
            yield f"the front of {name} has {len(sizes)} formulas"


@rule("B3", "symbolic_fallback", "certain", applies=surrogate_task)
def symbolic_fallback(case: Case) -> Iterator[Hit]:
    """A symbolic search was replaced by something else, mostly a polynomial in an except-branch.
    Certain if the formula or the notes of a symbolic approach say so; indicative if only a source
    has such a branch, because nobody knows that it was taken. It can be wrong where notes say that
    the fallback was avoided."""
    said = [a.name for a in symbolic(case) if _FALLBACK.search(" ".join(a.notes.values()))]
    said += [e.approach for e in case.work.expressions or () if _FALLBACK.search(e.text)]
    if said:
        yield Hit(f"said of {listed(list(dict.fromkeys(said)))}")
    for path, text in sorted(case.work.sources.items()):
        if sources.falls_back(text):
            yield Hit(f"{path} fits a polynomial where the symbolic search fails", "indicative")


@rule("B4", "nominal_variants", "certain", applies=surrogate_task)
def nominal_variants(case: Case) -> Iterator[Hit]:
    """Three or more approaches of different names are one model: their per-sample errors are equal
    to the last bit, or, where there are none, so are losses with many digits (strong). Errors that
    are all the score of a failed sample do not count. It can be wrong where different methods are
    exact on every sample."""
    errors: dict[str, Hashable] = {
        p.approach: p.values
        for p in case.work.per_sample
        if p.split == "val" and len(set(p.values)) > 1
    }
    for names in equal_groups(errors, _GROUP):
        yield Hit(f"{listed(names)} have the same errors in every sample")
    losses: dict[int, Hashable] = {
        i: a.loss
        for i, a in enumerate(case.work.approaches)
        if a.loss is not None and is_measured(a.loss) and not_sentinel(case, (a.loss,))
        if a.name not in errors
    }
    for rows in equal_groups(losses, _GROUP):
        names = [case.work.approaches[i].name for i in rows]
        yield Hit(f"{listed(names)} have the loss {shown(float(str(losses[rows[0]])))}", "strong")


def gap(approach: Approach) -> float | None:
    """Validation loss over training loss; None if one is missing or training is exact."""
    if approach.loss is None or not approach.train_loss or approach.train_loss < 0:
        return None
    return approach.loss / approach.train_loss


@rule("B5", "extrapolation_prone", "indicative", applies=surrogate_task)
def extrapolation_prone(case: Case) -> Iterator[str]:
    """A polynomial of degree eight or more, or a Gaussian process, whose validation loss is more
    than a hundred times its training loss: it leaves its training range or rings inside it. It can
    be wrong for an interpolant whose training loss is only round-off."""
    found = []
    for a in case.work.approaches:
        degrees = [int(d) for d in _DEGREE.findall(a.words)]
        prone = max(degrees, default=0) >= _HIGH_DEGREE or re.search(r"\bgpr?(?![a-z])", _joined(a))
        ratio = gap(a)
        if prone and ratio is not None and ratio > _EXTRAPOLATES:
            found.append(f"{a.name} ({shown(ratio)})")
    if found:
        yield f"validation over training loss of {listed(found)}"


def _joined(approach: Approach) -> str:
    return approach.words.replace("_", " ")


@rule("B6", "overparameterised", "indicative", applies=surrogate_task)
def overparameterised(case: Case) -> Iterator[str]:
    """More than ten parameters for each training sample, and a validation loss more than ten times
    the training loss. It can be wrong where a sample is a long series whose points are the data."""
    rows = case.work.approaches + ((case.work.best,) if case.work.best else ())
    found = []
    for a in rows:
        n, ratio = a.n_train or case.task.n_train, gap(a)
        if a.n_params and n and a.n_params > _PARAMS * n and ratio and ratio > _OVERFITS:
            found.append(f"{a.name} ({a.n_params} parameters, {n} samples)")
    if found:
        yield listed(list(dict.fromkeys(found)))


@rule("B7", "undersampled_representation", "certain")
def undersampled_representation(case: Case) -> Iterator[str]:
    """The grid on which the model is built has fewer than two points in the shortest cycle of the
    reference, so that no fit can follow it. Needs the grid step and the greatest phase rate from
    probes. It can be wrong for a model of amplitude and phase apart, which vary slowly: probe the
    quantity that is stored."""
    step, rate = case.probes.grid_step, case.probes.phase_rate
    if step is not None and rate is not None and step * rate > pi:
        yield f"step {shown(step)} with a phase rate of {shown(rate)}: {shown(step * rate)} > pi"


@rule("B8", "blind_search", "indicative", applies=surrogate_task)
def blind_search(case: Case) -> Iterator[str]:
    """The changelog never goes from an observation to a hypothesis: methods were tried in a list,
    not chosen. It can be wrong: words are all that is looked at, and an agent may reason in others.
    Needs a changelog."""
    text = (case.work.changelog or "").lower()
    observed = re.search(r"\bobserv|\bnotic|\bresidual|\bbecause\b|\bsaw\b", text)
    supposed = re.search(r"\bhypothes|\bexpect|\bsuspect|\bshould\b|\btherefore\b", text)
    if text.strip() and not (observed and supposed):
        yield "the changelog names no " + ("hypothesis" if observed else "observation")


RULES = (
    forbidden_representation,
    symbolic_not_run,
    symbolic_fallback,
    nominal_variants,
    extrapolation_prone,
    overparameterised,
    undersampled_representation,
    blind_search,
)
