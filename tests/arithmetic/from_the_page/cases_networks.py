"""Convolutions and recurrent layers, forward and backward: by the page, and by samebits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from tests.arithmetic.from_the_page.cases_layers import leaf, slopes
from tests.arithmetic.from_the_page.cases_values import Case, values
from tests.arithmetic.from_the_page.page import DTYPES, Libraries, Page

import samebits


def convolutions(libraries: Libraries) -> Iterator[Case]:
    # images, channels, height, width, out, groups, taps (2), stride (2), padding (2), dilation (2)
    shapes = (
        (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1),
        (2, 4, 6, 7, 6, 2, 3, 2, 1, 1, 1, 0, 1, 1),
        (1, 3, 9, 8, 2, 1, 3, 3, 2, 3, 2, 1, 1, 2),
        (2, 40, 5, 5, 3, 1, 3, 3, 1, 1, 1, 1, 1, 1),
        (3, 2, 20, 11, 4, 2, 2, 2, 3, 3, 0, 0, 1, 1),
    )
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for shape in shapes:
            images, deep, height, width, out, groups, tall, broad = shape[:8]
            stride, padding, dilation = shape[8:10], shape[10:12], shape[12:14]
            x = leaf(1, images, deep, height, width, dtype=dtype)
            w, b = leaf(2, out, deep // groups, tall, broad, dtype=dtype), leaf(3, out, dtype=dtype)
            with samebits.exact():
                theirs = F.conv2d(x, w, b, stride, padding, dilation, groups)
                g = values(4, *theirs.shape, dtype=dtype)
                found = slopes(theirs, g, x, w, b)
            numbers = np.array(shape, np.int64)
            y, dx, dw, db = (page.empty(*t.shape) for t in (theirs, x, w, b))
            wide_x, wide_w, wide_b, wide_g = (page.operand(t) for t in (x, w, b, g))
            page.call("convolution", numbers, wide_x, wide_w, wide_b, y)
            page.call("convolution_to_input", numbers, wide_g, wide_w, None, dx)
            page.call("convolution_to_weight", numbers, wide_g, wide_x, dw, db)
            yield f"convolution {dtype} {shape}", page.tensor(y), theirs
            for name, ours, slope in zip(("x", "w", "b"), (dx, dw, db), found, strict=True):
                yield f"convolution {dtype} {shape} d{name}", page.tensor(ours), slope
            bias = values(5, deep, dtype=dtype)
            spare = tuple(
                n - ((o - 1) * s - 2 * p + d * (t - 1) + 1)
                for n, o, s, p, d, t in zip(
                    (height, width),
                    theirs.shape[2:],
                    stride,
                    padding,
                    dilation,
                    (tall, broad),
                    strict=True,
                )
            )
            with samebits.exact():
                theirs = F.conv_transpose2d(
                    g, w.detach(), bias, stride, padding, spare, groups, dilation
                )
            page.call("convolution_to_input", numbers, wide_g, wide_w, page.operand(bias), dx)
            yield f"transposed {dtype} {shape}", page.tensor(dx), theirs


def recurrent(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for steps, rows, size, hidden in ((1, 1, 1, 1), (4, 3, 5, 6), (7, 2, 3, 70), (2, 66, 3, 4)):
            for kind in ("LSTM", "GRU"):
                for bias in (True, False):
                    yield from _recurrent(page, kind, bias, steps, rows, size, hidden)


def _recurrent(
    page: Page, kind: str, bias: bool, steps: int, rows: int, size: int, hidden: int
) -> Iterator[Case]:
    lstm = kind == "LSTM"
    broad = (4 if lstm else 3) * hidden
    layer = getattr(torch.nn, kind)(size, hidden, bias=bias, dtype=page.dtype)
    weights = list(layer.parameters())
    with torch.no_grad():
        for seed, weight in enumerate(weights):
            weight.copy_(values(seed, *weight.shape, dtype=page.dtype))
    x, first = leaf(8, steps, rows, size, dtype=page.dtype), leaf(9, rows, hidden, dtype=page.dtype)
    cell, g = (
        leaf(10, rows, hidden, dtype=page.dtype),
        values(11, steps, rows, hidden, dtype=page.dtype),
    )
    with samebits.exact():
        theirs, _ = layer(x, (first[None], cell[None]) if lstm else first[None])
        of = (x, *weights, first, cell) if lstm else (x, *weights, first)
        found = slopes(theirs, g, *of)
    h, c = page.empty(steps + 1, rows, hidden), page.empty(steps + 1, rows, hidden)
    h[0], c[0] = page.operand(first), page.operand(cell)
    kept = page.empty(steps, rows, 4, hidden)
    wide = [page.operand(weight) for weight in weights] + ([] if bias else [None, None])
    numbers = (steps, rows, size, hidden)
    wide_x = page.operand(x)
    states = (h, c) if lstm else (h,)
    page.call(kind.lower(), *numbers, wide_x, *wide, *states, kept)
    label = f"{kind} {page.dtype} {numbers} {bias}"
    yield label, page.tensor(h[1:].copy()), theirs
    dx, dw, dh = page.empty(*x.shape), page.empty(broad, size), page.empty(rows, hidden)
    du, db, dv = page.empty(broad, hidden), page.empty(broad), page.empty(broad)
    dc = page.empty(rows, hidden)
    last = (dh, dc) if lstm else (dh,)
    page.call(
        f"{kind.lower()}_backward",
        *numbers,
        page.operand(g),
        wide_x,
        *wide[:2],
        *states,
        kept,
        dx,
        dw,
        db,
        du,
        dv,
        *last,
    )
    ours = (dx, dw, du, *((db, dv) if bias else ()), *last)
    for place, (mine, slope) in enumerate(zip(ours, found, strict=True)):
        yield f"{label} slope {place}", page.tensor(mine), slope


FAMILIES = {
    "convolutions": convolutions,
    "recurrent": recurrent,
}
