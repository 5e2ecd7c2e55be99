"""SB401: data shuffled by a generator that nobody seeds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument, has_unpacking, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_LOADER = "torch.utils.data.DataLoader"
_OTHERS = frozenset(
    f"torch.utils.data.{n}"
    for n in ("RandomSampler", "SubsetRandomSampler", "WeightedRandomSampler", "random_split")
)


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    generator = argument(node, "generator")
    if has_unpacking(node) or (generator is not None and not is_constant(generator, None)):
        return
    if name == _LOADER and not is_constant(argument(node, "shuffle", 2), True):
        return
    what = "DataLoader(shuffle=True)" if name == _LOADER else name.rpartition(".")[2]
    yield Objection(
        node=node,
        message=f"{what} without a generator shuffles by torch's own, which nothing here seeds",
        remedy="give it generator=torch.Generator().manual_seed(SEED)",
        when=frozenset({"entry"}),
        unless=frozenset({"seeds:torch"}),
    )


RULE = Rule(
    code="SB401",
    name="shuffle-without-generator",
    summary="A loader, sampler or split shuffles without a seeded generator",
    explanation="""
`DataLoader(shuffle=True)`, `RandomSampler` and `random_split` take their order from torch's default
generator. In a program that seeds torch that is reproducible; in one that does not, each run sees
the data in another order. A generator of its own keeps the order even when something before it
draws more or less.
""",
    bad="""\
from torch.utils.data import DataLoader


def loader(data):
    return ⟦DataLoader(data, batch_size=8, shuffle=True)⟧


if __name__ == "__main__":
    print(next(iter(loader(range(100)))))
""",
    good="""\
import torch
from torch.utils.data import DataLoader


def loader(data, seed):
    generator = torch.Generator().manual_seed(seed)
    return DataLoader(data, batch_size=8, shuffle=True, generator=generator)
""",
    check=check,
    calls=_OTHERS | {_LOADER},
)
