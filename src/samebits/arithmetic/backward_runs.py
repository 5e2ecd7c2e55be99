"""The graph that autograd's engine runs on this thread: what adds to what.

Autograd adds what comes to a tensor one by one, in the order in which the nodes run. A node that
has several slopes for one tensor may add them up by itself only where nothing else comes there.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from samebits.core.interposition.replacements import Replacements

_ENGINE = "_engine_run_backward"
_HOME = "torch.autograd.graph"
_MOST = 4096
"""Nodes that are looked at; a larger graph is not looked through."""
_NODE = getattr(BackwardCFunction.apply, "__code__", None)

Edge = tuple[Any, int]
"""A node, and the number of its input."""


def put_in_place(replacements: Replacements) -> None:
    """Note what autograd's engine is given while it runs."""
    for owner in (torch.autograd, torch.autograd.graph):
        original = getattr(owner, _ENGINE, None)
        if original is not None:
            replacements.put(owner, _ENGINE, _noting(original))


def _noting(original: Callable[..., Any]) -> Callable[..., Any]:
    def run_backward(outputs: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        outputs = tuple(outputs)
        run = _Run(outputs, sys._getframe())
        _thread.runs.append(run)
        try:
            return original(outputs, *args, **kwargs)
        finally:
            _thread.runs.pop()
            run.end()

    return run_backward


def sources(edge: Edge) -> set[Any] | None:
    """The nodes whose results are added at an edge in the run of the engine that is under way.

    To be called by a node of the run that is written in Python, for one of its edges.

    Returns:
        The nodes; None among them stands for what the run begins with. None where the run's
        graph is large, or cannot be told: it was started in a way that is not noted, or this is
        another thread.
    """
    run = _own()
    found = None if run is None else run.sources()
    return None if found is None else found.get(edge)


def at_end(done: Callable[[], None]) -> None:
    """Have a function called when the run of the engine that is under way has ended.

    To be called by a node of the run that is written in Python. Where the run is not noted and
    raises, the function is not called.
    """
    run = _own()
    if run is not None:
        run.at_end.append(done)
    else:
        torch.autograd.Variable._execution_engine.queue_callback(done)


class _Run:
    """A run of the engine, from some outputs on, that a frame of this module has started."""

    def __init__(self, outputs: tuple[Any, ...], frame: Any) -> None:
        self._outputs = outputs
        self._frame = frame
        self._looked = False
        self._sources: dict[Edge, set[Any]] | None = None
        self.at_end: list[Callable[[], None]] = []

    def sources(self) -> dict[Edge, set[Any]] | None:
        if not self._looked:
            self._looked, self._sources = True, _looked_through(self._outputs)
        return self._sources

    def starts(self, frame: Any) -> bool:
        """Whether a frame of torch's, in which the engine runs, does this run."""
        while frame is not None and not _runs_the_engine(frame):
            if frame is self._frame:
                return True
            frame = frame.f_back
        return False

    def end(self) -> None:
        self._frame = self._sources = None  # the frame holds the run
        for done in self.at_end:
            done()


def _own() -> _Run | None:
    """The run whose node has called, if it was noted.

    A run within a run may be started past what notes it: by a function that was imported before,
    by an operation, by C++. Numbers do not tell them apart, for that of a run is known only once
    a node of it asks. The stack does: the engine calls a node's function in the frame in which it
    was started. (A run that a node written in C++ starts by itself, past Python, is not told.)
    """
    if not _thread.runs:
        return None
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code is not _NODE:
        frame = frame.f_back
    engine = None if frame is None else frame.f_back
    if engine is None or not _runs_the_engine(engine):
        return None
    run = _thread.runs[-1]
    return run if run.starts(engine.f_back) else None


def _runs_the_engine(frame: Any) -> bool:
    named: bool = frame.f_code.co_name == _ENGINE
    return named and frame.f_globals.get("__name__") == _HOME


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
