"""The fingerprint in torch operations on int64, for devices that have no kernel of ours.

Equal to the native one bit for bit. Nothing waits for the device: the result is a tensor there.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from samebits.core.fingerprint import reference
from samebits.core.fingerprint.dtypes import torch_codes

_ROWS, _CHAINS = reference.ROWS, reference.CHAINS
_BLOCK_BYTES = 8 * _ROWS * _CHAINS
# Scratch space is a quarter of this: states and two temporaries for each sixteen words.
_CHUNK_BLOCKS = 8192
_CODES = torch_codes(torch)
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _signed(value: int) -> int:
    """The int64 with the same bits; torch has no arithmetic on uint64."""
    return value - (1 << 64) if value >> 63 else value


_KEY_STEP = _signed(int(reference.KEY_STEP))
_MULTIPLIERS = tuple(int(m) for m in reference.MULTIPLIERS)


def _shift(x: torch.Tensor, distance: int) -> torch.Tensor:
    # torch shifts int64 arithmetically: the sign's copies are masked off.
    return (x >> distance).bitwise_and_((1 << (64 - distance)) - 1)


def _mix(x: torch.Tensor, multiplier: int) -> torch.Tensor:
    return (x & 0xFFFFFFFF).mul_(multiplier).add_(x)


def _absorb(state: torch.Tensor, word: torch.Tensor) -> torch.Tensor:
    x = state ^ word
    x = _mix(_shift(x, 29).bitwise_xor_(x), _MULTIPLIERS[0])
    x = _shift(x, 32).bitwise_or_(x << 32)
    return _mix(x, _MULTIPLIERS[1])


def _finish(state: torch.Tensor) -> torch.Tensor:
    x = _mix(_shift(state, 29).bitwise_xor_(state), _MULTIPLIERS[2])
    x = _mix(_shift(x, 32).bitwise_xor_(x), _MULTIPLIERS[3])
    return _shift(x, 32).bitwise_xor_(x)


def _keys(first_block: int, blocks: int, device: torch.device) -> torch.Tensor:
    """Shape (blocks, 64)."""
    first = first_block * _CHAINS + 1
    numbers = torch.arange(first, first + blocks * _CHAINS, dtype=torch.int64, device=device)
    return numbers.mul_(_KEY_STEP).view(blocks, _CHAINS)


def _as_words(content: torch.Tensor) -> torch.Tensor:
    """uint8 of shape (8 n,) as int64 of shape (n,), copied only where it is not aligned."""
    if content.storage_offset() % 8 or content.data_ptr() % 8:
        content = content.clone()
    return content.view(torch.int64)


def _sum_full(content: torch.Tensor, first_block: int) -> torch.Tensor:
    blocks = _as_words(content).view(-1, _ROWS, _CHAINS)
    states = _keys(first_block, blocks.shape[0], content.device)
    for row in range(_ROWS):
        states = _absorb(states, blocks[:, row])
    return _finish(states).sum()


def _sum_cut(content: torch.Tensor, first_block: int) -> torch.Tensor:
    padded = torch.zeros(-(-content.numel() // 8) * 8, dtype=torch.uint8, device=content.device)
    padded[: content.numel()] = content
    words = padded.view(torch.int64)
    states = _keys(first_block, 1, content.device)[0, : min(words.numel(), _CHAINS)]
    for start in range(0, words.numel(), _CHAINS):
        row = words[start : start + _CHAINS]
        states = torch.cat([_absorb(states[: row.numel()], row), states[row.numel() :]])
    return _finish(states).sum()


def _partial_sums(content: torch.Tensor) -> Iterator[torch.Tensor]:
    full = content.numel() // _BLOCK_BYTES
    for first in range(0, full, _CHUNK_BLOCKS):
        last = min(first + _CHUNK_BLOCKS, full)
        yield _sum_full(content[first * _BLOCK_BYTES : last * _BLOCK_BYTES], first)
    if content.numel() > full * _BLOCK_BYTES:
        yield _sum_cut(content[full * _BLOCK_BYTES :], full)


def _combine(running: int, following: torch.Tensor) -> torch.Tensor:
    x = following + _signed(running * int(reference.KEY_STEP) % (1 << 64))
    x = _shift(x, 30).bitwise_xor_(x).mul_(_signed(0xBF58476D1CE4E5B9))
    x = _shift(x, 27).bitwise_xor_(x).mul_(_signed(0x94D049BB133111EB))
    return _shift(x, 31).bitwise_xor_(x)


@torch.no_grad()
def fingerprint_on_device(tensor: torch.Tensor) -> torch.Tensor:
    """The fingerprint of a strided tensor, computed where the tensor is.

    Args:
        tensor: Strided, of any dtype and device. One that is not contiguous is copied.

    Returns:
        A 0-dim int64 tensor on the same device whose bits, read as unsigned, are the fingerprint.
    """
    plain = tensor.detach().resolve_conj().resolve_neg()
    # As integers: some dtypes can be neither copied nor reshaped.
    plain = plain.view(_BITS.get(plain.itemsize, plain.dtype)).contiguous()
    # Not view(-1): a single element may keep a stride that forbids the view as bytes.
    content = plain.as_strided((plain.numel(),), (1,)).view(torch.uint8)
    total = torch.zeros((), dtype=torch.int64, device=plain.device)
    for part in _partial_sums(content):
        total = total + part
    return _combine(reference.header(_CODES[tensor.dtype], tensor.shape), total)
