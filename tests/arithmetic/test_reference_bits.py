"""Kernels against the readable specification, bit for bit, in every build."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.arithmetic.bits import INTERESTING, same_bits, values
from tests.arithmetic.conftest import builds

from samebits.arithmetic import _exact, reference
from samebits.arithmetic.kernels import elementwise
from samebits.arithmetic.operations.products import multiply
from samebits.arithmetic.operations.reductions import sum_over

FUNCTIONS = [
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "asin",
    "acos",
    "atan",
    "tanh",
    "erf",
    "erfc",
    "sigmoid",
    "rsqrt",
]
FEW = settings(max_examples=12, deadline=None, derandomize=True)


def each_build(compute):
    """The result, which must be the same in every build."""
    results = []
    for build in builds():
        assert _exact.set_isa(build)
        results.append(compute())
    assert all(same_bits(result, results[0]) for result in results)
    return results[0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_correctly_rounded(name):
    x = np.concatenate([INTERESTING, values(400, seed=len(name))])
    found = each_build(lambda: elementwise(name, torch.from_numpy(x)))
    assert same_bits(found, reference.function(name, x))


HARD = {
    "log": (0x3C413D3A, 0x41178FEB, 0x4C5D65A5, 0x65D890D3, 0x6F31A8EC),
    "sin": (0x46199998, 0xC6199998),
    "exp2": (0x3B429D37, 0xBCF3A937),
    "sigmoid": (0x34C00000, 0xB4400000, 0x37660000, 0xB7838000, 0xBA928601),
    "log1p": (
        0x35400003,
        0x3710001B,
        0x3EFD81AD,
        0x41078FEB,
        0x65D890D3,
        0x6F31A8EC,
        0xB53FFFFD,
        0xB70FFFE5,
        0xBB0EC8C4,
    ),
    "log10": (0x0EFEEE7A,),
    "cos": (0x5F18B878, 0xDF18B878, 0x6115CB11, 0xE115CB11),
}


@pytest.mark.parametrize("name", HARD)
def test_arguments_for_which_binary64_is_not_enough(name):
    x = np.array(HARD[name], np.uint32).view(np.float32)
    found = each_build(lambda: elementwise(name, torch.from_numpy(x)))
    assert same_bits(found, reference.function(name, x))


@FEW
@given(
    m=st.integers(1, 40),
    n=st.integers(1, 70),
    k=st.sampled_from([0, 1, 7, 255, 256, 257, 600]),
    a_turned=st.booleans(),
    b_turned=st.booleans(),
    seed=st.integers(0, 99),
)
def test_products(m, n, k, a_turned, b_turned, seed):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((m, k)).astype(np.float32)
    b = rng.standard_normal((k, n)).astype(np.float32)
    left = torch.from_numpy(a.T.copy()).t() if a_turned else torch.from_numpy(a)
    right = torch.from_numpy(b.T.copy()).t() if b_turned else torch.from_numpy(b)
    assert same_bits(each_build(lambda: multiply(left, right)), reference.product(a, b))


def test_products_of_several_groups():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((3, 9000)).astype(np.float32)
    b = rng.standard_normal((9000, 5)).astype(np.float32)
    found = each_build(lambda: multiply(torch.from_numpy(a), torch.from_numpy(b)))
    assert same_bits(found, reference.product(a, b))


def test_products_of_special_values():
    a, b = values(12 * 30, 1).reshape(12, 30), values(30 * 20, 2).reshape(30, 20)
    found = each_build(lambda: multiply(torch.from_numpy(a), torch.from_numpy(b)))
    with np.errstate(all="ignore"):
        assert same_bits(found, reference.product(a, b))


@FEW
@given(
    shape=st.sampled_from(
        [(5,), (64,), (65,), (4097,), (70, 33), (5000, 3), (3, 4, 5, 6), (2, 9, 2500)]
    ),
    pick=st.integers(1, 15),
    seed=st.integers(0, 99),
    turned=st.booleans(),
)
def test_sums_over_any_axes(shape, pick, seed, turned):
    axes = [d for d in range(len(shape)) if pick >> d & 1] or [0]
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    tensor = torch.from_numpy(np.asfortranarray(x)) if turned else torch.from_numpy(x)
    found = each_build(lambda: sum_over(tensor, axes))
    assert same_bits(found, np.asarray(reference.sum_over(x, axes)))


def test_sums_of_special_values():
    x = values(3000, 5).reshape(60, 50)
    with np.errstate(all="ignore"):
        for axes in ([0], [1], [0, 1]):
            found = each_build(lambda axes=axes: sum_over(torch.from_numpy(x), axes))
            assert same_bits(found, np.asarray(reference.sum_over(x, axes)))


SHAPES = [(3, 1), (4, 17), (2, 64), (2, 100), (1, 4500)]
SHORT_ROWS = [(33, 1), (8, 10), (37, 10), (17, 32), (16, 31), (40, 33)]


@pytest.mark.parametrize("shape", SHAPES + SHORT_ROWS)
def test_softmax_and_its_derivatives(shape):
    rng = np.random.default_rng(3)
    x = (rng.standard_normal(shape) * 3).astype(np.float32)
    grad = rng.standard_normal(shape).astype(np.float32)

    def run(call, *inputs):
        out = torch.empty(shape)
        call(out, *(torch.from_numpy(i) for i in inputs))
        return out

    y = reference.softmax(x)
    assert same_bits(each_build(lambda: run(_exact.softmax, x)), y)
    log_y = reference.log_softmax(x)
    assert same_bits(each_build(lambda: run(_exact.log_softmax, x)), log_y)
    found = each_build(lambda: run(_exact.softmax_backward, grad, y))
    assert same_bits(found, reference.softmax_backward(grad, y))
    found = each_build(lambda: run(_exact.log_softmax_backward, grad, log_y))
    assert same_bits(found, reference.log_softmax_backward(grad, log_y))


@pytest.mark.parametrize("rows", [7, 21])
@pytest.mark.parametrize("length", [1, 31, 33, 64, 97])
def test_softmax_of_special_rows(rows, length):
    x = np.random.default_rng(4).standard_normal((rows, length)).astype(np.float32) * 40
    x[1, length // 2] = np.nan
    x[2, :] = -np.inf
    x[3, : length // 2] = -np.inf
    x[4, length - 1] = np.inf
    x[5, :] = np.nan
    x[6, :] = -0.0

    def run(call):
        out = torch.empty(x.shape)
        call(out, torch.from_numpy(x))
        return out

    with np.errstate(invalid="ignore"):
        y, log_y = reference.softmax(x), reference.log_softmax(x)
    assert same_bits(each_build(lambda: run(_exact.softmax)), y)
    assert same_bits(each_build(lambda: run(_exact.log_softmax)), log_y)


@pytest.mark.parametrize(
    ("shape", "axes"), [((5, 33), [1]), ((6, 4, 7), [0, 2]), ((2, 3, 90), [1, 2])]
)
def test_normalisation(shape, axes):
    rng = np.random.default_rng(4)
    x, grad = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    y, mean, rstd = reference.normalised(x, axes, 1e-5)
    kept = [d for d in range(x.ndim) if d not in axes]
    if axes == [0, 2]:  # batch: groups are channels
        n, c, hw = shape
        geometry = (1, 0, c, hw, n, c * hw, hw, 1, 0, hw, c)
    else:
        rows = int(np.prod([shape[d] for d in kept]))
        length = int(np.prod([shape[d] for d in axes]))
        geometry = (rows, length, 1, 0, 1, 0, length, 0, 0, 1, length)

    def forward():
        out = torch.empty(shape)
        found_mean, found_rstd = (torch.empty(mean.size) for _ in range(2))
        _exact.norm(
            out, torch.from_numpy(x), found_mean, found_rstd, None, None, None, geometry, 1e-5
        )
        assert same_bits(found_mean, mean.reshape(-1))
        assert same_bits(found_rstd, rstd.reshape(-1))
        return out

    def backward():
        out = torch.empty(shape)
        tensors = (torch.from_numpy(v) for v in (grad, x, mean.reshape(-1), rstd.reshape(-1)))
        _exact.norm_backward(out, *tensors, None, geometry)
        return out

    assert same_bits(each_build(forward), y)
    assert same_bits(each_build(backward), reference.normalised_backward(grad, x, axes, mean, rstd))


@pytest.mark.parametrize("count", [1, 5, 1024, 1027])
def test_random_numbers(count):
    key = 0x0123456789ABCDEF

    def filled(call, *arguments, dtype=torch.float32):
        out = torch.empty(count, dtype=dtype)
        call(out, key, *arguments)
        return out

    found = each_build(lambda: filled(_exact.random_words, dtype=torch.int32))
    assert same_bits(found, reference.words(key, count).view(np.int32))
    found = each_build(lambda: filled(_exact.random_uniform, -2.0, 3.0))
    assert same_bits(found, reference.uniform(key, count, -2.0, 3.0))
    found = each_build(lambda: filled(_exact.random_normal, 0.5, 2.0))
    assert same_bits(found, reference.normal(key, count, 0.5, 2.0))
    found = each_build(lambda: filled(_exact.random_bernoulli, round(0.3 * 2**32)))
    assert same_bits(found, reference.bernoulli(key, count, 0.3))
    found = each_build(lambda: filled(_exact.random_exponential, 1.5))
    assert same_bits(found, reference.exponential(key, count, 1.5))


def test_philox_gives_the_words_of_its_authors():
    # The known answers of Random123 for ten rounds: counter and key zero.
    assert [hex(w) for w in reference.philox(0, 1)] == [
        "0x6627e8d5",
        "0xe169c58d",
        "0xbc57ac4c",
        "0x9b00dbd8",
    ]
