"""Eigenvalues and singular values of docs/arithmetic.md, "Linear algebra", in plain NumPy.

As `samebits.arithmetic.reference` for the rest of the page. Everything is in binary64.
"""

from __future__ import annotations

import numpy as np

from samebits.arithmetic.reference import Array, canonical, total
from samebits.arithmetic.reference_linear_algebra import reflected, reflection

MOST_STEPS, MOST_SWEEPS = 50, 60


def tridiagonal(a: Array) -> tuple[Array, Array, Array]:
    """The diagonal, the values beside it, and Q of a symmetric matrix a = Q T Qᵀ."""
    a, n = np.array(a), len(a)
    d, e = np.zeros(n), np.zeros(n)
    reflections = []
    for k in range(n - 2):
        v, tau, e[k] = reflection(a[k + 1 :, k])
        reflections.append((v, tau))
        if tau == 0:
            continue
        block = a[k + 1 :, k + 1 :]
        w = block[0]
        for i in range(1, len(v)):
            w = w + v[i] * block[i]
        w = tau * w
        half = tau * 0.5 * total(w * v)
        q = w - half * v
        a[k + 1 :, k + 1 :] = block - (v[:, None] * q + q[:, None] * v)
    d[:] = a.diagonal()
    if n > 1:
        e[n - 2] = a[n - 1, n - 2]
    q = np.eye(n)
    for k in reversed(range(n - 2)):
        q[k + 1 :, k + 1 :] = reflected(q[k + 1 :, k + 1 :], *reflections[k])
    return d, e, q


def ql(d: Array, e: Array, z: Array) -> tuple[Array, Array]:
    """Eigenvalues, ascending, and vectors as columns: z, with the rotations of QL."""
    d, e, z, n = np.array(d), np.array(e), np.array(z), len(d)
    for first in range(n):
        for _ in range(MOST_STEPS):
            last = first
            while last + 1 < n:
                both = abs(d[last]) + abs(d[last + 1])
                if both + abs(e[last]) == both:
                    break
                last += 1
            if last == first:
                break
            _ql_step(d, e, z, first, last)
    order = np.argsort(d, kind="stable")
    d, z = d[order], z[:, order]
    return canonical(d), canonical(with_signs(z.T).T)


def _ql_step(d: Array, e: Array, z: Array, first: int, last: int) -> None:
    """One implicit shift over the block from `first` to `last`."""
    g = (d[first + 1] - d[first]) / (2 * e[first])
    r = np.sqrt(g * g + 1)
    g = d[last] - d[first] + e[first] / (g + (-r if g < 0 else r))
    s, c, p = 1.0, 1.0, 0.0
    for i in reversed(range(first, last)):
        f, b = s * e[i], c * e[i]
        r = np.sqrt(f * f + g * g)
        e[i + 1] = r
        if r == 0:
            d[i + 1] = d[i + 1] - p
            e[last] = 0
            return
        s, c = f / r, g / r
        g = d[i + 1] - p
        r = (d[i] - g) * s + 2 * c * b
        p = s * r
        d[i + 1] = g + p
        g = c * r - b
        z[:, i], z[:, i + 1] = c * z[:, i] - s * z[:, i + 1], s * z[:, i] + c * z[:, i + 1]
    d[first] = d[first] - p
    e[first], e[last] = g, 0


def with_signs(rows: Array) -> Array:
    """Rows whose largest value, the first of equals in magnitude, is positive."""
    rows = np.array(rows)
    for row in rows:
        if len(row) and row[np.argmax(np.abs(row))] < 0:
            row[:] = -1.0 * row
    return rows


def jacobi(x: Array) -> tuple[Array, Array, Array]:
    """Right vectors as rows, singular values, descending, and the rotations as rows."""
    x, n = np.array(x), len(x)
    turns = np.eye(n)
    bound = 2.0**-52 * np.sqrt(np.float64(n))
    for _ in range(MOST_SWEEPS):
        squares = np.array([total(row * row) for row in x])
        still = True
        for p in range(n - 1):
            for q in range(p + 1, n):
                both = total(x[p] * x[q])
                if not abs(both) > bound * (np.sqrt(squares[p]) * np.sqrt(squares[q])):
                    continue
                still = False
                ratio = (squares[q] - squares[p]) / (2 * both)
                root = np.sqrt(1 + ratio * ratio)
                t = 1 / (ratio + (-root if ratio < 0 else root))
                c = 1 / np.sqrt(1 + t * t)
                s = c * t
                for rows in (x, turns):
                    rows[p], rows[q] = c * rows[p] - s * rows[q], s * rows[p] + c * rows[q]
                squares[p] = squares[p] - t * both
                squares[q] = squares[q] + t * both
                if not squares[p] > 0:
                    squares[p] = 0.0
        if still:
            break
    values = np.array([np.sqrt(total(row * row)) for row in x])
    order = np.argsort(-values, kind="stable")
    values, x, turns = values[order], x[order], turns[order]
    for i in range(n):
        negative = x[i][np.argmax(np.abs(x[i]))] < 0
        factor = -1.0 if negative else 1.0
        x[i] = (x[i] / values[i] if values[i] else x[i]) * factor
        turns[i] = turns[i] * factor
    return canonical(x), values, canonical(turns)
