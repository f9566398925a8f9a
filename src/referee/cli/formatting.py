"""The choice between people, programs and papers as readers of a table."""

from __future__ import annotations


def require_format(how: str | None, *, as_json: bool) -> None:
    """Refuse a `--format` that is not there, or one beside `--json`.

    Raises:
        BadInput: it is so.
    """
    from referee.record.fault import BadInput
    from referee.report.formats import FORMATS

    if how is not None and (as_json or how not in FORMATS):
        raise BadInput(
            "--json and --format exclude each other" if as_json else f"there is no format {how!r}",
            hint=f"use --json, or --format with one of {', '.join(FORMATS)}",
        )
