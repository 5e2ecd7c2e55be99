"""A joint graph cut into forward and backward, with as little handed over as there must be."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx
from torch._functorch.partitioners import default_partition

from samebits.arithmetic.compiled.segments import is_alias

_TAG = "partitioner_tag"
_FORWARD, _BACKWARD = "must_be_in_forward", "is_backward"


def partition(joint: fx.GraphModule, inputs: Any, **options: Any) -> Any:
    """Cut a joint graph as torch does by default, where nothing is computed twice.

    Views that the backward pass needs are taken anew of what they show. `detach` is left out: it
    makes a difference to autograd alone.

    Args:
        joint: Forward and backward in one graph, without mutations.
        inputs: Stand-ins of its inputs.
        **options: What torch hands its own functions.
    """
    graph = joint.graph
    for node in list(graph.nodes):
        if node.target is torch.ops.aten.detach.default:
            original = node.args[0]
            node.replace_all_uses_with(original, delete_user_cb=lambda user: user.op != "output")
            if not node.users:
                graph.erase_node(node)
    for node in list(graph.nodes):
        if is_random(node.target) and node.meta.get(_TAG) != _BACKWARD:
            _drawn_in_forward(graph, node)
    for node in list(graph.nodes):
        later = [user for user in node.users if user.meta.get(_TAG) == _BACKWARD]
        if later and is_alias(node) and node.meta.get(_TAG) != _BACKWARD:
            _taken_anew(graph, node, later)
    graph.lint()
    joint.recompile()
    return default_partition(joint, inputs, **options)


def is_random(op: Any) -> bool:
    """Whether an operation draws from a generator."""
    return torch.Tag.nondeterministic_seeded in getattr(op, "tags", ())


def _drawn_in_forward(graph: fx.Graph, node: fx.Node) -> None:
    """Have a random operation in the forward pass alone, where nobody uses its result as well."""
    node.meta[_TAG] = _FORWARD
    value = node.meta.get("val")
    if isinstance(value, (tuple, list)) and not node.users:
        with graph.inserting_after(node):  # torch tells a node of several results by this
            first = graph.call_function(operator.getitem, (node, 0))
        first.meta = {**node.meta, "val": value[0]}


def _taken_anew(graph: fx.Graph, node: fx.Node, users: list[fx.Node]) -> None:
    """Give some users of a view a view of their own, in the backward pass."""
    first = next(user for user in graph.nodes if user in users)
    with graph.inserting_before(first):
        again = graph.node_copy(node, lambda one: one)
    again.meta = {**node.meta, _TAG: _BACKWARD}
    for user in users:
        user.replace_input_with(node, again)
