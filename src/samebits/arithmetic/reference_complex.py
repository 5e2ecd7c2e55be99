"""Complex numbers of docs/arithmetic.md in plain NumPy, as pairs of their parts.

As `samebits.arithmetic.reference` for the rest of the page.
"""

from __future__ import annotations

import numpy as np

from samebits.arithmetic import reference
from samebits.arithmetic.reference import Array, canonical

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
