"""The tree of a rubric: its faults, and each leaf's exact share of the whole.

Siblings are normalised: share(child) = share(parent) * w / (sum of the siblings' w), with 1 at the
root, so the leaves' shares add up to exactly 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from referee.metric.rubric.exact import exact, written
from referee.metric.rubric.graph import cycle_in
from referee.metric.rubric.schema import Metric, Node, Root, Units
from referee.record.fault import BadInput
from referee.record.reproduction import Category

_DEEPEST = 32
_POINTS = Fraction(1, 10**6)


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a rubric: a code for programs, where, and one sentence for its author."""

    code: str
    node: str
    what: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf in its place. `share` is its weight in the whole task; `section` the node below the
    root under which it lies; `ancestors` the nodes above it, the root first."""

    node: Node
    share: Fraction
    section: str
    ancestors: tuple[Node, ...]

    @property
    def id(self) -> str:
        """The id of the leaf."""
        return self.node.id

    @property
    def category(self) -> Category:
        """Modeling, Execution or Validation."""
        if self.node.task_category is None:
            raise ValueError(f"{self.id} has no category")
        return self.node.task_category


@dataclass(frozen=True)
class Rubric:
    """A rubric without faults; made by `rubric_of` and `rubric_from`."""

    root: Root

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """All leaves in the order of the file."""
        return tuple(
            Leaf(node, share, (*above, node)[1].id if above else node.id, above)
            for node, share, above in _walk(self.root)
            if node.is_leaf
        )

    @cached_property
    def by_id(self) -> Mapping[str, Leaf]:
        """The leaves by id."""
        return {leaf.id: leaf for leaf in self.leaves}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Groups of a rubric in percent whose weights do not add up to 100 (off by over 1e-6)."""
        if self.root.weight_semantics != "percent":
            return ()
        sums = [
            (node.id, sum((n.weight for n in node.sub_tasks), Fraction(0)))
            for node, _, _ in _walk(self.root)
            if not node.is_leaf
        ]
        return tuple(
            f"the weights under {name} add up to {float(total):.9g}, not 100; they are normalised"
            for name, total in sums
            if abs(total - 100) > _POINTS
        )

    @property
    def deterministic_share(self) -> Fraction:
        """The share of the whole that code alone decides."""
        return sum((x.share for x in self.leaves if x.node.deterministic), Fraction(0))


def rubric_of(root: Root) -> Rubric:
    """The rubric of a tree.

    Raises:
        BadInput: the first of `problems_of`.
    """
    for problem in problems_of(root):
        raise BadInput(problem.what, where=f"rubric node {problem.node}")
    return Rubric(root)


def rubric_from(data: Mapping[str, Any]) -> Rubric:
    """The rubric of plain data, as JSON gives it.

    Raises:
        BadInput: an unknown or missing key, a value of the wrong type, a weight that is not finite
            and above zero, or a fault of the tree.
    """
    try:
        root = Root.model_validate_json(json.dumps(data, default=_number))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "the document"
        raise BadInput(f"{key}: {first['msg']}", where="rubric") from None
    return rubric_of(root)


def _number(value: object) -> int | str:
    return written(exact(value))


def problems_of(root: Root) -> tuple[Problem, ...]:
    """Every fault of a tree that its types cannot exclude, in the order of the file."""
    found: list[Problem] = []
    nodes = list(_walk(root))
    seen: set[str] = set()
    for node, share, above in nodes:
        if node.id in seen:
            found.append(Problem("duplicate_id", node.id, f"the id {node.id} is used twice"))
        seen.add(node.id)
        if len(above) > _DEEPEST:
            found.append(Problem("too_deep", node.id, f"more than {_DEEPEST} levels deep"))
        found += _leaf_problems(node) if node.is_leaf else _inner_problems(node)
        found += _point_problems(node, share)
    return (*found, *_dependency_problems(root, [n for n, _, _ in nodes if n.is_leaf]))


