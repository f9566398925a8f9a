"""The words that a check is written with: `probe`, `contract`, and the candidate's failures.

This module imports only the standard library and runs on Python 3.8, because it also lies in the
agent's sandbox, where the public checks are run with the same words.
"""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

F = TypeVar("F", bound="Callable[..., Any]")


class CandidateFailure(Exception):
    """The candidate did not give a value. `kind` is the class that the check's record carries."""

    kind = "failure"


class CandidateError(CandidateFailure):
    """Candidate code raised `exception` (the name of its class)."""

    kind = "exception"

    def __init__(self, exception: str, message: str, bases: tuple[str, ...] = ()):
        self.exception = exception
        self.message = message
        self.bases = bases or (exception,)
        super().__init__(f"candidate raised {exception}: {message}")

    def is_a(self, name: str) -> bool:
        """Whether the exception's class, or one of its base classes, is called `name`."""
        return name in self.bases


class CandidateTimeout(CandidateFailure):
    """A call did not end within its wall-clock limit."""

    kind = "timeout"


class CandidateResource(CandidateFailure):
    """A call went over its memory, process, file or output limit."""

    kind = "resource"


class CandidateDied(CandidateFailure):
    """The worker ended before it answered, for example by `os._exit` or a signal."""

    kind = "died"


class CandidateProtocol(CandidateFailure):
    """The answer was not a value that may cross the wall."""

    kind = "protocol"


class CandidateContract(CandidateFailure):
    """The artifact is not of the form that its task declares."""

    kind = "contract"


@dataclass(frozen=True)
class CommandResult:
    """How a program of the candidate ended by itself, its output, and the `files` asked for, by
    the names that they were asked for under."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    files: Mapping[str, bytes] = field(default_factory=dict)


def probe(function: F) -> F:
    """Mark `function` as code that is shipped to the candidate's sandbox and runs there.

    It must be a plain top-level function that imports what it needs inside its body, takes plain
    data and returns plain data.

    Raises:
        TypeError: the function is a closure, a method or has no source.
    """
    if function.__closure__:
        raise TypeError(f"probe {function.__name__} uses variables of an enclosing function")
    if function.__name__ == "<lambda>":
        raise TypeError("a probe must be a named function")
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(("def ", "async def ")))
    function.__probe_source__ = "\n".join(lines[start:]) + "\n"  # type: ignore[attr-defined]
    return function


def probe_source(function: Callable[..., Any]) -> str:
    """The source that crosses the wall for a function marked with `probe`.

    Raises:
        TypeError: the function was not marked.
    """
    source: str | None = getattr(function, "__probe_source__", None)
    if source is None:
        raise TypeError(f"{function.__name__} is not a probe: mark it with @probe")
    return source


def contract(name: str) -> Callable[[F], F]:
    """Say which scientific contract a check protects, such as `invariance` or `edge-cases`."""

    def mark(function: F) -> F:
        function.__contract__ = name  # type: ignore[attr-defined]
        return function

    return mark
