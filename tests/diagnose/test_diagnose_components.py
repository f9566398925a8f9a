"""Probes that checks hand over in a measure's components: what each feeds, what is not read."""

from __future__ import annotations

import pytest
from diagnose_cases import bare

from referee.diagnose.case import Canonical, Limit, case_of
from referee.diagnose.components import PROBES, probes_of
from referee.diagnose.registry import built_in
from referee.diagnose.tasks import TaskFacts


def codes(components, loss=0.7):
    work = bare("a task of another field")
    probes = probes_of(components).probes
    case = case_of(work, task=TaskFacts("any"), canonical=Canonical(loss=loss), probes=probes)
    return {f.code for f in built_in().diagnose(case)}


LIMIT = {"expected.schwarzschild": 0.3736716844, "tolerance.schwarzschild": 1e-6}


@pytest.mark.parametrize(
    ("code", "bad", "fine"),
    [
        ("E1", {"probe.conjugated": 3e-5}, {"probe.conjugated": 0.69}),
        ("E2", {"probe.phase.tail": 0.01}, {"probe.phase.tail": 0.5}),
        ("E2", {"probe.phase": 0.01}, {"probe.phase": 0.5}),
        ("E3", {"probe.swapped": 0.1}, {"probe.swapped": 0.7}),
        ("E3", {"probe.swapped.spins": 0.1}, {"probe.swapped.spins": 0.9}),
        (
            "E4",
            {"probe.limits.schwarzschild": 0.38, **LIMIT},
            {"probe.limits.schwarzschild": 0.3736717, **LIMIT},
        ),
        (
            "E4",
            {"probe.limits.schwarzschild": None, **LIMIT},
            {"probe.limits.schwarzschild": 0.3736716844, **LIMIT},
        ),
        ("E5", {"probe.peak_time": -9.0}, {"probe.peak_time": 1.0}),
        ("E5", {"probe.tail_rate": 0.4}, {"probe.tail_rate": 0.01}),
        (
            "E6",
            {"probe.median_near_extremal": 1.0, "probe.median_elsewhere": 1e-5},
            {"probe.median_near_extremal": 1e-4, "probe.median_elsewhere": 1e-5},
        ),
        (
            "E7",
            {"probe.turns": 9.0, "probe.turns_allowed": 2.0},
            {"probe.turns": 2.0, "probe.turns_allowed": 2.0},
        ),
        ("B7", {"probe.grid_step": 2.0, "probe.phase_rate": 2.0}, {"probe.grid_step": 2.0}),
        ("C4", {"probe.constant": 1.0}, {"probe.constant": 0.0}),
        ("C7", {"probe.repeat_difference": 1e-3}, {"probe.repeat_difference": 0.0}),
        ("D7", {"probe.native_grid": 0.0}, {"probe.native_grid": 1.0}),
        ("D8", {"probe.shared_samples": 3.0}, {"probe.shared_samples": 0.0}),
    ],
)
def test_a_probe_feeds_its_rule(code, bad, fine):
    assert code in codes(bad)
    assert code not in codes(fine)
    assert codes({**dict.fromkeys(bad), **{k: v for k, v in LIMIT.items() if k in bad}}) <= {"E4"}


def test_every_probe_that_is_documented_is_read_and_no_other():
    handed = probes_of({f"probe.{name}": 1.0 for name in PROBES})
    assert handed.unread == ()
    assert all(getattr(handed.probes, field) is not None for field, _ in PROBES.values())
    assert probes_of({"probe.conjugate": 1.0, "median": 0.5, "p05": None}).unread == (
        "probe.conjugate",
    )
    assert probes_of({"median": 0.5, "p05": None}).rest == {"median": 0.5}


def test_a_limit_needs_what_it_must_be_and_how_near():
    given = {"probe.limits.a": 1.0, "expected.a": 1.0, "tolerance.a": 0.1}
    assert probes_of(given).probes.limits == {"a": Limit(value=1.0, expected=1.0, tolerance=0.1)}
    for lost in ("expected.a", "tolerance.a"):
        handed = probes_of({k: v for k, v in given.items() if k != lost})
        assert handed.probes.limits == {}
        assert handed.unread == ("probe.limits.a",)
    assert probes_of(given | {"tolerance.a": -1.0}).unread == ("probe.limits.a",)
    assert probes_of({"expected.b": 1.0, "tolerance.b": 1.0}).unread == (
        "expected.b",
        "tolerance.b",
    )
