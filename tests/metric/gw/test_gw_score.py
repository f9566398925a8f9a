"""A score says what it is, and its statistics do not trip over infinities."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.metric.gw.score import Score, mean, root_mean_square


def score(samples, flags=None):
    flags = ((),) * len(samples) if flags is None else flags
    return Score("s", 0.0, "1", "linear", "for a test", tuple(samples), flags)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_are_those_of_numpy(samples, level):
    want = np.quantile(samples, level)
    assert score(samples).quantile(level) == pytest.approx(want, rel=1e-9, abs=1e-9)


def test_quantiles_beside_an_infinity_are_infinite_or_numbers():
    got = score([1.0, 2.0, math.inf])
    assert (got.quantile(0), got.median, got.p95) == (1.0, 2.0, math.inf)
    assert score([math.inf, math.inf]).median == math.inf
    assert score([1.0, math.inf]).p05 == math.inf


def test_counts():
    got = score([1.0, 2.0], ((), ("nonfinite",)))
    assert (got.n_samples, got.n_flagged) == (2, 1)


def test_no_samples_or_flags_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        score([])
    with pytest.raises(ValueError, match="flags"):
        score([1.0], ())
    with pytest.raises(ValueError, match="level"):
        score([1.0]).quantile(1.5)


def test_means_are_infinite_rather_than_an_error():
    assert mean([1e308, 1e308]) == math.inf
    assert mean([1.0, math.inf]) == math.inf
    assert root_mean_square([1e200]) == math.inf
    assert root_mean_square([3.0, 4.0]) == math.sqrt(12.5)


def test_the_package_imports_nothing_heavy():
    code = (
        "import sys, pkgutil, importlib, referee.metric.gw as g\n"
        "for module in pkgutil.iter_modules(g.__path__, g.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        "heavy = {'lal', 'lalsimulation', 'scipy', 'pycbc', 'h5py'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
