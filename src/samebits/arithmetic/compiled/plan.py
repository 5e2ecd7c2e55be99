"""A graph as a flat list of steps, each with its operation and where its operands lie.

A plan keeps values in numbered slots, and lets go of each after its last use. A step is computed by
what an exact block calls for its operation, so that it gives the same bits, and is refused with the
same words.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from samebits.arithmetic.compiled.layouts import BY_MEMORY, Steps, foreseen, laid_out
from samebits.arithmetic.compiled.lowering import lowered
from samebits.arithmetic.compiled.mutating import compute_by_mutation, mutating_form
from samebits.arithmetic.compiled.places import user_place
from samebits.arithmetic.compiled.segments import Segment, is_alias
from samebits.arithmetic.forms import leaves
from samebits.arithmetic.mode import ExactMode
from samebits.arithmetic.refusal import placed
from samebits.errors import NotExactError


@dataclass(frozen=True)
class _Slot:
    """Stands in a step's arguments for the value that lies in this slot."""

    number: int


@dataclass(frozen=True)
class _Constant:
    """Stands for a list or tuple in which there is nothing to fill in."""

    value: Any


@dataclass
class Step:
    """One call.

    Attributes:
        target: An operation, or a Python function of numbers or tuples.
        args: Its arguments, `_Slot`s among them.
        kwargs: Its named arguments.
        result: The slot of its result.
        steps: How its first argument is to lie in memory, where that matters.
        form: The operation by which it is computed instead, where that writes to its arguments.
        place: The line of the script that the graph was made of, or None.
        last: Slots whose values nobody needs afterwards.
    """

    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: int
    steps: Steps | None
    form: Any
    place: str | None
    last: tuple[int, ...] = ()

    def reads(self) -> set[int]:
        """Slots of its arguments."""
        return {slot.number for slot in leaves((self.args, self.kwargs)) if type(slot) is _Slot}

    def __call__(self, values: list[Any], compute: Any) -> None:
        """Compute it, and put its result into its slot."""
        if self.target is operator.getitem and type(self.args[1]) is int:
            values[self.result] = values[self.args[0].number][self.args[1]]
            return
        args = _filled(self.args, values)
        kwargs = _filled(self.kwargs, values) if self.kwargs else None
        if self.steps is not None:
            args = (laid_out(args[0], self.steps), *args[1:])
        if not isinstance(self.target, _OPERATIONS):
            values[self.result] = self.target(*args, **(kwargs or {}))
            return
        try:
            if self.form is not None:
                values[self.result] = compute_by_mutation(compute, self.form, args, kwargs or {})
            else:
                values[self.result] = compute(self.target, args, kwargs)
        except NotExactError as error:
            raise placed(error, self.place) from None


@dataclass
class NativeSteps:
    """Many nodes that one program computes.

    Attributes:
        program: The program.
        inputs: Slots of what it is given.
        layouts: How each of these is to lie in memory.
        outputs: Slots of what it gives.
        given: How each of these lies in memory.
        one_by_one: The same nodes, for inputs that it cannot read.
        last: Slots whose values nobody needs afterwards.
    """

    program: Any
    inputs: list[int]
    layouts: list[Steps | None]
    outputs: list[int]
    given: list[Steps | None]
    one_by_one: list[Step]
    last: tuple[int, ...] = ()

    def reads(self) -> set[int]:
        """Slots of its inputs; all of them, for a node by itself may be asked for less."""
        return set(self.inputs).union(*(step.reads() for step in self.one_by_one))

    def __call__(self, values: list[Any], compute: Any) -> None:
        """Compute all, and put the results into their slots."""
        given = [values[slot] for slot in self.inputs]
        results = self.program.run(given)
        if results is None:
            results = self._otherwise(given, values, compute)
        for slot, result in zip(self.outputs, results, strict=True):
            values[slot] = result

    def _otherwise(self, given: list[Any], values: list[Any], compute: Any) -> list[Any]:
        """The results for inputs that do not lie as they were foreseen."""
        laid = [laid_out(one, steps) for one, steps in zip(given, self.layouts, strict=True)]
        results: list[Any] | None = self.program.run(laid)
        if results is not None:
            return results
        for step in self.one_by_one:
            step(values, compute)
        pairs = zip(self.outputs, self.given, strict=True)
        return [laid_out(values[slot], steps) for slot, steps in pairs]


