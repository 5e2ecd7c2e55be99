"""Formulas in binary64, linear algebra, complex numbers, spectra: the page and samebits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from tests.arithmetic.from_the_page.cases_values import Case, values
from tests.arithmetic.from_the_page.page import DTYPES, Libraries, Page

import samebits


def formulas(libraries: Libraries) -> Iterator[Case]:
    functions: dict[str, Any] = {
        "lgamma": torch.lgamma,
        "digamma": torch.digamma,
        "trigamma": lambda x: torch.polygamma(1, x),
        "erfinv": torch.erfinv,
        "i0": torch.i0,
        "i0e": torch.special.i0e,
        "i1": torch.special.i1,
        "i1e": torch.special.i1e,
    }
    double = Page(libraries, torch.float64)
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        x = torch.cat([values(1, 300, dtype=dtype), values(2, 300, dtype=dtype, scale=20)])
        x[:6] = torch.tensor([0.0, 1e-3, 1.0, 2.0, -1.5, float("inf")], dtype=dtype)
        for name, theirs in functions.items():
            operand = (x / 4).clamp(-1, 1) if name == "erfinv" else x
            out = np.zeros(x.numel())
            double.call("special", name, x.numel(), page.operand(operand).astype(np.float64), out)
            if page.half:  # the value of binary32, rounded
                out = out.astype(np.float32)
            with samebits.exact():
                yield f"{name} {dtype}", page.tensor(out), theirs(operand)


def linear_algebra(libraries: Libraries) -> Iterator[Case]:
    double = Page(libraries, torch.float64)
    for dtype in (torch.float32, torch.float64):
        page = Page(libraries, dtype)
        for m, n in ((1, 1), (4, 4), (7, 3), (3, 7), (70, 66)):
            k = min(m, n)
            x = values(m, m, n, dtype=dtype)
            wide = page.operand(x).astype(np.float64)
            r, q = wide.copy(), np.zeros((m, k))
            double.call("qr", m, n, r, k, q)
            with samebits.exact():
                theirs = torch.linalg.qr(x)
                label = f"{dtype} {m} {n}"
                yield f"Q {label}", page.tensor(q), theirs[0]
                yield f"R {label}", page.tensor(r[:k]), theirs[1]
            both, pivots = wide.copy(), np.zeros(k, np.int64)
            double.call("lu", m, n, both, pivots)
            with samebits.exact():
                factors, found = torch.linalg.lu_factor(x)
                yield f"LU {label}", page.tensor(both), factors
                yield f"pivots {label}", torch.from_numpy(pivots + 1).to(torch.int32), found
            if m >= n:
                u, s, vt = np.zeros((m, n)), np.zeros(n), np.zeros((n, n))
                double.call("singular_values", m, n, wide, u, s, vt)
                with samebits.exact():
                    parts = torch.linalg.svd(x, full_matrices=False)
                for name, ours, part in zip("usv", (u, s, vt), parts, strict=True):
                    yield f"SVD {name} {label}", page.tensor(ours), part
            if m != n:
                continue
            b = values(3, n, 3, dtype=dtype)
            solution = page.operand(b).astype(np.float64)
            double.call("solve", n, wide, 3, solution)
            unit = np.eye(n)
            double.call("solve", n, wide, n, unit)
            diagonal, sign = np.zeros(n), np.zeros(1)
            double.call("determinant_parts", n, wide, diagonal, sign)
            determinant = np.zeros(1)
            double.call("prod", n, diagonal, determinant)
            with samebits.exact():
                yield f"solve {label}", page.tensor(solution), torch.linalg.solve(x, b)
                yield f"inverse {label}", page.tensor(unit), torch.linalg.inv(x)
                yield (
                    f"determinant {label}",
                    page.tensor(determinant * sign)[0],
                    torch.linalg.det(x),
                )
            symmetric = (x + x.T).contiguous()
            w, v = np.zeros(n), np.zeros((n, n))
            double.call("eigenvalues", n, page.operand(symmetric).astype(np.float64), w, v)
            with samebits.exact():
                found_w, found_v = torch.linalg.eigh(symmetric)
                yield f"eigenvalues {label}", page.tensor(w), found_w
                yield f"eigenvectors {label}", page.tensor(v), found_v
            positive = (x @ x.T + torch.eye(n, dtype=dtype)).contiguous()
            factor = page.operand(positive).astype(np.float64)
            double.call("cholesky", n, factor)
            triangle = page.operand(b).astype(np.float64)
            double.call(
                "triangle", n, page.operand(positive).astype(np.float64), True, False, 3, triangle
            )
            with samebits.exact():
                yield f"Cholesky {label}", page.tensor(factor), torch.linalg.cholesky(positive)
                upper = torch.linalg.solve_triangular(positive.triu(), b, upper=True)
                yield f"triangle {label}", page.tensor(triangle), upper


def complex_numbers(libraries: Libraries) -> Iterator[Case]:
    for dtype in (torch.float32, torch.float64):
        yield from _complex_numbers(Page(libraries, dtype))


def _complex_numbers(page: Page) -> Iterator[Case]:
    dtype = page.dtype
    parts = values(1, 500, 2, dtype=dtype), values(2, 500, 2, dtype=dtype)
    for at, part in enumerate((0.0, -0.0, 1.0, float("inf"))):
        parts[0][at, 0], parts[1][at, 1] = part, part
        parts[0][at + 4, 1], parts[1][at + 8, 0] = part, part
    parts[0][12] = 0
    x, y = (torch.view_as_complex(part) for part in parts)
    operands = [page.operand(part) for part in parts]
    each: tuple[tuple[str, float, Any], ...] = (
        ("mul", 0.0, lambda: x * y),
        ("div", 0.0, lambda: x / y),
        ("sgn", 0.0, lambda: torch.sgn(x)),
        ("exp", 0.0, lambda: torch.exp(x)),
        ("pow", 3.0, lambda: x**3),
        ("pow", -2.0, lambda: x**-2),
        ("pow", 0.0, lambda: x**0),
    )
    out = page.empty(500, 2)
    for name, power, theirs in each:
        page.call("complex_each", name, 500, *operands, power, out)
        with samebits.exact():
            yield (
                f"complex {name} {power} {dtype}",
                page.tensor(out.copy()),
                torch.view_as_real(theirs()),
            )
    page.call("complex_each", "abs", 500, *operands, 0.0, out)
    with samebits.exact():
        yield f"complex abs {dtype}", page.tensor(out[:, 0].copy()), torch.abs(x)


def spectra(libraries: Libraries) -> Iterator[Case]:
    for dtype in (torch.float32, torch.float64):
        page = Page(libraries, dtype)
        for n in (1, 2, 3, 4, 6, 12, 15, 31, 37, 49, 60, 64, 74, 100, 210):
            parts, h = values(n, n, 2, dtype=dtype), n // 2 + 1
            x = torch.view_as_complex(parts)
            out = page.empty(n, 2)
            page.call("spectrum", "f", n, page.operand(parts), 1.0, out)
            with samebits.exact():
                yield (
                    f"fft {dtype} {n}",
                    page.tensor(out.copy()),
                    torch.view_as_real(torch.fft.fft(x)),
                )
            page.call("spectrum", "i", n, page.operand(parts), 1.0 / n, out)
            with samebits.exact():
                yield (
                    f"ifft {dtype} {n}",
                    page.tensor(out.copy()),
                    torch.view_as_real(torch.fft.ifft(x)),
                )
            whole = parts[:, 0].contiguous()
            some = page.empty(h, 2)
            page.call("spectrum", "r", n, page.operand(whole), 1 / math.sqrt(n), some)
            with samebits.exact():
                theirs = torch.fft.rfft(whole, norm="ortho")
                yield f"rfft {dtype} {n}", page.tensor(some), torch.view_as_real(theirs)
            back = page.empty(n)
            page.call("spectrum", "c", n, page.operand(parts[:h].contiguous()), 1.0 / n, back)
            with samebits.exact():
                yield f"irfft {dtype} {n}", page.tensor(back), torch.fft.irfft(x[:h], n)


FAMILIES = {
    "formulas": formulas,
    "linear algebra": linear_algebra,
    "complex numbers": complex_numbers,
    "spectra": spectra,
}
