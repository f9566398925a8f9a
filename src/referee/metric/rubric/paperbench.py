"""Rubrics in PaperBench's format: read, and written.

Each node has id, requirements, weight, sub_tasks, task_category and finegrained_task_category; a
leaf has a category, an inner node has none. The three categories are named Modeling, Execution and
Validation here. A graded node adds score, valid_score, explanation and judge_metadata.
Source: openai/frontier-evals, project/paperbench/paperbench/rubric/tasks.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm
from typing import Any

from referee.metric.rubric.exact import exact
from referee.metric.rubric.grade import Grade
from referee.metric.rubric.leaf import ZERO, LeafScore, decided, open_between
from referee.metric.rubric.schema import Node
from referee.metric.rubric.tree import Rubric, rubric_from
from referee.record.fault import BadInput
from referee.record.reproduction import Category

CATEGORY_NAMES: Mapping[Category, str] = {
    "Modeling": "Code Development",
    "Execution": "Code Execution",
    "Validation": "Result Analysis",
}
FINE_CATEGORIES = frozenset(
    {
        "Environment & Infrastructure Setup",
        "Dataset and Model Acquisition",
        "Data Processing & Preparation",
        "Method Implementation",
        "Experimental Setup",
        "Evaluation, Metrics & Benchmarking",
        "Logging, Analysis & Presentation",
    }
)
_KEYS = frozenset(
    {"id", "requirements", "weight", "sub_tasks", "task_category", "finegrained_task_category"}
)
_GRADED_KEYS = frozenset({"score", "valid_score", "explanation", "judge_metadata"})
_OURS = {theirs: ours for ours, theirs in CATEGORY_NAMES.items()}


def from_paperbench(data: Mapping[str, Any], *, drop_weightless: bool = False) -> Rubric:
    """The rubric of a PaperBench tree; a grade in it is passed over.

    PaperBench allows the weight 0, by which a node counts for nothing. Here that is a fault unless
    `drop_weightless` takes such nodes out, which changes no score as long as one sibling stays.

    Raises:
        BadInput: an unknown or missing key, an unknown category, a weight that is no number above
            zero, or a fault of the tree.
    """
    return rubric_from(_imported(data, drop_weightless))


def to_paperbench(rubric: Rubric) -> dict[str, Any]:
    """The rubric as a PaperBench tree. How leaves are decided has no place there and is left out.

    Whole-number weights stay as they are; other groups are multiplied by their common denominator,
    which keeps every share exactly. A title is put before the requirements unless they begin with
    it; a fine category that PaperBench does not know becomes null.
    """
    return _exported(rubric.root, rubric.root.weight.denominator, None)


def graded_to_paperbench(rubric: Rubric, grade: Grade) -> dict[str, Any]:
    """The rubric as a graded PaperBench tree.

    A node is valid only if every leaf below it is; one that is not has the score null, and its
    bounds in `judge_metadata`.
    """
    return _exported(rubric.root, rubric.root.weight.denominator, grade)


def _imported(data: Mapping[str, Any], drop: bool) -> dict[str, Any]:
    name = data.get("id", "without an id")
    where = f"PaperBench node {name}"
    if missing := sorted({"id", "requirements", "weight", "sub_tasks"} - data.keys()):
        raise BadInput(f"the key {missing[0]} is missing", where=where)
    if unknown := sorted(data.keys() - _KEYS - _GRADED_KEYS):
        raise BadInput(f"unknown key {unknown[0]}", where=where)
    fine, category = data.get("finegrained_task_category"), data.get("task_category")
    if fine is not None and fine not in FINE_CATEGORIES:
        raise BadInput(f"unknown finegrained_task_category {fine!r}", where=where)
    if category is not None and category not in _OURS:
        raise BadInput(f"unknown task_category {category!r}", where=where)
    counted = [node for node in data["sub_tasks"] if not (drop and _weightless(node))]
    children = [_imported(node, drop) for node in counted]
    if data["sub_tasks"] and not children:
        raise BadInput("every sub-task has the weight 0, so the node has no score", where=where)
    return {
        "id": data["id"],
        "requirements": data["requirements"],
        "weight": data["weight"],
        "sub_tasks": children,
        "task_category": None if category is None else _OURS[category],
        "finegrained_task_category": fine,
    }


def _weightless(node: Mapping[str, Any]) -> bool:
    try:
        return exact(node.get("weight")) == 0
    except ValueError:
        return False


def _exported(node: Node, scale: int, grade: Grade | None) -> dict[str, Any]:
    common = lcm(*(child.weight.denominator for child in node.sub_tasks))
    told, fine = node.requirements, node.finegrained_task_category
    plain: dict[str, Any] = {
        "id": node.id,
        "requirements": told if told.startswith(node.title) else f"{node.title}: {told}",
        "weight": int(node.weight * scale),
        "sub_tasks": [_exported(child, common, grade) for child in node.sub_tasks],
        "task_category": CATEGORY_NAMES[node.task_category] if node.task_category else None,
        "finegrained_task_category": fine if fine in FINE_CATEGORIES else None,
    }
    return plain if grade is None else plain | _graded(node, grade)


def _graded(node: Node, grade: Grade) -> dict[str, Any]:
    found = _score_of(node, grade)
    bounds = {"low": float(found.low), "high": float(found.high)}
    told = found.reason or found.method
    return {
        "score": None if found.score is None else float(found.score),
        "valid_score": not found.withheld,
        "explanation": told if node.is_leaf else "weighted mean of the sub-tasks",
        "judge_metadata": bounds if found.withheld else None,
    }


def _score_of(node: Node, grade: Grade) -> LeafScore:
    if node.is_leaf:
        return grade.leaves[node.id]
    below = [(child.weight, _score_of(child, grade)) for child in node.sub_tasks]
    total = sum((weight for weight, _ in below), ZERO)
    low = sum((weight * found.low for weight, found in below), ZERO) / total
    high = sum((weight * found.high for weight, found in below), ZERO) / total
    if any(found.withheld for _, found in below):
        return open_between(low, high, "withheld")
    return decided(low, "code")
