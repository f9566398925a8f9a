"""Order and circles in a graph of requirements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter


def cycle_in(edges: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """A circle `a, b, a` of a graph as its nodes, the first one also last; empty if there is none.

    `edges` maps each node to what it requires; targets that are no node are passed over.
    """
    try:
        TopologicalSorter(_closed(edges)).prepare()
    except CycleError as error:
        return tuple(error.args[1])
    return ()


def in_order(edges: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """The nodes of a graph without circles, each after all that it requires."""
    return tuple(TopologicalSorter(_closed(edges)).static_order())


def _closed(edges: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    return {name: [n for n in needs if n in edges] for name, needs in edges.items()}
