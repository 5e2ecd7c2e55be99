"""Complex numbers: bits against the reference, values and derivatives against binary64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import INTERESTING, same_bits, values

import samebits
from samebits.arithmetic import reference_complex as reference
from samebits.errors import NotExactError


def parts(count: int, seed: int, dtype: type = np.float32) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of every kind, each of the special ones beside each."""
    first, second = np.meshgrid(INTERESTING, INTERESTING)
    order = np.random.default_rng(seed).permutation(first.size)
    re = np.concatenate([values(count, seed), first.reshape(-1)[order]])
    im = np.concatenate([values(count, seed + 1), second.reshape(-1)[order]])
    return re.astype(dtype), im.astype(dtype)


def joined(x: tuple[np.ndarray, np.ndarray]) -> torch.Tensor:
    return torch.complex(*(torch.from_numpy(part) for part in x))


def separate(z: torch.Tensor) -> list[np.ndarray]:
    return [part.contiguous().numpy() for part in torch.view_as_real(z).unbind(-1)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("call", "defined"),
    [
        (torch.mul, reference.product),
        (torch.div, reference.quotient),
        (
            torch.add,
            lambda x, y: tuple(reference.canonical(a + b) for a, b in zip(x, y, strict=True)),
        ),
        (
            torch.sub,
            lambda x, y: tuple(reference.canonical(a - b) for a, b in zip(x, y, strict=True)),
        ),
    ],
    ids=["mul", "div", "add", "sub"],
)
def test_arithmetic_of_two(call, defined, dtype):
    x, y = parts(500, 3, dtype), parts(500, 5, dtype)
    with samebits.exact():
        found = call(joined(x), joined(y))
    with np.errstate(all="ignore"):
        wanted = defined(x, y)
    assert all(same_bits(a, b) for a, b in zip(separate(found), wanted, strict=True))


