"""Operations that are exact as torch computes them for complex numbers as well.

They move numbers, make them of two others, or compare them for equality.
"""

from __future__ import annotations

import torch

import samebits.arithmetic.operations.safe  # noqa: F401  what is said of real numbers comes first
from samebits.arithmetic.registry import COMPLEX, safe, safe_too

_NAMES = """
empty.memory_format empty_strided empty_like new_empty new_empty_strided zeros zeros_like new_zeros
ones ones_like new_ones full full_like new_full scalar_tensor zero_ zero fill_.Scalar fill_.Tensor
fill.Scalar fill.Tensor eye eye.m lift_fresh lift detach_ clone cat stack copy index_select
where.self masked_fill.Scalar masked_fill.Tensor masked_fill_.Scalar masked_fill_.Tensor
masked_select index.Tensor index_fill.int_Scalar index_fill_.int_Scalar take flip roll repeat
constant_pad_nd tril triu tril_ triu_ select_backward slice_backward diagonal_backward
select_scatter slice_scatter diagonal_scatter expand_copy view_copy permute_copy t_copy diag_embed
_reshape_copy _unsafe_view unsafe_split.Tensor split_with_sizes_copy alias_copy resize_ transpose_
t_ squeeze_ squeeze_.dim unsqueeze_ as_strided_ eq.Scalar eq.Tensor ne.Scalar ne.Tensor equal isnan
any all logical_not _local_scalar_dense _efficientzerotensor
"""

safe_too((f"aten.{name}" for name in _NAMES.split()), COMPLEX)
# Two tensors, put together: those of which complex numbers of a known dtype come.
safe(["aten.complex"], dtypes=frozenset({torch.float32, torch.float64}))
