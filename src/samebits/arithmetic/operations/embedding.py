"""Adding into places that indices name, in the order of the indices (docs/arithmetic.md, "Places").

Results have the shape of the tensor that is added to; a table's gradient is [rows, D].
"""

from __future__ import annotations

from typing import Any

import torch

from samebits import _exact
from samebits.arithmetic.kernels import converted, elementwise, plain, widened
from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.registry import kernel, name_of


def add_rows(target: torch.Tensor, index: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """target[index[i]] += rows[i], for i in order.

    Args:
        target: [N, D], float32 or float64, row-major; changed in place.
        index: [M], int64, each from 0 to N − 1.
        rows: [M, D], of target's dtype.
    """
    if rows.numel():
        _exact.add_rows(target, index.contiguous(), rows.contiguous())
    return target


@kernel("aten.embedding_dense_backward")
def embedding_backward(
    op: Any, grad: Any, index: Any, count: int, padding: int, by_frequency: bool
) -> Any:
    """Each row of the table receives the gradients of its uses, in their order.

    By frequency: each gradient divided by the number of uses first.
    """
    require_plain(op, [grad])
    rows = plain(grad).view(index.numel(), -1)
    flat = index.reshape(-1).to(torch.int64)
    if padding >= 0:
        kept = flat != padding
        if not bool(kept.all()):
            flat, rows = flat[kept], rows[kept]
    if by_frequency:
        uses = torch.bincount(flat, minlength=count)[flat].to(rows.dtype)
        rows = elementwise("div", rows, uses[:, None])
    result = torch.zeros((count, grad.shape[-1]), dtype=rows.dtype)
    return converted(add_rows(result, flat, rows), grad.dtype)


def _flat_index(op: Any, x: torch.Tensor, indices: Any) -> tuple[torch.Tensor, torch.Size]:
    """Place in row-major x of every element that advanced indices name, and the indices' shape."""
    full = list(indices) + [None] * (x.ndim - len(indices))
    if any(i is not None and i.dtype == torch.bool for i in full):
        expanded: list[Any] = []
        axis = 0
        for i in full:
            if i is not None and i.dtype == torch.bool:
                expanded += list(i.nonzero().unbind(1))
                axis += i.ndim
            else:
                expanded.append(i)
                axis += 1
        full = expanded[: x.ndim]
    # Numbers every element, then lets torch's own indexing pick: it moves and nothing more.
    places = torch.arange(x.numel()).view(x.shape)
    picked = torch.ops.aten.index.Tensor(places, full)
    return picked.reshape(-1), picked.shape


@kernel("aten.index_put", "aten.index_put_", "aten._index_put_impl_", "aten._unsafe_index_put")
def index_put(
    op: Any, x: Any, indices: Any, values: Any, accumulate: bool = False, unsafe: bool = False
) -> Any:
    """Writes values to the places that indices name, or adds them in order."""
    in_place = name_of(op).endswith("_")
    if not (x.is_floating_point() or x.is_complex()) and accumulate:
        return op(x, indices, values, accumulate)
    require_plain(op, [x, values])
    target = x if in_place else x.clone()
    flat, shape = _flat_index(op, x, indices)
    rows = values.expand(shape).reshape(-1)
    if not accumulate:
        # The last value for a place stays, as in a loop.
        base = target.contiguous().view(-1)
        _exact.put_rows(base.view(-1, 1), flat, rows.contiguous().view(-1, 1))
        return (
            target.copy_(base.view(target.shape))
            if base.data_ptr() != target.data_ptr()
            else target
        )
    return _accumulate(op, target, flat, rows)


def _accumulate(
    op: Any, target: torch.Tensor, flat: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    base = plain(target)
    if base.data_ptr() == target.data_ptr():
        add_rows(base.view(-1, 1), flat, widened(values).reshape(-1, 1))
        return target
    add_rows(base.view(-1, 1), flat, widened(values).reshape(-1, 1))
    return target.copy_(converted(base, target.dtype))


@kernel("aten.scatter_add", "aten.scatter_add_")
def scatter_add(op: Any, x: Any, dim: int, index: Any, source: Any) -> Any:
    """Adds values along an axis at the places of an index, in row-major order of the index."""
    if not x.is_floating_point():
        return op(x, dim, index, source)
    require_plain(op, [x, source])
    target = x if name_of(op).endswith("_") else x.clone()
    if index.numel() == 0:
        return target
    if x.ndim == 0:
        return _accumulate(op, target, torch.zeros(1, dtype=torch.int64), source.reshape(-1)[:1])
    picked = source[tuple(slice(0, n) for n in index.shape)]
    places = torch.arange(x.numel()).view(x.shape)
    lines = places[
        tuple(slice(0, n) if d != dim % x.ndim else slice(None) for d, n in enumerate(index.shape))
    ]
    return _accumulate(op, target, lines.gather(dim, index).reshape(-1), picked.reshape(-1))


@kernel("aten.index_add", "aten.index_add_")
def index_add(op: Any, x: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    """Adds slices along an axis, in the order of the index."""
    if not x.is_floating_point():
        return op(x, dim, index, source, alpha=alpha)
    require_plain(op, [x, source])
    target = x if name_of(op).endswith("_") else x.clone()
    if alpha != 1:
        source = elementwise("mul_scalar", source, scalars=(float(alpha),))
    if x.ndim == 0:
        return _accumulate(op, target, torch.zeros(1, dtype=torch.int64), source.reshape(-1))
    places = torch.arange(x.numel()).view(x.shape).index_select(dim, index.reshape(-1))
    order = places.movedim(dim, 0).reshape(-1)
    return _accumulate(op, target, order, source.movedim(dim, 0).reshape(-1))


@kernel("aten.put", "aten.put_")
def put(op: Any, x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Writes values to the places of row-major x that an index names, or adds them in order."""
    floating = x.is_floating_point() or x.is_complex()
    if accumulate and not floating:
        return op(x, index, source, accumulate)
    if floating:
        require_plain(op, [x, source])
    if index.dtype != torch.int64 or source.dtype != x.dtype or index.numel() != source.numel():
        raise RuntimeError(f"{name_of(op)} wants an int64 index and as many values of {x.dtype}")
    target = x if name_of(op).endswith("_") else x.clone()
    flat = torch.where(index < 0, index + x.numel(), index).reshape(-1)
    values = source.reshape(-1)
    if accumulate:
        return _accumulate(op, target, flat, values)
    base = target.contiguous().view(-1)
    _exact.put_rows(base.view(-1, 1), flat, values.contiguous().view(-1, 1))
    return target if base.data_ptr() == target.data_ptr() else target.copy_(base.view(target.shape))


@kernel("aten._unsafe_masked_index_put_accumulate")
def masked_index_put(op: Any, x: Any, mask: Any, indices: Any, values: Any) -> Any:
    """`index_put` of values, 0 where the mask is false, to places held within x."""
    if not x.is_floating_point():
        return op(x, mask, indices, values)
    require_plain(op, [x, values])
    held = [
        i if i is None else i.clamp(-size, size - 1)
        for i, size in zip(indices, x.shape, strict=False)
    ]
    flat, shape = _flat_index(op, x, held)
    rows = values.masked_fill(~mask, 0).expand(shape).reshape(-1)
    return _accumulate(op, x.clone(), flat, rows)
