"""What samples a batch holds, in whatever order and however they were shared out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from samebits.core import _native

_MOST_SAMPLES = 4_096
_ALL = 2**64


def samples_of(batch: Any) -> tuple[int, int] | None:
    """How many samples a batch holds, and a digest that adds up over batches.

    Args:
        batch: What a loader gave, see `digests_of`.

    Returns:
        The number, and the sum of all samples' digests modulo 2**64; None where samples cannot be
        told apart.
    """
    return summed(digests_of(batch))


def summed(digests: Sequence[int] | None) -> tuple[int, int] | None:
    """How many digests there are, and their sum modulo 2**64; None for None."""
    return None if digests is None else (len(digests), sum(digests) % _ALL)


def digests_of(batch: Any) -> list[int] | None:
    """A digest of 64 bits of each sample of a batch.

    No operation of torch is called: whoever records would see it.

    Args:
        batch: What a loader gave: a tensor of shape (samples, ...), or tuples, lists and
            dictionaries of such tensors, one for each part of a sample.

    Returns:
        None where samples cannot be told apart: other values in the batch, tensors on a device, or
        of different lengths.
    """
    import torch

    parts: list[tuple[int, int]] = []
    count = -1
    for tensor in _leaves(batch):
        if (
            not isinstance(tensor, torch.Tensor)
            or tensor.layout is not torch.strided
            or tensor.device.type != "cpu"
            or tensor.dim() == 0
            or not tensor.is_contiguous()
            or count not in (-1, tensor.shape[0])
        ):
            return None
        count = tensor.shape[0]
        parts.append((tensor.data_ptr(), tensor.numel() * tensor.element_size() // max(count, 1)))
    if not 0 < count <= _MOST_SAMPLES:
        return None
    digests = []
    for sample in range(count):
        words = [_native.digest_memory(start + sample * size, size) for start, size in parts]
        whole = b"".join(word.to_bytes(8, "little") for word in words)
        digests.append(int.from_bytes(blake2b(whole, digest_size=8).digest(), "little"))
    return digests


def added(one: tuple[int, int] | None, other: tuple[int, int] | None) -> tuple[int, int] | None:
    """The samples of both; None where those of either are not known."""
    if one is None or other is None:
        return None
    return one[0] + other[0], (one[1] + other[1]) % _ALL


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, Mapping):
        for value in tree.values():
            yield from _leaves(value)
    elif isinstance(tree, list | tuple):
        for value in tree:
            yield from _leaves(value)
    else:
        yield tree
