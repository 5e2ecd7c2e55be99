"""Fourier transforms (docs/arithmetic.md, "Spectra").

Tensors are [..., n, ...], float32, float64 or complex numbers of them. A real tensor's spectrum has
n / 2 + 1 places on the last of the axes that are named, unless all are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic import _exact
from samebits.arithmetic.composites import composite
from samebits.arithmetic.forms import COMPOSITION, write
from samebits.arithmetic.operations.arguments import demand
from samebits.arithmetic.operations.complex_numbers import real_dtype
from samebits.arithmetic.registry import COMPLEX, REAL, kernel, name_of

_COMPLEX, _FROM_REAL, _TO_REAL = 0, 1, 2
_READABLE = frozenset({torch.float32, torch.float64, torch.complex64, torch.complex128})
_SCALED_BY_ROOT, _SCALED = 1, 2
"""torch's numbers of the ways to scale a transform."""


def _transformed(
    x: Tensor, axis: int, size: int, kind: int, *, inverse: bool, scale: float = 1.0
) -> Tensor:
    """The transform over one axis.

    Args:
        x: Real or complex numbers, of any strides.
        axis: The axis, not negative.
        size: The length of the transform; where the result is real, that of the result.
        kind: Whether numbers are complex, and on which side real.
        inverse: Whether roots are conjugate.
        scale: What each part is multiplied by.
    """
    x = x.resolve_conj().resolve_neg().contiguous()
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    places = size // 2 + 1 if kind == _FROM_REAL else size
    shape = [*before, places, *after]
    real = real_dtype(x.dtype)
    out = torch.empty(shape if kind == _TO_REAL else [*shape, 2], dtype=real)
    source = torch.view_as_real(x) if x.is_complex() else x
    geometry = (math.prod(before), size, math.prod(after))
    _exact.fourier(out, source, geometry, kind, inverse, scale)
    return out if kind == _TO_REAL else torch.view_as_complex(out)


def _scale(lengths: Sequence[int], normalization: int) -> float:
    """The factor of a transform over several axes; in the kernel it has the dtype of the parts."""
    count = math.prod(lengths)
    if normalization == _SCALED_BY_ROOT:
        return 1.0 / math.sqrt(count)
    return 1.0 / count if normalization == _SCALED else 1.0


def _axes(op: Any, x: Tensor, dims: Sequence[int]) -> list[int]:
    axes = [dim % x.ndim for dim in dims]
    demand(len(set(axes)) == len(axes), op, "an axis is named twice")
    demand(all(x.shape[axis] > 0 for axis in axes), op, "a transform has one value at least")
    return axes


@kernel("aten._fft_c2c", dtypes=_READABLE)
def complex_to_complex(
    op: Any, x: Tensor, dim: Sequence[int], normalization: int, forward: bool
) -> Tensor:
    """The transform over the axes, the last named first, or its inverse."""
    demand(x.is_complex(), op, "the numbers are not complex")
    axes = _axes(op, x, dim)
    scale = _scale([x.shape[axis] for axis in axes], normalization)
    for axis in reversed(axes):
        own = scale if axis == axes[0] else 1.0
        x = _transformed(x, axis, x.shape[axis], _COMPLEX, inverse=not forward, scale=own)
    return x if axes else x.clone()


@kernel("aten._fft_r2c", dtypes=_READABLE)
def real_to_complex(
    op: Any, x: Tensor, dim: Sequence[int], normalization: int, onesided: bool
) -> Tensor:
    """The transform of real numbers: over the last of the axes first, then over the others."""
    demand(not x.is_complex(), op, "the numbers are complex")
    axes = _axes(op, x, dim)
    scale = _scale([x.shape[axis] for axis in axes], normalization)
    last = axes[-1]
    size = x.shape[last]
    own = scale if len(axes) == 1 else 1.0
    found = _transformed(x, last, size, _FROM_REAL, inverse=False, scale=own)
    if not onesided:
        rest = found.narrow(last, 1, (size - 1) // 2).flip(last)
        found = torch.cat([found, rest.conj().resolve_conj()], last)
    for axis in reversed(axes[:-1]):
        own = scale if axis == axes[0] else 1.0
        found = _transformed(found, axis, x.shape[axis], _COMPLEX, inverse=False, scale=own)
    return found


@kernel("aten._fft_c2r", dtypes=_READABLE)
def complex_to_real(
    op: Any, x: Tensor, dim: Sequence[int], normalization: int, last_dim_size: int
) -> Tensor:
    """The inverse transform to real numbers: over the last of the axes at the end."""
    demand(x.is_complex(), op, "the numbers are not complex")
    axes = _axes(op, x, dim)
    last = axes[-1]
    demand(x.shape[last] > last_dim_size // 2 >= 0, op, "there are too few places")
    demand(last_dim_size > 0, op, "a transform has one value at least")
    sizes = [*(x.shape[axis] for axis in axes[:-1]), last_dim_size]
    for axis in reversed(axes[:-1]):
        x = _transformed(x, axis, x.shape[axis], _COMPLEX, inverse=True)
    x = x.narrow(last, 0, last_dim_size // 2 + 1)
    scale = _scale(sizes, normalization)
    return _transformed(x, last, last_dim_size, _TO_REAL, inverse=True, scale=scale)


@composite("aten.stft", "aten.stft.center", dtypes=REAL | COMPLEX)
def stft(op: Any, x: Tensor, *args: Any, **named: Any) -> Any:
    """As torch composes it, of values that each have a place of their own.

    torch cuts the frames out of memory, and its derivative of that divides among places which share
    their memory, as those of an expanded tensor do.
    """
    return op._op_dk(COMPOSITION, x.contiguous(), *args, **named)


@composite("aten.fft_ihfftn.out", dtypes=REAL | COMPLEX)
def inverse_hermitian_into(op: Any, x: Tensor, *args: Any, out: Tensor, **named: Any) -> Tensor:
    """As torch composes it without an `out`, which it leaves as it was for one axis (in 2.13)."""
    return _written(op, out, x, torch.fft.ihfftn(x, *args, **named))


@composite("aten.fft_ihfft2.out", dtypes=REAL | COMPLEX)
def inverse_hermitian_2d_into(op: Any, x: Tensor, *args: Any, out: Tensor, **named: Any) -> Tensor:
    """The same of two axes, or one."""
    return _written(op, out, x, torch.fft.ihfft2(x, *args, **named))


def _written(op: Any, out: Tensor, x: Tensor, result: Tensor) -> Tensor:
    """The result in `out`; torch's error where a gradient would have to pass there."""
    if torch.is_grad_enabled() and (x.requires_grad or out.requires_grad):
        raise RuntimeError(
            f"{name_of(op)}: functions with out=... arguments don't support automatic "
            "differentiation, but one of the arguments requires grad."
        )
    return write(op, out, result)
