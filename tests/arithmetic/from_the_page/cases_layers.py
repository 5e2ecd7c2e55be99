"""Rows and losses, forward and backward: by the page, and by samebits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from tests.arithmetic.from_the_page.cases_values import Case, values
from tests.arithmetic.from_the_page.page import DTYPES, Libraries, Page

import samebits


def slopes(out: torch.Tensor, g: torch.Tensor, *of: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return torch.autograd.grad(out, of, g)


def leaf(*arguments: Any, **keywords: Any) -> torch.Tensor:
    return values(*arguments, **keywords).requires_grad_()


def softmax(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for rows, n in ((1, 1), (5, 3), (4, 67), (2, 1000), (1, 5000)):
            x, g = leaf(n, rows, n, dtype=dtype, scale=3.0), values(n + 1, rows, n, dtype=dtype)
            for logarithm, function in enumerate((torch.softmax, torch.log_softmax)):
                with samebits.exact():
                    theirs = function(x, 1)
                    (slope,) = slopes(theirs, g, x)
                y, dx = page.empty(rows, n), page.empty(rows, n)
                page.call("softmax", logarithm, rows, n, page.operand(x), y)
                page.call("softmax_backward", logarithm, rows, n, page.operand(g), page.once(y), dx)
                yield f"softmax {logarithm} {dtype} {n}", page.tensor(y), theirs
                yield f"its derivative {logarithm} {dtype} {n}", page.tensor(dx), slope
        x = torch.full((2, 5), float("-inf"), dtype=dtype)
        x[1, 2] = 1
        y = page.empty(2, 5)
        page.call("softmax", 0, 2, 5, page.operand(x), y)
        with samebits.exact():
            yield f"softmax of nothing {dtype}", page.tensor(y), torch.softmax(x, 1)


def normalisation(libraries: Libraries) -> Iterator[Case]:
    # images, channels, places, groups: as a layer norm (one group and place), group or batch norm.
    shapes = (
        (3, 1, 1, 1),
        (4, 70, 1, 1),
        (2, 1500, 1, 1),
        (1, 5000, 1, 1),
        (2, 6, 9, 3),
        (2, 4, 35, 1),
        (3, 5, 7, 0),
        (9, 3, 600, 0),
    )
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for images, channels, places, groups in shapes:
            size = (images, channels, places)
            x, g = leaf(1, *size, dtype=dtype, scale=2.0), values(2, *size, dtype=dtype)
            for affine in (True, False):
                w = leaf(3, channels, dtype=dtype) if affine else None
                b = leaf(4, channels, dtype=dtype) if affine else None
                with samebits.exact():
                    if groups == 0:
                        theirs = F.batch_norm(x, None, None, w, b, True, 0.1, 1e-5)
                    elif places == 1:
                        theirs = F.layer_norm(x[:, :, 0], (channels,), w, b, 1e-5)[:, :, None]
                    else:
                        theirs = F.group_norm(x, groups, w, b, 1e-5)
                    of = (x,) if w is None or b is None else (x, w, b)
                    found = slopes(theirs, g, *of)
                count = images * groups if groups else channels
                out, dx = page.empty(*size), page.empty(*size)
                m, v, r = page.empty(count), page.empty(count), page.empty(count)
                dw, db = page.empty(channels), page.empty(channels)
                weight = None if w is None else page.operand(w)
                bias = None if b is None else page.operand(b)
                wide = page.operand(x)
                page.call("normalise", *size, groups, wide, weight, bias, 1e-5, out, m, v, r)
                if groups:  # of halves, these two are kept as halves
                    m, r = page.once(m), page.once(r)
                page.call(
                    "normalise_backward",
                    *size,
                    groups,
                    page.operand(g),
                    wide,
                    weight,
                    m,
                    r,
                    dx,
                    dw,
                    db,
                )
                label = f"norm {dtype} {images, channels, places, groups} {affine}"
                yield label, page.tensor(out), theirs
                for name, ours, slope in zip(("x", "w", "b"), (dx, dw, db), found, strict=False):
                    yield f"{label} d{name}", page.tensor(ours), slope
        yield from _running_statistics(page)


def _running_statistics(page: Page) -> Iterator[Case]:
    images, channels, places = 4, 3, 7
    x = values(5, images, channels, places, dtype=page.dtype)
    mean, variance = (
        values(6, channels, dtype=page.dtype),
        values(7, channels, dtype=page.dtype).abs(),
    )
    old_mean, old_variance = page.operand(mean), page.operand(variance)
    with samebits.exact():
        F.batch_norm(x, mean, variance, None, None, True, 0.1, 1e-5)
    out, m, v, r = page.empty(images, channels, places), *(page.empty(channels) for _ in range(3))
    page.call(
        "normalise", images, channels, places, 0, page.operand(x), None, None, 1e-5, out, m, v, r
    )
    n = page.real(images * places)
    keep, take = page.real(1 - 0.1), page.real(0.1)
    yield f"running mean {page.dtype}", page.tensor(keep * old_mean + take * m), mean
    unbiased = v * n / (n - page.real(1))
    yield (
        f"running variance {page.dtype}",
        page.tensor(keep * old_variance + take * unbiased),
        variance,
    )


def attention(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for heads, length, sources, e, d in (
            (1, 1, 1, 1, 1),
            (2, 5, 7, 3, 3),
            (3, 17, 70, 16, 16),
            (1, 3, 300, 8, 5),
        ):
            q, k = (
                leaf(1, 1, heads, length, e, dtype=dtype),
                leaf(2, 1, heads, sources, e, dtype=dtype),
            )
            v, g = (
                leaf(3, 1, heads, sources, d, dtype=dtype),
                values(4, 1, heads, length, d, dtype=dtype),
            )
            for kind in ("none", "causal", "boolean", "added", "dropout", "scale"):
                mask, words, p = None, None, 0.0
                options: dict[str, Any] = {}
                scale = 1.0 / float(np.sqrt(e))
                if kind == "causal":
                    options["is_causal"] = True
                    seen = torch.ones(length, sources, dtype=torch.bool).tril()
                    words = torch.zeros(length, sources, dtype=dtype).masked_fill(
                        ~seen, float("-inf")
                    )
                elif kind == "boolean":
                    mask = values(5, 1, heads, length, sources) > -0.3
                    mask[0, 0, 0] = False
                    words = torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, float("-inf"))
                elif kind == "added":
                    mask = words = values(5, 1, 1, length, sources, dtype=dtype).requires_grad_()
                elif kind == "scale":
                    options["scale"] = scale = 0.3
                factors = None
                if kind == "dropout":
                    p = 0.3
                    generator = torch.Generator().manual_seed(7)
                    key = int(
                        torch.empty((), dtype=torch.int64).random_(
                            -(2**63), None, generator=generator
                        )
                    )
                    factors = page.empty(heads, length, sources)
                    page.call("dropout_factors", key, p, factors.size, factors)
                torch.manual_seed(7)
                with samebits.exact():
                    theirs = F.scaled_dot_product_attention(q, k, v, mask, p, **options)
                    of = (q, k, v) if kind != "added" else (q, k, v, mask)
                    found = slopes(theirs, g, *of)
                added = None
                if words is not None:
                    added = np.ascontiguousarray(
                        np.broadcast_to(page.operand(words), (1, heads, length, sources))
                    )
                out = page.empty(1, heads, length, d)
                wide = [page.operand(t) for t in (q, k, v)]
                numbers = (heads, length, sources, e, d)
                page.call("attention", *numbers, *wide, added, factors, scale, out)
                label = f"attention {kind} {dtype} {numbers}"
                yield label, page.tensor(out), theirs
                dq, dk, dv = (page.empty(*t.shape) for t in (q, k, v))
                dm = page.empty(1, heads, length, sources)
                page.call(
                    "attention_backward",
                    *numbers,
                    page.operand(g),
                    *wide,
                    added,
                    factors,
                    scale,
                    dq,
                    dk,
                    dv,
                    dm,
                )
                for name, ours, slope in zip("qkv", (dq, dk, dv), found, strict=False):
                    yield f"{label} d{name}", page.tensor(ours), slope
                if kind == "added":
                    rows = np.ascontiguousarray(
                        np.moveaxis(page.once(dm)[0], 0, -1).reshape(-1, heads)
                    )
                    total = page.empty(1, 1, length, sources)
                    page.call("reduce", "sum", rows.shape[0], heads, rows, 0.0, total)
                    yield f"{label} dm", page.tensor(total), found[3]


def losses(libraries: Libraries) -> Iterator[Case]:
    kinds: dict[str, tuple[float, Any]] = {
        "mse": (0.0, lambda x, y, w, p, how: F.mse_loss(x, y, reduction=how)),
        "smooth l1": (0.7, lambda x, y, w, p, how: F.smooth_l1_loss(x, y, reduction=how, beta=0.7)),
        "huber": (0.7, lambda x, y, w, p, how: F.huber_loss(x, y, reduction=how, delta=0.7)),
        "soft margin": (0.0, lambda x, y, w, p, how: F.soft_margin_loss(x, y, reduction=how)),
        "bce": (0.0, lambda x, y, w, p, how: F.binary_cross_entropy(x, y, w, reduction=how)),
        "logits": (
            0.0,
            lambda x, y, w, p, how: F.binary_cross_entropy_with_logits(x, y, w, reduction=how),
        ),
        "logits, positive": (
            0.0,
            lambda x, y, w, p, how: F.binary_cross_entropy_with_logits(
                x, y, w, reduction=how, pos_weight=p
            ),
        ),
    }
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for n in (1, 5, 700, 4500):
            for kind, (number, function) in kinds.items():
                for reduction, how in enumerate(("none", "mean", "sum")):
                    x, y = values(1, n, dtype=dtype), values(2, n, dtype=dtype)
                    if kind == "bce":
                        x = x.abs().clamp(max=1)
                    if kind == "bce" or kind.startswith("logits"):
                        y = y.abs().clamp(max=1)
                    w = values(3, n, dtype=dtype).abs() if "b" in kind or "logits" in kind else None
                    p = values(4, n, dtype=dtype).abs() if kind == "logits, positive" else None
                    if kind == "huber":
                        w = None
                    x.requires_grad_()
                    with samebits.exact():
                        theirs = function(x, y, w, p, how)
                        g = values(5, *theirs.shape, dtype=dtype)
                        (slope,) = slopes(theirs, g, x)
                    out, dx = page.empty(n if reduction == 0 else 1), page.empty(n)
                    wide = [None if t is None else page.operand(t) for t in (x, y, w, p)]
                    page.call("loss", kind, reduction, n, *wide, number, out)
                    label = f"{kind} {dtype} {how} {n}"
                    yield label, page.tensor(out).reshape(theirs.shape), theirs
                    if kind == "logits":
                        ours = _with_logits(page, how, page.operand(g), *wide[:3])
                        yield f"{label} dx", page.tensor(ours), slope
                    elif p is None:
                        page.call(
                            "loss_backward",
                            kind,
                            reduction,
                            n,
                            page.operand(g).reshape(-1),
                            *wide[:3],
                            number,
                            dx,
                        )
                        yield f"{label} dx", page.tensor(dx), slope


def _with_logits(page: Page, how: str, g: Any, x: Any, y: Any, w: Any) -> Any:
    """The derivative is torch's program, of which each operation rounds to the dtype."""
    p = page.empty(*x.shape)
    page.call("unary", "sigmoid", x.size, x, p)
    out = page.once(page.once(page.once(p) - y) * g)
    if w is not None:
        out = page.once(out * w)
    return page.once(out / page.real(x.size)) if how == "mean" else out


