"""SB402: loader workers whose seeds come from an unseeded generator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument, has_unpacking, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    workers = argument(node, "num_workers", 5)
    if workers is None or is_constant(workers, 0) or has_unpacking(node):
        return
    if is_constant(argument(node, "shuffle", 2), True):
        return  # SB401 asks for a generator, and that answers both
    if argument(node, "generator") is not None or argument(node, "worker_init_fn", 9) is not None:
        return
    yield Objection(
        node=node,
        message="the workers' seeds come from torch's own generator, which nothing here seeds",
        remedy="give it generator=torch.Generator().manual_seed(SEED)",
        when=frozenset({"entry"}),
        unless=frozenset({"seeds:torch"}),
    )


RULE = Rule(
    code="SB402",
    name="workers-without-seed",
    summary="A loader has workers, and nothing seeds them",
    explanation="""
Each worker of a DataLoader is seeded from a number that the loader draws: from its generator when
it has one, from torch's default generator otherwise. Where neither is seeded, augmentation in the
workers differs from run to run.
""",
    bad="""\
from torch.utils.data import DataLoader


def loader(data):
    return ⟦DataLoader(data, batch_size=8, num_workers=4)⟧


if __name__ == "__main__":
    print(next(iter(loader(range(100)))))
""",
    good="""\
import torch
from torch.utils.data import DataLoader


def loader(data, seed):
    generator = torch.Generator().manual_seed(seed)
    return DataLoader(data, batch_size=8, num_workers=4, generator=generator)
""",
    check=check,
    calls=frozenset({"torch.utils.data.DataLoader"}),
)
