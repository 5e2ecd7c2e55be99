"""Operations that are exact as torch computes them: they move, compare, or count.

Nothing here adds, multiplies or rounds floating-point numbers. Views need no entry: an operation
whose schema says that its result is its argument's memory is safe. Nor do operations that torch
composes of others: those are looked at. `tests/arithmetic/test_safe.py` holds each name: it needs
a case in `safe_cases.py` there.
"""

from __future__ import annotations

from samebits.arithmetic.registry import safe, whole_numbers

_CREATION = """
empty.memory_format empty_strided empty_like new_empty new_empty_strided zeros zeros_like new_zeros
ones ones_like new_ones full full_like new_full scalar_tensor zero_ zero zeros.out fill_.Scalar
fill_.Tensor fill.Scalar fill.Tensor eye eye.m eye.out eye.m_out lift_fresh lift lift_fresh_copy
detach_ tril_indices triu_indices _efficientzerotensor _new_zeros_with_same_feature_meta
"""

_MOVEMENT = """
clone cat stack copy index_select where.self masked_fill.Scalar masked_fill.Tensor
masked_fill_.Scalar masked_fill_.Tensor masked_select masked_scatter masked_scatter_ index.Tensor
index_fill.int_Scalar index_fill_.int_Scalar index_fill.int_Tensor index_fill_.int_Tensor take flip
roll repeat constant_pad_nd reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d
tril triu tril_ triu_ select_backward slice_backward diagonal_backward select_scatter slice_scatter
diagonal_scatter unfold_copy expand_copy view_copy permute_copy t_copy pixel_shuffle
pixel_unshuffle channel_shuffle im2col reflection_pad3d replication_pad3d masked_scatter_backward
alias_copy diagonal_copy squeeze_copy squeeze_copy.dim unsqueeze_copy transpose_copy.int
as_strided_copy block_diag empty_permuted split_with_sizes_copy unbind_copy.int resize_
set_.source_Storage set_.source_Storage_storage_offset set_.source_Tensor set_ _reshape_copy
_unsafe_index.Tensor repeat_interleave.Tensor embedding _pack_padded_sequence rot90 diag_embed
transpose_ t_ squeeze_ squeeze_.dim unsqueeze_ as_strided_ resize_as_ _unsafe_view
unsafe_split.Tensor unsafe_split_with_sizes split_copy.Tensor narrow_copy _foreach_zero_
_unsafe_masked_index cat.out stack.out index_select.out
squeeze_.dims where.self_out _chunk_cat
"""

_COMPARISON = """
eq.Scalar eq.Tensor ne.Scalar ne.Tensor lt.Scalar lt.Tensor le.Scalar le.Tensor gt.Scalar gt.Tensor
ge.Scalar ge.Tensor isnan isinf isposinf isneginf signbit equal any any.dim any.dims all all.dim
all.dims logical_not logical_and logical_or logical_xor logical_not_ logical_and_ logical_or_
bitwise_not bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor bitwise_and.Scalar
bitwise_or.Scalar bitwise_xor.Scalar bitwise_and_.Tensor bitwise_or_.Tensor eq_.Scalar ne_.Scalar
"""

_ORDER = """
max.dim min.dim argmax argmin searchsorted.Tensor searchsorted.Scalar bucketize.Tensor unique_dim
_unique2 unique_consecutive cummax cummin nonzero nonzero_static count_nonzero
count_nonzero.dim_IntList isin.Tensor_Tensor
"""

_SIGNS = """
copysign.Tensor copysign.Scalar
"""

_READING = """
_local_scalar_dense is_pinned _has_same_storage_numel record_stream _assert_async
_assert_tensor_metadata _linalg_check_errors is_same_size _nested_tensor_from_mask_left_aligned
"""

for _group in (_CREATION, _MOVEMENT, _COMPARISON, _ORDER, _SIGNS, _READING):
    safe(f"aten.{name}" for name in _group.split())

# What is computed of whole numbers alone, modulo 2ⁿ, in an order that does not matter or is fixed.
whole_numbers(
    f"aten.{name}"
    for name in (
        "__lshift__", "__rshift__", "_assert_scalar", "_is_all_true", "_is_any_true",
        "as_strided_scatter", "bincount", "bitwise_left_shift", "bitwise_right_shift", "gcd",
        "hash_tensor", "lcm", "sym_constrain_range", "sym_constrain_range_for_size",
        "unique_dim_consecutive",
    )
)  # fmt: skip

# What torch's optimizers and its profiler enter and leave: names, and no values.
safe(
    (
        "profiler._record_function_enter",
        "profiler._record_function_enter_new",
        "profiler._record_function_exit",
        "profiler._record_function_exit._RecordFunction",
    )
)
