"""For every rule a case that it must find and a near one that it must not."""

from __future__ import annotations

from diagnose_cases import (
    CHANGELOG,
    N,
    approach,
    bare,
    best_with,
    canonical,
    case,
    errors,
    loss_of,
    rows_with,
    work,
)

from referee.diagnose.case import Canonical, Case, Limit
from referee.diagnose.tasks import facts_of
from referee.diagnose.work import Expression, PerSample

W = work()
BEST = W.best
LOSS = BEST.loss
RINGDOWN = work("ringdown")
REMNANT = work("remnant")
ANALYTIC = work("analytic")
PHYSICS = bare("new_physics")
WHOLE = dict.fromkeys(facts_of("waveform").files, 20_000)
LONG = "\n".join(f"def step_{i}(x):\n    return x * {i} + {i * i}" for i in range(60))

LITERAL = {"models/make.py": "for i in range(20):\n    card = {'loss': 0.08 + 0.002 * i}\n"}
COMPUTED = {"models/make.py": "loss = score(predict, data)\ncard = {'loss': loss}\n"}
_TRY = "def f(x):\n    try:\n        return g(x)\n    "
SWALLOW = {"m.py": _TRY + "except Exception:\n        return 1.0\n"}
NARROW = {"m.py": _TRY + "except KeyError:\n        return 1.0\n"}
FALLBACK = {
    "s.py": "try:\n    from pysr import PySRRegressor\n"
    "except Exception:\n    c = np.polyfit(x, y, 3)\n"
}
PYSR = {"s.py": "from pysr import PySRRegressor\nmodel = PySRRegressor()\n"}
WRITES = "import json\njson.dump({}, open('saved_model/m.json', 'w'))\n"


def half_sentinel(sources: dict[str, str]) -> Case:
    values = (1.0,) * 50 + errors("x", LOSS, n=200).values
    given = PerSample(approach=BEST.name, split="val", values=values, meaning="mismatch")
    return case(work(per_sample=(given,), sources=sources))


def same_errors(n: int) -> Case:
    rows = [a.name for a in W.approaches[:n]]
    return case(work(per_sample=tuple(errors(name, LOSS) for name in rows)))


def other(**changes):
    rival = work("waveform").model_copy(update={"agent": "rival"})
    rows = tuple(
        a.model_copy(update={"loss": (a.loss or 0) * 1.01 + 1e-5}) for a in rival.approaches
    )
    base = {"approaches": rows, "best": None, "per_sample": ()}
    return rival.model_copy(update=base | changes)


def signed(task: str = "validity") -> Case:
    w = work(task)
    given = w.per_sample[0]
    values = tuple(-v if i % 2 else v for i, v in enumerate(given.values))
    return case(w.model_copy(update={"per_sample": (given.model_copy(update={"values": values}),)}))


def spins(high: float) -> Case:
    spin, scores = (0.1, 0.5, 0.9, 0.9995, 0.9997, 0.9999), (1e-9,) * 3 + (high,) * 3
    known = Canonical(loss=1e-5, scores=scores, parameters={"spin": spin})
    return case(RINGDOWN, canonical=known)


def remnant_claim(loss: float) -> Case:
    return case(best_with("remnant", loss=loss))


_REMNANT_VALUES = REMNANT.per_sample[0].present
REMNANT_MEAN = sum(_REMNANT_VALUES) / len(_REMNANT_VALUES)
OTHER_BEST = approach(N - 1).model_copy(update={"name": "another"})
DONE = "All is written.\nWAVEFORM_BENCH_COMPLETE\n"

