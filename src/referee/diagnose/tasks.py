"""What the rules need to know of a task: sizes, canonical aggregate, required parts.

The values are those of the published gravitational-wave suite (arXiv 2605.11269); a suite with
other sizes hands its own `TaskFacts` to the case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from referee.diagnose.work import Meaning

Aggregate = Literal["mean", "rms"]


@dataclass(frozen=True)
class TaskFacts:
    """A task as the rules see it; None or empty means that the rule has nothing to compare with.

    `aggregate` turns per-sample errors into the loss. `surrogate` tasks follow the protocol of
    twenty approaches, three parameterisations and four categories. `sentinel` is the score of a
    sample that failed. `other_targets` are names of quantities that the task does not ask for, and
    `other_scopes` are sample counts of another scope. `roots` are absolute folders that the task
    itself gives to the agent.
    """

    name: str
    n_train: int | None = None
    n_val: int | None = None
    sample_ids: tuple[str, ...] | None = None
    aggregate: Aggregate | None = None
    per_sample: Meaning = "unknown"
    components: tuple[str, ...] = ()
    predictions: tuple[str, ...] = ()
    other_targets: tuple[str, ...] = ()
    mode: str | None = None
    other_scopes: tuple[int, ...] = ()
    requirement: float | None = None
    floor: float | None = None
    categories: tuple[str, ...] = ()
    surrogate: bool = False
    closed_form: bool = False
    sentinel: float | None = None
    log_scale: bool = False
    unbounded: bool = False
    files: tuple[str, ...] = field(default=())
    completion: str | None = None
    roots: tuple[str, ...] = ()


_MASSES = tuple(f"mismatch_{m}Msun" for m in (40, 80, 120, 160, 200))
_PLOTS = ("progress", "error_histograms", "pareto_accuracy_speed", "loss_only_comparison")
_FILES = (
    *(f"comparison/{name}.{kind}" for name in _PLOTS for kind in ("png", "pdf")),
    *(f"comparison/{name}.json" for name in ("error_data", "summary_table", "best_model")),
)

_SURROGATE = TaskFacts("", surrogate=True, files=_FILES)

_WAVEFORM = replace(
    _SURROGATE,
    name="waveform",
    n_train=250,
    n_val=250,
    aggregate="mean",
    per_sample="mismatch",
    components=_MASSES,
    predictions=("h22_real", "h22_imag"),
    requirement=5e-3,
    floor=8.928e-4,
    categories=("decomposition", "symbolic", "interpolation", "ml"),
    sentinel=1.0,
)

PUBLISHED: Mapping[str, TaskFacts] = {
    facts.name: replace(facts, completion=f"{facts.name.upper()}_BENCH_COMPLETE")
    for facts in (
        _WAVEFORM,
        replace(
            _WAVEFORM,
            name="analytic",
            n_train=20,
            n_val=21,
            predictions=("waveform",),
            floor=3.88e-5,
            categories=("physics", "symbolic", "composite", "functional"),
            closed_form=True,
            files=(*_FILES, "comparison/all_expressions.json"),
        ),
        replace(
            _SURROGATE,
            name="remnant",
            n_train=1000,
            n_val=1000,
            aggregate="rms",
            per_sample="normalised_absolute",
            components=("nrmse_v_k",),
            other_targets=("mf", "chif", "delta_mf", "delta_chif"),
            requirement=5.918e-3,
            floor=5.918e-3,
            categories=("kernel", "symbolic", "interpolation", "ml"),
        ),
        replace(
            _SURROGATE,
            name="dynamics",
            n_train=250,
            n_val=250,
            aggregate="mean",
            per_sample="relative",
            components=("rms_relative_error_x",),
            predictions=("x",),
            other_targets=("e", "zeta"),
            requirement=1e-4,
            categories=("decomposition", "symbolic", "interpolation", "ml"),
            unbounded=True,
        ),
        replace(
            _SURROGATE,
            name="ringdown",
            n_train=531,
            n_val=531,
            aggregate="mean",
            per_sample="relative",
            components=("rel_error_omega_real", "rel_error_omega_imag"),
            mode="l2_m2_n0",
            other_scopes=(1204, 578),
            requirement=1e-6,
            categories=("analytical", "symbolic", "interpolation", "ml"),
            unbounded=True,
        ),
        replace(
            _SURROGATE,
            name="validity",
            n_train=393,
            n_val=393,
            aggregate="rms",
            per_sample="log10_absolute",
            requirement=1e-3,
            categories=("kernel", "symbolic", "interpolation", "ml"),
            log_scale=True,
        ),
        TaskFacts(
            "template_bank",
            n_val=2000,
            files=("bank_params.npy", "train_indices.npy", "eval_indices.npy", "run_summary.json"),
        ),
        TaskFacts(
            "new_physics",
            n_val=144,
            aggregate="mean",
            per_sample="mismatch",
            requirement=5e-3,
            sentinel=1.0,
            files=("candidate_waveform.py",),
        ),
    )
}


def facts_of(task: str) -> TaskFacts:
    """The published facts of a task, or facts that know nothing but its name."""
    return PUBLISHED.get(task, TaskFacts(task))
