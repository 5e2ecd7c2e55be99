"""Different bits give different fingerprints: what training changes, and the awkward changes."""

from __future__ import annotations

import numpy as np
import pytest

from samebits.core import _native
from samebits.core.fingerprint import reference

FLOAT32 = 12


def of(array: np.ndarray, code: int = FLOAT32) -> int:
    array = np.ascontiguousarray(array)
    return _native.fingerprint_view(array.ctypes.data, array.itemsize, array.shape, None, code)


def normal(size: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(size).astype(np.float32)


@pytest.mark.parametrize("size", [1, 4, 8, 24, 520, 1100])
def test_every_single_bit_counts(size: int) -> None:
    content = np.random.default_rng(1).integers(0, 256, size, dtype=np.uint8)
    seen = {of(content)}
    for position in range(size):
        for bit in range(8):
            content[position] ^= 1 << bit
            seen.add(of(content))
            content[position] ^= 1 << bit
    assert len(seen) == 8 * size + 1


def test_every_swap_of_two_elements_counts() -> None:
    values = normal(100)
    seen = {of(values)}
    for i in range(100):
        for j in range(i):
            values[[i, j]] = values[[j, i]]
            seen.add(of(values))
            values[[i, j]] = values[[j, i]]
    assert len(seen) == 1 + 100 * 99 // 2


@pytest.mark.parametrize("kind", ["normal", "constant", "zero"])
def test_ulps_that_compensate_do_not_cancel(kind: str) -> None:
    # One element up by an ULP, another down: any sum of values or of words would not notice.
    bits = {
        "normal": normal(2048).view(np.uint32),
        "constant": np.full(2048, np.float32(1)).view(np.uint32),
        "zero": np.full(2048, 1, dtype=np.uint32),
    }[kind]
    rng = np.random.default_rng(2)
    seen = {of(bits)}
    for _ in range(3000):
        up, down = rng.choice(2048, 2, replace=False)
        bits[up] += 1
        bits[down] -= 1
        seen.add(of(bits))
        bits[up] -= 1
        bits[down] += 1
    assert len(seen) >= 2990  # a pair may be drawn twice


def differences(change: np.uint64, words: np.ndarray) -> np.ndarray:
    """By how much the same change moves the word sum, at each of many positions."""
    numbers = np.arange(1, len(words) + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        keys = numbers * reference.KEY_STEP
        before = reference.finish(reference.absorb(keys, words))
        after = reference.finish(reference.absorb(keys, words ^ change))
        return np.minimum(before - after, after - before)


SINGLE_BITS = [1 << bit for bit in (0, 1, 7, 15, 22, 23, 31, 32, 33, 54, 55, 61, 62, 63)]
PATTERNS = [
    0x8000000080000000,
    0x0000000100000001,
    0x8000800080008000,
    0xE000000000000000,
    2**64 - 1,
]


@pytest.mark.parametrize("change", [*SINGLE_BITS, *PATTERNS], ids=hex)
@pytest.mark.parametrize("word", [0x3F8000003F800000, 0], ids=["ones", "zeros"])
def test_no_change_moves_two_chains_alike(change: int, word: int) -> None:
    # Two positions that the same change moves by opposite amounts would cancel. Among 2**16
    # positions there are 2**32 pairs of each sign: with random amounts, one in 2**31 finds any.
    words = np.full(1 << 16, word, dtype=np.uint64)
    moves = differences(np.uint64(change), words)
    assert len(np.unique(moves)) == len(moves)


@pytest.mark.parametrize("change", [*SINGLE_BITS, *PATTERNS], ids=hex)
def test_a_change_is_spread_before_the_next_word(change: int) -> None:
    # The next word of a chain could only undo it by a change of just these many scattered bits.
    states = np.random.default_rng(3).integers(0, 2**64, 1 << 16, dtype=np.uint64)
    none = np.zeros_like(states)
    with np.errstate(over="ignore"):
        moved = reference.absorb(states, none) ^ reference.absorb(states ^ np.uint64(change), none)
    flipped = np.unpackbits(moved.view(np.uint8)).reshape(len(states), 64).sum(axis=1)
    assert flipped.min() >= 8
    assert 16 <= flipped.mean() <= 48


def test_avalanche() -> None:
    # Each input bit flips each of the 64 output bits in about half of the cases.
    rng = np.random.default_rng(4)
    samples = 400
    for bit in (0, 13, 31, 32, 63, 64 * 70 + 5, 64 * 1023 + 63):
        counts = np.zeros(64)
        for _ in range(samples):
            words = rng.integers(0, 2**64, 1024, dtype=np.uint64)
            before = of(words)
            words[bit // 64] ^= np.uint64(1) << np.uint64(bit % 64)
            flips = before ^ of(words)
            counts += [flips >> i & 1 for i in range(64)]
        # Six standard deviations of a binomial of 400.
        assert np.all(np.abs(counts / samples - 0.5) < 0.15)


def test_zeros_ones_and_signs() -> None:
    for size in (1, 2, 100, 5000):
        zeros, ones = np.zeros(size, np.float32), np.ones(size, np.float32)
        assert len({of(zeros), of(ones), of(-zeros), of(-ones)}) == 4


def test_lengths_of_equal_bytes() -> None:
    assert len({of(np.zeros(size, np.uint8)) for size in range(2000)}) == 2000


def test_shape_and_dtype_count() -> None:
    values = normal(24)
    shapes = [(24,), (1, 24), (24, 1), (2, 12), (12, 2), (4, 6), (2, 3, 4), (24, 1, 1)]
    assert len({of(values.reshape(shape)) for shape in shapes}) == len(shapes)
    assert len({of(values, code) for code in range(1, 256)}) == 255
    assert len({of(np.zeros(shape)) for shape in [(0,), (0, 1), (1, 0), (0, 0)]}) == 4


def test_nan_payloads_count() -> None:
    payloads = np.array([0x7FC00000, 0x7FC00001, 0xFFC00000, 0x7F800001], dtype=np.uint32)
    assert len({of(payload.view(np.float32)) for payload in payloads}) == 4
