"""Which element-wise operations are computed together, in one pass over the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import fx

from samebits.arithmetic.compiled.lowering import Elements, Native, Whole

_MOST = 12
"""Operations of a chain: the registers of as many stay in the first-level cache."""


@dataclass
class ChainNodes:
    """Nodes of one shape that are computed block by block."""

    nodes: list[fx.Node] = field(default_factory=list)


def grouped(
    nodes: Sequence[tuple[fx.Node, Native]], root: Callable[[fx.Node], fx.Node]
) -> list[ChainNodes | fx.Node]:
    """The native steps of nodes, in their order.

    Args:
        nodes: Nodes and what computes them.
        root: The node whose memory a node's value lies in.
    """
    steps: list[ChainNodes | fx.Node] = []
    chain: ChainNodes | None = None
    for node, native in nodes:
        if isinstance(native, Whole):
            steps.append(node)
            chain = None
            continue
        if chain is None or not _joins(chain, node, native, root):
            chain = ChainNodes()
            steps.append(chain)
        chain.nodes.append(node)
    return steps


def _joins(
    chain: ChainNodes, node: fx.Node, native: Elements, root: Callable[[fx.Node], fx.Node]
) -> bool:
    first, made = chain.nodes[0].meta["val"], node.meta["val"]
    wide = made.dtype == torch.float64
    if first.shape != made.shape or (first.dtype == torch.float64) != wide:
        return False
    # A view of what the chain makes can only be read when the chain is through.
    views = [one for one in native.operands if one not in chain.nodes and root(one) in chain.nodes]
    return len(chain.nodes) < _MOST and not views