FUNCTIONS = {
    torch.log: reference.logarithm,
    torch.sqrt: reference.root,
    torch.pow: reference.power,
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("call", FUNCTIONS)
def test_functions(call, dtype):
    of = [parts(60, 13, dtype), parts(60, 15, dtype)][: 1 + (call is torch.pow)]
    with samebits.exact():
        found = call(*map(joined, of))
    with np.errstate(all="ignore"):
        wanted = FUNCTIONS[call](*of)
    assert all(same_bits(a, b) for a, b in zip(separate(found), wanted, strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_angles(dtype):
    x = torch.tensor([1.0, -1.0, 0.0, -0.0, float("nan"), float("-inf")], dtype=dtype)
    pi = torch.tensor(np.pi, dtype=dtype)
    with samebits.exact():
        assert same_bits(x.angle()[:4], torch.stack([pi * 0, pi, pi * 0, pi * 0]))
        assert x.angle()[4].isnan()
        assert x.angle()[5] == pi
        z = torch.complex(x[:2], x[1:3])
        assert same_bits(z.angle(), torch.atan2(z.imag, z.real))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_magnitudes(dtype):
    x = parts(500, 7, dtype)
    with samebits.exact():
        found = joined(x).abs()
    with np.errstate(all="ignore"):
        assert same_bits(found, reference.magnitude(x))


def test_products_of_matrices():
    rng = np.random.default_rng(3)
    x, y = (
        tuple(rng.standard_normal(shape).astype(np.float32) for _ in range(2))
        for shape in ((5, 300), (300, 7))
    )
    wanted = reference.matrix_product(x, y)
    with samebits.exact():
        plain = joined(x) @ joined(y)
        batch = torch.bmm(joined(x).expand(2, -1, -1), joined(y).expand(2, -1, -1))
        conjugate = joined((x[0], -x[1])).conj() @ joined(y)
    for found in (plain, batch[1], conjugate):
        assert all(same_bits(a, b) for a, b in zip(separate(found), wanted, strict=True))


def test_a_conjugate_view_computes_as_the_numbers_that_it_stands_for():
    x, y = torch.randn(9, dtype=torch.complex64), torch.randn(9, dtype=torch.complex64)
    with samebits.exact():
        assert same_bits(
            torch.view_as_real(x.conj() * y), torch.view_as_real(x.conj_physical() * y)
        )
        wide = torch.zeros(9, dtype=torch.float64).copy_(x.conj().imag)
    assert wide.equal(-x.imag.double())


CASES = {
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y + 1 / x,
    "sums": lambda x, y: torch.sub(x + 2 * y - 1j, y, alpha=2j) - (3 - x),
    "abs": lambda x, y: x.abs() * y,
    "conj": lambda x, y: x.conj() * y + x.conj_physical(),
    "parts": lambda x, y: x.real * y.imag,
    "sgn": lambda x, y: x.sgn() * y,
    "exp": lambda x, y: (x * 0.2).exp() * y,
    "polar": lambda x, y: torch.polar(x.abs(), y.real),
    "log": lambda x, y: x.log() * y + y.log2() - x.log10(),
    "sqrt": lambda x, y: x.sqrt() * y + x**0.5,
    "angle": lambda x, y: x.angle() * y + y.real.angle(),
    "powers of each": lambda x, y: x ** (y * 0.3) + x**0.3 + x ** (1 + 2j) + 2**y,
    "powers": lambda x, y: x**2 + y**3 + x**-1 + y**0,
    "in place": lambda x, y: (x * 1).mul_(y).add_(x).neg_(),
    "sum": lambda x, y: (x * y).sum(0) + y.mean(0) + x.mean(),
    "norm": lambda x, y: torch.linalg.vector_norm(x) * y,
    "dot": lambda x, y: torch.dot(x[0], y[1]) + torch.vdot(x[1], y[0]),
    "mm": lambda x, y: x @ y.mH,
    "mv": lambda x, y: x @ y[0],
    "matmul": lambda x, y: x[None] @ y.mT,
    "einsum": lambda x, y: torch.einsum("ij,kj->ik", x, y),
    "addmm": lambda x, y: torch.addmm(x[:, :6], x, y.mT, beta=2, alpha=1j),
    "views": lambda x, y: torch.view_as_complex(torch.view_as_real(x * y) * 2),
    "moves": lambda x, y: torch.where(x.real > 0, torch.cat([x, y])[3:9], y.flip(0))[:, ::2],
    "conversions": lambda x, y: (x.real * 1j + y.to(torch.complex128)).to(torch.complex64) * y,
}


def values_and_gradients(function, inputs):
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    result = function(*leaves)
    steps = torch.linspace(-1, 1, result.numel(), dtype=torch.float64).reshape(result.shape)
    result.backward(steps.to(result.dtype) * (1 + 0.5j if result.is_complex() else 1))
    return [result.detach(), *(leaf.grad for leaf in leaves if leaf.grad is not None)]


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_against_binary64(name):
    inputs = [torch.randn(6, 8, dtype=torch.complex64) for _ in range(2)]
    with samebits.exact():
        found = values_and_gradients(CASES[name], inputs)
    right = values_and_gradients(CASES[name], [x.to(torch.complex128) for x in inputs])
    assert len(found) == len(right)
    for own, wanted in zip(found, right, strict=True):
        assert (own - wanted).abs().max() <= 2e-6 * wanted.abs().max()


def test_a_rotary_embedding_does_not_depend_on_threads_or_the_batch():
    def rotated(x):
        angles = torch.outer(torch.arange(50.0), 10000.0 ** -(torch.arange(0, 16, 2) / 16))
        turns = torch.polar(torch.ones_like(angles), angles)
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * turns[:, None]).flatten(-2)

    x = torch.randn(4, 50, 3, 16)
    with samebits.exact():
        whole = rotated(x)
        torch.set_num_threads(3)
        assert same_bits(rotated(x), whole)
        assert same_bits(rotated(x[2:3]), whole[2:3])


@pytest.mark.parametrize(
    "call",
    [
        lambda z: z.cumsum(0),
        lambda z: z.prod(),
        lambda z: z.log1p(),
        lambda z: z.tan(),
        lambda z: torch.linalg.qr(z.reshape(1, -1)),
        lambda z: z.to(torch.complex32),
        lambda z: torch.randn(3, dtype=torch.complex64),
    ],
)
def test_what_is_not_defined_is_refused(call):
    with samebits.exact(), pytest.raises(NotExactError):
        call(torch.ones(3, dtype=torch.complex64))


def test_errors_are_torchs():
    x = torch.ones(3, 4, dtype=torch.complex64)
    with samebits.exact():
        with pytest.raises(RuntimeError, match="size"):
            x * x[:, :3]
        with pytest.raises(RuntimeError, match="shapes"):
            x @ x
