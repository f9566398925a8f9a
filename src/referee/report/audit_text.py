"""An audit's report, for people and for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from referee.record.text import bounded_text
from referee.trial.audit import AuditReport

_SHOWN = 20


def audit_lines(report: AuditReport) -> list[str]:
    """The report in a few lines: the verdict first, then what was found, then the head."""
    lines = [_verdict(report)]
    for kind, rows in (("found", report.findings), ("note", report.notes)):
        lines += [f"{kind}: {bounded_text(f'{r.where}: {r.what}', 300)}" for r in rows[:_SHOWN]]
        if len(rows) > _SHOWN:
            lines.append(f"{kind}: {len(rows) - _SHOWN} more; --json shows all")
    lines.append(
        f"{report.scored} scored and {report.withheld} withheld of {report.planned} planned trials"
    )
    lines.append(f"head {report.head}")
    return lines


def audit_json(report: AuditReport) -> dict[str, Any]:
    """The report as plain data, with the keys of `AuditReport`."""
    return asdict(report)


def _verdict(report: AuditReport) -> str:
    if not report.ok:
        count = len(report.findings)
        return f"not sound: {count} {'finding' if count == 1 else 'findings'}"
    if not report.complete:
        return "sound, and not finished: run the same command again to resume it"
    return "sound and complete: every byte is as it was written, every score follows from checks"
