"""A pytest plugin that runs probes in the same process, for an agent that tries the public checks.

No score is ever made this way: it has no wall. But arguments and answers go through the wall's
codec, so that what could not cross in a graded run is refused here as well.
"""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from referee.wall.api import (
    CandidateDied,
    CandidateError,
    CandidateProtocol,
    CandidateResource,
    CandidateTimeout,
    CommandResult,
    probe_source,
)
from referee.wall.codec import CodecError, decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

WORKSPACE = "/workspace"
_RESOURCE_ERRORS = frozenset(
    [
        *(errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
        *(errno.EMFILE, errno.ENFILE, errno.EAGAIN),
    ]
)
"""As in `worker.py`, which does not lie in an agent's sandbox."""


class LocalCandidate:
    """The `candidate` fixture without a wall: probes run here, each in a namespace of its own."""

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        name = function.__name__
        namespace: dict[str, Any] = {"__name__": "probe"}
        flags = annotations.compiler_flag
        exec(compile(probe_source(function), f"<probe {name}>", "exec", flags, True), namespace)
        sent_args, sent_kwargs = decode(encode((args, kwargs)))
        try:
            value = namespace[name](*sent_args, **sent_kwargs)
        except MemoryError as error:
            raise CandidateResource(f"MemoryError: {error}") from error
        except (Exception, SystemExit) as error:
            if isinstance(error, OSError) and error.errno in _RESOURCE_ERRORS:
                raise CandidateResource(f"{type(error).__name__}: {error}") from error
            bases = tuple(base.__name__ for base in type(error).__mro__)
            raise CandidateError(type(error).__name__, str(error), bases) from error
        try:
            return decode(encode(value))
        except CodecError as error:
            raise CandidateProtocol(str(error)) from error

    def command(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        inputs: Mapping[str, bytes] | None = None,
        files: Sequence[str] = (),
    ) -> CommandResult:
        """Run a program of the candidate, as in a graded run."""
        folder = Path(cwd or (WORKSPACE if Path(WORKSPACE).is_dir() else "."))
        for name, data in (inputs or {}).items():
            (folder / name).write_bytes(data)
        try:
            done = subprocess.run(
                list(argv),
                cwd=str(folder),
                input=stdin,
                env={**os.environ, **(env or {})},
                capture_output=True,
                timeout=timeout_s or 60.0,
            )
        except subprocess.TimeoutExpired as error:
            raise CandidateTimeout(f"{argv[0]} did not end in {error.timeout:g} s") from error
        except (FileNotFoundError, PermissionError) as error:
            return CommandResult(127, b"", f"{error}\n".encode())
        if done.returncode < 0:
            raise CandidateDied(f"{argv[0]} was ended by signal {-done.returncode}")
        try:
            found = {name: (folder / name).read_bytes() for name in files}
        except OSError as error:
            raise CandidateError(type(error).__name__, str(error)) from error
        return CommandResult(done.returncode, done.stdout, done.stderr, found)


@pytest.fixture
def candidate() -> LocalCandidate:
    """Candidate code in this process."""
    return LocalCandidate()


@pytest.fixture
def rng() -> Any:
    """A NumPy generator for inputs; graded runs seed it from outside the task package."""
    import numpy as np

    return np.random.default_rng(20240229)
