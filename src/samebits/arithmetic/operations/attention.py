"""Scaled dot-product attention, of products and softmax (docs/arithmetic.md, "Rows").

Queries are [batch, heads, L, E], keys [batch, heads, S, E] and values [batch, heads, S, V]; masks
broadcast to [batch, heads, L, S]. The result is [batch, heads, L, V].
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.forms import exact
from samebits.arithmetic.kernels import converted, elementwise, plain
from samebits.arithmetic.operations.arguments import require_plain, torch_decides
from samebits.arithmetic.operations.products import multiply
from samebits.arithmetic.operations.reductions import canonical
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import kernel, name_of, safe

safe(["aten._fused_sdp_choice"])

_CHUNK = 1 << 21
"""Scores held at a time, so that memory does not grow with the number of heads."""


def _scores(
    q: torch.Tensor, k: torch.Tensor, mask: torch.Tensor | None, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mask + scale (q kᵀ) for [H, L, E] and [H, S, E], and its softmax over rows.

    A row that the mask hides altogether has the weights 0.
    """
    scores = multiply(q, k.transpose(1, 2), mask, alpha=scale)
    weights = torch.empty_like(scores)
    _exact.softmax(weights, scores)
    if mask is not None:
        hidden = scores.amax(-1, keepdim=True) == -math.inf
        if bool(hidden.any()):
            weights = weights.masked_fill(hidden, 0.0)
    return scores, weights


def _mask(
    mask: torch.Tensor | None, causal: bool, length: int, keys: int, like: torch.Tensor
) -> torch.Tensor | None:
    """What is added to scores: the mask, and −inf where a mask or causality forbids."""
    added = None
    if mask is not None:
        if mask.dtype == torch.bool:
            added = torch.zeros(mask.shape, dtype=like.dtype).masked_fill(~mask, -math.inf)
        else:
            added = plain(mask)
    if causal:
        allowed = torch.ones((length, keys), dtype=torch.bool).tril()
        upper = torch.zeros((length, keys), dtype=like.dtype).masked_fill(~allowed, -math.inf)
        added = upper if added is None else elementwise("add", added, upper)
    return added


def _chunks(heads: int, scores: int) -> Iterator[slice]:
    step = max(1, _CHUNK // max(scores, 1))
    for begin in range(0, heads, step):
        yield slice(begin, min(begin + step, heads))


def _mask_of(mask: torch.Tensor | None, heads: tuple[int, int], part: slice) -> torch.Tensor | None:
    """The part of a mask that belongs to some heads; masks broadcast over batch and heads."""
    if mask is None or mask.ndim <= 2:
        return mask
    full = mask if mask.ndim == 4 else mask.unsqueeze(0)
    return full.expand(*heads, *full.shape[2:]).reshape(-1, *full.shape[2:])[part]


def _flat(x: torch.Tensor) -> torch.Tensor:
    return plain(x).view(-1, *x.shape[2:])


def _same_heads(x: torch.Tensor, heads: int) -> torch.Tensor:
    """Each head of the keys or values once for every query head that shares it."""
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], dim=1)


def _check(op: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, dropout: float) -> None:
    require_plain(op, [q, k, v])
    if dropout:
        raise not_exact(name_of(op), "the fused form has no dropout")
    if q.dtype == torch.float64:
        raise not_exact(name_of(op), "there is no kernel for float64")


@kernel("aten._scaled_dot_product_flash_attention_for_cpu")
def attention(
    op: Any,
    q: Any,
    k: Any,
    v: Any,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> Any:
    """softmax(mask + scale q kᵀ) v, and the logarithm of each row's sum of exponentials."""
    _check(op, q, k, v, dropout_p)
    batch, heads, length, width = q.shape
    k, v = _same_heads(k, heads), _same_heads(v, heads)
    factor = 1 / math.sqrt(width) if scale is None else scale
    flat_q, flat_k, flat_v = _flat(q), _flat(k), _flat(v)
    keys = flat_k.shape[1]
    mask = _mask(attn_mask, is_causal, length, keys, flat_q)
    # [batch, length, heads, width] in memory, as torch's own: what follows joins the heads.
    out = torch.empty((batch, length, heads, v.shape[-1]), dtype=flat_q.dtype).transpose(1, 2)
    sums = torch.empty((batch * heads, length), dtype=flat_q.dtype)
    for part in _chunks(batch * heads, length * keys):
        own = _mask_of(mask, (batch, heads), part)
        scores, weights = _scores(flat_q[part], flat_k[part], own, factor)
        result = multiply(weights, flat_v[part])
        for place, head in enumerate(range(part.start, part.stop)):
            out[head // heads, head % heads].copy_(result[place])
        most = canonical(scores.amax(-1))
        sums[part] = elementwise("sub", most, elementwise("log", canonical(weights.amax(-1))))
    return converted(out, q.dtype), sums.view(batch, heads, length)


@kernel("aten._scaled_dot_product_flash_attention_for_cpu_backward")
def attention_backward(
    op: Any,
    grad: Any,
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    sums: Any,
    dropout_p: float,
    is_causal: bool,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> Any:
    """Derivatives with respect to q, k and v; the weights are computed anew."""
    _check(op, q, k, v, dropout_p)
    batch, heads, length, width = q.shape
    if k.shape[1] != heads:
        raise not_exact(name_of(op), "keys that several heads share have no derivative here")
    factor = 1 / math.sqrt(width) if scale is None else scale
    flat_q, flat_k, flat_v, flat_grad = _flat(q), _flat(k), _flat(v), _flat(grad)
    keys = flat_k.shape[1]
    mask = _mask(attn_mask, is_causal, length, keys, flat_q)
    grads = [torch.empty_like(t) for t in (flat_q, flat_k, flat_v)]
    for part in _chunks(batch * heads, length * keys):
        own = _mask_of(mask, (batch, heads), part)
        _, weights = _scores(flat_q[part], flat_k[part], own, factor)
        grads[2][part] = multiply(weights.transpose(1, 2), flat_grad[part])
        slopes = multiply(flat_grad[part], flat_v[part].transpose(1, 2))
        _exact.softmax_backward(slopes, slopes, weights)
        grads[0][part] = multiply(slopes, flat_k[part], alpha=factor)
        grads[1][part] = multiply(slopes.transpose(1, 2), flat_q[part], alpha=factor)
    return tuple(converted(g.view(t.shape), t.dtype) for g, t in zip(grads, (q, k, v), strict=True))


@kernel("aten._safe_softmax")
def safe_softmax(op: Any, x: torch.Tensor, dim: int, dtype: Any = None) -> Any:
    """Softmax, and zeros for a row of nothing but −inf."""
    if dtype is not None and dtype != x.dtype:
        x = converted(x, dtype)
    require_plain(op, [x])
    if x.ndim == 0:
        torch_decides(op, (x, dim), {})
    wide = plain(x.movedim(dim, -1))
    if wide.dtype == torch.float64:  # no kernel of its own
        out = exact(torch.ops.aten._softmax.default)(wide, -1, False)
    else:
        out = torch.empty_like(wide)
        if out.numel():
            _exact.softmax(out, wide)
    masked = (wide == -math.inf).all(-1, keepdim=True)
    out = out.masked_fill(masked, 0.0)
    return converted(out.movedim(-1, dim), x.dtype)
