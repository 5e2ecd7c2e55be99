"""SB308: operations without a repeatable CUDA implementation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.lint.module import Module, argument, is_constant
from samebits.lint.rule import Report, Rule

_FUNCTIONAL = "torch.nn.functional."
_ALWAYS = {
    "torch.nn.CTCLoss": "its backward pass adds in no fixed order",
    f"{_FUNCTIONAL}ctc_loss": "its backward pass adds in no fixed order",
    f"{_FUNCTIONAL}grid_sample": "its backward pass adds in no fixed order",
    "torch.nn.AdaptiveAvgPool3d": "its backward pass adds in no fixed order",
    f"{_FUNCTIONAL}adaptive_avg_pool3d": "its backward pass adds in no fixed order",
    "torch.nn.AdaptiveMaxPool2d": "its backward pass adds in no fixed order",
    f"{_FUNCTIONAL}adaptive_max_pool2d": "its backward pass adds in no fixed order",
    "torch.nn.FractionalMaxPool2d": "its backward pass adds in no fixed order",
    "torch.nn.FractionalMaxPool3d": "its backward pass adds in no fixed order",
    "torch.nn.MaxUnpool1d": "overlapping places are written in no fixed order",
    "torch.nn.MaxUnpool2d": "overlapping places are written in no fixed order",
    "torch.nn.MaxUnpool3d": "overlapping places are written in no fixed order",
    "torch.histc": "floating-point counts are added in no fixed order",
}
_INTERPOLATIONS = ("linear", "bilinear", "bicubic", "trilinear")


def check(module: Module, node: ast.Call, name: str) -> Iterator[Report]:
    reason = _ALWAYS.get(name)
    if name in (f"{_FUNCTIONAL}interpolate", "torch.nn.Upsample"):
        if is_constant(argument(node, "mode"), *_INTERPOLATIONS):
            reason = "the backward pass of this mode adds in no fixed order"
    elif name == "torch.bincount":
        if argument(node, "weights", 1) is not None:
            reason = "weights are added in no fixed order"
    elif name == "torch.nn.EmbeddingBag" and is_constant(argument(node, "mode"), "max"):
        reason = "the backward pass of mode max adds in no fixed order"
    if reason is None:
        return
    yield Report(
        node=node,
        message=f"on CUDA {name}() differs from run to run: {reason}",
        remedy="call torch.use_deterministic_algorithms(True): it takes another way or says that "
        "there is none",
        when=frozenset({"cuda", "entry"}),
        unless=frozenset({"deterministic"}),
    )


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
    calls=frozenset(_ALWAYS)
    | {f"{_FUNCTIONAL}interpolate", "torch.nn.Upsample", "torch.bincount", "torch.nn.EmbeddingBag"},
)
