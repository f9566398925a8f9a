"""What may stand in a site that anybody can read, and what only evaluators may see.

A site that is not internal fails closed: of a check that the agent could not see, it shows the
kind, the outcome, the class of the reason and one of the contracts below; of submissions and logs,
those of agents that work from what the task shows them.
"""

from __future__ import annotations

import re

from referee.record.plan import Arm
from referee.record.verdict import CheckResult

EVALUATORS_AGENTS = frozenset({"oracle", "baseline", "replay"})
"""Agents that hand in what evaluators wrote (or what comes from a file that nobody here knows):
references, baselines, mutants."""

CONTRACTS = frozenset(
    {
        "closed-form",
        "coverage",
        "exploration",
        "generalization",
        "independence",
        "interface",
        "knowledge",
        "limits",
        "physics",
        "regression",
        "reported-case",
        "requirement",
        "score",
    }
)
"""Kinds of contracts that tell nothing of a single task; any other name could."""

NOT_SHOWN = "not shown: it bears the mark of evaluators' files"

_MARK = re.compile(r"referee-canary\s+[A-Za-z0-9._-]+\s+[0-9a-f-]{8,}", re.IGNORECASE)
_REASON = re.compile(r"[a-z][a-z_-]{0,40}(:[A-Za-z_][A-Za-z0-9_.]{0,60})?")


def of_evaluators(arm: Arm) -> bool:
    """Whether what an arm hands in may be a file that only evaluators may see."""
    return arm.agent.partition("-")[0] in EVALUATORS_AGENTS


def is_marked(text: str) -> bool:
    """Whether a text carries the mark that every evaluator-only file has."""
    return _MARK.search(text) is not None


def contract_of(check: CheckResult, *, internal: bool) -> str:
    """The contract under which a check is listed."""
    if check.contract is None:
        return "regression" if check.kind == "regression" else "none named"
    shown = internal or check.kind == "public" or check.contract in CONTRACTS
    return check.contract if shown else "another contract"


def reason_of(check: CheckResult, *, internal: bool) -> str:
    """Why a check did not pass: a class such as `exception:ValueError`."""
    reason = check.reason or ""
    shown = not reason or internal or check.kind == "public" or _REASON.fullmatch(reason)
    return reason if shown else "not told"


def tells_all(check: CheckResult, *, internal: bool) -> bool:
    """Whether a check is shown by its name, with what it expected and observed: the agent was given
    the public ones."""
    return internal or check.kind == "public"
