"""A graph as a flat list of steps, each with its operation and where its operands lie.

A plan keeps values in numbered slots, and lets go of each after its last use. A step is computed by
what an exact block calls for its operation, so that it gives the same bits, and is refused with the
same words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from samebits.arithmetic.compiled.layouts import BY_MEMORY, Steps, foreseen, laid_out
from samebits.arithmetic.compiled.mutating import compute_by_mutation, mutating_form
from samebits.arithmetic.compiled.places import user_place
from samebits.arithmetic.mode import ExactMode
from samebits.arithmetic.refusal import placed
from samebits.errors import NotExactError


@dataclass(frozen=True)
class _Slot:
    """Stands in a step's arguments for the value that lies in this slot."""

    number: int


@dataclass(frozen=True)
class Step:
    """One call.

    Attributes:
        target: An operation, or a Python function of numbers or tuples.
        args: Its arguments, `_Slot`s among them.
        kwargs: Its named arguments.
        result: The slot of its result.
        last: Slots whose values nobody needs afterwards.
        steps: How its first argument is to lie in memory, where that matters.
        form: The operation by which it is computed instead, where that writes to its arguments.
        place: The line of the script that the graph was made of, or None.
    """

    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: int
    last: tuple[int, ...]
    steps: Steps | None
    form: Any
    place: str | None


class Plan:
    """What a graph computes, step by step.

    Args:
        module: A graph of operations, without mutations but of its inputs.
        forward: Whether refusals name the line of the script that an operation comes from; in a
            backward pass they name the line that has started it, as without a compiler.
    """

    def __init__(self, module: fx.GraphModule, *, forward: bool) -> None:
        self._steps: list[Step] = []
        self._constants: list[tuple[int, Any]] = []
        slots: dict[fx.Node, int] = {}
        nodes = list(module.graph.nodes)
        ends = _last_uses(nodes)
        for number, node in enumerate(nodes):
            slots[node] = number
            if node.op == "get_attr":
                self._constants.append((number, _attribute(module, node.target)))
            elif node.op == "call_function":
                self._steps.append(
                    Step(
                        target=node.target,
                        args=_with_slots(node.args, slots),
                        kwargs=_with_slots(node.kwargs, slots),
                        result=number,
                        last=tuple(slots[one] for one in ends.get(node, ())),
                        steps=_steps_of_first(node),
                        form=mutating_form(node.target),
                        place=user_place(node) if forward else None,
                    )
                )
            elif node.op == "output":
                self._results = _with_slots(node.args[0], slots)
                self._layouts = [_steps_of(one) for one in node.args[0]]
            elif node.op != "placeholder":
                raise AssertionError(f"a graph of operations has no {node.op}")
        self._inputs = [slots[node] for node in nodes if node.op == "placeholder"]
        self._size = len(nodes)

    def __call__(self, block: ExactMode, inputs: Sequence[Any]) -> list[Any]:
        """Compute the graph's results.

        Args:
            block: The block whose rules hold.
            inputs: The graph's inputs, in their order.

        Raises:
            NotExactError: As the block does for an operation.
        """
        values: list[Any] = [None] * self._size
        for slot, value in zip(self._inputs, inputs, strict=True):
            values[slot] = value
        for slot, value in self._constants:
            values[slot] = value
        compute = block.dispatcher.call
        for step in self._steps:
            args, kwargs = _filled(step.args, values), _filled(step.kwargs, values)
            if step.steps is not None:
                args = (laid_out(args[0], step.steps), *args[1:])
            if isinstance(step.target, _OPERATIONS):
                try:
                    if step.form is not None:
                        values[step.result] = compute_by_mutation(compute, step.form, args, kwargs)
                    else:
                        values[step.result] = compute(step.target, args, kwargs)
                except NotExactError as error:
                    raise placed(error, step.place) from None
            else:
                values[step.result] = step.target(*args, **kwargs)
            del args, kwargs
            for slot in step.last:
                values[slot] = None
        results = _filled(list(self._results), values)
        pairs = zip(results, self._layouts, strict=True)
        return [laid_out(result, steps) for result, steps in pairs]


_OPERATIONS = (torch._ops.OpOverload, torch._ops.HigherOrderOperator)


def _steps_of(value: Any) -> Steps | None:
    return foreseen(value.meta.get("val")) if isinstance(value, fx.Node) else None


def _steps_of_first(node: fx.Node) -> Steps | None:
    """How a node's first argument was laid out when it was traced, where the node goes by that."""
    return _steps_of(node.args[0]) if node.target in BY_MEMORY else None


def _last_uses(nodes: Sequence[fx.Node]) -> dict[fx.Node, list[fx.Node]]:
    """By each node the nodes whose values it is the last to use, itself where nobody does."""
    last: dict[fx.Node, fx.Node] = {}
    for node in nodes:
        last[node] = node
        for used in node.all_input_nodes:
            last[used] = node
    found: dict[fx.Node, list[fx.Node]] = {}
    for node, user in last.items():
        found.setdefault(user, []).append(node)
    return found


def _attribute(module: fx.GraphModule, name: Any) -> Any:
    found: Any = module
    for part in str(name).split("."):
        found = getattr(found, part)
    return found


def _with_slots(value: Any, slots: dict[fx.Node, int]) -> Any:
    """Arguments of a node with slots in the place of nodes."""
    if isinstance(value, fx.Node):
        return _Slot(slots[value])
    return _mapped(value, lambda item: _with_slots(item, slots))


def _filled(value: Any, values: list[Any]) -> Any:
    """Arguments with values in the place of slots."""
    if type(value) is _Slot:
        return values[value.number]
    return _mapped(value, lambda item: _filled(item, values))


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, tuple):
        return tuple([change(item) for item in value])
    if isinstance(value, list):
        return [change(item) for item in value]
    if isinstance(value, dict):
        return {name: change(item) for name, item in value.items()}
    if isinstance(value, slice):
        return slice(change(value.start), change(value.stop), change(value.step))
    return value