def _walk(root: Node) -> Iterator[tuple[Node, Fraction, tuple[Node, ...]]]:
    """Each node with its share of the whole and the nodes above it, in the order of the file."""
    stack: list[tuple[Node, Fraction, tuple[Node, ...]]] = [(root, Fraction(1), ())]
    while stack:
        node, share, above = stack.pop()
        yield node, share, above
        total = sum((n.weight for n in node.sub_tasks), Fraction(0))
        stack += [(n, share * n.weight / total, (*above, node)) for n in reversed(node.sub_tasks)]


def _inner_problems(node: Node) -> list[Problem]:
    only = {
        "task_category": node.task_category,
        "scoring": node.scoring,
        "numeric_checks": node.numeric_checks,
        "check": node.check,
        "requires": node.requires,
        "metric_operation": node.metric_operation,
        "gate": node.gate,
    }
    return [
        Problem(f"inner_with_{key}", node.id, f"{key} is for leaves, and {node.id} has sub-tasks")
        for key, value in only.items()
        if value
    ]


def _leaf_problems(node: Node) -> list[Problem]:
    name, how = node.id, node.how
    found: list[tuple[str, str]] = []
    if node.task_category is None:
        found.append(("leaf_without_category", f"the leaf {name} has no task_category"))
    if node.check is not None and not node.numeric_checks:
        found.append(("check_without_conditions", f"{name} has a check, and no numeric_checks"))
    if node.check is not None and how.by == "code":
        found.append(("check_decides_nothing", f"{name} has a fail-only check, and no judge"))
    by_conditions = how.by == "code" and not isinstance(how, Metric)
    if by_conditions and not node.numeric_checks:
        found.append(("numeric_without_conditions", f"{name} is decided by code without any rule"))
    if node.numeric_checks and not by_conditions and node.check is None:
        found.append(("conditions_unused", f"{name} has numeric_checks that decide nothing"))
    return [Problem(code, name, what) for code, what in (*found, *_unit_problems(node))]


def _unit_problems(node: Node) -> list[tuple[str, str]]:
    how, named = node.how, {c.unit for c in node.numeric_checks}
    if not isinstance(how, Units) or how.by == "judge":
        stray = sorted(u for u in named if u is not None)
        return [("unknown_unit", f"{node.id} has no unit {u}") for u in stray]
    known = set(how.units)
    return [
        *(("unknown_unit", f"{node.id} has no unit {u}") for u in sorted(map(str, named - known))),
        *(("unit_without_condition", f"{node.id}: no condition decides the unit {u}")
          for u in how.units if u not in named),
    ]  # fmt: skip


def _point_problems(node: Node, share: Fraction) -> list[Problem]:
    points = node.effective_points
    if points is None or abs(points - 100 * share) <= _POINTS:
        return []
    told = f"effective_points is {float(points):.9g}, and the weights give {float(100 * share):.9g}"
    return [Problem("effective_points", node.id, told)]


def _dependency_problems(root: Root, leaves: list[Node]) -> list[Problem]:
    edges = {group.id: group.requires for group in root.groups}
    found = [
        Problem("duplicate_id", g.id, f"the id {g.id} is used twice")
        for i, g in enumerate(root.groups)
        if g.id in {x.id for x in leaves} | {x.id for x in root.groups[:i]}
    ]
    edges |= {leaf.id: leaf.requires for leaf in leaves}
    groups = {group.id for group in root.groups}
    for name, needs in edges.items():
        found += [
            Problem("unknown_dependency", name, f"{name} requires {n}, which is no leaf or group")
            for n in needs
            if n not in edges
        ]
        if name in groups:
            found += [
                Problem("group_needs_leaf", name, f"the group {name} requires the leaf {n}")
                for n in needs
                if n in edges and n not in groups
            ]
    if cycle := cycle_in(edges):
        path = " -> ".join(cycle)
        found.append(Problem("cyclic_dependency", cycle[0], f"a circle of requirements: {path}"))
    policy = root.gate_and_cap
    health = policy.health if policy is not None else ()
    known = {leaf.id for leaf in leaves}
    return found + [
        Problem("unknown_health_leaf", n, f"health names {n}, which is no leaf")
        for n in health
        if n not in known
    ]
