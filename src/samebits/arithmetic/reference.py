"""The arithmetic of `exact()`, readable: docs/arithmetic.md in plain NumPy, slow and obvious.

Every kernel is tested bit for bit against this file. Nothing in samebits computes with it.

NumPy's own sums, products of matrices and functions are never used: their order and their last bit
are its own affair. What is used are single IEEE-754 operations (+, −, ×, ÷, √) on whole arrays,
each of which rounds once. Functions are computed with as many bits as it takes (mpmath), and
rounded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samebits.arithmetic.reference_functions import Array, canonical, function, power

__all__ = ["Array", "canonical", "function", "power"]

CHAIN, GROUP = 256, 16
"""Terms of one chain of fma, and chains of one group."""
LANES, BLOCK = 64, 4096
"""Lanes of a sum, and values of one block."""


# Fused multiply-add ------------------------------------------------------------------------------


def fma(a: Array, b: Array, c: Array) -> Array:
    """A b + c in binary32, rounded once.

    In binary64 the product is exact and the sum is not: its error is known exactly (Knuth's
    TwoSum), and decides how a last bit is set ("round to odd") so that the second rounding, to
    binary32, comes out as if it had been the only one (Boldo and Melquiond, 2008).
    """
    product = a.astype(np.float64) * b.astype(np.float64)
    c = c.astype(np.float64)
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    pattern = total.view(np.int64)
    inexact = (error != 0) & np.isfinite(total) & ((pattern & 1) == 0)
    away = (error > 0) == (total > 0)
    pattern = np.where(inexact, np.where(away, pattern + 1, pattern - 1), pattern)
    return pattern.view(np.float64).astype(np.float32)


# Products ----------------------------------------------------------------------------------------


def product(a: Array, b: Array) -> Array:
    """A product of matrices, [M, K] by [K, N], in binary32.

    Terms are taken in order of k. Each block of 256 is a chain of fma that begins with +0; the
    chains of 16 blocks are added in order, and the sums of these groups in order.
    """
    k = a.shape[1]
    total: Array | None = None
    for group in range(0, max(k, 1), CHAIN * GROUP):
        within: Array | None = None
        for block in range(group, min(group + CHAIN * GROUP, max(k, 1)), CHAIN):
            chain = np.zeros((a.shape[0], b.shape[1]), np.float32)
            for p in range(block, min(block + CHAIN, k)):
                chain = fma(a[:, p : p + 1], b[p : p + 1, :], chain)
            within = chain if within is None else within + chain
        total = within if total is None else total + within
    assert total is not None
    return canonical(total)


# Sums --------------------------------------------------------------------------------------------


def block_sum(x: Array) -> Array:
    """The sum over the first axis, of at most 4096 values.

    Value i goes to lane i mod 64; each lane begins with +0 and adds its values in order. Lanes are
    then added in halves: lane l to lane l + 32, to l + 16, and so on.
    """
    lanes = np.zeros((LANES, *x.shape[1:]), x.dtype)
    for i in range(x.shape[0]):
        lanes[i % LANES] = lanes[i % LANES] + x[i]
    width = LANES // 2
    while width:
        lanes = lanes[:width] + lanes[width : 2 * width]
        width //= 2
    result: Array = lanes[0]
    return result


def total(x: Array) -> Array:
    """The sum over the first axis: blocks of 4096, then the same again over their sums."""
    while x.shape[0] > BLOCK:
        x = np.stack([block_sum(x[i : i + BLOCK]) for i in range(0, x.shape[0], BLOCK)])
    return canonical(block_sum(x))


def sum_over(x: Array, axes: Sequence[int]) -> Array:
    """The sum over axes, their elements taken in row-major order."""
    kept = [d for d in range(x.ndim) if d not in axes]
    front = np.transpose(x, [*sorted(axes), *kept])
    count = int(np.prod([x.shape[d] for d in axes], dtype=np.int64))
    return total(front.reshape(count, *[x.shape[d] for d in kept]))


def product_over(x: Array) -> Array:
    """The product over the first axis: a sum in binary64 with × for + and 1 for +0."""
    y = x.astype(np.float64)
    while True:
        parts = [y[i : i + BLOCK] for i in range(0, max(len(y), 1), BLOCK)]
        y = np.stack([_block_product(part) for part in parts])
        if len(y) == 1:
            return canonical(y[0].astype(x.dtype))


def _block_product(x: Array) -> Array:
    lanes = np.ones((LANES, *x.shape[1:]), x.dtype)
    for i in range(x.shape[0]):
        lanes[i % LANES] = lanes[i % LANES] * x[i]
    width = LANES // 2
    while width:
        lanes = lanes[:width] * lanes[width : 2 * width]
        width //= 2
    result: Array = lanes[0]
    return result


# Softmax and normalisation -----------------------------------------------------------------------


def softmax(x: Array) -> Array:
    """Over the last axis, in binary32: exp(x − max) divided by its sum."""
    e = function("exp", x - x.max(-1, keepdims=True))
    return canonical(e / sum_over(e, [e.ndim - 1])[..., None])


def log_softmax(x: Array) -> Array:
    """Over the last axis: (x − max) − log(sum of exp(x − max))."""
    shifted = x - x.max(-1, keepdims=True)
    sums = sum_over(function("exp", shifted), [x.ndim - 1])[..., None]
    return canonical(shifted - function("log", sums))


def softmax_backward(grad: Array, y: Array) -> Array:
    """Y (grad − sum of grad y)."""
    return canonical(y * (grad - sum_over(grad * y, [y.ndim - 1])[..., None]))


def log_softmax_backward(grad: Array, y: Array) -> Array:
    """Grad − exp(y) times the sum of grad."""
    return canonical(grad - function("exp", y) * sum_over(grad, [y.ndim - 1])[..., None])


def normalised(x: Array, axes: Sequence[int], eps: float) -> tuple[Array, Array, Array]:
    """(x − mean) rstd, the mean and rstd, over axes that keep their place with size 1."""
    count = x.dtype.type(np.prod([x.shape[d] for d in axes], dtype=np.int64))
    shape = [1 if d in axes else n for d, n in enumerate(x.shape)]
    mean = (sum_over(x, axes) / count).reshape(shape)
    centered = x - mean
    variance = sum_over(centered * centered, axes) / count
    rstd = function("rsqrt", variance + x.dtype.type(eps)).reshape(shape)
    return canonical(centered * rstd), mean, rstd


def normalised_backward(
    grad: Array, x: Array, axes: Sequence[int], mean: Array, rstd: Array
) -> Array:
    """The derivative of `normalised` for a gradient that has been multiplied by the weight."""
    count = x.dtype.type(np.prod([x.shape[d] for d in axes], dtype=np.int64))
    normal = (x - mean) * rstd
    first = (sum_over(grad, axes) / count).reshape(mean.shape)
    second = (sum_over(grad * normal, axes) / count).reshape(mean.shape)
    return canonical(rstd * ((grad - first) - normal * second))


# Random numbers ----------------------------------------------------------------------------------


def philox(key: int, blocks: int) -> Array:
    """The words of Philox4x32-10 for the counters 0, 1, 2 …, four a counter, as uint32."""
    counter = np.arange(blocks, dtype=np.uint64)
    low = np.uint64(0xFFFFFFFF)
    x = [counter & low, counter >> np.uint64(32), np.zeros_like(counter), np.zeros_like(counter)]
    k0, k1 = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        p0, p1 = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        x = [
            (p1 >> np.uint64(32)) ^ x[1] ^ np.uint64(k0),
            p1 & low,
            (p0 >> np.uint64(32)) ^ x[3] ^ np.uint64(k1),
            p0 & low,
        ]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack(x, -1).reshape(-1).astype(np.uint32)


def words(key: int, count: int) -> Array:
    """The first words of a call's stream: element i takes word i."""
    return philox(key, (count + 3) // 4)[:count]


def unit(word: Array) -> Array:
    """[0, 1) in steps of 2^-24: the upper 24 bits of a word."""
    return (word >> 8).astype(np.float32) * np.float32(2.0**-24)


def unit_above(word: Array) -> Array:
    """(0, 1] in steps of 2^-24."""
    return ((word >> 8) + 1).astype(np.float32) * np.float32(2.0**-24)


def uniform(key: int, count: int, low: float = 0.0, high: float = 1.0) -> Array:
    """Uniform numbers: u (high − low) + low."""
    span = np.float32(high) - np.float32(low)
    return unit(words(key, count)) * span + np.float32(low)


def normal(key: int, count: int, mean: float = 0.0, deviation: float = 1.0) -> Array:
    """Normal numbers in pairs: r cos(a) and r sin(a), r = √(−2 log u), a = 2π v (Box, Muller)."""
    pairs = words(key, count + count % 2).reshape(-1, 2)
    radius = np.sqrt(np.float32(-2.0) * function("log", unit_above(pairs[:, 0])))
    angle = unit(pairs[:, 1]) * np.float32(6.2831855)
    both = np.stack([radius * function("cos", angle), radius * function("sin", angle)], -1)
    result: Array = both.reshape(-1)[:count] * np.float32(deviation) + np.float32(mean)
    return result


def bernoulli(key: int, count: int, p: float) -> Array:
    """1 where a word is below p 2^32, else 0."""
    return (words(key, count).astype(np.uint64) < np.uint64(round(p * 2**32))).astype(np.float32)


def exponential(key: int, count: int, rate: float = 1.0) -> Array:
    """−log(u) / rate."""
    return (np.float32(0.0) - function("log", unit_above(words(key, count)))) / np.float32(rate)
