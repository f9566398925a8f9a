"""All rules together: the six integrity classes, the seven stages, and those of other packages."""

from __future__ import annotations

from functools import cache

from referee.diagnose import integrity
from referee.diagnose.case import Case
from referee.diagnose.rules import VERSION, Finding, RuleSet, plugged_in, rule_set
from referee.diagnose.stages import (
    a_task,
    b_method,
    c_code,
    d_evaluation,
    e_physics,
    f_verification,
    g_reporting,
)

_STAGES = (
    a_task,
    b_method,
    c_code,
    d_evaluation,
    e_physics,
    f_verification,
    g_reporting,
)


@cache
def built_in() -> RuleSet:
    """The rules of this package alone."""
    return rule_set([*integrity.RULES, *(r for stage in _STAGES for r in stage.RULES)])


def all_rules() -> RuleSet:
    """The rules of this package and of every installed one; the version names the others.

    Raises:
        BadInput: a package's rules cannot be loaded, or use a code that is taken.
    """
    rules, origins = plugged_in()
    return rule_set([*built_in().rules, *rules], "+".join([VERSION, *origins]))


def diagnose(case: Case, rules: RuleSet | None = None) -> tuple[Finding, ...]:
    """The findings on a case by all rules, or by those that are given.

    Raises:
        BadInput: rules of another package cannot be loaded.
    """
    return (rules or all_rules()).diagnose(case)
