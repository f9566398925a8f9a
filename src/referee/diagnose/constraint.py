"""What breaks the rule that a model be a closed form."""

from __future__ import annotations

from collections.abc import Iterator

from referee.diagnose import sources
from referee.diagnose.aliases import words
from referee.diagnose.case import Case
from referee.diagnose.closed_form import parse_closed_form
from referee.diagnose.readings import listed
from referee.diagnose.rules import Hit
from referee.diagnose.work import Approach
from referee.record.fault import BadInput

MAX_LITERALS = 200
MAX_STORED = 500
SAME = 1e-8

_FORBIDDEN = frozenset(
    (
        *("svd", "pca", "eim", "interp", "interpolation", "spline", "splines", "rbf", "rbfinterp"),
        *("knn", "krr", "kernel", "gp", "gpr", "svr", "mlp", "nn", "neural", "rf", "forest"),
        *("trees", "gbm", "gbr", "boosting", "ml"),
    )
)


def forbidden_words(approach: Approach) -> list[str]:
    """Words of an approach that name a representation which is no closed form."""
    said = words(approach.words)
    return [w for w in dict.fromkeys(said) if w in _FORBIDDEN]


def closed_form_faults(case: Case) -> Iterator[Hit]:
    """Every way in which the artifact is no closed form; see rule I4."""
    yield from _formula(case)
    yield from _probed(case)
    yield from _predict(case)
    best = case.work.best
    if best is not None and (found := forbidden_words(best)):
        yield Hit(f"the best approach {best.name} is described by {listed(found)}", "strong")


def _formula(case: Case) -> Iterator[Hit]:
    text = case.work.formula
    if text is None:
        if case.work.files is not None and case.work.best is not None:
            yield Hit("expression.txt is missing")
        return
    try:
        form = parse_closed_form(text)
    except BadInput as fault:
        yield Hit(f"expression.txt: {fault.what}")
        return
    if form.literals > MAX_LITERALS:
        yield Hit(f"expression.txt has {form.literals} numbers, and {MAX_LITERALS} are allowed")


def _probed(case: Case) -> Iterator[Hit]:
    if case.probes.failed_form:
        yield Hit(f"no closed form, by {listed(case.probes.failed_form)}")
    apart, stored = case.probes.expression_difference, case.probes.stored_floats
    if apart is not None and not apart <= SAME:
        yield Hit(f"expression.txt and predict differ by {apart:.1e} relative")
    if stored is not None and stored > MAX_STORED:
        yield Hit(f"{stored} stored floats, and {MAX_STORED} are allowed")


def _predict(case: Case) -> Iterator[Hit]:
    """Imports and calls of predict modules: the best approach's if it can be told, else all."""
    best = case.work.best
    found = [p for p in sorted(case.work.sources) if p.rsplit("/", 1)[-1] == "predict.py"]
    own = [p for p in found if best is not None and best.name in p]
    for path in own or found:
        text = case.work.sources[path]
        used = sorted(sources.imports(text) & sources.FORBIDDEN_MODULES)
        used += sorted(sources.calls(text) & sources.FORBIDDEN_NAMES)
        if used:
            yield Hit(f"{path} uses {listed(used)}", None if own else "strong")
