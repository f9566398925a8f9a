"""Further cases: the branches of rules that `diagnose_table` leaves out."""

from __future__ import annotations

from dataclasses import replace

from diagnose_cases import (
    bare,
    best_with,
    canonical,
    case,
    errors,
    loss_of,
    rows_with,
    work,
)
from diagnose_table import (
    ANALYTIC,
    BEST,
    FALLBACK,
    LITERAL,
    LOSS,
    OTHER_BEST,
    PHYSICS,
    W,
    other,
    signed,
)

from referee.diagnose.case import Case
from referee.diagnose.tasks import facts_of
from referee.diagnose.work import Expression

MORE: tuple[tuple[str, bool, Case], ...] = (
    ("I1", True, case(work(per_sample=(errors(BEST.name, LOSS, n=120),)))),
    (
        "I1",
        True,
        case(
            work(
                per_sample=(
                    W.per_sample[0].model_copy(
                        update={"ids": tuple(f"sim_{i:04d}" for i in range(250))}
                    ),
                )
            ),
            task=replace(
                facts_of("waveform"), sample_ids=tuple(f"sim_{i + 1:04d}" for i in range(250))
            ),
        ),
    ),
    ("I1", False, case(bare("new_physics"))),
    ("I2", True, case(best_with(components=dict.fromkeys(BEST.components, LOSS)))),
    (
        "I2",
        True,
        case(W, canonical=canonical(W, loss=LOSS * 2, scores=(), alternatives={"all modes": LOSS})),
    ),
    ("I3", True, case(best_with(loss=0.082), canonical=canonical(W, 2.0))),
    ("I3", True, case(rows_with(loss=lambda i: 0.08 + 0.002 * i), canonical=canonical(W))),
    ("I3", False, case(work(sources=LITERAL), canonical=canonical(W, 2.0))),
    ("I3", True, case(best_with(loss=0.58))),
    ("I3", False, case(best_with(loss=LOSS * 1.2))),
    ("I3", True, case(W, saved_bytes=12)),
    ("I3", True, case(best_with(n_val=2000))),
    ("I4", True, case(work("analytic", formula=None, files={"a": 1}))),
    ("I4", True, case(work("analytic", formula="t.__class__"))),
    (
        "I4",
        True,
        case(work("analytic", formula="h = " + " + ".join(f"{i}.5*t" for i in range(201)))),
    ),
    ("I4", True, case(ANALYTIC, expression_difference=1e-3)),
    ("I4", True, case(ANALYTIC, expression_difference=float("1e300"))),
    ("I4", True, case(ANALYTIC, stored_floats=77_280)),
    ("I4", True, case(work("analytic", sources={"m/predict.py": "import sklearn\n"}))),
    ("I4", False, case(work("analytic", sources={"m/train.py": "import sklearn\n"}))),
    ("I4", False, case(work(formula="load('basis.npy')"))),
    ("I5", True, case(W, outside_reads=("/elsewhere/answers.npy",))),
    ("I5", True, case(W, outside_writes=("/elsewhere/x",))),
    ("I5", False, case(W, outside_reads=(), outside_writes=())),
    ("I5", True, case(work(agents_named=("Rival",)), others=(other(),))),
    ("I5", True, case(W, others=(other(approaches=tuple(reversed(W.approaches))),))),
    ("I5", True, case(W, others=(other(per_sample=W.per_sample),))),
    ("I6", True, signed()),
    (
        "I6",
        True,
        case(W, canonical=canonical(W, scores=tuple(v**0.5 for v in W.per_sample[0].present))),
    ),
    ("I6", False, case(W, canonical=canonical(W))),
    ("A4", True, case(work(predictions={"h22_real": (1.0,)}))),
    ("A5", True, case(best_with("ringdown", n_val=1204))),
    ("A6", False, case(work(n=12, completion="not WAVEFORM_BENCH_COMPLETE"))),
    ("A7", True, case(PHYSICS, outside_reads=("repo/gwbenchmarks/metrics.py",))),
    ("B2", True, case(rows_with(name=lambda i: f"m{i}", category=lambda i: "ml"))),
    ("B2", True, case(work(sources={"a.py": "import numpy\n"}))),
    (
        "B2",
        True,
        case(work(expressions=(*W.expressions, Expression(approach="n", text="q", complexity=1)))),
    ),
    ("B3", True, case(work(sources=FALLBACK))),
    ("B4", True, case(rows_with(loss=lambda i: loss_of(i // 3)))),
    ("C3", True, case(rows_with(loss_null=lambda i: i == 1))),
    ("C9", True, case(W, trained_files=0)),
    ("D8", True, case(W, shared_samples=2)),
    ("E3", True, case(W, canonical=canonical(W), convention_losses={"q to 1/q": LOSS / 2})),
    ("E5", True, case(W, tail_rate=-0.3)),
    ("F5", True, case(work(best=OTHER_BEST.model_copy(update={"loss": LOSS / 2})))),
    ("G1", True, case(work(changelog="- one entry " + "x" * 300))),
    (
        "G8",
        True,
        case(
            rows_with(n_params=lambda i: 5).model_copy(
                update={
                    "expressions": tuple(
                        Expression(approach=a.name, text="q" * 27) for a in W.approaches[:3]
                    )
                }
            )
        ),
    ),
    ("G10", True, case(rows_with(category=lambda i: "wizardry"))),
    ("G11", True, case(work(sources={"p.py": "plt.text('Placeholder')\nplt.savefig('a.png')"}))),
)
