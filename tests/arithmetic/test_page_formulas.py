"""Optimizers, recurrent cells and losses as docs/arithmetic.md writes them, in NumPy: bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from torch.nn import functional as F  # noqa: N812

import samebits
from samebits.arithmetic import reference

Array = np.ndarray
f32 = np.float32
ETA, EPS = 0.013, 1e-8
STEPS = 10


def values(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(f32)


def lerp(x: Array, y: Array, weight: float) -> Array:
    w = f32(weight)
    return x + w * (y - x) if abs(w) < 0.5 else y - (y - x) * (1 - w)


def sgd(theta: Array, gradients: list[Array]) -> Array:
    b = None
    for g in gradients:
        g = g + f32(0.01) * theta
        b = g if b is None else b * f32(0.9) + f32(1 - 0.3) * g
        theta = theta + f32(-ETA) * b
    return theta


def nesterov(theta: Array, gradients: list[Array]) -> Array:
    b = None
    for g in gradients:
        b = g if b is None else b * f32(0.9) + f32(1) * g
        theta = theta + f32(-ETA) * (g + f32(0.9) * b)
    return theta


def moments(gradients: list[Array], b1: float = 0.9, b2: float = 0.999) -> Iterator[Any]:
    m = v = np.zeros_like(gradients[0])
    for t, g in enumerate(gradients, 1):
        m, v = lerp(m, g, 1 - b1), v * f32(b2) + f32(1 - b2) * (g * g)
        yield t, g, m, v


def adamw(theta: Array, gradients: list[Array]) -> Array:
    for t, _, m, v in moments(gradients):
        theta = theta * f32(1 - ETA * 0.01)
        d = np.sqrt(v) / f32((1 - 0.999**t) ** 0.5) + f32(EPS)
        theta = theta + f32(-(ETA / (1 - 0.9**t))) * (m / d)
    return theta


def amsgrad(theta: Array, gradients: list[Array]) -> Array:
    largest = np.zeros_like(theta)
    for t, _, m, v in moments(gradients):
        largest = np.maximum(largest, v)
        d = np.sqrt(largest) / f32((1 - 0.999**t) ** 0.5) + f32(EPS)
        theta = theta + f32(-(ETA / (1 - 0.9**t))) * (m / d)
    return theta


def nadam(theta: Array, gradients: list[Array]) -> Array:
    product = f32(1)
    for t, g, m, v in moments(gradients):
        mu, following = (0.9 * (1 - 0.5 * 0.96 ** (s * 0.004)) for s in (t, t + 1))
        product = product * f32(mu)
        d = np.sqrt(v / f32(1 - 0.999**t)) + f32(EPS)
        theta = theta + f32(-ETA * (1 - mu) / (1 - float(product))) * (g / d)
        theta = theta + f32(-ETA * following / (1 - float(product) * following)) * (m / d)
    return theta


def radam(theta: Array, gradients: list[Array]) -> Array:
    most = 2 / (1 - 0.9) - 1
    for t, _, m, v in moments(gradients, b2=0.9):
        b = m / f32(1 - 0.9**t) * f32(ETA)
        rho = most - 2 * t * 0.9**t / (1 - 0.9**t)
        if rho > 5:
            factor = (rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho)
            b = b * (1 / (np.sqrt(v) + f32(EPS)) * f32((1 - 0.9**t) ** 0.5)) * f32(factor**0.5)
        theta = theta + f32(-1) * b
    return theta


def adamax(theta: Array, gradients: list[Array]) -> Array:
    u = np.zeros_like(theta)
    for t, g, m, _ in moments(gradients):
        u = np.maximum(u * f32(0.999), np.abs(g) + f32(EPS))
        theta = theta + f32(-(ETA / (1 - 0.9**t))) * (m / u)
    return theta


def adagrad(theta: Array, gradients: list[Array]) -> Array:
    s = np.zeros_like(theta)
    for t, g in enumerate(gradients, 1):
        s = s + g * g
        theta = theta + f32(-ETA / (1 + (t - 1) * 0.1)) * (g / (np.sqrt(s) + f32(1e-10)))
    return theta


def adadelta(theta: Array, gradients: list[Array]) -> Array:
    v = u = np.zeros_like(theta)
    for g in gradients:
        v = v * f32(0.9) + f32(1 - 0.9) * (g * g)
        d = np.sqrt(u + f32(1e-6)) / np.sqrt(v + f32(1e-6)) * g
        u = u * f32(0.9) + f32(1 - 0.9) * (d * d)
        theta = theta + f32(-ETA) * d
    return theta


def rmsprop(theta: Array, gradients: list[Array]) -> Array:
    v = a = b = np.zeros_like(theta)
    for g in gradients:
        v, a = v * f32(0.99) + f32(1 - 0.99) * (g * g), lerp(a, g, 1 - 0.99)
        d = np.sqrt(v + f32(-1) * (a * a)) + f32(EPS)
        b = b * f32(0.9) + g / d
        theta = theta + f32(-ETA) * b
    return theta


def rprop(theta: Array, gradients: list[Array]) -> Array:
    last, step = np.zeros_like(theta), np.full_like(theta, ETA)
    for g in gradients:
        sign = np.sign(g * last)
        factor = np.where(sign > 0, f32(1.2), np.where(sign < 0, f32(0.5), f32(1)))
        step = np.clip(step * factor, f32(1e-6), f32(50))
        g = np.where(factor == f32(0.5), f32(0), g)
        theta = theta + f32(-1) * (np.sign(g) * step)
        last = g
    return theta


OPTIMIZERS = [
    ("SGD", sgd, {"momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01}),
    ("SGD", nesterov, {"momentum": 0.9, "nesterov": True}),
    ("AdamW", adamw, {"weight_decay": 0.01}),
    ("Adam", amsgrad, {"amsgrad": True}),
    ("NAdam", nadam, {}),
    ("RAdam", radam, {"betas": (0.9, 0.9)}),
    ("Adamax", adamax, {}),
    ("Adagrad", adagrad, {"lr_decay": 0.1}),
    ("Adadelta", adadelta, {}),
    ("RMSprop", rmsprop, {"momentum": 0.9, "centered": True}),
    ("Rprop", rprop, {}),
]


OTHERWISE_ON_LISTS = ("NAdam", "RAdam", "Adagrad")


@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize(("kind", "formula", "options"), OPTIMIZERS)
def test_optimizers(kind: str, formula: Callable[..., Array], options: dict[str, Any], foreach):
    theta, gradients = values(0, 5, 7), [values(1 + step, 5, 7) for step in range(STEPS)]
    parameter = torch.nn.Parameter(torch.from_numpy(theta.copy()))
    optimizer = getattr(torch.optim, kind)([parameter], lr=ETA, foreach=foreach, **options)
    with samebits.exact():
        for gradient in gradients:
            parameter.grad = torch.from_numpy(gradient.copy())
            optimizer.step()
    as_said = not (foreach and kind in OTHERWISE_ON_LISTS)
    assert same_bits(parameter, formula(theta, gradients)) == as_said


def of(name: str, x: Array) -> Array:
    return reference.function(name, x.astype(f32))


def affine(x: Array, weight: Array, bias: Array) -> Array:
    return bias + reference.product(x, weight.T)


def rnn(h: Array, _: Array, x: Array, hidden: Array) -> tuple[Array, Array]:
    return of("tanh", hidden + x), h


def lstm(h: Array, c: Array, x: Array, hidden: Array) -> tuple[Array, Array]:
    i, f, u, o = np.split(hidden + x, 4, 1)
    c = of("sigmoid", f) * c + of("sigmoid", i) * of("tanh", u)
    return of("sigmoid", o) * of("tanh", c), c


def gru(h: Array, _: Array, x: Array, hidden: Array) -> tuple[Array, Array]:
    (xr, xz, xn), (hr, hz, hn) = np.split(x, 3, 1), np.split(hidden, 3, 1)
    r, z = of("sigmoid", hr + xr), of("sigmoid", hz + xz)
    n = of("tanh", xn + hn * r)
    return (h - n) * z + n, h


@pytest.mark.parametrize(("kind", "cell"), [("RNN", rnn), ("LSTM", lstm), ("GRU", gru)])
def test_recurrent_layers(kind, cell):
    layer = getattr(torch.nn, kind)(5, 4)
    inputs = values(3, 6, 3, 5)
    w_ih, w_hh, b_ih, b_hh = (p.detach().numpy() for p in layer.parameters())
    h = c = np.zeros((3, 4), f32)
    wanted = []
    for x in inputs:
        h, c = cell(h, c, affine(x, w_ih, b_ih), affine(h, w_hh, b_hh))
        wanted.append(h)
    with samebits.exact():
        found, _ = layer(torch.from_numpy(inputs))
    assert same_bits(found, np.stack(wanted))


def mse(x: Array, y: Array) -> tuple[Array, Array]:
    d = x - y
    return d * d, 2 * d


def smooth_l1(x: Array, y: Array) -> tuple[Array, Array]:
    d, beta = np.abs(x - y), f32(0.7)
    near = d < beta
    slope = np.where(near, (x - y) / beta, np.sign(x - y))
    return np.where(near, d * d * f32(0.5) / beta, d + f32(-0.5 * 0.7)), slope


def huber(x: Array, y: Array) -> tuple[Array, Array]:
    d, delta = np.abs(x - y), f32(0.7)
    values = np.where(d < delta, d * d * f32(0.5), (d + f32(-0.5 * 0.7)) * delta)
    return values, np.clip(x - y, -delta, delta)


def soft_margin(x: Array, y: Array) -> tuple[Array, Array]:
    return of("log1p", of("exp", -y * x)), -y * of("sigmoid", -y * x)


@pytest.mark.parametrize(
    ("loss", "formula", "options"),
    [
        (F.mse_loss, mse, {}),
        (F.smooth_l1_loss, smooth_l1, {"beta": 0.7}),
        (F.huber_loss, huber, {"delta": 0.7}),
        (F.soft_margin_loss, soft_margin, {}),
    ],
)
@pytest.mark.parametrize("reduction", ["sum", "mean", "none"])
def test_losses(loss, formula, options, reduction):
    x, y = values(4, 6, 13), values(5, 6, 13)
    given = torch.from_numpy(x.copy()).requires_grad_()
    single, slope = formula(x, y)
    wanted = single if reduction == "none" else reference.total(single.reshape(-1))
    count = f32(x.size)
    wanted = f32(wanted) / count if reduction == "mean" else wanted
    g = f32(0.3)
    own = g / count if reduction == "mean" else g
    with samebits.exact():
        found = loss(given, torch.from_numpy(y), reduction=reduction, **options)
        (derived,) = torch.autograd.grad(found, given, torch.full_like(found, float(g)))
    assert same_bits(found, np.asarray(wanted, f32))
    assert same_bits(derived, (slope * own).astype(f32))


@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy_of_classes(weighted):
    x, target = values(6, 9, 5), np.array([0, 4, 2, -100, 3, 3, 1, 0, 2])
    weight = np.abs(values(7, 5)) if weighted else None
    given = torch.from_numpy(x.copy()).log_softmax(1).detach().requires_grad_()
    logs = given.detach().numpy()
    kept = target != -100
    index = np.where(kept, target, 0)
    w = np.where(kept, weight[index] if weighted else f32(1), f32(0))
    picked = -logs[np.arange(9), index]
    single = np.where(kept, picked * weight[index] if weighted else picked, f32(0))
    total = f32(reference.total(w))
    with samebits.exact():
        found = F.nll_loss(
            given, torch.from_numpy(target), None if weight is None else torch.from_numpy(weight)
        )
        (derived,) = torch.autograd.grad(found, given)
    assert same_bits(found, np.asarray(f32(reference.total(single)) / total, f32))
    slopes = np.zeros_like(x)
    slopes[np.arange(9), index] = np.where(kept, (f32(-1) / total) * w, f32(0))
    assert np.array_equal(derived.numpy(), slopes)


@pytest.mark.parametrize("channels_last", [False, True])
def test_maximum_pooling_takes_the_last_nan_and_the_first_of_equal_values(channels_last):
    nan, inf = math.nan, math.inf
    rows = [[1, nan, 3, nan], [2, 2, 1, 2], [-inf, -inf, -inf, -inf], [nan, 5, inf, 1]]
    x = torch.tensor(rows).reshape(1, 4, 2, 2)
    if channels_last:
        x = x.contiguous(memory_format=torch.channels_last)
    with samebits.exact():
        values, places = F.max_pool2d(x, 2, return_indices=True)
    assert places.flatten().tolist() == [3, 0, 0, 0]
    assert torch.isnan(values.flatten()).tolist() == [True, False, False, True]
