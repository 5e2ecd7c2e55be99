"""A run of native nodes as one program: its steps, its buffers, what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Sequence
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

    Where a view of a value is all that is needed of it elsewhere, the program gives that view: its
    memory, in that shape.

    Args:
        nodes: Those with a native operation, in their order.
        needed: Nodes whose values are needed elsewhere, views among them.

    Attributes:
        program: What computes them.
        inputs: Nodes whose values it is given.
        outputs: Nodes whose values it gives.
    """

    def __init__(self, nodes: Sequence[tuple[fx.Node, Native]], needed: Sequence[fx.Node]) -> None:
        self._native = dict(nodes)
        self._steps = grouped(nodes, self._root)
        self._step_of = {
            node: number
            for number, step in enumerate(self._steps)
            for node in (step.nodes if isinstance(step, ChainNodes) else [step])
        }
        forms: dict[fx.Node, list[fx.Node]] = {}
        for node in needed:
            forms.setdefault(self._root(node), []).append(node)
        self._given = {node: _shown(node, forms[node]) for node, _ in nodes if node in forms}
        self.outputs = list(self._given.values())
        self.inputs: list[fx.Node] = []
        for _, native in nodes:
            for root in map(self._root, _operands(native)):
                if root not in self._native and root not in self.inputs:
                    self.inputs.append(root)
        self._bytes, size = planned(self._inner())
        arena = len(self.inputs) + len(self.outputs)
        self._buffers = {node: number for number, node in enumerate([*self.inputs, *self._given])}
        self._buffers.update(dict.fromkeys(self._bytes, arena))
        self.program = _exact.Program(
            [self._place(node) for node in self.inputs],
            [self._place(node) for node in self.outputs],
            size,
            [self._written(step) for step in self._steps],
        )

    def gives(self, view: fx.Node) -> bool:
        """Whether the program gives a view, or another one that is made of it."""
        made = self._given.get(self._root(view))
        return made is not None and made not in self._native

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
            if node not in self._given and last.get(node, -1) > self._step_of[node]
        }

    def _stored(self, node: fx.Node) -> bool:
        return node in self._given or node in self._bytes

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


def _shown(node: fx.Node, forms: Sequence[fx.Node]) -> fx.Node:
    """What a program gives of a value: the only form that is needed, or the value itself."""
    only = forms[0]
    if len(forms) > 1 or only is node:
        return node
    value, view = node.meta["val"], only.meta["val"]
    whole = value.numel() == view.numel() and value.storage_offset() == view.storage_offset()
    return only if whole and _is_dense(value) and _is_dense(view) else node


def _is_dense(value: torch.Tensor) -> bool:
    """Whether elements lie one behind the other in some order of the axes."""
    expected = 1
    for step, size in sorted(zip(value.stride(), value.size(), strict=True)):
        if size != 1 and step != expected:
            return False
        expected *= size
    return True


def _operands(native: Native) -> list[fx.Node]:
    return [one for one in native.operands if one is not None]


def _extent(value: torch.Tensor) -> int:
    """Bytes from a value's first element to behind its last."""
    reach = sum((size - 1) * step for size, step in zip(value.size(), value.stride(), strict=True))
    return (int(reach) + 1) * value.element_size()
