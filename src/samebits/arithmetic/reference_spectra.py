"""The Fourier transforms of docs/arithmetic.md, "Spectra", in plain NumPy.

As `samebits.arithmetic.reference` for the rest of the page. A sequence of complex numbers is the
pair of its parts, each [n], of binary32 or binary64.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from samebits.arithmetic.reference import Array, canonical
from samebits.arithmetic.reference_complex import Parts

LARGEST_RADIX = 31
"""Prime factors above this one are left to a convolution."""


@functools.cache
def _root(k: int, n: int, bits: int) -> tuple[float, float]:
    """exp(−2πi k / n), each part rounded to as many bits."""
    import mpmath  # type: ignore[import-untyped]

    with mpmath.workprec(250):
        # In half turns, of which whole and half ones are exact.
        angle = mpmath.mpf(2 * k) / n
        parts = mpmath.cospi(angle), -mpmath.sinpi(angle)
        with mpmath.workprec(bits):
            re, im = (float(+part) + 0.0 for part in parts)
    return re, im


def roots(places: Array, n: int, dtype: Any) -> Parts:
    """The n-th roots of unity of given powers."""
    bits = 24 if dtype == np.float32 else 53
    found = [_root(int(k) % n, n, bits) for k in places]
    re, im = (np.array([pair[part] for pair in found], dtype) for part in (0, 1))
    return re, im


def _product(x: Parts, y: Parts) -> Parts:
    (a, b), (c, d) = x, y
    return a * c - b * d, a * d + b * c


def radix_of(n: int) -> int:
    """The radix of the last stage: 4, 2, or the smallest odd prime; 1 where none is left."""
    if n % 2 == 0:
        return 4 if n % 4 == 0 else 2
    return next((p for p in range(3, LARGEST_RADIX + 1, 2) if n % p == 0), 1)


def transform(x: Parts) -> Parts:
    """The transform of a sequence."""
    n = len(x[0])
    radix = radix_of(n)
    if n == 1:
        return x
    if radix == 1:
        return _convolution(x)
    m = n // radix
    inputs = []
    for q in range(radix):
        re, im = transform((x[0][q::radix], x[1][q::radix]))
        if q > 0 and m > 1:
            turned = _product((re[1:], im[1:]), roots(q * np.arange(1, m), n, re.dtype))
            re, im = np.concatenate([re[:1], turned[0]]), np.concatenate([im[:1], turned[1]])
        inputs.append((re, im))
    outputs = _butterfly(inputs)
    re, im = (np.concatenate([pair[part] for pair in outputs]) for part in (0, 1))
    return re, im


def _butterfly(z: list[Parts]) -> list[Parts]:
    """The transforms of values at one place of all subsequences."""
    if len(z) == 2:
        return [_add(z[0], z[1]), _subtract(z[0], z[1])]
    if len(z) == 4:
        a, b = _add(z[0], z[2]), _subtract(z[0], z[2])
        c, d = _add(z[1], z[3]), _subtract(z[1], z[3])
        return [_add(a, c), (b[0] + d[1], b[1] - d[0]), _subtract(a, c), (b[0] - d[1], b[1] + d[0])]
    radix, half = len(z), len(z) // 2
    sums = [_add(z[q], z[radix - q]) for q in range(1, half + 1)]
    differences = [_subtract(z[q], z[radix - q]) for q in range(1, half + 1)]
    found: list[Parts] = [z[0]] * radix
    for one in sums:
        found[0] = _add(found[0], one)
    for s in range(1, half + 1):
        cosines, negative = roots(s * np.arange(1, half + 1), radix, z[0][0].dtype)
        sines = 0 - negative
        even, odd = z[0], (sines[0] * differences[0][0], sines[0] * differences[0][1])
        for q in range(half):
            even = _add(even, (cosines[q] * sums[q][0], cosines[q] * sums[q][1]))
            if q > 0:
                odd = _add(odd, (sines[q] * differences[q][0], sines[q] * differences[q][1]))
        found[s] = (even[0] + odd[1], even[1] - odd[0])
        found[radix - s] = (even[0] - odd[1], even[1] + odd[0])
    return found


def _add(x: Parts, y: Parts) -> Parts:
    return x[0] + y[0], x[1] + y[1]


def _subtract(x: Parts, y: Parts) -> Parts:
    return x[0] - y[0], x[1] - y[1]


def _convolution(x: Parts) -> Parts:
    """Bluestein's way for a length without small prime factors."""
    n, dtype = len(x[0]), x[0].dtype
    length = 1
    while length < 2 * n - 1:
        length *= 2
    chirp = roots(np.array([j * j for j in range(n)], object), 2 * n, dtype)
    padded = (np.zeros(length, dtype), np.zeros(length, dtype))
    for part, of in zip(padded, _product(x, chirp), strict=True):
        part[:n] = of
    conjugate = (np.zeros(length, dtype), np.zeros(length, dtype))
    for j in range(n):
        for place in (j, (length - j) % length):
            conjugate[0][place], conjugate[1][place] = chirp[0][j], 0 - chirp[1][j]
    scale = dtype.type(1 / length)
    spectrum = transform(conjugate)
    spectrum = (spectrum[0] * scale, spectrum[1] * scale)
    re, im = inverse(_product(transform(padded), spectrum))
    return _product((re[:n], im[:n]), chirp)


def inverse(x: Parts) -> Parts:
    """The transform with conjugate roots: parts are exchanged before and after."""
    im, re = transform((x[1], x[0]))
    return re, im


def of_real(x: Array) -> Parts:
    """The first n / 2 + 1 places of the transform of real numbers."""
    n, dtype = len(x), x.dtype
    if n % 2:
        re, im = transform((x, np.zeros_like(x)))
        return re[: n // 2 + 1], im[: n // 2 + 1]
    half = n // 2
    re, im = transform((x[0::2], x[1::2]))
    k = np.arange(1, half)
    halving = dtype.type(0.5)
    even = ((re[k] + re[half - k]) * halving, (im[k] - im[half - k]) * halving)
    odd = ((im[k] + im[half - k]) * halving, -((re[k] - re[half - k]) * halving))
    inner = _add(even, _product(odd, roots(k, n, dtype)))
    zero = np.zeros(1, dtype)
    return (
        np.concatenate([re[:1] + im[:1], inner[0], re[:1] - im[:1]]),
        np.concatenate([zero, inner[1], zero]),
    )


def to_real(x: Parts, n: int) -> Array:
    """The inverse transform of the spectrum of n real numbers."""
    re, im = x
    half = n // 2
    if n % 2:
        zero = np.zeros(1, re.dtype)
        behind = np.arange(half, 0, -1)
        whole = (
            np.concatenate([re[: half + 1], re[behind]]),
            np.concatenate([zero, im[1 : half + 1], -im[behind]]),
        )
        return inverse(whole)[0]
    k = np.arange(1, half)
    even = (re[k] + re[half - k], im[k] - im[half - k])
    root = roots(k, n, re.dtype)
    odd = _product((re[k] - re[half - k], im[k] + im[half - k]), (root[0], -root[1]))
    first = (re[:1] + re[half : half + 1], re[:1] - re[half : half + 1])
    pairs = inverse(
        (
            np.concatenate([first[0], even[0] - odd[1]]),
            np.concatenate([first[1], even[1] + odd[0]]),
        )
    )
    return np.stack(pairs, 1).reshape(n)


def scaled(x: Parts, factor: float) -> Parts:
    """Both parts times a factor of their dtype."""
    own = x[0].dtype.type(factor)
    return canonical(x[0] * own), canonical(x[1] * own)
