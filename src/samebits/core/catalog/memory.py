"""What operations do with memory: facts that their schemas do not tell.

Names are those of `torch.ops.aten`, without the overload; an entry counts for every overload.
The operations of torch 2.13 were searched for more: every sample of torch's own operator and module
databases was recorded in two processes whose allocator fills fresh memory with other bytes
(`MALLOC_PERTURB_`); what then differed is listed here. tests/check/record/test_operator_database.py
repeats that.
"""

from __future__ import annotations

from typing import Final

CREATES_UNWRITTEN: Final = frozenset(
    {
        "empty",
        "empty_like",
        "empty_strided",
        "empty_permuted",
        "empty_quantized",
        "new_empty",
        "new_empty_strided",
        "resize",
    }
)
"""Results that hold whatever the allocator left there, until something writes them."""

OVERWRITES: Final = frozenset(
    {
        "bernoulli_",
        "cauchy_",
        "copy_",
        "exponential_",
        "fill_",
        "geometric_",
        "log_normal_",
        "normal_",
        "random_",
        "uniform_",
        "zero_",
        "_foreach_copy_",
        "_foreach_zero_",
        "set_",
        "resize_",
        "resize_as_",
        "resize_storage_bytes_",
    }
)
"""In-place operations whose target is not read: what it held before is no input."""

RESIZES: Final = frozenset({"set_", "resize_", "resize_as_", "resize_storage_bytes_"})
"""Operations that read and write no element; a storage that is too small grows, unwritten."""

ATTACHES: Final = frozenset({"set_"})
"""Operations that make their target look at other memory, whoever wrote it, and read none of it."""

WRITES_PART: Final = frozenset(
    {
        "_index_put_impl_",
        "fill_diagonal_",
        "index_add_",
        "index_copy_",
        "index_fill_",
        "index_put_",
        "index_reduce_",
        "masked_fill_",
        "masked_scatter_",
        "put_",
        # In evaluation it does not touch its noise argument.
        "rrelu_with_noise",
        "rrelu_with_noise_",
        "scatter_",
        "scatter_add_",
        "scatter_reduce_",
    }
)
"""Operations that write some elements of an argument; on fresh memory the others mean nothing."""

ALIASES: Final = frozenset({"_unsafe_view", "_reshape_alias", "_wrap_tensor_autograd"})
"""Operations whose result shares memory with their input although their schema does not say so."""

COPIES: Final = frozenset({"clone", "copy_", "_to_copy", "_foreach_copy_"})
"""Operations that only move elements: what they copy of fresh memory means nothing either.

Circular padding does that: it copies corners that it has not filled yet, and fills them later.
"""

SOURCES: Final = frozenset({"from_file", "lift_fresh", "wait_tensor"})
"""Operations whose result is memory that came from outside (Python, a loader's worker, a file,
another process)."""

COMMUNICATION: Final = frozenset({"c10d", "_c10d_functional", "_c10d_functional_autograd", "fsdp"})
"""Namespaces of operations between processes.

They return before the transfer is done, and what their tensors hold then is known to nobody until
the script has waited for it. FSDP's prepare memory that the other ranks then fill.
"""

RECEIVES_NOTHING: Final = frozenset(
    {
        *("barrier", "check_for_nan", "isend", "monitored_barrier_", "send", "wait_tensor"),
        *("_wrap_tensor_autograd", "chunk_cat", "split_with_sizes_copy"),
    }
)
"""Operations of these namespaces that write into no tensor, or have waited for what does."""

ONLY_WRITTEN: Final = frozenset({"broadcast_", "recv_", "recv_any_source_"})
"""Operations of these namespaces that give away nothing of what a tensor held, where its rank is
the one that receives."""

FILLED_BY_OTHERS: Final = frozenset({"recv_", "recv_any_source_"})
"""Operations of these namespaces that overwrite all tensors they are given, and read none."""

SAME_ARGUMENT: Final = frozenset(
    {
        *("allreduce_", "allreduce_coalesced_", "broadcast_", "allgather_", "_allgather_base_"),
        *("allgather_coalesced_", "allgather_into_tensor_coalesced_"),
    }
)
"""Collectives of c10d whose first argument holds the same on all ranks of the group afterwards."""

SAME_RESULT: Final = frozenset(
    {
        *("all_reduce", "all_reduce_", "all_reduce_coalesced", "all_reduce_coalesced_"),
        *("all_gather_into_tensor", "all_gather_into_tensor_coalesced"),
        *("all_gather_into_tensor_out", "broadcast", "broadcast_"),
    }
)
"""Functional collectives whose result is the same on all ranks of the group."""

WAITS: Final = frozenset({"wait_tensor"})
"""Operations that return once what was under way has arrived."""

SCRATCH_OUTPUTS: Final[dict[str, tuple[int, ...]]] = {
    # oneDNN's LSTM keeps its workspace for the backward pass here.
    "mkldnn_rnn_layer": (3,),
    # cuDNN's and MIOpen's reserve buffers.
    "_cudnn_rnn": (3, 4),
    "miopen_rnn": (3, 4),
    "cudnn_batch_norm": (3,),
    "_batch_norm_with_update": (3,),
    "_batch_norm_with_update_functional": (3,),
    # Only the part up to each target's length is written.
    "_ctc_loss": (1,),
    # Which bag an index fell into is filled only in the modes that need it.
    "_embedding_bag": (1, 2, 3),
    "_embedding_bag_forward_only": (1, 2, 3),
    # Log-sum-exp padded to the kernel's tile, the generator's seed and offset, a debug mask.
    "_scaled_dot_product_flash_attention": (6, 7, 8),
    "_scaled_dot_product_efficient_attention": (1, 2, 3),
    "_scaled_dot_product_cudnn_attention": (6, 7, 8),
    "_flash_attention_forward": (2, 3, 4),
    "_efficient_attention_forward": (1, 2, 3),
}
"""Outputs, by position, that are a kernel's working space and no result."""

MOVES: Final = frozenset(
    {
        "_index_put_impl_",
        "_to_copy",
        "cat",
        "clone",
        "copy",
        "copy_",
        "expand_copy",
        "flip",
        "gather",
        "index",
        "index_copy",
        "index_copy_",
        "index_put",
        "index_put_",
        "index_select",
        "masked_fill",
        "masked_fill_",
        "masked_scatter",
        "masked_scatter_",
        "masked_select",
        "permute_copy",
        "repeat",
        "roll",
        "scatter",
        "scatter_",
        "select_copy",
        "slice_copy",
        "stack",
        "take",
        "view_copy",
        "where",
    }
)
"""Operations that pick elements and put them elsewhere, and compute nothing with them."""