def cross_entropy(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for rows, classes in ((1, 2), (7, 5), (300, 11), (4200, 3)):
            generator = torch.Generator().manual_seed(rows)
            target = torch.randint(0, classes, (rows,), generator=generator)
            if rows > 1:
                target[1::5] = -100
            for weighted in (False, True):
                for reduction, how in enumerate(("none", "mean", "sum")):
                    x = leaf(1, rows, classes, dtype=dtype)
                    w = values(2, classes, dtype=dtype).abs() if weighted else None
                    with samebits.exact():
                        theirs = F.cross_entropy(x, target, w, reduction=how)
                        g = values(3, *theirs.shape, dtype=dtype)
                        (slope,) = slopes(theirs, g, x)
                    logarithms, dy, dx = (page.empty(rows, classes) for _ in range(3))
                    page.call("softmax", 1, rows, classes, page.operand(x), logarithms)
                    logarithms = page.once(logarithms)
                    weight = None if w is None else page.operand(w)
                    out = page.empty(rows if reduction == 0 else 1)
                    page.call(
                        "nll",
                        reduction,
                        rows,
                        classes,
                        logarithms,
                        target.numpy(),
                        weight,
                        -100,
                        out,
                    )
                    label = f"cross entropy {dtype} {rows} {weighted} {how}"
                    yield label, page.tensor(out).reshape(theirs.shape), theirs
                    wide = page.operand(g).reshape(-1)
                    total = page.empty(1)
                    page.call("nll_weight", rows, target.numpy(), weight, -100, total)
                    total = page.once(total)
                    page.call(
                        "nll_backward",
                        reduction,
                        rows,
                        classes,
                        wide,
                        target.numpy(),
                        weight,
                        -100,
                        total,
                        dy,
                    )
                    page.call("softmax_backward", 1, rows, classes, page.once(dy), logarithms, dx)
                    yield f"{label} dx", page.tensor(dx), slope


FAMILIES = {
    "softmax": softmax,
    "normalisation": normalisation,
    "attention": attention,
    "losses": losses,
    "cross entropy": cross_entropy,
}
