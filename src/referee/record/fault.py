"""The faults that cross room borders: what a user got wrong, and what the machine could not do."""

from __future__ import annotations

from pathlib import Path


class BadInput(Exception):
    """The user can mend this: the message says what is wrong, where and what to do (exit 2)."""

    def __init__(self, what: str, *, where: str | Path | None = None, hint: str | None = None):
        self.what = what
        self.where = str(where) if where is not None else None
        self.hint = hint
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """One line: `where: what; hint`."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}; {self.hint}" if self.hint else head


class Infrastructure(Exception):
    """The machine, not the candidate, failed: the trial is withheld under `reason`.

    `reason` is a short machine-readable name such as `sandbox_start`, `disk_full`, `grader_crash`.
    """

    def __init__(self, reason: str, detail: str):
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}")
