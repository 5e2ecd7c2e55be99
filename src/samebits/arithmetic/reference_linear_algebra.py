"""The factorisations of docs/arithmetic.md, "Linear algebra", in plain NumPy, slow and obvious.

As `samebits.arithmetic.reference` for the rest of the page. Everything is in binary64; whoever has
binary32 converts before and after. Matrices are [m, n]; the arguments stay as they are.
"""

from __future__ import annotations

import numpy as np

from samebits.arithmetic.reference import Array, canonical, total


def reflection(x: Array) -> tuple[Array, float, float]:
    """The vector and the factor of the reflection of a column, and what its first value becomes."""
    v = np.array(x)
    rest = total(x[1:] * x[1:])
    v[0] = 1.0
    if rest == 0:
        return v, 0.0, x[0]
    length = np.sqrt(x[0] * x[0] + rest)
    becomes = length if x[0] < 0 else -length
    v[1:] = x[1:] / (x[0] - becomes)
    return v, (becomes - x[0]) / becomes, becomes


def reflected(c: Array, v: Array, tau: float) -> Array:
    """The rows of c, reflected: w = vᵀ c in order of the rows, then c − v (tau w)."""
    if tau == 0:
        return c
    w = c[0]
    for i in range(1, len(v)):
        w = w + v[i] * c[i]
    t = tau * w
    return np.concatenate([(c[0] - t)[None], c[1:] - v[1:, None] * t])


def qr(a: Array) -> tuple[Array, Array]:
    """The reflections' vectors below R, [m, n], and their factors, [min(m, n)]."""
    a = np.array(a)
    taus = np.zeros(min(a.shape))
    for j in range(len(taus)):
        v, taus[j], becomes = reflection(a[j:, j])
        a[j:, j + 1 :] = reflected(a[j:, j + 1 :], v, taus[j])
        a[j, j] = becomes
        if taus[j] != 0:
            a[j + 1 :, j] = v[1:]
    return canonical(a), canonical(taus)


def vector(a: Array, j: int) -> Array:
    """The vector of reflection j that is kept in a."""
    return np.concatenate([[1.0], a[j + 1 :, j]])


def columns_of_q(a: Array, taus: Array, columns: int) -> Array:
    """The first columns of the product of reflections: the last one is applied first."""
    q = np.eye(a.shape[0], columns)
    for j in reversed(range(len(taus))):
        q[j:, j:] = reflected(q[j:, j:], vector(a, j), taus[j])
    return canonical(q)


def with_q(a: Array, taus: Array, c: Array, *, transposed: bool) -> Array:
    """Q c, or Qᵀ c, of reflections."""
    c = np.array(c)
    for j in range(len(taus)) if transposed else reversed(range(len(taus))):
        c[j:] = reflected(c[j:], vector(a, j), taus[j])
    return canonical(c)


def lu(a: Array) -> tuple[Array, Array, int]:
    """L and U in one matrix, pivots that count from 1, and the first pivot that is 0, or 0."""
    a = np.array(a)
    pivots = np.zeros(min(a.shape), np.int32)
    info = 0
    for j in range(len(pivots)):
        chosen = j
        for i in range(j + 1, a.shape[0]):
            if abs(a[i, j]) > abs(a[chosen, j]):
                chosen = i
        pivots[j] = chosen + 1
        a[[j, chosen]] = a[[chosen, j]]
        if a[j, j] != 0:
            a[j + 1 :, j] = a[j + 1 :, j] / a[j, j]
        elif info == 0:
            info = j + 1
        a[j + 1 :, j + 1 :] = a[j + 1 :, j + 1 :] - a[j + 1 :, j : j + 1] * a[j, j + 1 :]
    return canonical(a), pivots, info


def cholesky(a: Array) -> tuple[Array, int]:
    """The lower factor of the lower triangle, and the first pivot that is not positive, or 0."""
    a = np.tril(a)
    info = 0
    for j in range(a.shape[0]):
        if not a[j, j] > 0 and info == 0:
            info = j + 1
        a[j, j] = np.sqrt(a[j, j])
        a[j + 1 :, j] = a[j + 1 :, j] / a[j, j]
        a[j + 1 :, j + 1 :] = a[j + 1 :, j + 1 :] - a[j + 1 :, j : j + 1] * a[j + 1 :, j]
    return canonical(np.tril(a)), info


def substitute(a: Array, b: Array, *, upper: bool = False, unit: bool = False) -> Array:
    """The solution of a triangle: from its single unknown on, products are subtracted in turn."""
    x = np.array(b)
    order = range(a.shape[0])
    for k in reversed(order) if upper else order:
        if not unit:
            x[k] = x[k] / a[k, k]
        others = slice(0, k) if upper else slice(k + 1, None)
        x[others] = x[others] - a[others, k : k + 1] * x[k]
    return canonical(x)


def exchanged(b: Array, pivots: Array) -> Array:
    """The rows of b with the exchanges of an LU, the first one first."""
    b = np.array(b)
    for j, other in enumerate(pivots):
        b[[j, other - 1]] = b[[other - 1, j]]
    return b


def solve(a: Array, b: Array) -> Array:
    """The solution of a x = b with the LU of a."""
    factors, pivots, _ = lu(a)
    y = substitute(factors, exchanged(b, pivots), unit=True)
    return substitute(factors, y, upper=True)


def solve_transposed(factors: Array, pivots: Array, b: Array) -> Array:
    """The solution of aᵀ x = b with the LU of a."""
    y = substitute(factors.T, b)
    x = substitute(factors.T, y, upper=True, unit=True)
    for j in reversed(range(len(pivots))):
        x[[j, pivots[j] - 1]] = x[[pivots[j] - 1, j]]
    return x
