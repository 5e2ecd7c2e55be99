"""The fingerprint in NumPy: slow and obvious, the specification that kernels are tested against.

All arithmetic is on unsigned 64-bit integers, modulo 2**64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

ROWS, CHAINS = 16, 64  # a block: 16 rows of 64 words, 8192 bytes

KEY_STEP = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIERS = tuple(np.uint64(m) for m in (0x9E3779B0, 0x85EBCA76, 0xC2B2AE3C, 0x27D4EB2E))

_LOW_HALF = np.uint64(0xFFFFFFFF)


def _shift(x: Words, distance: int) -> Words:
    return x >> np.uint64(distance)


def _mix(x: Words, multiplier: np.uint64) -> Words:
    """Multiply the low half by an odd number and add to the high half: a bijection."""
    return x + (x & _LOW_HALF) * multiplier


def absorb(state: Words, word: Words) -> Words:
    """Take one more word into a chain; a bijection in either argument."""
    x = state ^ word
    x = _mix(x ^ _shift(x, 29), MULTIPLIERS[0])
    x = _shift(x, 32) | (x << np.uint64(32))
    return _mix(x, MULTIPLIERS[1])


def finish(state: Words) -> Words:
    """End a chain; a bijection with no linear structure, since chains are added up."""
    x = _mix(state ^ _shift(state, 29), MULTIPLIERS[2])
    x = _mix(x ^ _shift(x, 32), MULTIPLIERS[3])
    return x ^ _shift(x, 32)


def words(content: bytes) -> Words:
    """The bytes as little-endian words, the last one padded with zero bytes; shape (n,)."""
    return np.frombuffer(content + bytes(-len(content) % 8), dtype="<u8").astype(np.uint64)


def sum_words(content: bytes) -> int:
    """The word sum: every block's chains, keyed by their number, absorbed, finished and added."""
    stream = words(content)
    total = np.uint64(0)
    with np.errstate(over="ignore"):
        for block, start in enumerate(range(0, len(stream), ROWS * CHAINS)):
            part = stream[start : start + ROWS * CHAINS]
            # Chains to the right of a block's only row have no word and do not count.
            chains = min(len(part), CHAINS)
            numbers = np.arange(block * CHAINS, block * CHAINS + chains, dtype=np.uint64)
            states = (numbers + np.uint64(1)) * KEY_STEP
            for row in range(0, len(part), CHAINS):
                present = part[row : row + CHAINS]
                states[: len(present)] = absorb(states[: len(present)], present)
            total += finish(states).sum(dtype=np.uint64)
    return int(total)


def combine(running: int, following: int) -> int:
    """Combine two fingerprints in order: SplitMix64's output step over a multiple and a sum."""
    modulus = (1 << 64) - 1
    x = (running * int(KEY_STEP) + following) & modulus
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & modulus
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & modulus
    return x ^ (x >> 31)


def header(dtype_code: int, shape: Sequence[int]) -> int:
    """What dtype and shape contribute."""
    running = combine(dtype_code, len(shape))
    for size in shape:
        running = combine(running, size)
    return running


def fingerprint(content: bytes, dtype_code: int, shape: Sequence[int]) -> int:
    """The fingerprint of an array.

    Args:
        content: The elements in row-major order, each little-endian.
        dtype_code: The number of the dtype in `dtypes.CODES`.
        shape: The sizes of its dimensions; empty for one element without dimensions.
    """
    return combine(header(dtype_code, shape), sum_words(content))
