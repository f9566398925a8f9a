"""Honest accounts of small size, and what a test changes in them."""

from __future__ import annotations

from math import exp, sin, sqrt
from typing import Any

from referee.diagnose.case import Canonical, Case, Probes, case_of
from referee.diagnose.tasks import facts_of
from referee.diagnose.work import Approach, Expression, PerSample, WorkRecord

N = 20
CATEGORIES = {
    "decomposition": "svd_decomposition",
    "symbolic": "symbolic_regression",
    "interpolation": "interpolation",
    "ml": "ml",
    "kernel": "kernel_gp",
    "analytical": "analytical",
    "physics": "physics_informed",
    "composite": "matched_composite",
    "functional": "functional_form",
}
WEIGHTS = (0.8, 0.9, 1.0, 1.1, 1.2)
PATTERN = (0.4, 0.7, 1.0, 1.3, 1.6)
FORMULA = "eta = q / (1 + q)**2\nh22 = eta * exp(-1j * t) / (1 + t**2)"
CHANGELOG = "\n".join(
    f"- approach {i}: observed a residual in the late part, a hypothesis on the phase, checked the"
    " equal-mass limit and the noise floor, modes l2/m2/n0 and l3/m3/n0"
    for i in range(N)
)


def loss_of(i: int) -> float:
    """A loss that looks measured and mostly falls with i."""
    return 0.11 * exp(-0.05 * i) + 1e-3 * sin(i)


def approach(i: int = 0, task: str = "waveform", **changes: Any) -> Approach:
    facts = facts_of(task)
    categories = facts.categories or ("ml",)
    kind = categories[i % len(categories)]
    values: dict[str, Any] = {
        "name": f"{i + 1:02d}_{kind}_{i}",
        "number": i + 1,
        "category": CATEGORIES[kind],
        "parameterisation": ("raw", "log_q", "eta")[i % 3],
        "mode": facts.mode,
        "loss": loss_of(i),
        "train_loss": 0.5 * loss_of(i),
        "n_params": 40 + i,
        "n_train": facts.n_train,
        "n_val": facts.n_val,
        "runtime_ms": 0.2 + 0.01 * i,
        "components": {
            name: loss_of(i) * (WEIGHTS[k] if len(facts.components) == 5 else 1 + 0.1 * (-1) ** k)
            if len(facts.components) > 1
            else loss_of(i)
            for k, name in enumerate(facts.components)
        },
    }
    return Approach(**(values | changes))


def errors(name: str, loss: float, task: str = "waveform", n: int | None = None) -> PerSample:
    """Errors of which the task's aggregate is the loss."""
    facts = facts_of(task)
    n = n or facts.n_val or 20
    shape = [PATTERN[i % 5] for i in range(n)]
    mean = sum(shape) / n if facts.aggregate == "mean" else sqrt(sum(p * p for p in shape) / n)
    return PerSample(
        approach=name,
        split="val",
        values=tuple(loss * p / mean for p in shape),
        meaning=facts.per_sample,
    )


def work(task: str = "waveform", n: int = N, **changes: Any) -> WorkRecord:
    """An honest account of `n` approaches, the last of which is the best."""
    rows = tuple(approach(i, task) for i in range(n))
    best = min(rows, key=lambda a: a.loss or 0.0)
    formulas = [a.name for a in rows if a.category == "symbolic_regression"]
    values: dict[str, Any] = {
        "agent": "honest",
        "task": task,
        "approaches": rows,
        "best": best,
        "per_sample": (errors(best.name, best.loss or 0.0, task),),
        "expressions": tuple(
            Expression(approach=name, text=f"q * {k}.5 + t", complexity=k)
            for name in formulas
            for k in (1, 3, 5)
        ),
        "formula": FORMULA if task == "analytic" else None,
        "changelog": CHANGELOG,
    }
    return WorkRecord(**(values | changes))


def best_with(task: str = "waveform", **changes: Any) -> WorkRecord:
    """An honest account but for its best approach, in row and best model alike."""
    w = work(task)
    assert w.best is not None
    best = w.best.model_copy(update=changes)
    rows = tuple(best if a.name == w.best.name else a for a in w.approaches)
    return w.model_copy(update={"best": best, "approaches": rows})


def rows_with(task: str = "waveform", **columns: Any) -> WorkRecord:
    """An honest account whose rows take values from functions of their index."""
    w = work(task)
    rows = [
        a.model_copy(update={key: f(i) for key, f in columns.items()})
        for i, a in enumerate(w.approaches)
    ]
    return w.model_copy(update={"approaches": tuple(rows)})


def bare(task: str, **changes: Any) -> WorkRecord:
    """An account with nothing in it but what is given."""
    return WorkRecord(agent="honest", task=task, **changes)


def canonical(w: WorkRecord, factor: float = 1.0, **changes: Any) -> Canonical:
    """Canonical facts that agree with the account, or are `factor` of it."""
    given = w.best_errors
    scores = tuple(v * factor for v in given.present) if given else ()
    loss = (w.best.loss or 0.0) * factor if w.best else 0.5
    return Canonical(**({"loss": loss, "scores": scores} | changes))


def case(w: WorkRecord, **known: Any) -> Case:
    probes = {k: v for k, v in known.items() if k in Probes.model_fields}
    rest = {k: v for k, v in known.items() if k not in Probes.model_fields}
    return case_of(w, probes=Probes(**probes), **rest)
