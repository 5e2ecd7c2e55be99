"""Adding into places that indices name, each by one sum (docs/arithmetic.md, "Places").

Results have the shape of the tensor that is added to; a table's gradient is [rows, D].
"""

from __future__ import annotations

import math
from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import converted, elementwise, plain, widened
from samebits.arithmetic.operations.arguments import demand, require_plain
from samebits.arithmetic.registry import kernel, name_of


def add_rows(
    target: torch.Tensor, index: torch.Tensor, rows: torch.Tensor, skipped: int | None = None
) -> torch.Tensor:
    """Adds to each place of target the sum of the rows that the index sends there.

    Args:
        target: [N, D], float32 or float64, row-major; changed in place.
        index: [M], int64, each from 0 to N − 1.
        rows: [M, D], of target's dtype.
        skipped: A place whose rows are left out.
    """
    if rows.numel():
        if rows.stride(1) != 1 and rows.shape[1] > 1:
            rows = rows.contiguous()
        options: dict[str, Any] = {} if skipped is None else {"skipped": skipped}
        index = index.contiguous()
        if rows.shape[1] == 1:
            _exact.add_planes(
                target.view(1, -1), index[None], rows.contiguous().view(1, -1), **options
            )
        else:
            _exact.add_rows(target, index, rows, **options)
    return target


@kernel("aten.embedding_dense_backward")
def embedding_backward(
    op: Any, grad: Any, index: Any, count: int, padding: int, by_frequency: bool
) -> Any:
    """Each row of the table receives the sum of the gradients of its uses.

    By frequency: each gradient divided by the number of uses first.
    """
    require_plain(op, [grad])
    rows = plain(grad).view(index.numel(), -1)
    flat = index.reshape(-1).to(torch.int64)
    if by_frequency:
        uses = torch.bincount(flat, minlength=count)[flat].to(rows.dtype)
        rows = elementwise("div", rows, uses[:, None])
    result = torch.zeros((count, grad.shape[-1]), dtype=rows.dtype)
    return converted(add_rows(result, flat, rows, padding if padding >= 0 else None), grad.dtype)


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


def _leading_rows(x: torch.Tensor, indices: Any) -> tuple[torch.Tensor, int] | None:
    """Which row of x each place of the indices names, and how many of x's axes choose the row.

    None where the indices are not whole numbers for the first axes alone.
    """
    whole = (torch.int64, torch.int32, torch.int16, torch.int8)
    if not indices or any(i is None or i.dtype not in whole for i in indices):
        return None
    if not x.numel() or any(i.device.type != "cpu" for i in indices):
        return None
    rows: Any = None
    for index, size in zip(indices, x.shape, strict=False):
        wide = index.to(torch.int64)
        if not wide.numel():
            return None
        least, most = (int(extreme) for extreme in torch.aminmax(wide))
        if least < -size or most >= size:
            return None  # torch says it better
        own = wide if least >= 0 else torch.where(wide < 0, wide + size, wide)
        rows = own if rows is None else rows * size + own
    return rows, len(indices)


@kernel("aten.index_put", "aten.index_put_", "aten._index_put_impl_", "aten._unsafe_index_put")
def index_put(
    op: Any, x: Any, indices: Any, values: Any, accumulate: bool = False, unsafe: bool = False
) -> Any:
    """Writes values to the places that indices name, or adds to each place their sum."""
    if not (x.is_floating_point() or x.is_complex()) and accumulate:
        return op(x, indices, values, accumulate)
    require_plain(op, [x, values])
    target = x if name_of(op).endswith("_") else x.clone()
    if not accumulate:
        flat, shape = _flat_index(op, x, indices)
        rows = values.expand(shape).reshape(-1)
        # The last value for a place stays, as in a loop.
        base = target.contiguous().view(-1)
        _exact.put_rows(base.view(-1, 1), flat, rows.contiguous().view(-1, 1))
        return (
            target.copy_(base.view(target.shape))
            if base.data_ptr() != target.data_ptr()
            else target
        )
    base = plain(target)
    leading = _leading_rows(x, indices)
    if leading is None:
        flat, shape = _flat_index(op, x, indices)
        return _accumulate(target, flat, values.expand(shape))
    row, axes = leading
    wide = widened(values.expand(*row.shape, *x.shape[axes:])).reshape(row.numel(), -1)
    add_rows(base.view(-1, wide.shape[1]), row.reshape(-1), wide)
    return _finished(target, base)


