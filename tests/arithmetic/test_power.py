"""Powers: correctly rounded in binary32, in every build, and torch's rules around them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import INTERESTING, same_bits, values
from tests.arithmetic.conftest import builds

import samebits
from samebits.arithmetic import _exact, reference
from samebits.arithmetic.kernels import elementwise

SPECIAL = np.concatenate(
    [
        INTERESTING,
        np.array([3, -3, 2.5, -2.5, 2**24 + 2, -(2**24) - 2, 8388609, -8388609], np.float32),
    ]
)


def power_in_each_build(x: np.ndarray, y: np.ndarray) -> torch.Tensor:
    results = []
    for build in builds():
        assert _exact.set_isa(build)
        results.append(elementwise("pow", torch.from_numpy(x), torch.from_numpy(y)))
    assert all(same_bits(result, results[0]) for result in results)
    return results[0]


def within_range(x: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    """For each x > 0 the y for which x^y is near 2^exponent."""
    logarithms = np.log2(np.where(x == 1, 2, x).astype(np.float64))
    return (exponents / logarithms).astype(np.float32)


def cases(kind: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    count = 500
    if kind == "patterns":
        return values(count, seed=1), values(count, seed=2)
    if kind == "every size of result":
        x = np.exp(rng.normal(0, 3, count)).astype(np.float32)
        return x, within_range(x, rng.uniform(-155, 130, count))
    if kind == "near 1, large exponents":
        x = (1 + rng.integers(-2000, 2000, count) * 2.0**-23).astype(np.float32)
        return x, within_range(x, rng.uniform(-155, 130, count))
    if kind == "subnormal results":
        x = np.exp(rng.normal(0, 1, count)).astype(np.float32)
        return x, within_range(x, rng.uniform(-150, -126, count))
    if kind == "negative bases":
        whole = rng.integers(-12, 13, count).astype(np.float32)
        return -np.exp(rng.normal(0, 1, count)).astype(np.float32), whole
    assert kind == "exact and middle"
    # Powers of small odd numbers, of which many have 24 or 25 bits.
    x = rng.integers(1, 5000, count) * 2.0 ** rng.integers(-4, 4, count)
    y = rng.integers(1, 16, count) / 2.0 ** rng.integers(0, 4, count)
    return (x ** (2.0 ** rng.integers(0, 2, count))).astype(np.float32), y.astype(np.float32)


@pytest.mark.parametrize(
    "kind",
    [
        "patterns",
        "every size of result",
        "near 1, large exponents",
        "subnormal results",
        "negative bases",
        "exact and middle",
    ],
)
def test_powers_are_correctly_rounded(kind):
    x, y = cases(kind)
    assert same_bits(power_in_each_build(x, y), reference.power(x, y))


def test_special_values():
    x, y = (grid.ravel() for grid in np.meshgrid(SPECIAL, SPECIAL))
    assert same_bits(power_in_each_build(x, y), reference.power(x, y))


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [
        (3.0, 15.0, 14348907),  # 24 bits
        (4097.0, 2.0, 16785408),  # of 16785409, 25 bits: a tie, to even
        (259.0, 3.0, 17373980),  # of 17373979: the other way
        (67081.0, 1.5, 17373980),
        (2.0, -149.5, 2.0**-149),
        (2.0, -150.0, 0.0),  # half the smallest number: a tie, to even
        (2.0, 127.99999, 3.4028056e38),
    ],
)
def test_the_middle_between_two_floats(x, y, wanted):
    found = power_in_each_build(np.array([x], np.float32), np.array([y], np.float32))
    assert found.item() == np.float32(wanted)


@pytest.mark.parametrize(("name", "exponent"), [("cube", 3), ("fourth", 4)])
def test_powers_that_are_products_are_correctly_rounded_too(name, exponent):
    x = np.concatenate([INTERESTING, values(2000, seed=exponent)])
    for build in builds():
        assert _exact.set_isa(build)
        found = elementwise(name, torch.from_numpy(x))
        assert same_bits(found, reference.power(x, np.full_like(x, exponent)))


X = torch.tensor([[-2.5, -1.0, -0.0, 0.25], [0.7, 1.0, 3.0, 40.0]])
Y = torch.tensor([3.0, -2.0, 0.3, 1.7])


def rounded(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x, y = (t.float().contiguous() for t in torch.broadcast_tensors(x, y))
    return torch.from_numpy(reference.power(x.numpy(), y.numpy()))


@pytest.mark.parametrize("exponent", [5, -2, -3, 1.5, 2.7, 0.3, -0.7, 1e-3])
def test_a_tensor_to_the_power_of_a_number(exponent):
    wanted = rounded(X, torch.tensor(float(exponent)))
    with samebits.exact():
        assert same_bits(X**exponent, wanted)
        assert same_bits(torch.pow(X, exponent), wanted)
        assert same_bits(X.clone().pow_(exponent), wanted)
        out = torch.empty(0)
        torch.pow(X, exponent, out=out)
    assert same_bits(out, wanted)


def test_tensors_to_the_power_of_tensors():
    wanted = rounded(X, Y)
    with samebits.exact():
        assert same_bits(X**Y, wanted)
        assert same_bits(X.clone().pow_(Y), wanted)
        out = torch.empty_like(X)
        torch.pow(X, Y, out=out)
        assert same_bits(out, wanted)
        assert same_bits(X.t() ** Y[:2], rounded(X.t(), Y[:2]))


def test_a_number_to_the_power_of_a_tensor():
    with samebits.exact():
        assert same_bits(2.5**X, rounded(torch.tensor(2.5), X))
        assert same_bits(2**X, rounded(torch.tensor(2.0), X))


def test_dtypes_are_torchs():
    with samebits.exact():
        half = torch.tensor([1.5, 3.0], dtype=torch.float16)
        assert same_bits(half**2.7, rounded(half, torch.tensor(2.7)).half())
        whole = torch.tensor([1, 2, 3])
        assert (whole**2).dtype == torch.int64
        assert (2**whole).tolist() == [2, 4, 8]
        assert same_bits(whole**0.3, rounded(whole, torch.tensor(0.3)))
        assert same_bits(whole ** torch.tensor([0.3]), rounded(whole, torch.tensor(0.3)))


def test_powers_of_float64_are_correctly_rounded_too():
    x = torch.tensor([1.1, 3.0, 0.7], dtype=torch.float64)
    with samebits.exact():
        for exponent in (-2, -3, 1.5, 2, 2.7, 3, 4):
            wanted = reference.power(x.numpy(), np.full(3, float(exponent)))
            assert same_bits(x**exponent, wanted)
        assert same_bits(x**x, reference.power(x.numpy(), x.numpy()))
        assert same_bits(1.1**x, reference.power(np.full(3, 1.1), x.numpy()))


def test_gradients():
    x = torch.tensor([0.3, 1.7, 2.5], requires_grad=True)
    y = torch.tensor([2.2, -0.7, 3.0], requires_grad=True)
    with samebits.exact():
        (x**y + 1.3**y + x**2.7).sum().backward()
    a, b = (t.detach().double().requires_grad_() for t in (x, y))
    (a**b + 1.3**b + a**2.7).sum().backward()
    assert torch.allclose(x.grad.double(), a.grad, rtol=1e-6)
    assert torch.allclose(y.grad.double(), b.grad, rtol=1e-6)


def test_a_target_of_another_shape_or_dtype_is_torchs_affair():
    with samebits.exact():
        x = torch.ones(3)
        with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
            x.pow_(torch.ones(2, 3))
        assert x.shape == (3,)
        for exponent in (0, 3, 2.7):
            out = torch.empty(0)
            assert torch.pow(torch.ones(2, 4), exponent, out=out).shape == (2, 4)
            with pytest.raises(RuntimeError):
                torch.pow(torch.ones(3), exponent, out=torch.empty(3, dtype=torch.int64))
        for exponent in (0, -2, 1.5):
            wide = torch.full((3,), 4.0, dtype=torch.float64)
            out = torch.empty(0, dtype=torch.float64)
            assert torch.equal(torch.pow(wide, exponent, out=out), 4.0**exponent * wide / 4)


def test_whole_numbers_are_torchs():
    whole = torch.tensor([16777217])
    wanted = torch.pow(whole, 2, out=torch.empty(1))
    with samebits.exact():
        assert torch.equal(torch.pow(whole, 2, out=torch.empty(1)), wanted)
