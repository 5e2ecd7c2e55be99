"""SB308: operations without a repeatable CUDA implementation."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from samebits.core.catalog.operations import Call, Operation, operations
from samebits.core.source.expressions import argument, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule


def _by_name() -> dict[str, list[Operation]]:
    """What a program calls → the entries of the catalog that such a call can meet on CUDA."""
    found: defaultdict[str, list[Operation]] = defaultdict(list)
    for entry in operations():
        if entry.call is not None and entry.device != "cpu" and entry.speaks_of(None):
            for name in entry.api:
                found[name].append(entry)
    return dict(found)


_ENTRIES = _by_name()


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    met = (e for e in _ENTRIES.get(name, ()) if e.call is not None and _meets(node, e.call))
    entry = next(met, None)
    if entry is None:
        return
    remedy = "call torch.use_deterministic_algorithms(True), which switches to a deterministic one"
    if entry.mode == "raises":
        remedy = f"there is no deterministic one; write instead: {entry.instead}"
    yield Objection(
        node=node,
        message=f"on CUDA {name}() differs from run to run"
        + (" in the backward pass" if entry.phase == "backward" else ""),
        remedy=remedy,
        when=frozenset({"cuda", "entry"}),
        unless=frozenset({"deterministic"}),
    )


def _meets(node: ast.Call, call: Call) -> bool:
    if not call.argument:
        return True
    given = argument(node, call.argument, call.position)
    if call.values:
        return is_constant(given, *call.values)
    return given is not None and not is_constant(given, None)


RULE = Rule(
    code="SB308",
    name="nondeterministic-operation",
    summary="An operation has no repeatable CUDA implementation by default",
    explanation="""
On a GPU, some operations let thousands of threads add to the same place, in whatever order they
come; floating-point sums depend on the order. torch.use_deterministic_algorithms(True) makes torch
take another implementation or raise where it has none. Only programs that speak of CUDA and do not
demand deterministic algorithms are reported.
""",
    bad="""\
import torch
import torch.nn.functional as F

x = torch.ones(1, 1, 4, 4, device="cuda", requires_grad=True)
y = ⟦F.interpolate(x, scale_factor=2, mode="bilinear")⟧
y.sum().backward()
""",
    good="""\
import os

import torch
import torch.nn.functional as F

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
torch.use_deterministic_algorithms(True)
x = torch.ones(1, 1, 4, 4, device="cuda", requires_grad=True)
y = F.interpolate(x, scale_factor=2, mode="bilinear")
y.sum().backward()
""",
    check=check,
    calls=frozenset(_ENTRIES),
)