class Plan:
    """What a graph computes, step by step.

    Args:
        module: A graph of operations, without mutations but of its inputs.
        forward: Whether refusals name the line of the script that an operation comes from; in a
            backward pass they name the line that has started it, as without a compiler.
    """

    def __init__(self, module: fx.GraphModule, *, forward: bool) -> None:
        nodes = list(module.graph.nodes)
        nodes.sort(key=lambda node: node.op != "placeholder")  # inputs have the first slots
        self._slots = {node: number for number, node in enumerate(nodes)}
        self._forward = forward
        self._steps: list[Step | NativeSteps] = []
        self._inputs = len([node for node in nodes if node.op == "placeholder"])
        self._other_slots = [
            _attribute(module, node.target) if node.op == "get_attr" else None
            for node in nodes[self._inputs :]
        ]
        self._laid_out: set[int] = set()
        waiting: list[fx.Node] = []
        for node in nodes:
            if node.op != "call_function":
                continue
            if is_alias(node) or lowered(node) is not None:
                waiting.append(node)
            else:
                self._flush(waiting)
                self._steps.append(self._step(node))
        self._flush(waiting)
        (results,) = [list(node.args[0]) for node in nodes if node.op == "output"]
        self._results = [self._result(one) for one in results]
        self._let_go()

    def _result(self, value: Any) -> tuple[int, Steps | None]:
        """A result's slot, and how it is to lie in memory, where it might lie otherwise."""
        if isinstance(value, fx.Node):
            slot = self._slots[value]
            return slot, None if slot in self._laid_out else _steps_of(value)
        self._other_slots.append(value)  # no gradient, or a number
        return self._inputs + len(self._other_slots) - 1, None

    def _flush(self, waiting: list[fx.Node]) -> None:
        """Make one program of the nodes that have gathered, and steps of the views among them."""
        native = [(node, one) for node in waiting if (one := lowered(node)) is not None]
        computed = {node for node, _ in native}
        views = [node for node in waiting if node not in computed]
        views = [node for node in views if _wanted(node, waiting, computed)]
        if native:
            within = set(waiting)
            segment = Segment(native, [node for node in waiting if node.users.keys() - within])
            outputs = [self._slots[node] for node in segment.outputs]
            views = [node for node in views if not segment.gives(node)]
            self._laid_out.update(outputs)
            self._steps.append(
                NativeSteps(
                    segment.program,
                    [self._slots[node] for node in segment.inputs],
                    [_steps_of(node) for node in segment.inputs],
                    outputs,
                    [_steps_of(node) for node in segment.outputs],
                    [self._step(node) for node in waiting],
                )
            )
        self._steps += [self._step(node) for node in views]
        waiting.clear()

    def _step(self, node: fx.Node) -> Step:
        return Step(
            target=node.target,
            args=_with_slots(node.args, self._slots),
            kwargs=_with_slots(node.kwargs, self._slots),
            result=self._slots[node],
            steps=_steps_of_first(node),
            form=mutating_form(node.target),
            place=user_place(node) if self._forward else None,
        )

    def _let_go(self) -> None:
        """Note after which step each value is needed no more."""
        last = {slot: number for number, step in enumerate(self._steps) for slot in step.reads()}
        kept = {slot for slot, _ in self._results}
        for number, step in enumerate(self._steps):
            step.last = tuple(s for s, at in last.items() if at == number and s not in kept)

    @property
    def inputs(self) -> int:
        """How many inputs the graph has."""
        return self._inputs

    def __call__(self, block: ExactMode, inputs: Sequence[Any]) -> list[Any]:
        """Compute the graph's results.

        Args:
            block: The block whose rules hold.
            inputs: The graph's inputs, in their order.

        Raises:
            NotExactError: As the block does for an operation.
        """
        values = [*inputs, *self._other_slots]
        compute = block.dispatcher.call
        for step in self._steps:
            step(values, compute)
            for slot in step.last:
                values[slot] = None
        return [
            values[slot] if steps is None else laid_out(values[slot], steps)
            for slot, steps in self._results
        ]


def _wanted(node: fx.Node, waiting: list[fx.Node], computed: set[fx.Node]) -> bool:
    """Whether a node's value is needed as a tensor: by others, or by views that others need."""
    return any(
        user not in waiting or (user not in computed and _wanted(user, waiting, computed))
        for user in node.users
    )


_NESTED = (list, dict, slice)
_NUMBERS = frozenset({int, bool, float, type(None)})
_OPERATIONS = (torch._ops.OpOverload, torch._ops.HigherOrderOperator)


def _steps_of(value: Any) -> Steps | None:
    return foreseen(value.meta.get("val")) if isinstance(value, fx.Node) else None


def _steps_of_first(node: fx.Node) -> Steps | None:
    """How a node's first argument was laid out when it was traced, where the node goes by that."""
    return _steps_of(node.args[0]) if node.target in BY_MEMORY else None


def _attribute(module: fx.GraphModule, name: Any) -> Any:
    found: Any = module
    for part in str(name).split("."):
        found = getattr(found, part)
    return found


def _with_slots(value: Any, slots: dict[fx.Node, int]) -> Any:
    """Arguments of a node with slots in the place of nodes."""
    if isinstance(value, fx.Node):
        return _Slot(slots[value])
    if not any(isinstance(leaf, (fx.Node, slice)) for leaf in leaves(value)):
        return _Constant(value) if isinstance(value, (list, tuple, dict)) else value
    return _mapped(value, lambda item: _with_slots(item, slots))


def _filled(value: Any, values: list[Any]) -> Any:
    """Arguments with values in the place of slots."""
    kind = type(value)
    if kind is _Slot:
        return values[value.number]
    if kind is _Constant:
        return value.value
    if kind is tuple:
        return tuple([
            values[v.number] if type(v) is _Slot
            else v if type(v) in _NUMBERS
            else _filled(v, values)
            for v in value
        ])  # fmt: skip
    return _mapped(value, lambda item: _filled(item, values)) if kind in _NESTED else value


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
