"""Complex numbers of docs/arithmetic.md in plain NumPy, as pairs of their parts.

As `samebits.arithmetic.reference` for the rest of the page.
"""

from __future__ import annotations

import numpy as np

from samebits.arithmetic import reference
from samebits.arithmetic.reference import Array, canonical
from samebits.arithmetic.reference_functions import arc_tangent, function

Parts = tuple[Array, Array]


def product(x: Parts, y: Parts) -> Parts:
    """X y, part by part, every operation rounded."""
    (a, b), (c, d) = x, y
    return canonical(a * c - b * d), canonical(a * d + b * c)


def quotient(x: Parts, y: Parts) -> Parts:
    """X ÷ y after Smith, in binary64, each part rounded once."""
    dtype = x[0].dtype
    a, b, c, d = (part.astype(np.float64) for part in (*x, *y))
    turned = np.abs(d) > np.abs(c)
    a, b = np.where(turned, b, a), np.where(turned, -a, b)
    c, d = np.where(turned, d, c), np.where(turned, -c, d)
    ratio = d / c
    below = c + d * ratio
    re, im = (a + b * ratio) / below, (b - a * ratio) / below
    return canonical(re).astype(dtype), canonical(im).astype(dtype)


def magnitude(x: Parts) -> Array:
    """The magnitude in binary64, rounded once."""
    a, b = (np.abs(part.astype(np.float64)) for part in x)
    larger, smaller = np.maximum(a, b), np.minimum(a, b)
    ratio = smaller / larger
    found = np.where(larger == 0, larger, larger * np.sqrt(ratio * ratio + 1.0))
    found = np.where(np.isinf(a) | np.isinf(b), np.inf, found)
    return canonical(found).astype(x[0].dtype)


def matrix_product(x: Parts, y: Parts) -> Parts:
    """The product of two complex matrices, as four products of real ones."""
    (a, b), (c, d) = x, y
    re = reference.product(a, c) - reference.product(b, d)
    return canonical(re), canonical(reference.product(a, d) + reference.product(b, c))


def logarithm(x: Parts) -> Parts:
    """The logarithm of the magnitude and the angle, in binary64, each rounded once."""
    re, im = _logarithm(tuple(part.astype(np.float64) for part in x))  # type: ignore[arg-type]
    return canonical(re).astype(x[0].dtype), canonical(im).astype(x[0].dtype)


def _logarithm(x: Parts) -> Parts:
    a, b = np.abs(x[0]), np.abs(x[1])
    larger, smaller = np.maximum(a, b), np.minimum(a, b)
    ratio = np.where((larger == 0) | np.isinf(larger), 0.0, smaller / larger)
    size = function("log", larger) + function("log1p", ratio * ratio) * 0.5
    return np.where(np.isinf(a) | np.isinf(b), np.inf, size), arc_tangent(x[1], x[0])


def root(x: Parts) -> Parts:
    """The root in binary64, each part rounded once."""
    dtype = x[0].dtype
    a, b = (part.astype(np.float64) for part in x)
    longer = np.sqrt((magnitude((a, b)) + np.abs(a)) * 0.5)
    ends = (longer == 0) | (np.isinf(longer) & ~np.isnan(b))
    shorter = np.where(ends, 0.0, np.abs(b) * 0.5 / longer)
    re, im = np.where(a < 0, shorter, longer), np.where(a < 0, longer, shorter)
    infinite = np.isinf(b)
    re, im = np.where(infinite, np.inf, re), np.where(infinite, np.inf, im)
    im = np.where(np.isnan(a) & ~infinite, np.nan, np.copysign(im, b))
    return canonical(re).astype(dtype), canonical(im).astype(dtype)


def power(x: Parts, y: Parts) -> Parts:
    """X to the power of y in binary64, each part rounded once."""
    dtype = x[0].dtype
    a, b, c, d = (part.astype(np.float64) for part in (*x, *y))
    re, im = product((c, d), tuple(map(canonical, _logarithm((a, b)))))  # type: ignore[arg-type]
    size = function("exp", re)
    re, im = size * function("cos", im), size * function("sin", im)
    zero, one = (a == 0) & (b == 0) & (c > 0), (c == 0) & (d == 0)
    re = np.where(one, 1.0, np.where(zero, 0.0, re))
    im = np.where(zero | one, 0.0, im)
    return canonical(re).astype(dtype), canonical(im).astype(dtype)
