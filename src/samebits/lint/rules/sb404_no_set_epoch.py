"""SB404: a distributed sampler that never learns of the next epoch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument, has_unpacking, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if is_constant(argument(node, "shuffle", 3), False) or has_unpacking(node):
        return
    yield Objection(
        node=node,
        message="nothing calls set_epoch on this sampler: every epoch has the same order",
        remedy="call sampler.set_epoch(epoch) at the start of each epoch",
        unless=frozenset({"set-epoch"}),
    )


RULE = Rule(
    code="SB404",
    name="no-set-epoch",
    summary="A DistributedSampler is used without `set_epoch`",
    explanation="""
DistributedSampler shuffles by a generator seeded with (seed + epoch), so that all ranks agree. The
epoch is 0 until set_epoch says otherwise: without it every epoch repeats the first one's order, and
a run that is resumed cannot take up the right one.
""",
    bad="""\
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train(data, epochs):
    sampler = ⟦DistributedSampler(data)⟧
    for epoch in range(epochs):
        for batch in DataLoader(data, sampler=sampler):
            print(batch)
""",
    good="""\
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train(data, epochs):
    sampler = DistributedSampler(data)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in DataLoader(data, sampler=sampler):
            print(batch)
""",
    check=check,
    calls=frozenset({"torch.utils.data.DistributedSampler"}),
)
