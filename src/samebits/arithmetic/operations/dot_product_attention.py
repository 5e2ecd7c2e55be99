"""`scaled_dot_product_attention` as a whole (docs/arithmetic.md, "Rows").

Queries are [..., L, E], keys [..., S, E] and values [..., S, V], whose leading axes broadcast;
masks broadcast to [..., L, S]. torch chooses between a fused form and a written one by strides,
axes and what needs a gradient. Here both have the same bits, and the fused one is taken where it
can be because it holds fewer scores at a time.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.composites import composite
from samebits.arithmetic.operations.arguments import torch_decides
from samebits.arithmetic.operations.formulas import HALVES, narrowed, widened

_fused = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu


@composite("aten.scaled_dot_product_attention")
def attention(
    op: Any,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """dropout(softmax(mask + scale q kᵀ)) v."""
    if enable_gqa and min(q.ndim, k.ndim, v.ndim) >= 3:
        k, v = _shared(q, k), _shared(q, v)
    lead = _leading(q, k, v)
    if lead is None or not _meaningful(q, k, v, attn_mask, dropout_p, is_causal, lead):
        given = {"scale": scale, "enable_gqa": enable_gqa}
        torch_decides(op, (q, k, v, attn_mask, dropout_p, is_causal), given)
        raise RuntimeError(
            "scaled_dot_product_attention: queries, keys, values and mask do not fit each other"
        )
    if q.shape[-1] == 0 and scale is None:
        scale = 1.0  # of nothing
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    flat = (_flat(q, lead), _flat(k, lead), _flat(v, lead))
    mask = None if attn_mask is None else _mask(attn_mask, lead)
    learnt = mask is not None and mask.requires_grad and torch.is_grad_enabled()
    empty = any(x.numel() == 0 for x in flat)
    if dropout_p or learnt or empty or q.dtype == torch.float64:
        result = _written(*flat, mask, dropout_p, is_causal, factor)
    else:
        result = _fused(*flat, 0.0, is_causal, attn_mask=mask, scale=factor)[0]
    return result.reshape(*lead, q.shape[-2], v.shape[-1])


def _shared(q: Tensor, x: Tensor) -> Tensor:
    """Each head of keys or values once for every head of queries that shares it."""
    heads, own = q.shape[-3], x.shape[-3]
    if own == heads or not own or heads % own:
        return x
    return x.repeat_interleave(heads // own, dim=-3)


def _leading(*tensors: Tensor) -> torch.Size | None:
    """The axes before the last two, to which all broadcast; None if they do not."""
    if min(x.ndim for x in tensors) < 2:
        return None
    try:
        return torch.broadcast_shapes(*(x.shape[:-2] for x in tensors))  # type: ignore[no-untyped-call, no-any-return]
    except RuntimeError:
        return None


def _meaningful(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float, causal: bool, lead: Any
) -> bool:
    shapes = q.shape[-1] == k.shape[-1] and k.shape[-2] == v.shape[-2]
    dtypes = q.is_floating_point() and q.dtype == k.dtype == v.dtype
    good = shapes and dtypes and 0 <= dropout <= 1
    if mask is None:
        return good
    known = mask.dtype in (torch.bool, torch.float32, q.dtype)
    full = (*lead, q.shape[-2], k.shape[-2])
    pairs = zip(reversed(mask.shape), reversed(full), strict=False)
    fits = mask.ndim <= len(full) and all(own in (1, size) for own, size in pairs)
    return good and known and fits and not causal


def _four(lead: torch.Size) -> tuple[int, int]:
    """Leading axes as two: batch and heads."""
    return math.prod(lead[:-1]), lead[-1] if lead else 1


def _flat(x: Tensor, lead: torch.Size) -> Tensor:
    return x.expand(*lead, *x.shape[-2:]).reshape(*_four(lead), *x.shape[-2:])


def _mask(mask: Tensor, lead: torch.Size) -> Tensor:
    """A mask as [L, S], or [batch, heads, L, S], each of its last axes as long as it was, or 1."""
    if mask.ndim < 2:
        mask = mask.reshape((1,) * (2 - mask.ndim) + tuple(mask.shape))
    if mask.ndim == 2:
        return mask
    return mask.expand(*lead, *mask.shape[-2:]).reshape(*_four(lead), *mask.shape[-2:])


def _written(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float, causal: bool, scale: float
) -> Tensor:
    """The definition in torch's functions, for [batch, heads, places, width]; halves in float32."""
    dtype, shape = q.dtype, (*q.shape[:-1], v.shape[-1])
    rows, keys = q.shape[-2], k.shape[-2]
    wide = [widened(x).flatten(0, 1) for x in (q, k, v)]
    added = _added(mask, causal, rows, keys, wide[0].dtype)
    if added is None:
        none = torch.zeros((1, 1, 1), dtype=wide[0].dtype)
        scores = torch.baddbmm(none, wide[0], wide[1].transpose(1, 2), beta=0, alpha=scale)
    else:
        if added.ndim == 4:
            heads = (*q.shape[:2], *added.shape[2:])
            added = added.expand(heads).flatten(0, 1)
        scores = torch.baddbmm(added, wide[0], wide[1].transpose(1, 2), alpha=scale)
    weights = torch._safe_softmax(scores, -1)
    if dropout:
        weights = torch.dropout(weights, dropout, True)
    result = weights.bmm(wide[2]).reshape(shape)
    return narrowed(result, dtype) if dtype in HALVES else result


def _added(
    mask: Tensor | None, causal: bool, rows: int, keys: int, dtype: torch.dtype
) -> Tensor | None:
    """What is added to scores: the mask, and −∞ where a mask or causality forbids."""
    if causal:
        mask = torch.ones((rows, keys), dtype=torch.bool).tril()
    if mask is None or mask.dtype != torch.bool:
        return None if mask is None else mask.to(dtype)
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -math.inf)