def _wide_target(op: Any, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The tensor that an operation returns, and row-major memory, its own or not, to add in."""
    target = x if name_of(op).endswith("_") else x.clone(memory_format=torch.contiguous_format)
    return target, plain(target)


def _accumulate(target: torch.Tensor, flat: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Add to each place of row-major target, by number, the sum of the values sent there."""
    base = plain(target)
    if values.numel():
        wide = widened(values).contiguous().view(1, -1)
        _exact.add_planes(base.view(1, -1), flat.contiguous().view(1, -1), wide)
    return _finished(target, base)


def _finished(target: torch.Tensor, base: torch.Tensor) -> torch.Tensor:
    """Put what was added back where it was not added in place."""
    if base.data_ptr() == target.data_ptr():
        return target
    return target.copy_(converted(base.view(target.shape), target.dtype))


@kernel("aten.scatter_add", "aten.scatter_add_")
def scatter_add(op: Any, x: Any, dim: int, index: Any, source: Any) -> Any:
    """Adds to each place along an axis the sum of the values that the index sends there."""
    if not x.is_floating_point():
        return op(x, dim, index, source)
    require_plain(op, [x, source])
    index = index.long()  # torch takes int32 too
    target, base = _wide_target(op, x)
    if index.numel() == 0:
        return target
    if x.ndim == 1 and index.ndim == 1 and source.ndim == 1:
        values = source if source.shape[0] == index.shape[0] else source[: index.shape[0]]
        _exact.add_planes(base, index.contiguous(), plain(values))
        return _finished(target, base)
    if not x.ndim:
        add_rows(base.view(1, 1), index.new_zeros(1), widened(source).reshape(-1)[:1].view(1, 1))
        return _finished(target, base)
    picked = widened(source[tuple(slice(0, n) for n in index.shape)])
    dim %= x.ndim
    outer, inner = math.prod(x.shape[:dim]), math.prod(x.shape[dim + 1 :])
    rest = [d for d in range(x.ndim) if d != dim]
    if any(index.shape[d] != x.shape[d] for d in rest):
        places = torch.arange(x.numel()).view(x.shape)
        lines = [slice(0, n) if d != dim else slice(None) for d, n in enumerate(index.shape)]
        flat = places[tuple(lines)].gather(dim, index)
        flat = flat.contiguous().view(1, -1)
        _exact.add_planes(base.view(1, -1), flat, picked.contiguous().view(1, -1))
    elif outer == 1 and all(index.stride(d) == 0 or index.shape[d] == 1 for d in rest):
        # One index for each row.
        own = index.movedim(dim, 0).reshape(index.shape[dim], -1)[:, 0]
        add_rows(base.view(-1, inner), own, picked.reshape(own.numel(), inner))
    else:
        own = index.contiguous().view(outer, -1)
        values = picked.contiguous().view(outer, -1)
        _exact.add_planes(base.view(outer, -1), own, values, inner)
    return _finished(target, base)


@kernel("aten.index_add", "aten.index_add_")
def index_add(op: Any, x: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    """Adds to each slice along an axis the sum of the slices that the index sends there."""
    if not x.is_floating_point():
        return op(x, dim, index, source, alpha=alpha)
    require_plain(op, [x, source])
    target, base = _wide_target(op, x)
    if alpha != 1:
        source = elementwise("mul_scalar", source, scalars=(float(alpha),))
    flat = index.reshape(-1).to(torch.int64)
    if not x.ndim:
        add_rows(base.view(1, 1), flat, widened(source).view(1, 1))
        return _finished(target, base)
    dim %= x.ndim
    outer, inner = math.prod(x.shape[:dim]), math.prod(x.shape[dim + 1 :])
    wanted = (*x.shape[:dim], flat.numel(), *x.shape[dim + 1 :])
    demand(tuple(source.shape) == wanted, op, f"source must have the shape {list(wanted)}")
    if not source.numel():
        return target
    wide = widened(source)
    if outer == 1:
        add_rows(base.view(-1, inner), flat, wide.reshape(flat.numel(), inner))
    elif inner == 1:
        values = wide.contiguous().view(outer, -1)
        _exact.add_planes(base.view(outer, -1), flat.contiguous().view(1, -1), values)
    else:
        rows = (torch.arange(outer)[:, None] * x.shape[dim] + flat).reshape(-1)
        add_rows(base.view(-1, inner), rows, wide.reshape(-1, inner))
    return _finished(target, base)


@kernel("aten.put", "aten.put_")
def put(op: Any, x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Writes values to the places of row-major x that an index names, or adds to each their sum."""
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
        return _accumulate(target, flat, values)
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
    return _accumulate(x.clone(), flat, rows)
