"""A run of native nodes as one program: its steps, its buffers, what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from samebits.arithmetic import _exact
from samebits.arithmetic.compiled.fusing import ChainNodes, grouped
from samebits.arithmetic.compiled.lowering import (
    PRODUCT,
    ElementKernel,
    Native,
    TensorKernel,
    is_plain,
)
from samebits.arithmetic.compiled.memory import planned
from samebits.arithmetic.gate import is_view

_CHAIN = 0


def is_alias(node: fx.Node) -> bool:
    """Whether a node's value is its first argument's memory in another shape."""
    if not isinstance(node.target, torch._ops.OpOverload) or not node.args:
        return False
    base = node.args[0]
    if not is_plain(node) or not is_plain(base) or not isinstance(base, fx.Node):
        return False
    view = is_view(node.target) or node.target is torch.ops.aten._unsafe_view.default
    made, of = node.meta["val"], base.meta["val"]
    same = made.untyped_storage()._cdata == of.untyped_storage()._cdata
    return view and same and made.dtype == of.dtype


class Segment:
    """Nodes next to each other that one program computes.

    Args:
        nodes: Those with a native operation, in their order.
        outside: Whether somebody else needs a node's value as a tensor.

    Attributes:
        program: What computes them.
        inputs: Nodes whose values it is given.
        outputs: Nodes whose values it gives.
    """

    def __init__(
        self, nodes: Sequence[tuple[fx.Node, Native]], outside: Callable[[fx.Node], bool]
    ) -> None:
        self._native = dict(nodes)
        self._steps = grouped(nodes, self._root)
        self._step_of = {
            node: number
            for number, step in enumerate(self._steps)
            for node in (step.nodes if isinstance(step, ChainNodes) else [step])
        }
        self.outputs = [node for node, _ in nodes if outside(node)]
        self.inputs: list[fx.Node] = []
        for _, native in nodes:
            for root in map(self._root, _operands(native)):
                if root not in self._native and root not in self.inputs:
                    self.inputs.append(root)
        self._bytes, size = planned(self._inner())
        arena = len(self.inputs) + len(self.outputs)
        self._buffers = {node: number for number, node in enumerate([*self.inputs, *self.outputs])}
        self._buffers.update(dict.fromkeys(self._bytes, arena))
        self.program = _exact.Program(
            [self._place(node) for node in self.inputs],
            [self._place(node) for node in self.outputs],
            size,
            [self._written(step) for step in self._steps],
        )

    def _root(self, node: fx.Node) -> fx.Node:
        """The node whose memory a value lies in: one of ours, or one that comes from outside."""
        while node not in self._native and is_alias(node):
            node = node.args[0]  # type: ignore[assignment]
        return node

    def _inner(self) -> dict[fx.Node, tuple[int, int, int]]:
        """Bytes, maker and last reader of the values that lie in the program's own memory."""
        last: dict[fx.Node, int] = {}
        for node, native in self._native.items():
            for root in map(self._root, _operands(native)):
                last[root] = max(last.get(root, -1), self._step_of[node])
        return {
            node: (_extent(node.meta["val"]), self._step_of[node], last[node])
            for node in self._native
            if node not in self.outputs and last.get(node, -1) > self._step_of[node]
        }

    def _stored(self, node: fx.Node) -> bool:
        return node in self.outputs or node in self._bytes

    def _place(self, node: fx.Node, shape: Sequence[int] | None = None) -> tuple[Any, ...]:
        """(buffer, byte, dtype, shape, strides) of a value, broadcast to a shape."""
        root = self._root(node)
        value, base = node.meta["val"], root.meta["val"]
        byte = (value.storage_offset() - base.storage_offset()) * value.element_size()
        byte += self._bytes.get(root, 0)
        sizes, strides = list(value.size()), list(value.stride())
        if shape is not None:
            ahead = len(shape) - len(sizes)
            strides = [0] * ahead + [
                0 if own == 1 and full != 1 else step
                for own, full, step in zip(sizes, shape[ahead:], strides, strict=True)
            ]
            sizes = list(shape)
        return self._buffers[root], byte, value.dtype, tuple(sizes), tuple(strides)

    def _written(self, step: ChainNodes | fx.Node) -> tuple[Any, ...]:
        """A step as the program reads it."""
        if isinstance(step, ChainNodes):
            return self._chain(step)
        native = self._native[step]
        assert isinstance(native, TensorKernel)
        shape = tuple(step.meta["val"].size())
        places = [self._place(step)]
        for number, one in enumerate(native.operands):
            added = native.kind == PRODUCT and number == 2
            places.append(None if one is None else self._place(one, shape if added else None))  # type: ignore[arg-type]
        return native.kind, places, native.numbers

    def _chain(self, chain: ChainNodes) -> tuple[Any, ...]:
        shape = tuple(chain.nodes[0].meta["val"].size())
        ins: list[tuple[Any, ...]] = []
        outs: list[tuple[Any, ...]] = []
        operations: list[tuple[Any, ...]] = []
        registers: dict[fx.Node, int] = {}
        for number, node in enumerate(chain.nodes):
            native = self._native[node]
            assert isinstance(native, ElementKernel)
            operands = []
            for one in native.operands:
                if one in registers:
                    operands.append(-1 - registers[one])
                    continue
                place = self._place(one, shape)
                if place not in ins:
                    ins.append(place)
                operands.append(ins.index(place))
            free = set(range(len(chain.nodes))) - set(registers.values())
            registers[node] = min(free)
            out = -1
            if self._stored(node):
                outs.append(self._place(node))
                out = len(outs) - 1
            dtype = node.meta["val"].dtype
            operations.append(
                (native.number, tuple(operands), native.scalars, registers[node], dtype, out)
            )
            later = chain.nodes[number + 1 :]
            for held in list(registers):
                if not any(held in _operands(self._native[one]) for one in later):
                    del registers[held]
        count = 1 + max(one[3] for one in operations)
        wide = chain.nodes[0].meta["val"].dtype == torch.float64
        return _CHAIN, wide, shape, ins, outs, operations, count


def _operands(native: Native) -> list[fx.Node]:
    return [one for one in native.operands if one is not None]


def _extent(value: torch.Tensor) -> int:
    """Bytes from a value's first element to behind its last."""
    reach = sum((size - 1) * step for size, step in zip(value.size(), value.stride(), strict=True))
    return (int(reach) + 1) * value.element_size()
