"""Stage C, code: does what was handed in run, and is it a model."""

from __future__ import annotations

from collections.abc import Iterator

from referee.diagnose import sources
from referee.diagnose.case import Case
from referee.diagnose.readings import errors, listed, shown
from referee.diagnose.rules import Hit, rule

_AGREE = 1e-9
_SENTINEL_PART = 0.1
_BLOWN_UP = 10.0
_PARTS = ("predict.py", "train.py")


@rule("C1", "missing_artifact", "certain")
def missing_artifact(case: Case) -> Iterator[str]:
    """A required part of the artifact is absent: from probes, or, for the approach called best,
    from the files if a `models` folder is among them. It can be wrong where the best model's folder
    is named otherwise than the model: then only the probes tell."""
    if case.probes.missing:
        yield f"missing: {listed(case.probes.missing)}"
    best, files = case.work.best, case.work.files
    if best is None or files is None:
        return
    own = [p for p in files if p.startswith("models/") and best.name in p.split("/")[1]]
    parts = [name for name in _PARTS if not any(p.endswith(f"/{name}") for p in own)]
    if own and not any("/saved_model/" in p for p in own):
        parts.append("saved_model")
    if own and parts:
        yield f"models/{best.name} lacks {listed(parts)}"


@rule("C2", "predict_fails", "certain")
def predict_fails(case: Case) -> Iterator[str]:
    """The artifact cannot be loaded, or raises on a sample. Needs a probe. It can be wrong if the
    probe's environment lacks a package that the task promised."""
    if case.probes.fault:
        yield case.probes.fault


@rule("C3", "non_finite", "certain")
def non_finite(case: Case) -> Iterator[Hit]:
    """Losses or predictions are not finite. Predictions come from the canonical run (certain). An
    account cannot hold such a loss as a number, and gives null instead: that is strong, because
    null may also say that nothing was measured. There it can be wrong."""
    count = case.canonical.nonfinite if case.canonical else case.probes.nonfinite
    if count:
        yield Hit(f"{count} predictions are not finite")
    if null := [a.name for a in case.work.approaches if a.loss_null]:
        yield Hit(f"the loss of {listed(null)} is null", "strong")


@rule("C4", "constant_prediction", "certain")
def constant_prediction(case: Case) -> Iterator[str]:
    """predict gives one output for at least three different inputs: a stub. Needs a probe, because
    sources that write stubs have been seen to hold losses that were really computed. It can be
    wrong where the truth is constant over the inputs that were probed."""
    if case.probes.constant:
        yield "the same output for different inputs"


@rule("C5", "wrong_shape", "certain")
def wrong_shape(case: Case) -> Iterator[str]:
    """predict gives another shape or dtype than the task asks for. Needs a probe. It can be wrong
    where the prompt leaves the shape open."""
    if case.probes.shape_fault:
        yield case.probes.shape_fault


@rule("C6", "absolute_path", "certain")
def absolute_path(case: Case) -> Iterator[Hit]:
    """Sources or scorecards hold absolute paths of one machine, so that the artifact loads nowhere
    else; folders that the task itself gives do not count. In sources certain; in notes of a
    scorecard indicative, because nothing need read them. It can be wrong for a path that is only
    tried first."""
    found = [
        path
        for path, text in sorted(case.work.sources.items())
        if any(not p.startswith(case.task.roots) for p in sources.absolute_paths(text))
    ]
    if found:
        yield Hit(f"absolute paths in {listed(found)}")
    noted = [
        f"{a.name} ({key})"
        for a in case.work.approaches
        for key, text in a.notes.items()
        if text.startswith(("/Users/", "/home/", "/root/"))
    ]
    if noted:
        yield Hit(f"absolute paths in the scorecard of {listed(noted)}", "indicative")


@rule("C7", "non_reproducible", "certain")
def non_reproducible(case: Case) -> Iterator[str]:
    """Two runs of predict on the same inputs differ by more than 1e-9 relative. Needs a probe. It
    can be wrong for threads that sum in another order, if the model amplifies round-off."""
    apart = case.probes.repeat_difference
    if apart is not None and not apart <= _AGREE:
        yield f"two runs differ by {apart:.1e} relative"


@rule("C8", "swallowed_exceptions", "strong")
def swallowed_exceptions(case: Case) -> Iterator[str]:
    """A source catches every exception and returns 0 or 1 for it, and at least a tenth of the
    per-sample errors are exactly that: failures were scored as if they were results. It can be
    wrong where a metric really ends at that value."""
    given = errors(case)
    if given is None or not given.present:
        return
    for path, text in sorted(case.work.sources.items()):
        for value in sorted({v for v in sources.swallowed(text) if v in (0.0, 1.0)}):
            n = given.present.count(value)
            if n >= _SENTINEL_PART * len(given.present):
                yield f"{path} returns {value:g}, and so are {n} of {len(given.present)} errors"


@rule("C9", "train_stub", "certain")
def train_stub(case: Case) -> Iterator[Hit]:
    """Training writes no file. Certain from a probe that ran it; from a source that calls nothing
    which writes, and imports no module of its own, it is strong. That can be wrong for a writer of
    an unusual name."""
    if case.probes.trained_files == 0:
        yield Hit("train wrote no file")
    stubs = [
        path
        for path, text in sorted(case.work.sources.items())
        if path.rsplit("/", 1)[-1] == "train.py" and not sources.writes_a_file(text)
    ]
    if stubs:
        yield Hit(f"{listed(stubs)} can write nothing", "strong")


@rule("C10", "numeric_blow_up", "strong")
def numeric_blow_up(case: Case) -> Iterator[str]:
    """Losses more than ten times the worst score of a sample, or above ten where the metric has no
    worst: arithmetic has broken down, not the fit. It can be wrong for a relative error whose truth
    comes near zero."""
    limit = _BLOWN_UP * (case.task.sentinel or 1.0)
    found = [a for a in case.work.approaches if a.loss is not None and abs(a.loss) > limit]
    if found:
        names = [f"{a.name} ({shown(a.loss or 0.0)})" for a in found]
        yield f"{len(found)} losses above {limit:g}: {listed(names)}"


RULES = (
    missing_artifact,
    predict_fails,
    non_finite,
    constant_prediction,
    wrong_shape,
    absolute_path,
    non_reproducible,
    swallowed_exceptions,
    train_stub,
    numeric_blow_up,
)
