"""Optimizers, places, order and random numbers: by the page, and by samebits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from tests.arithmetic.from_the_page.cases_values import Case, values
from tests.arithmetic.from_the_page.page import DTYPES, HALVES, Libraries, Page

import samebits


def adam(libraries: Libraries) -> Iterator[Case]:
    settings: tuple[dict[str, Any], ...] = (
        {},
        {"weight_decay": 0.1},
        {"amsgrad": True, "maximize": True, "weight_decay": 0.0},
        {"lr": 0.1, "betas": (0.3, 0.5), "eps": 1e-4},
    )
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for kind in (torch.optim.Adam, torch.optim.AdamW):
            for options in settings:
                for form in ({"foreach": False}, {"foreach": True}, {"fused": True}):
                    yield from _adam(page, kind, options, form)


def _adam(page: Page, kind: Any, options: dict[str, Any], form: dict[str, bool]) -> Iterator[Case]:
    theta = torch.nn.Parameter(values(1, 37, dtype=page.dtype))
    ours, m, v, largest = page.operand(theta), page.empty(37), page.empty(37), page.empty(37)
    optimizer = kind([theta], **options, **form)
    group = optimizer.param_groups[0]
    numbers = [group["lr"], *group["betas"], group["eps"], group["weight_decay"]]
    numbers += [kind is torch.optim.AdamW, group["amsgrad"], group["maximize"]]
    for t in range(1, 5):
        g = values(10 + t, 37, dtype=page.dtype)
        theta.grad = g
        with samebits.exact():
            optimizer.step()
        page.call(
            "adam",
            37,
            float(t),
            np.array(numbers, np.float64),
            ours,
            page.operand(g),
            m,
            v,
            largest,
        )
    yield f"{kind.__name__} {page.dtype} {options} {form}", page.tensor(ours), theta


def sgd(libraries: Libraries) -> Iterator[Case]:
    settings: tuple[dict[str, Any], ...] = (
        {},
        {"momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01},
        {"momentum": 0.7, "nesterov": True, "weight_decay": 0.01, "maximize": True},
    )
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for options in settings:
            for form in ({"foreach": False}, {"foreach": True}, {"fused": True}):
                theta = torch.nn.Parameter(values(1, 37, dtype=dtype))
                ours, b = page.operand(theta), page.empty(37)
                optimizer = torch.optim.SGD([theta], 0.01, **options, **form)
                group = optimizer.param_groups[0]
                names = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize")
                numbers = np.array([group[name] for name in names], np.float64)
                for t in range(4):
                    theta.grad = values(10 + t, 37, dtype=dtype)
                    g = page.operand(theta.grad)
                    with samebits.exact():
                        optimizer.step()
                    page.call("sgd", 37, t == 0, numbers, ours, g, b)
                yield f"SGD {dtype} {options} {form}", page.tensor(ours), theta


def rmsprop(libraries: Libraries) -> Iterator[Case]:
    settings: tuple[dict[str, Any], ...] = (
        {},
        {"momentum": 0.9, "weight_decay": 0.1},
        {"centered": True},
    )
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for options in settings:
            for foreach in (False, True):
                theta = torch.nn.Parameter(values(1, 37, dtype=dtype))
                ours, v, a, b = page.operand(theta), page.empty(37), page.empty(37), page.empty(37)
                optimizer = torch.optim.RMSprop([theta], 0.01, **options, foreach=foreach)
                group = optimizer.param_groups[0]
                names = ("lr", "alpha", "eps", "weight_decay", "momentum", "centered")
                numbers = np.array([group[name] for name in names], np.float64)
                for t in range(4):
                    theta.grad = values(10 + t, 37, dtype=dtype)
                    g = page.operand(theta.grad)
                    with samebits.exact():
                        optimizer.step()
                    page.call("rmsprop", 37, numbers, ours, g, v, a, b)
                yield f"RMSprop {dtype} {options} {foreach}", page.tensor(ours), theta


def places(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for n, size, width in ((1, 1, 1), (5, 3, 4), (200, 7, 5), (9000, 2, 1)):
            index = torch.randint(0, size, (n,), generator=torch.Generator().manual_seed(n))
            base, source = values(1, size, width, dtype=dtype), values(2, n, width, dtype=dtype)
            old, added, out = page.operand(base), page.operand(source), page.empty(size, width)
            label = f"{dtype} {n} {size}"
            page.call("into_places", size, width, n, index.numpy(), added, old, 0, -1, out)
            with samebits.exact():
                yield f"index_add {label}", page.tensor(out), base.index_add(0, index, source)
                spread = index[:, None].expand(n, width).contiguous()
                yield f"scatter_add {label}", page.tensor(out), base.scatter_add(0, spread, source)
                placed = base.index_put((index,), source, accumulate=True)
                yield f"index_put {label}", page.tensor(out), placed
            for ignored, by_frequency in ((-1, False), (0, False), (-1, True)):
                page.call(
                    "into_places",
                    size,
                    width,
                    n,
                    index.numpy(),
                    added,
                    None,
                    by_frequency,
                    ignored,
                    out,
                )
                weight = base.clone().requires_grad_()
                with samebits.exact():
                    found = F.embedding(
                        index,
                        weight,
                        None if ignored < 0 else ignored,
                        scale_grad_by_freq=by_frequency,
                    )
                    (slope,) = torch.autograd.grad(found, weight, source)
                yield f"embedding {label} {ignored} {by_frequency}", page.tensor(out), slope
            with samebits.exact():
                doubled = base.index_add(0, index, source, alpha=0.3)
            scaled = page.once(page.real(0.3) * added)
            page.call("into_places", size, width, n, index.numpy(), scaled, old, 0, -1, out)
            yield f"index_add, alpha {label}", page.tensor(out), doubled


def order(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for rows, n in ((1, 1), (3, 17), (2, 400)):
            x = (values(n, rows, n, dtype=torch.float64) * 3).round().to(dtype)
            x[0, 0] = float("nan")
            if n > 3:
                x[-1, 2], x[-1, 3], x[-1, 1] = -0.0, 0.0, float("nan")
            wide = page.operand(x)
            for descending in (False, True):
                places_ = np.zeros((rows, n), np.int64)
                page.call("stable_order", rows, n, wide, descending, places_)
                found = torch.from_numpy(places_)
                k = (n + 1) // 2
                label = f"{dtype} {n} {descending}"
                with samebits.exact():
                    yield f"sort {label}", found, x.sort(1, descending=descending)[1]
                    yield f"argsort {label}", found, x.argsort(1, descending=descending)
                    best = x.topk(k, 1, largest=descending)
                    yield f"topk {label}", found[:, :k].contiguous(), best[1]
                    yield f"topk, values {label}", x.gather(1, found[:, :k]), best[0]
                    if not descending:
                        number = x.kthvalue(k, 1)
                        yield f"kthvalue {label}", found[:, k - 1].contiguous(), number[1]
                    first = x.max(1)[1] if descending else x.argmin(1)
                    if descending or n > 3:
                        ours = found[:, 0] if descending else _first(wide, smallest=True)
                        yield f"first {label}", ours.contiguous(), first


def _first(x: Any, *, smallest: bool) -> torch.Tensor:
    """The first NaN, or the first of the least (largest) values."""
    signed = -x if smallest else x
    places_ = [
        int(np.flatnonzero(np.isnan(row))[0]) if np.isnan(row).any() else int(np.argmax(row))
        for row in signed
    ]
    return torch.tensor(places_)


def key_of(seed: int) -> int:
    generator = torch.Generator().manual_seed(seed)
    return int(torch.empty((), dtype=torch.int64).random_(-(2**63), None, generator=generator))


def random(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        yield from _random(Page(libraries, dtype), Page(libraries, torch.float32))


def _random(page: Page, drawing: Page) -> Iterator[Case]:
    dtype = page.dtype
    for n in (1, 2, 7, 1000):
        key = key_of(n)
        draws: dict[str, tuple[tuple[Any, ...], Any]] = {
            "uniform": ((0.0, 1.0), lambda n=n: torch.rand(n, dtype=dtype)),
            "uniform, ends": (
                (-0.1, 0.3),
                lambda n=n: torch.empty(n, dtype=dtype).uniform_(-0.1, 0.3),
            ),
            "normal": ((0.0, 1.0), lambda n=n: torch.randn(n, dtype=dtype)),
            "normal, given": (
                (0.3, 1.7),
                lambda n=n: torch.empty(n, dtype=dtype).normal_(0.3, 1.7),
            ),
            "exponential": ((0.7,), lambda n=n: torch.empty(n, dtype=dtype).exponential_(0.7)),
        }
        for name, (numbers, theirs) in draws.items():
            out = drawing.empty(n)
            drawing.call(name.split(",")[0], key, n, *numbers, out)
            torch.manual_seed(n)
            with samebits.exact():
                yield f"{name} {dtype} {n}", page.tensor(out), theirs()
        out = page.empty(n)
        page.call("bernoulli", key, n, 0.3, None, out)
        torch.manual_seed(n)
        with samebits.exact():
            yield (
                f"bernoulli {dtype} {n}",
                page.tensor(out),
                torch.empty(n, dtype=dtype).bernoulli_(0.3),
            )
        # Just above the 24 bits of u, where another rule would show.
        u = drawing.empty(n)
        drawing.call("uniform", key, n, 0.0, 1.0, u)
        each = (torch.from_numpy(u) / 2 + 2**-26 * (torch.arange(n) % 2)).to(dtype)
        each[::3] = (torch.from_numpy(u) * (1 + 2.0**-23))[::3].to(dtype)
        each = each.clamp(max=1)
        page.call("bernoulli", key, n, 0.0, page.operand(each), out)
        torch.manual_seed(n)
        with samebits.exact():
            yield f"bernoulli, each {dtype} {n}", page.tensor(out), torch.bernoulli(each)
        for p in (0.3, 0.5, 0.1):
            x = values(n, n, dtype=dtype).requires_grad_()
            page.call("dropout_factors", key, p, n, out)
            factors = page.once(out) if dtype in HALVES else out
            torch.manual_seed(n)
            with samebits.exact():
                theirs_ = F.dropout(x, p)
                (slope,) = torch.autograd.grad(theirs_, x, x.detach())
            ours = page.tensor(factors * page.operand(x))
            yield f"dropout {dtype} {n} {p}", ours, theirs_
            yield f"dropout, derivative {dtype} {n} {p}", ours, slope


def whole_numbers(libraries: Libraries) -> Iterator[Case]:
    page = Page(libraries, torch.float32)
    for n in (1, 2, 9, 500):
        key, out = key_of(n), np.zeros(n, np.int64)
        for low, high in ((0, 10), (-7, 2**40), (3, 4)):
            page.call("whole_numbers", key, n, low, high, out)
            torch.manual_seed(n)
            with samebits.exact():
                yield (
                    f"randint {n} {low} {high}",
                    torch.from_numpy(out.copy()),
                    torch.randint(low, high, (n,)),
                )
        page.call("permutation", key, n, out)
        torch.manual_seed(n)
        with samebits.exact():
            yield f"randperm {n}", torch.from_numpy(out.copy()), torch.randperm(n)
        weights = values(n, n).abs()
        some = np.zeros((n + 1) // 2, np.int64)
        page.call("multinomial", key, n, some.size, page.operand(weights), some)
        torch.manual_seed(n)
        with samebits.exact():
            yield f"multinomial {n}", torch.from_numpy(some), torch.multinomial(weights, some.size)
        drawn = page.empty(n)
        alpha = values(n, n).abs() + torch.tensor([0.01, 3.0, 0.5, 40.0]).repeat(n)[:n]
        page.call("gamma_numbers", key, n, page.operand(alpha), drawn)
        torch.manual_seed(n)
        with samebits.exact():
            yield f"gamma {n}", page.tensor(drawn), torch._standard_gamma(alpha)
        mean = values(n, n).abs() * 15
        page.call("poisson", key, n, page.operand(mean), drawn)
        torch.manual_seed(n)
        with samebits.exact():
            yield f"poisson {n}", page.tensor(drawn), torch.poisson(mean)


FAMILIES = {
    "Adam": adam,
    "SGD": sgd,
    "RMSprop": rmsprop,
    "places": places,
    "order": order,
    "random": random,
    "whole numbers": whole_numbers,
}
