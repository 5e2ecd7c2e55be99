"""Derivatives of formulas that have an operation of their own, for the tests of derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

CLASSES = torch.tensor([1, 0, 3, 2])
LABELS = torch.tensor([[1, 3, -1, 0, 2], [2, -1, 1, 1, 1], [-1, 0, 0, 0, 0], [0, 1, 2, 3, 4]])
SIGNS = torch.tensor([1.0, -1, -1, 1, 1])
BAGS, BEGINS = torch.tensor([2, 0, 1, 2, 2, 4, 0]), torch.tensor([0, 3, 3, 5])

Cases = dict[str, tuple[Callable[..., Tensor], list[tuple[int, ...]]]]

IN_FLOAT64: Cases = {
    "prelu": (functional.prelu, [(2, 3, 4), (3,)]),
    "weight_norm": (lambda v, g: torch._weight_norm(v, g, 0), [(3, 4, 2), (3, 1, 1)]),
    "hardswish": (lambda x: functional.hardswish(3 * x), [(4, 5)]),
    "hardsigmoid": (lambda x: functional.hardsigmoid(3 * x), [(4, 5)]),
    "hardshrink": (functional.hardshrink, [(4, 5)]),
    "softshrink": (functional.softshrink, [(4, 5)]),
    "rrelu": (lambda x: functional.rrelu(x, 0.1, 0.4), [(4, 5)]),
}


def _resized(mode: str, *sizes: int, align: bool | None = None) -> Callable[..., Tensor]:
    return lambda x: functional.interpolate(x, size=sizes, mode=mode, align_corners=align)


def _padded(mode: str, *amounts: int) -> Callable[..., Tensor]:
    return lambda x: functional.pad(x, amounts, mode)


def _sampled(padding: str, align: bool, mode: str = "bilinear") -> Callable[..., Tensor]:
    return lambda x, grid: functional.grid_sample(
        x, 0.7 * grid, mode, padding_mode=padding, align_corners=align
    )


IN_FLOAT64 |= {
    "interpolate, linear": (_resized("linear", 7), [(2, 3, 4)]),
    "interpolate, bilinear": (_resized("bilinear", 3, 7), [(2, 2, 5, 4)]),
    "interpolate, aligned": (_resized("bilinear", 7, 3, align=True), [(2, 2, 5, 4)]),
    "interpolate, scaled": (
        lambda x: functional.interpolate(x, scale_factor=1.7, mode="bilinear"),
        [(2, 2, 5, 4)],
    ),
    "interpolate, trilinear": (_resized("trilinear", 3, 5, 2), [(1, 2, 4, 3, 3)]),
    "interpolate, bicubic": (_resized("bicubic", 3, 7), [(2, 2, 5, 4)]),
    "interpolate, nearest 1": (_resized("nearest", 7), [(2, 3, 4)]),
    "interpolate, nearest 2": (_resized("nearest", 7, 3), [(1, 3, 4, 5)]),
    "interpolate, nearest 3": (_resized("nearest", 7, 3, 2), [(1, 2, 4, 3, 3)]),
    "interpolate, exact 1": (_resized("nearest-exact", 7), [(2, 3, 4)]),
    "interpolate, exact 2": (_resized("nearest-exact", 7, 3), [(1, 3, 4, 5)]),
    "interpolate, exact 3": (_resized("nearest-exact", 7, 3, 2), [(1, 2, 4, 3, 3)]),
    "reflection_pad1d": (_padded("reflect", 2, 3), [(2, 3, 5)]),
    "reflection_pad2d": (_padded("reflect", 2, 3, 1, 2), [(2, 3, 4, 5)]),
    "reflection_pad3d": (_padded("reflect", 2, 1, 1, 2, 0, 1), [(1, 2, 3, 4, 3)]),
    "replication_pad1d": (_padded("replicate", 2, 3), [(2, 3, 5)]),
    "replication_pad2d": (_padded("replicate", 2, 3, 1, 2), [(2, 3, 4, 5)]),
    "replication_pad3d": (_padded("replicate", 2, 1, 1, 2, 0, 1), [(1, 2, 3, 4, 3)]),
    "unfold, fold": (
        lambda x: functional.fold(
            functional.unfold(x, (3, 2), 2, 1, 2) ** 2, (6, 7), (3, 2), 2, 1, 2
        ),
        [(2, 3, 6, 7)],
    ),
    "windows": (lambda x: x.unfold(1, 3, 2), [(4, 9)]),
    "adaptive_max_pool1d": (lambda x: functional.adaptive_max_pool1d(x, 3), [(2, 3, 7)]),
    "adaptive_max_pool2d": (lambda x: functional.adaptive_max_pool2d(x, (3, 2)), [(2, 3, 5, 7)]),
    "adaptive_max_pool3d": (lambda x: functional.adaptive_max_pool3d(x, 2), [(1, 2, 5, 3, 4)]),
    "adaptive_avg_pool3d": (lambda x: functional.adaptive_avg_pool3d(x, 2), [(1, 2, 5, 3, 4)]),
    "embedding_bag": (
        lambda w: functional.embedding_bag(BAGS, w, BEGINS, mode="mean", padding_idx=1),
        [(5, 3)],
    ),
    "embedding_bag, weighted": (
        lambda w, s: functional.embedding_bag(
            BAGS, w, BEGINS, mode="sum", per_sample_weights=s, padding_idx=4
        ),
        [(5, 3), (7,)],
    ),
    "bilinear": (functional.bilinear, [(4, 3), (4, 5), (2, 3, 5), (2,)]),
    "multi_margin_loss": (
        lambda x: functional.multi_margin_loss(x, CLASSES, 1, 0.7),
        [(4, 5)],
    ),
    "multi_margin_loss, squared": (
        lambda x: functional.multi_margin_loss(
            x, CLASSES, 2, 0.7, SIGNS.to(x.dtype).abs() * 2, reduction="none"
        ),
        [(4, 5)],
    ),
    "multilabel_margin_loss": (
        lambda x: functional.multilabel_margin_loss(x, LABELS),
        [(4, 5)],
    ),
    "cdist": (lambda x, y: torch.cdist(x, y), [(2, 4, 3), (2, 5, 3)]),
    "cdist, 1": (lambda x, y: torch.cdist(x, y, 1.0), [(4, 3), (5, 3)]),
    "cdist, largest": (lambda x, y: torch.cdist(x, y, float("inf")), [(4, 3), (5, 3)]),
    "renorm": (lambda x: x.renorm(2, 0, 1.1), [(4, 5)]),
    "scatter_reduce": (
        lambda x, y: x.scatter_reduce(0, LABELS.abs() % 4, y, "mean"),
        [(4, 5), (4, 5)],
    ),
    "grid_sample": (_sampled("zeros", False), [(2, 3, 4, 5), (2, 3, 4, 2)]),
    "grid_sample, border": (_sampled("border", True), [(2, 3, 4, 5), (2, 3, 4, 2)]),
    "grid_sample, reflection": (_sampled("reflection", True), [(2, 3, 4, 5), (2, 3, 4, 2)]),
    "grid_sample, reflection beyond": (
        _sampled("reflection", False),
        [(2, 3, 4, 5), (2, 3, 4, 2)],
    ),
    "grid_sample, nearest": (_sampled("zeros", False, "nearest"), [(2, 3, 4, 5), (2, 3, 4, 2)]),
    "affine_grid": (
        lambda t: functional.affine_grid(t, [2, 3, 4, 5], align_corners=False),
        [(2, 2, 3)],
    ),
    "affine_grid, volumes": (
        lambda t: functional.affine_grid(t, [2, 3, 2, 4, 3], align_corners=True),
        [(2, 3, 4)],
    ),
    "dropout": (
        lambda x: torch.ops.aten.native_dropout_backward(x, x.detach() > 0, 2.0),
        [(4, 5)],
    ),
}

SAMPLES = torch.tensor([0.3, 0.8, 0.1, 0.6, 0.45, 0.9]).repeat(2)
SCATTERED = torch.tensor([[0, 2, 1, 0, 3], [2, 2, 0, 1, 3], [2, 1, 1, 0, 0]])
PATHS = torch.tensor([[1, 1, 3], [2, 0, 0]])


def _fractional(axes: int, *sizes: int) -> Callable[..., Tensor]:
    pool = getattr(functional, f"fractional_max_pool{axes}d")
    samples = SAMPLES[: 2 * axes].view(1, 2, axes)
    return lambda x: pool(x, 2, output_size=sizes, _random_samples=samples.to(x.dtype))


def _against_aliasing(mode: str, *sizes: int) -> Callable[..., Tensor]:
    return lambda x: functional.interpolate(x, sizes, mode=mode, antialias=True)


def _reduced(reduce: str, include_self: bool) -> Callable[..., Tensor]:
    return lambda x, y: x.scatter_reduce(0, SCATTERED, y, reduce, include_self=include_self)


def _multiplied_slices(x: Tensor, y: Tensor) -> Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls it a beta
        return x.index_reduce(1, SCATTERED[0], y, "prod")


IN_FLOAT64 |= {
    "pdist": (torch.pdist, [(5, 3)]),
    "pdist, 1": (lambda x: torch.pdist(x, 1.0), [(5, 3)]),
    "bilinear, against aliasing": (_against_aliasing("bilinear", 3, 7), [(1, 2, 7, 5)]),
    "bicubic, against aliasing": (_against_aliasing("bicubic", 2, 7), [(1, 2, 7, 5)]),
    "grid_sample, cubic": (_sampled("zeros", False, "bicubic"), [(1, 2, 5, 6), (1, 2, 3, 2)]),
    "grid_sample, cubic, reflection": (
        _sampled("reflection", True, "bicubic"),
        [(1, 2, 5, 6), (1, 2, 3, 2)],
    ),
    "grid_sample, volumes": (_sampled("zeros", False), [(1, 2, 4, 5, 3), (1, 2, 3, 1, 3)]),
    "grid_sample, volumes, border": (
        _sampled("border", True),
        [(1, 2, 4, 5, 3), (1, 2, 3, 1, 3)],
    ),
    "grid_sample, volumes, nearest": (
        _sampled("zeros", True, "nearest"),
        [(1, 2, 4, 5, 3), (1, 2, 3, 1, 3)],
    ),
    "fractional_max_pool2d": (_fractional(2, 3, 2), [(1, 2, 7, 5)]),
    "fractional_max_pool3d": (_fractional(3, 3, 2, 1), [(1, 2, 7, 5, 4)]),
    "max_unpool1d": (
        lambda x: functional.max_unpool1d(*functional.max_pool1d(x, 2, return_indices=True), 2),
        [(2, 2, 6)],
    ),
    "max_unpool2d": (
        lambda x: functional.max_unpool2d(*functional.max_pool2d(x, 2, return_indices=True), 2),
        [(2, 2, 4, 6)],
    ),
    "max_unpool3d": (
        lambda x: functional.max_unpool3d(*functional.max_pool3d(x, 2, return_indices=True), 2),
        [(1, 2, 4, 4, 2)],
    ),
    "put": (lambda x, y: x.put(SCATTERED - 4, y, accumulate=True), [(3, 4), (3, 5)]),
    "take": (lambda x: x.take(SCATTERED - 4), [(3, 4)]),
    "scatter_reduce, prod": (_reduced("prod", True), [(4, 5), (3, 5)]),
    "scatter_reduce, prod of others": (_reduced("prod", False), [(4, 5), (3, 5)]),
    "scatter_reduce, amax": (_reduced("amax", True), [(4, 5), (3, 5)]),
    "index_reduce": (_multiplied_slices, [(3, 4), (3, 5)]),
    "embedding_bag, largest": (
        lambda w: functional.embedding_bag(BAGS, w, BEGINS, mode="max", padding_idx=1),
        [(5, 3)],
    ),
}


BY_DIFFERENCES: Cases = {
    "ctc_loss": (
        lambda x: functional.ctc_loss(
            x.log_softmax(2), PATHS, torch.tensor([6, 5]), torch.tensor([3, 1]), reduction="none"
        ),
        [(6, 2, 4)],
    ),
    "ctc_loss, lengths as numbers": (
        lambda x: functional.ctc_loss(x.log_softmax(2), PATHS[0], (6, 4), (1, 2)),
        [(6, 2, 4)],
    ),
    "pdist, 3": (lambda x: torch.pdist(x, 3.0), [(5, 3)]),
    "glu": (lambda x: functional.glu(x, 0), [(4, 5)]),
    "mish": (functional.mish, [(4, 5)]),
    "soft_margin_loss": (
        lambda x: functional.soft_margin_loss(x, SIGNS.to(x.dtype)),
        [(4, 5)],
    ),
    "cdist, 3": (lambda x, y: torch.cdist(x, y, 3.0), [(4, 3), (5, 3)]),
    "logit": (lambda x: torch.logit(x.sigmoid(), 0.2), [(4, 5)]),
}
