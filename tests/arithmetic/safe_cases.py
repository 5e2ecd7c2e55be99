"""A call of each operation of which torch's own answer is taken, on values that find races.

As a script it prints the fingerprint of each call for several thread counts, as JSON: tests start
it with other instruction sets (ATEN_CPU_CAPABILITY).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch

import samebits

aten = torch.ops.aten
DTYPES = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float64": torch.float64,
    "int64": torch.int64,
}
_NOTHING = "made without contents"


class Operands:
    """Tensors of one dtype, full of ties, NaN with payloads, zeros of both signs and subnormals."""

    def __init__(self, rows: int, dtype: torch.dtype) -> None:
        self.rows, self.columns, self.dtype = rows, rows + 17, dtype
        source = torch.Generator().manual_seed(7)
        shape = (self.rows, self.columns)
        numbers = torch.randint(-40, 40, shape, generator=source).double() / 8
        self.x = numbers.to(dtype)
        if dtype.is_floating_point:
            self._add_strange_values(source)
        self.y = self.x.roll(3, 0).flip(1).contiguous()
        self.line = self.x.flatten()
        self.mask = torch.randint(0, 2, shape, generator=source).bool()
        self.places = torch.randint(0, self.rows, (3 * self.rows,), generator=source)
        self.along = torch.randint(0, self.rows, shape, generator=source)
        self.image = self.line[: self.rows * 48].view(2, 8, 3, self.rows).contiguous()
        self.last = self.image.contiguous(memory_format=torch.channels_last)
        self.box = self.line[: self.rows * 48].view(1, 2, 4, 6, self.rows)
        self.sorted = torch.arange(self.columns).to(dtype)
        self.whole = self.along * 3 - 40

    def _add_strange_values(self, source: torch.Generator) -> None:
        whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[self.x.element_size()]
        nan = torch.full((1,), float("nan"), dtype=self.dtype).view(whole).item()
        strange = [nan + 1, nan + 9, 1, 2, 5, 0]
        bits = self.x.view(whole).flatten()
        signs = -(2 ** (8 * self.x.element_size() - 1))
        for step, one in enumerate(strange, 11):
            bits[step::101] = one
            bits[step + 31 :: 137] = one + signs
        self.x = bits.view(self.dtype).view(self.x.shape)


Call = Callable[[Operands], Any]


def _each(names: str, call: Callable[[Any, Operands], Any]) -> dict[str, Call]:
    return {name: (lambda o, name=name: call(_overload(name), o)) for name in names.split()}


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(aten, packet), overload or "default")


def _changed(op: Any, x: torch.Tensor, *rest: Any, **named: Any) -> torch.Tensor:
    target = x.clone()
    op(target, *rest, **named)
    return target


def _unpacked(op: Any, operands: Operands) -> Any:
    if operands.dtype not in (torch.float32, torch.float64):
        return None
    pivots = torch.arange(operands.rows, 0, -1, dtype=torch.int32).clamp(max=operands.rows)
    return op(operands.x[:, : operands.rows], pivots)


CASES: dict[str, Call] = {
    **_each(
        "clone lift lift_fresh lift_fresh_copy alias_copy isnan isinf isposinf isneginf signbit "
        "any all argmax argmin nonzero tril triu zeros_like ones_like new_empty logical_not "
        "block_diag diag_embed diagonal_copy squeeze_copy unbind_copy.int t_copy",
        lambda op, o: (
            op([o.x, o.y] if op is aten.block_diag.default else o.x)
            if op is not aten.new_empty.default
            else _NOTHING
        ),
    ),
    **_each(
        "count_nonzero count_nonzero.dim_IntList",
        lambda op, o: op(o.x, [0]) if "dim" in str(op) else op(o.x),
    ),
    **_each(
        "eq.Scalar ne.Scalar lt.Scalar le.Scalar gt.Scalar ge.Scalar", lambda op, o: op(o.x, 0.1)
    ),
    **_each(
        "eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor equal logical_and logical_or "
        "logical_xor is_same_size _has_same_storage_numel",
        lambda op, o: op(o.x, o.y),
    ),
    **_each("eq_.Scalar ne_.Scalar", lambda op, o: _changed(op, o.x, 1)),
    **_each("logical_and_ logical_or_", lambda op, o: _changed(op, o.x, o.y)),
    **_each("logical_not_ zero_ detach_ tril_ triu_ t_", lambda op, o: _changed(op, o.x)),
    **_each("any.dim all.dim max.dim min.dim cummax cummin", lambda op, o: op(o.x, 0)),
    **_each("any.dims all.dims", lambda op, o: op(o.x, [0])),
    **_each("bitwise_not", lambda op, o: op(o.whole)),
    **_each(
        "bitwise_and.Scalar bitwise_or.Scalar bitwise_xor.Scalar", lambda op, o: op(o.whole, 6)
    ),
    **_each(
        "bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor",
        lambda op, o: op(o.whole, o.along),
    ),
    **_each("bitwise_and_.Tensor bitwise_or_.Tensor", lambda op, o: _changed(op, o.whole, o.along)),
    **_each("cat stack", lambda op, o: op([o.x, o.y, o.x])),
    **_each("cat.out stack.out", lambda op, o: op([o.x, o.y], out=torch.empty(0, dtype=o.dtype))),
    **_each("index_select", lambda op, o: op(o.x, 0, o.places)),
    **_each(
        "index_select.out", lambda op, o: op(o.x, 1, o.places, out=torch.empty(0, dtype=o.dtype))
    ),
    **_each("gather", lambda op, o: op(o.x, 0, o.along)),
    **_each("take", lambda op, o: op(o.x, o.along * 7)),
    **_each("embedding", lambda op, o: op(o.x, o.places)),
    **_each(
        "index.Tensor _unsafe_index.Tensor", lambda op, o: op(o.x, [o.places, o.places.flip(0)])
    ),
    **_each("_unsafe_masked_index", lambda op, o: op(o.line, o.mask, [o.along], 0.5)),
    **_each("index_fill.int_Scalar", lambda op, o: op(o.x, 0, o.places, 0.1)),
    **_each("index_fill_.int_Scalar", lambda op, o: _changed(op, o.x, 1, o.places, 0.1)),
    **_each("index_fill.int_Tensor", lambda op, o: op(o.x, 0, o.places, o.x[0, 0])),
    **_each("index_fill_.int_Tensor", lambda op, o: _changed(op, o.x, 0, o.places, o.x[0, 0])),
    **_each("scatter.src", lambda op, o: op(o.x, 0, o.along, o.y)),
    **_each("scatter.value", lambda op, o: op(o.x, 1, o.along, 0.1)),
    **_each("scatter_.src", lambda op, o: _changed(op, o.line, 0, o.places, o.line[: 3 * o.rows])),
    **_each("scatter_.value", lambda op, o: _changed(op, o.x, 0, o.along, 0.1)),
    **_each("where.self", lambda op, o: op(o.mask, o.x, o.y)),
    **_each("masked_fill.Scalar", lambda op, o: op(o.x, o.mask, 0.1)),
    **_each("masked_fill.Tensor", lambda op, o: op(o.x, o.mask, o.x[0, 0])),
    **_each("masked_fill_.Scalar", lambda op, o: _changed(op, o.x, o.mask, 0.1)),
    **_each("masked_fill_.Tensor", lambda op, o: _changed(op, o.x, o.mask, o.x[0, 0])),
    **_each("masked_select", lambda op, o: op(o.x, o.mask)),
    **_each("masked_scatter", lambda op, o: op(o.x, o.mask, o.y)),
    **_each("masked_scatter_", lambda op, o: _changed(op, o.x, o.mask, o.y)),
    **_each("masked_scatter_backward", lambda op, o: op(o.x, o.mask, [o.line.numel()])),
    **_each(
        "where.self_out", lambda op, o: op(o.mask, o.x, o.y, out=torch.empty(0, dtype=o.dtype))
    ),
    **_each(
        "complex", lambda op, o: op(o.x, o.y) if o.dtype in (torch.float32, torch.float64) else None
    ),
    **_each("_chunk_cat", lambda op, o: op([o.x, o.y], 0, 3)),
    **_each("_efficientzerotensor", lambda op, o: op([3], dtype=o.dtype).clone()),
    **_each("_new_zeros_with_same_feature_meta", lambda op, o: op(o.x, o.y)),
    **_each("lu_unpack", lambda op, o: _unpacked(op, o)),
    **_each("copysign.Tensor", lambda op, o: op(o.x, o.y)),
    **_each("copysign.Scalar", lambda op, o: op(o.x, -0.0)),
    **_each("copy", lambda op, o: op(o.x, o.y)),
    **_each("constant_pad_nd", lambda op, o: op(o.x, [3, 5, 1, 2], 0.1)),
    **_each("reflection_pad1d replication_pad1d", lambda op, o: op(o.image[0], [2, 1])),
    **_each(
        "reflection_pad2d replication_pad2d",
        lambda op, o: [op(o.image, [2, 1, 1, 2]), op(o.last, [2, 1, 1, 2])],
    ),
    **_each("reflection_pad3d replication_pad3d", lambda op, o: op(o.box, [2, 1, 1, 2, 3, 1])),
    **_each(
        "im2col",
        lambda op, o: (
            op(o.image, [2, 3], [1, 1], [1, 1], [1, 2]) if o.dtype.is_floating_point else None
        ),
    ),
    **_each("pixel_shuffle", lambda op, o: op(o.image, 2)),
    **_each("pixel_unshuffle", lambda op, o: op(o.image.transpose(1, 2), 2)),
    **_each("channel_shuffle", lambda op, o: [op(o.image, 4), op(o.last, 2)]),
    **_each("flip", lambda op, o: [op(o.x, [0, 1]), op(o.last, [1, 3])]),
    **_each("roll", lambda op, o: op(o.x, [5, 3], [0, 1])),
    **_each("rot90", lambda op, o: op(o.x, 1, [0, 1])),
    **_each("repeat", lambda op, o: op(o.x, [2, 3])),
    **_each("repeat_interleave.Tensor", lambda op, o: op(o.places)),
    **_each("unfold_copy", lambda op, o: op(o.x, 0, 5, 2)),
    **_each("select_backward", lambda op, o: op(o.x[0], list(o.x.shape), 0, 3)),
    **_each("slice_backward", lambda op, o: op(o.x[2:9:2], list(o.x.shape), 0, 2, 9, 2)),
    **_each("diagonal_backward", lambda op, o: op(o.x.diagonal(), list(o.x.shape), 0, 0, 1)),
    **_each("select_scatter", lambda op, o: op(o.x, o.y[0], 0, 3)),
    **_each("slice_scatter", lambda op, o: op(o.x, o.y[2:9:2], 0, 2, 9, 2)),
    **_each("diagonal_scatter", lambda op, o: op(o.x, o.y.diagonal())),
    **_each("expand_copy", lambda op, o: op(o.x, [2, -1, -1])),
    **_each("view_copy", lambda op, o: op(o.x, [-1])),
    **_each("_reshape_copy _unsafe_view", lambda op, o: op(o.x, [o.columns, o.rows])),
    **_each("permute_copy", lambda op, o: op(o.image, [3, 1, 0, 2])),
    **_each("squeeze_copy.dim unsqueeze_copy", lambda op, o: op(o.x, 0)),
    **_each("transpose_copy.int", lambda op, o: op(o.x, 0, 1)),
    **_each("as_strided_copy", lambda op, o: op(o.x, [4, 5], [3, 2])),
    **_each(
        "split_with_sizes_copy unsafe_split_with_sizes", lambda op, o: op(o.x, [3, o.rows - 3])
    ),
    **_each("split_copy.Tensor unsafe_split.Tensor", lambda op, o: op(o.x, 30)),
    **_each("narrow_copy", lambda op, o: op(o.x, 0, 2, 5)),
    **_each("squeeze_", lambda op, o: _changed(op, o.x[None])),
    **_each("squeeze_.dim unsqueeze_", lambda op, o: _changed(op, o.x[None], 0)),
    **_each("squeeze_.dims", lambda op, o: _changed(op, o.x[None], [0])),
    **_each("transpose_", lambda op, o: _changed(op, o.x, 0, 1)),
    **_each("as_strided_", lambda op, o: _changed(op, o.x, [4, 5], [3, 2])),
    **_each("resize_", lambda op, o: _changed(op, o.x, [3, 2])),
    **_each("resize_as_", lambda op, o: _changed(op, o.x, o.x[:3, :2])),
    **_each("set_", lambda op, o: op(o.x.clone()).numel()),
    **_each("set_.source_Tensor", lambda op, o: _changed(op, o.x, o.y.clone())),
    **_each("set_.source_Storage", lambda op, o: _changed(op, o.x, o.y.clone().untyped_storage())),
    **_each(
        "set_.source_Storage_storage_offset",
        lambda op, o: _changed(op, o.x, o.y.clone().untyped_storage(), 2, [3, 2], [2, 1]),
    ),
    **_each(
        "searchsorted.Tensor bucketize.Tensor",
        lambda op, o: op(*((o.sorted, o.x) if "search" in str(op) else (o.x, o.sorted))),
    ),
    **_each("searchsorted.Scalar", lambda op, o: op(o.sorted, 3)),
    **_each(
        "isin.Tensor_Tensor", lambda op, o: [op(o.x, o.sorted[:40]), op(o.x[:9], o.sorted[:3])]
    ),
    **_each("unique_consecutive", lambda op, o: op(o.line, True, True)),
    **_each("unique_dim", lambda op, o: op(o.x[:40, :3].nan_to_num(), 0, True, True, True)),
    **_each("_unique2", lambda op, o: op(o.line, True, True, True)),
    **_each("nonzero_static", lambda op, o: op(o.x, size=50)),
    **_each("_local_scalar_dense", lambda op, o: repr(op(o.x[0, 0]))),
    **_each("zeros ones", lambda op, o: op([o.rows, 3], dtype=o.dtype)),
    **_each("zeros.out", lambda op, o: op([o.rows, 3], out=torch.empty(0, dtype=o.dtype))),
    **_each("zero", lambda op, o: op(o.x)),
    **_each("new_zeros new_ones", lambda op, o: op(o.x, [o.rows, 3])),
    **_each(
        "full",
        lambda op, o: op([o.rows, 3], 0.1 if o.dtype.is_floating_point else 3, dtype=o.dtype),
    ),
    **_each("full_like", lambda op, o: op(o.x, 1.25)),
    **_each("new_full", lambda op, o: op(o.x, [3], 1.25)),
    **_each("scalar_tensor", lambda op, o: op(1.25, dtype=o.dtype)),
    **_each("fill.Scalar", lambda op, o: op(o.x, 1.25)),
    **_each("fill_.Scalar", lambda op, o: _changed(op, o.x, 1.25)),
    **_each("fill.Tensor", lambda op, o: op(o.x, o.x[0, 0])),
    **_each("fill_.Tensor", lambda op, o: _changed(op, o.x, o.x[0, 0])),
    **_each("eye", lambda op, o: op(o.rows, dtype=o.dtype)),
    **_each("eye.m", lambda op, o: op(o.rows, 3, dtype=o.dtype)),
    **_each("eye.out", lambda op, o: op(o.rows, out=torch.empty(0, dtype=o.dtype))),
    **_each("eye.m_out", lambda op, o: op(o.rows, 3, out=torch.empty(0, dtype=o.dtype))),
    **_each("tril_indices triu_indices", lambda op, o: op(o.rows, 9, 1)),
    **_each("_foreach_zero_", lambda op, o: op([o.x.clone()])),
    **_each(
        "_pack_padded_sequence",
        lambda op, o: op(o.image.transpose(1, 3)[:, :, 0], torch.tensor([o.rows, 3]), True),
    ),
}

NO_VALUES = frozenset(
    [
        "empty.memory_format",
        "empty_strided",
        "empty_like",
        "empty_permuted",
        "new_empty",
        "new_empty_strided",
        "_fused_sdp_choice",
        "is_pinned",
        "record_stream",
        "_assert_async",
        "_assert_tensor_metadata",
        "_linalg_check_errors",
        "_nested_tensor_from_mask_left_aligned",
    ]
)
"""What makes no values: memory without contents, and questions about tensors."""


def results(rows: int, names: list[str], dtypes: list[str]) -> Iterator[tuple[str, str]]:
    """Fingerprints of the calls, by operation and dtype."""
    for kind in dtypes:
        operands = Operands(rows, DTYPES[kind])
        before = samebits.fingerprint(operands.x)
        for name in names:
            found = CASES[name](operands)
            assert samebits.fingerprint(operands.x) == before, f"{name} changes what it is given"
            plain = (
                found
                if isinstance(found, (str, int, bool, type(None)))
                else samebits.fingerprint(found)
            )
            yield f"{name} {kind}", str(plain)


if __name__ == "__main__":
    settings = json.loads(sys.argv[1])
    answer = {}
    for threads in settings["threads"]:
        torch.set_num_threads(threads)
        answer[threads] = dict(results(settings["rows"], sorted(CASES), settings["dtypes"]))
    print(json.dumps({"capability": torch.backends.cpu.get_cpu_capability(), "found": answer}))
