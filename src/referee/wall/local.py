"""A pytest plugin that runs probes in the same process, for an agent that tries the public checks.

No score is ever made this way: it has no wall.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.wall.api import CandidateError, probe_source


class LocalCandidate:
    """The `candidate` fixture without a wall: probes run here, each in a namespace of its own."""

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        namespace: dict[str, Any] = {}
        exec(compile(probe_source(function), function.__name__, "exec"), namespace)
        try:
            return namespace[function.__name__](*args, **kwargs)
        except Exception as error:
            raise CandidateError(type(error).__name__, str(error)) from error

    def command(
        self, argv: Sequence[str], *, timeout_s: float = 60.0, cwd: str | Path = "."
    ) -> Any:
        return subprocess.run(list(argv), capture_output=True, timeout=timeout_s, cwd=cwd)


@pytest.fixture
def candidate() -> LocalCandidate:
    """Candidate code in this process."""
    return LocalCandidate()


@pytest.fixture
def rng() -> Any:
    """A NumPy generator for inputs; graded runs seed it from outside the task package."""
    import numpy as np

    return np.random.default_rng(20240229)
