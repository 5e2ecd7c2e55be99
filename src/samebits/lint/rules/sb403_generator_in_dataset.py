"""SB403: a generator that a dataset carries into every worker."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import place
from samebits.core.source.generators import GENERATOR_CONSTRUCTORS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_DATASETS = ("Dataset", "IterableDataset", "VisionDataset", "TensorDataset")
_MAKERS = GENERATOR_CONSTRUCTORS | {"torch.Generator"}


def check(module: Module, node: ast.ClassDef, name: str) -> Iterator[Objection]:
    if not any(place(base).rpartition(".")[2] in _DATASETS for base in node.bases):
        return
    methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
    begin, get = methods.get("__init__"), methods.get("__getitem__")
    if begin is None or get is None:
        return
    used = {place(part) for part in ast.walk(get) if isinstance(part, ast.Attribute)}
    remade = {
        place(target)
        for part in ast.walk(get)
        if isinstance(part, ast.Assign)
        for target in part.targets
    }
    for part in ast.walk(begin):
        if not isinstance(part, ast.Assign) or not _makes_generator(module, part.value):
            continue
        for target in part.targets:
            held = place(target)
            if held.startswith("self.") and held in used - remade:
                yield Objection(
                    node=part,
                    message=f"each worker gets a copy of {held}, and all copies draw the same",
                    remedy="make the generator in __getitem__, from (seed, epoch, index)",
                )


def _makes_generator(module: Module, value: ast.expr) -> bool:
    function = value.func if isinstance(value, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.attr == "manual_seed":
        value = function.value
    return module.names.called(value) in _MAKERS


RULE = Rule(
    code="SB403",
    name="generator-in-dataset",
    summary="A dataset holds a generator that its items draw from",
    explanation="""
A generator made in a dataset's __init__ is copied into each worker: all workers draw the same
numbers, each epoch begins with them again, and what an item looks like depends on which worker
happens to get it. A generator made from (seed, index) when the item is asked for gives each item
its own numbers, with any number of workers.
""",
    bad="""\
import numpy as np
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self, rows, seed):
        self.rows = rows
        ⟦self.rng = np.random.default_rng(seed)⟧

    def __getitem__(self, index):
        return self.rows[index] + self.rng.normal()
""",
    good="""\
import numpy as np
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self, rows, seed):
        self.rows = rows
        self.seed = seed

    def __getitem__(self, index):
        rng = np.random.default_rng((self.seed, index))
        return self.rows[index] + rng.normal()
""",
    check=check,
    nodes=(ast.ClassDef,),
)