TABLE: dict[str, tuple[Case, Case]] = {
    "I1": (
        case(best_with(n_val=120)),
        case(best_with(n_val=None)),
    ),
    "I2": (remnant_claim(REMNANT_MEAN), remnant_claim(LOSS * 1.3)),
    "I3": (
        case(W, constant=True),
        case(work(sources=COMPUTED), constant=False, canonical=canonical(W)),
    ),
    "I4": (
        case(work("analytic", formula="load('basis.npy')")),
        case(ANALYTIC, expression_difference=1e-12, stored_floats=12),
    ),
    "I5": (
        case(
            work(sources={"a.py": LONG + "\nAGENT = 'honest'"}),
            others=(other(sources={"b.py": LONG + "\nAGENT  =  'rival'"}),),
        ),
        case(
            work(sources={"a.py": LONG}), others=(other(sources={"a.py": LONG.replace("*", "-")}),)
        ),
    ),
    "I6": (
        case(W, canonical=canonical(W, loss=LOSS * 1.03, scores=())),
        case(W, canonical=canonical(W, loss=LOSS * 1.01, scores=())),
    ),
    "A1": (case(work(n=19)), case(W)),
    "A2": (
        case(rows_with(parameterisation=lambda i: ("Log q", "log_q")[i % 2])),
        case(rows_with(parameterisation=lambda i: None)),
    ),
    "A3": (
        case(rows_with(category=lambda i: ("svd", "ml", "pysr")[i % 3])),
        case(rows_with(category=lambda i: ("svd", "ml", "pysr", "interp_kernel")[i % 4])),
    ),
    "A4": (
        case(best_with("remnant", components={"nrmse_Mf": 0.1, "chif": 0.2})),
        case(best_with("remnant", components={"nrmse_v_k": 0.1, "Mf": 0.2})),
    ),
    "A5": (
        case(best_with("ringdown", mode="l3/m+3/n0")),
        case(best_with("ringdown", mode="(2, 2, 0)")),
    ),
    "A6": (
        case(work(n=12, completion=DONE)),
        case(work(completion=DONE, files=WHOLE)),
    ),
    "A7": (
        case(bare("new_physics", sources={"c.py": "import gwbenchmarks.metrics as m\n"})),
        case(bare("new_physics", sources={"c.py": "# no gwbenchmarks here\nimport numpy\n"})),
    ),
    "B1": (
        case(rows_with("analytic", notes=lambda i: {"notes": "SVD of phases"} if i == 3 else {})),
        case(rows_with("analytic", notes=lambda i: {"notes": "sum of powers"})),
    ),
    "B2": (
        case(work(expressions=())),
        case(work(sources=PYSR)),
    ),
    "B3": (
        case(work(expressions=(Expression(approach="x", text="gplearn unavailable: poly"),))),
        case(work(sources=PYSR)),
    ),
    "B4": (same_errors(3), same_errors(2)),
    "B5": (
        case(rows_with(name=lambda i: f"poly_{9 + i}", train_loss=lambda i: loss_of(i) / 150)),
        case(rows_with(name=lambda i: "poly_3", train_loss=lambda i: loss_of(i) / 150)),
    ),
    "B6": (
        case(rows_with(n_params=lambda i: 9000, train_loss=lambda i: loss_of(i) / 20)),
        case(rows_with(n_params=lambda i: 9000)),
    ),
    "B7": (
        case(W, grid_step=12.0, phase_rate=0.4),
        case(W, grid_step=1.0, phase_rate=0.4),
    ),
    "B8": (
        case(work(changelog="- tried a forest\n- tried a spline\n")),
        case(W),
    ),
    "C1": (
        case(work(files={f"models/{BEST.name}/predict.py": 900})),
        case(
            work(
                files={
                    f"models/{BEST.name}/{p}": 900
                    for p in ("predict.py", "train.py", "saved_model/a.npy")
                }
            )
        ),
    ),
    "C2": (case(W, fault="ImportError on loading"), case(W, fault=None)),
    "C3": (
        case(W, canonical=canonical(W, nonfinite=3)),
        case(rows_with(loss=lambda i: None)),
    ),
    "C4": (case(W, constant=True), case(W, constant=False)),
    "C5": (case(W, shape_fault="shape (7,) for (8,)"), case(W)),
    "C6": (
        case(work(sources={"p.py": "m = load('/home/me/model.npy')\n"})),
        case(work(sources={"p.py": "m = load('saved_model/model.npy')\n"})),
    ),
    "C7": (case(W, repeat_difference=1e-6), case(W, repeat_difference=1e-12)),
    "C8": (half_sentinel(SWALLOW), half_sentinel(NARROW)),
    "C9": (
        case(work(sources={"models/a/train.py": "print('training')\n"})),
        case(work(sources={"models/a/train.py": WRITES}), trained_files=1),
    ),
    "C10": (
        case(rows_with(loss=lambda i: 15.3 if i == 2 else loss_of(i))),
        case(rows_with(loss=lambda i: 1.0 if i == 2 else loss_of(i))),
    ),
    "D1": (
        case(best_with(earlier={"loss_old_subset20": 0.05})),
        case(best_with(earlier={"loss_old": 0.05})),
    ),
    "D2": (remnant_claim(REMNANT_MEAN), case(REMNANT)),
    "D3": (
        case(best_with(components={"mismatch_40Msun": 0.1})),
        case(best_with("validity", components={})),
    ),
    "D4": (
        case(best_with(components=dict.fromkeys(facts_of("waveform").components, LOSS))),
        case(W),
    ),
    "D5": (
        case(W, canonical=canonical(W, 1.05)),
        case(W, canonical=canonical(W, 1.01)),
    ),
    "D6": (
        case(work(per_sample=(errors(BEST.name, LOSS * 1.001),))),
        case(W),
    ),
    "D7": (case(W, native_grid=False), case(W, native_grid=True)),
    "D8": (
        case(rows_with(name=lambda i: "forest", train_loss=lambda i: 20 * loss_of(i))),
        case(rows_with(name=lambda i: "my_spline", train_loss=lambda i: 20 * loss_of(i))),
    ),
    "D9": (case(work(n=21)), case(W)),
    "D10": (signed(), case(work("validity"))),
    "D11": (
        case(rows_with(loss=lambda i: 1.0 if i < 3 else loss_of(i))),
        case(rows_with(loss=lambda i: 1.0 if i < 2 else loss_of(i))),
    ),
    "E1": (
        case(PHYSICS, canonical=Canonical(loss=0.713), conjugate_loss=3.4e-5),
        case(PHYSICS, canonical=Canonical(loss=0.713), conjugate_loss=0.7),
    ),
    "E2": (
        case(PHYSICS, canonical=Canonical(loss=0.4), phase_losses={"without arg": 0.001}),
        case(PHYSICS, canonical=Canonical(loss=0.4), phase_losses={"without arg": 0.3}),
    ),
    "E3": (
        case(work(sources={"f.py": "x = (chi1z + q * chi2z) / (1.0 + q)\n"})),
        case(work(sources={"f.py": "x = (q * chi1z + chi2z) / (1.0 + q)\n"})),
    ),
    "E4": (
        case(
            RINGDOWN, limits={"omega at a = 0": Limit(value=0.38, expected=0.3737, tolerance=1e-3)}
        ),
        case(
            RINGDOWN,
            limits={"omega at a = 0": Limit(value=0.3738, expected=0.3737, tolerance=1e-3)},
        ),
    ),
    "E5": (case(W, peak_time=-8.0), case(W, peak_time=1.5, tail_rate=0.1)),
    "E6": (spins(1e-4), spins(1e-8)),
    "E7": (case(W, turns=9, turns_allowed=1), case(W, turns=1, turns_allowed=1)),
    "F1": (
        case(work("ringdown", changelog="- spline in l2/m2/n0 only")),
        case(work("ringdown", changelog="- also tried (3,3,0)")),
    ),
    "F2": (
        case(work("waveform", best=approach(3, loss=1e-5), changelog="- fine")),
        case(work("waveform", best=approach(3, loss=1e-5), changelog="- below the noise floor")),
    ),
    "F3": (
        case(work(changelog="- a forest was tried")),
        case(work(changelog="- the equal-mass case is right")),
    ),
    "F4": (
        case(
            bare("template_bank", stated={"public_eval_coverage_fraction": 0.687}),
            canonical=Canonical(loss=10.0, coverage=0.149),
        ),
        case(
            bare("template_bank", stated={"public_eval_coverage_fraction": 0.687}),
            canonical=Canonical(loss=10.0, coverage=0.69),
        ),
    ),
    "F5": (
        case(work(best=W.approaches[2])),
        case(work(best=BEST.model_copy(update={"loss": LOSS * 1.4}))),
    ),
    "F6": (case(work(per_sample=())), case(PHYSICS)),
    "F7": (
        case(rows_with(loss=lambda i: 300.0 if i == 4 else loss_of(i))),
        case(
            rows_with(loss=lambda i: 300.0 if i == 4 else loss_of(i)).model_copy(
                update={"changelog": "- number 5 failed"}
            )
        ),
    ),
    "F8": (
        case(rows_with(loss=lambda i: loss_of(N - 1 - i))),
        case(W),
    ),
    "G1": (case(work(changelog="")), case(work(changelog=None))),
    "G2": (
        case(rows_with(loss=lambda i: 0.08 + 0.002 * i)),
        case(rows_with(loss=lambda i: 0.08 + 0.002 * (i // 4))),
    ),
    "G3": (
        case(rows_with(loss=lambda i: round(loss_of(i), 3))),
        case(rows_with(loss=lambda i: 1.0 if i % 2 else loss_of(i))),
    ),
    "G4": (
        case(rows_with(loss=lambda i: 0.06 if i % 2 else loss_of(i))),
        case(rows_with(loss=lambda i: 1.0 if i % 2 else loss_of(i))),
    ),
    "G5": (
        case(W, others=(other(approaches=W.approaches),)),
        case(W, others=(other(),)),
    ),
    "G6": (case(best_with(n_train=10_000)), case(best_with(n_train=None))),
    "G7": (
        case(rows_with(runtime_ms=lambda i: 0.0)),
        case(rows_with(runtime_ms=lambda i: 4.4e-5)),
    ),
    "G8": (
        case(rows_with(n_params=lambda i: 0)),
        case(rows_with(n_params=lambda i: 0 if i else 30)),
    ),
    "G9": (
        case(work(files={"comparison/best_model.json": 500})),
        case(work(files=WHOLE)),
    ),
    "G10": (
        case(rows_with(category=lambda i: None if i == 5 else "ml")),
        case(W),
    ),
    "G11": (
        case(work(files={"comparison/progress.png": 70})),
        case(work(files={"comparison/progress.png": 30_000, "notes.txt": 3})),
    ),
    "G12": (
        case(work(changelog=CHANGELOG + "\n- only 20 of 250 were used, as a proxy")),
        case(work(changelog="- a nanosecond more")),
    ),
}
