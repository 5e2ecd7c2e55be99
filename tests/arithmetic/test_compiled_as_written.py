"""Where torch.compile would write code anew, compiled graphs do what uncompiled code does."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

import samebits

VALUES = torch.randn(40, generator=torch.Generator().manual_seed(1))


def computed(function, numbers, *, compiled: bool) -> list[str]:
    """Fingerprints of results, gradients and the generator's state, a call for each number."""
    torch._dynamo.reset()
    run = torch.compile(function, backend="samebits") if compiled else function
    torch.manual_seed(3)
    found = []
    with samebits.exact():
        for number in numbers:
            x = VALUES.clone().requires_grad_()
            result = run(x, number)
            result.sum().backward()
            found.append(samebits.fingerprint([result, x.grad, torch.get_rng_state()]))
    return found


def agrees(function, *numbers) -> None:
    assert computed(function, numbers, compiled=True) == computed(function, numbers, compiled=False)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, v: (x * v).sin() * (v * v + 1) / v,
        lambda x, v: x.bfloat16() * v + math.sqrt(v) + math.cos(v),
        lambda x, v: functional.dropout(x, v) + torch.full((40,), v),
        lambda x, v: x.double().clamp(-v, v) * x * v**0.3,
    ],
    ids=["products", "functions of Python's", "probability", "bounds and powers"],
)
def test_numbers_of_pythons_that_change_stay_pythons(function):
    agrees(function, 0.1, 0.2, 0.7)


def test_numbers_that_change_are_not_compiled_one_by_one():
    torch._dynamo.utils.counters.clear()
    agrees(lambda x, v: (x * v).sin() * (v + 1), 0.1, 0.2, 0.3, 0.7)
    # One graph for the first number, one for all others.
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 2


def test_an_item_that_is_traced_is_a_number_of_pythons():
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        agrees(lambda x, v: x * x.detach().exp().sum().item() * v, 0.3, 0.4)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, v: (torch.rand(5), x * torch.rand_like(x))[1],
        lambda x, v: (functional.dropout(x, 0.5) * x, x.clone().normal_(), x.exp() * x)[2],
        lambda x, v: (functional.rrelu(x, training=True), torch.randperm(3), x.exp() * x)[2],
        lambda x, v: (torch.multinomial(x.sigmoid(), 3), torch.bernoulli(x.sigmoid()), x * x)[2],
    ],
    ids=["rand", "dropout and normal_", "rrelu and randperm", "multinomial and bernoulli"],
)
def test_random_numbers_that_nobody_uses_are_drawn_once(function):
    agrees(function, 0.0)
    with torch.no_grad(), samebits.exact():
        plain = [torch.manual_seed(3), function(VALUES, 0.0), torch.get_rng_state()][1:]
        run = torch.compile(function, backend="samebits")
        found = [torch.manual_seed(3), run(VALUES, 0.0), torch.get_rng_state()][1:]
    assert samebits.fingerprint(found) == samebits.fingerprint(plain)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_fused_sums_with_a_factor_are_not_taken_apart(dtype):
    def function(x, v):
        x = x.to(dtype)
        y = torch.addcdiv(x, x, x.abs() + 1, value=v)
        z = torch.addcmul(x, x, y, value=v)
        return z.clone().addcdiv_(y, x.abs() + 2, value=-v).addcmul_(x, y, value=v)

    agrees(function, 0.3)


def test_lists_are_written_to_as_uncompiled():
    def function(x, v):
        fixed = x.detach()
        own = [fixed * 2, fixed.exp()]
        torch._foreach_lerp_(own, [fixed, fixed], 0.7)
        torch._foreach_copy_(own, [own[1] * 1, own[0] * 1])
        return own[0] * x + own[1]

    agrees(function, 0.0)


@pytest.mark.parametrize("whole", [False, True])
def test_results_whose_size_depends_on_values(whole):
    def function(x, v):
        return (x > 0).nonzero() * 2, x[x > 0].sum()

    with samebits.exact(), torch._dynamo.config.patch(capture_dynamic_output_shape_ops=whole):
        plain = function(VALUES, 0.0)
        found = torch.compile(function, backend="samebits", fullgraph=whole)(VALUES, 0.0)
    assert samebits.fingerprint(found) == samebits.fingerprint(plain)
