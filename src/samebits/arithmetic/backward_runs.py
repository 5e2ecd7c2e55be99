"""The graph that autograd's engine runs on this thread: what adds to what.

Autograd adds what comes to a tensor one by one, in the order in which the nodes run. A node that
has several slopes for one tensor may add them up by itself only where nothing else comes there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

import torch

from samebits.core.interposition.replacements import Replacements

_ENGINE = "_engine_run_backward"
_MOST = 4096
"""Nodes that are looked at; a larger graph is not looked through."""

Edge = tuple[Any, int]
"""A node, and the number of its input."""


def put_in_place(replacements: Replacements) -> None:
    """Note what autograd's engine is given while it runs."""
    original = getattr(torch.autograd, _ENGINE, None)
    if original is not None:
        replacements.put(torch.autograd, _ENGINE, _noting(original))


def _noting(original: Callable[..., Any]) -> Callable[..., Any]:
    def run_backward(outputs: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        outputs = tuple(outputs)
        _thread.runs.append(_Run(outputs))
        try:
            return original(outputs, *args, **kwargs)
        finally:
            _thread.runs.pop()

    return run_backward


def sources(edge: Edge) -> set[Any] | None:
    """The nodes whose results are added at an edge in the run of the engine that is under way.

    None among them stands for what the run begins with. For a node of the run; where its graph
    cannot be told or is large, the answer is None.
    """
    found = _thread.runs[-1].sources() if _thread.runs else None
    return None if found is None else found.get(edge)


class _Run:
    """A run of the engine, from some outputs on."""

    def __init__(self, outputs: tuple[Any, ...]) -> None:
        self._outputs = outputs
        self._number: int | None = None
        self._sources: dict[Edge, set[Any]] | None = None

    def sources(self) -> dict[Edge, set[Any]] | None:
        number = torch._C._current_graph_task_id()
        if self._number is None:
            self._number = number
            self._sources = _looked_through(self._outputs)
        return self._sources if self._number == number else None


def _looked_through(outputs: Iterable[Any]) -> dict[Edge, set[Any]] | None:
    found: dict[Edge, set[Any]] = {}
    begins = [_edge_of(output) for output in outputs]
    waiting = []
    for begin in begins:
        found.setdefault(begin, set()).add(None)
        waiting.append(begin[0])
    seen = set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if len(seen) > _MOST:
            return None
        for edge in node.next_functions:
            if edge[0] is not None:
                found.setdefault(edge, set()).add(node)
                waiting.append(edge[0])
    return found


def _edge_of(output: Any) -> Edge:
    edge = (
        torch.autograd.graph.get_gradient_edge(output)
        if isinstance(output, torch.Tensor)
        else output
    )
    return edge.node, edge.output_nr


class _Runs(threading.local):
    def __init__(self) -> None:
        self.runs: list[_Run] = []


_thread = _Runs()
