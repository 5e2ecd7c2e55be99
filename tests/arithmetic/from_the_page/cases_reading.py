"""Interpolation, pooling, distances, CTC and the other optimizers: the page and samebits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from tests.arithmetic.from_the_page.cases_layers import leaf, slopes
from tests.arithmetic.from_the_page.cases_values import Case, values
from tests.arithmetic.from_the_page.page import DTYPES, Libraries, Page

import samebits


def interpolation(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for size, new_size, scale in (
            (5, 9, None),
            (9, 4, None),
            (1, 3, None),
            (6, 9, 1.6),
            (7, 1, None),
        ):
            for mode, aligned in (("linear", False), ("linear", True)):
                x = leaf(1, 2, 3, size, dtype=dtype)
                keywords: dict[str, Any] = (
                    {"size": new_size} if scale is None else {"scale_factor": scale}
                )
                with samebits.exact():
                    theirs = F.interpolate(x, mode=mode, align_corners=aligned, **keywords)
                    g = values(2, *theirs.shape, dtype=dtype)
                    (slope,) = slopes(theirs, g, x)
                out, dx = page.empty(2, 3, new_size), page.empty(2, 3, size)
                given = 0.0 if scale is None else scale
                numbers = (6, size, 1, new_size, False, aligned, given)
                page.call("interpolate", *numbers, 0, page.operand(x), out)
                page.call("interpolate", *numbers, 1, page.operand(g), dx)
                label = f"{mode} {aligned} {dtype} {size, new_size, scale}"
                yield label, page.tensor(out), theirs
                yield f"{label} dx", page.tensor(dx), slope
        for cubic, mode in enumerate(("bilinear", "bicubic")):
            for aligned in (False, True):
                x = leaf(3, 2, 1, 5, 6, dtype=dtype)
                with samebits.exact():
                    theirs = F.interpolate(x, size=(8, 4), mode=mode, align_corners=aligned)
                    g = values(4, *theirs.shape, dtype=dtype)
                    (slope,) = slopes(theirs, g, x)
                half, out = page.empty(2, 5, 4), page.empty(2, 1, 8, 4)
                page.call("interpolate", 10, 6, 1, 4, cubic, aligned, 0.0, 0, page.operand(x), half)
                page.call("interpolate", 2, 5, 4, 8, cubic, aligned, 0.0, 0, half, out)
                back, dx = page.empty(2, 5, 4), page.empty(2, 1, 5, 6)
                page.call("interpolate", 2, 5, 4, 8, cubic, aligned, 0.0, 1, page.operand(g), back)
                page.call("interpolate", 10, 6, 1, 4, cubic, aligned, 0.0, 1, back, dx)
                yield f"{mode} {aligned} {dtype}", page.tensor(out), theirs
                yield f"{mode} {aligned} {dtype} dx", page.tensor(dx), slope


def sampling(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        x, grid = values(1, 2, 3, 5, 6, dtype=dtype), values(2, 2, 4, 7, 2, dtype=dtype)
        for nearest, mode in enumerate(("bilinear", "nearest")):
            for padding, way in enumerate(("zeros", "border", "reflection")):
                for aligned in (False, True):
                    out = page.empty(2, 3, 4, 7)
                    numbers = (2, 3, 5, 6, 28, nearest, padding, aligned)
                    page.call("grid_sample", *numbers, page.operand(x), page.operand(grid), out)
                    with samebits.exact():
                        theirs = F.grid_sample(x, grid, mode, way, aligned)
                    yield f"grid_sample {mode} {way} {aligned} {dtype}", page.tensor(out), theirs
        images = values(3, 2, 3, 9, 11, dtype=dtype)
        planes = page.operand(images)
        for k, stride, padding in ((2, 2, 0), (3, 2, 1), (3, 1, 0)):
            for average in (True, False):
                function = F.avg_pool2d if average else F.max_pool2d
                with samebits.exact():
                    theirs = function(images, k, stride, padding)
                out = page.empty(*theirs.shape)
                page.call("pool", 6, 9, 11, k, stride, padding, average, planes, out)
                yield f"pool {average} {k} {dtype}", page.tensor(out), theirs


def distances(libraries: Libraries) -> Iterator[Case]:
    for dtype in (torch.float32, torch.float64):
        page = Page(libraries, dtype)
        for rows, others, n in ((1, 1, 1), (4, 5, 3), (30, 30, 70)):
            x, y = values(1, rows, n, dtype=dtype), values(2, others, n, dtype=dtype)
            for p in (1.0, 2.0, 2.3, float("inf")):
                out = page.empty(rows, others)
                page.call("distances", rows, others, n, page.operand(x), page.operand(y), p, out)
                with samebits.exact():
                    yield f"cdist {p} {dtype} {n}", page.tensor(out), torch.cdist(x, y, p)


def ctc(libraries: Libraries) -> Iterator[Case]:
    for dtype in (torch.float32, torch.float64):
        page = Page(libraries, dtype)
        for steps, classes, target in (
            (1, 2, [1]),
            (6, 4, [1, 1, 3]),
            (30, 9, [2, 3, 3, 8, 1]),
            (4, 3, []),
        ):
            e = values(steps, steps, 1, classes, dtype=dtype)
            labels = torch.tensor([target], dtype=torch.int64)
            with samebits.exact():
                e = torch.log_softmax(e, 2).requires_grad_()
                theirs = F.ctc_loss(e, labels, [steps], [len(target)], reduction="none")
                (slope,) = slopes(theirs, torch.ones(1, dtype=dtype), e)
            loss, dx = page.empty(1), page.empty(steps, 1, classes)
            page.call(
                "ctc", steps, classes, len(target), 0, page.operand(e), labels.numpy(), loss, dx
            )
            yield f"ctc {dtype} {steps}", page.tensor(loss), theirs
            yield f"ctc {dtype} {steps} dx", page.tensor(dx), slope


def steps(libraries: Libraries) -> Iterator[Case]:
    # rate, two factors, epsilon, decay, one more; and what torch calls them.
    kinds: tuple[tuple[str, tuple[float, ...], dict[str, Any]], ...] = (
        ("NAdam", (0.002, 0.9, 0.999, 1e-8, 0.0, 4e-3), {}),
        ("RAdam", (0.001, 0.9, 0.999, 1e-8, 0.0, 0.0), {}),
        ("RAdam", (0.001, 0.9, 0.6, 1e-8, 0.1, 0.0), {"betas": (0.9, 0.6), "weight_decay": 0.1}),
        ("RAdam", (0.001, 0.9, 0.99, 1e-8, 0.0, 0.0), {"betas": (0.9, 0.99)}),
        ("Adamax", (0.002, 0.9, 0.999, 1e-8, 0.0, 0.0), {}),
        ("Adagrad", (0.01, 0.0, 0.0, 1e-10, 0.1, 0.3), {"lr_decay": 0.3, "weight_decay": 0.1}),
        ("Adadelta", (1.0, 0.9, 0.0, 1e-6, 0.0, 0.0), {}),
        ("Rprop", (0.01, 0.5, 1.2, 0.0, 0.0, 0.0), {}),
        ("ASGD", (0.01, 1e-4, 0.75, 0.0, 0.0, 3.0), {"t0": 3.0}),
    )
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for name, numbers, options in kinds:
            theta = torch.nn.Parameter(values(1, 37, dtype=dtype))
            ours, first, second = page.operand(theta), page.empty(37), page.empty(37)
            kept = np.ones(1, np.float32)
            optimizer = getattr(torch.optim, name)([theta], **options, foreach=False)
            for t in range(1, 9):
                theta.grad = values(10 + t, 37, dtype=dtype)
                g = page.operand(theta.grad)
                with samebits.exact():
                    optimizer.step()
                settings = np.array(numbers, np.float64)
                page.call("step", name, 37, float(t), settings, ours, g, first, second, kept)
            yield f"{name} {dtype} {options}", page.tensor(ours), theta


FAMILIES = {
    "interpolation": interpolation,
    "sampling": sampling,
    "distances": distances,
    "ctc": ctc,
    "steps": steps,
}
