"""Fused optimizer steps and GradScaler: the bits of the separate operations."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.arithmetic.bits import same_bits
from torch import Tensor, optim

import samebits

INITIAL = [
    torch.linspace(-1, 1, 35, dtype=torch.float64).view(5, 7).sin(),
    torch.linspace(-2, 3, 24, dtype=torch.float64).view(4, 6).t(),
]

Case = tuple[type[optim.Optimizer], dict[str, Any]]

CASES: dict[str, Case] = {
    "Adam": (optim.Adam, {}),
    "Adam, decaying": (optim.Adam, {"weight_decay": 0.1, "amsgrad": True}),
    "Adam, upwards": (optim.Adam, {"maximize": True, "betas": (0.4, 0.7)}),
    "AdamW": (optim.AdamW, {"lr": 0.01}),
    "SGD": (optim.SGD, {"lr": 0.1}),
    "SGD, momentum": (
        optim.SGD,
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01},
    ),
    "SGD, Nesterov": (optim.SGD, {"lr": 0.01, "momentum": 0.9, "nesterov": True, "maximize": True}),
    "Adagrad": (optim.Adagrad, {}),
    "Adagrad, decaying": (optim.Adagrad, {"lr_decay": 0.1, "weight_decay": 0.1}),
}


def trained(case: Case, *, fused: bool, dtype: torch.dtype, scaled: bool) -> list[Tensor]:
    """Parameters and states after four steps; with a scaler the third one is left out."""
    parameters = [torch.nn.Parameter(value.to(dtype).clone()) for value in INITIAL]
    kind, options = case
    optimizer = kind(parameters, fused=fused, foreach=None if fused else False, **options)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=2, enabled=scaled)
    for step in range(4):
        optimizer.zero_grad()
        loss = sum(((value - step) * value).sum() for value in parameters)
        scaler.scale(loss * torch.inf if scaled and step == 2 else loss).backward()
        scaler.step(optimizer)
        scaler.update()
    states = [state for value in parameters for state in optimizer.state[value].values()]
    states = [state for state in states if isinstance(state, Tensor)]
    return [*(value.detach() for value in parameters), *states, torch.tensor(scaler.get_scale())]


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", CASES)
def test_a_fused_step_has_the_bits_of_the_separate_operations(name, dtype, scaled):
    with samebits.exact():
        fused = trained(CASES[name], fused=True, dtype=dtype, scaled=scaled)
        single = trained(CASES[name], fused=False, dtype=dtype, scaled=scaled)
    assert samebits.fingerprint(fused) == samebits.fingerprint(single)
    if dtype == torch.float64:
        torchs = trained(CASES[name], fused=True, dtype=dtype, scaled=scaled)
        for own, right in zip(fused, torchs, strict=True):
            assert own.double().allclose(right.double(), rtol=1e-6)


def test_a_rate_that_is_a_tensor_is_its_number():
    with samebits.exact():
        number = trained((optim.AdamW, {"lr": 0.25}), fused=True, dtype=torch.float32, scaled=False)
        tensor = trained(
            (optim.AdamW, {"lr": torch.tensor(0.25)}),
            fused=True,
            dtype=torch.float32,
            scaled=False,
        )
    assert samebits.fingerprint(number) == samebits.fingerprint(tensor)


def test_a_scale_is_divided_out_of_the_gradient_first():
    parameter, gradient = torch.ones(5), torch.full((5,), 3.0)
    with samebits.exact():
        torch._fused_sgd_(
            [parameter], [gradient], [], weight_decay=0.0, momentum=0.0, lr=0.5, dampening=0.0,
            nesterov=False, maximize=False, is_first_step=False,
            grad_scale=torch.tensor(6.0), found_inf=torch.tensor(0.0),
        )  # fmt: skip
    assert gradient.tolist() == [0.5] * 5
    assert parameter.tolist() == [0.75] * 5


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_gradients_are_unscaled_and_what_is_not_finite_is_found(dtype):
    whole, broken = torch.randn(9).to(dtype), torch.tensor([1.0, torch.inf, torch.nan]).to(dtype)
    for tensors, flag in (([whole.clone()], 0.0), ([whole.clone(), broken.clone()], 1.0)):
        found = torch.zeros(1)
        with samebits.exact():
            torch._amp_foreach_non_finite_check_and_unscale_(tensors, found, torch.tensor(0.3))
            right = whole * torch.tensor(0.3)
        assert found.item() == flag
        assert same_bits(tensors[0].float(), right.float())


@pytest.mark.parametrize(
    ("scale", "tracked", "flag", "after"),
    [
        (8.0, 0, 0.0, (8.0, 1)),
        (8.0, 1, 0.0, (24.0, 0)),
        (8.0, 1, 1.0, (2.0, 0)),
        (3e38, 1, 0.0, (float(torch.tensor(3e38)), 0)),
    ],
)
def test_the_scale_grows_and_shrinks(scale, tracked, flag, after):
    own, tracker = torch.tensor(scale), torch.tensor(tracked, dtype=torch.int32)
    with samebits.exact():
        found = torch._amp_update_scale_(own, tracker, torch.tensor(flag), 3.0, 0.25, 2)
    assert found is own
    assert (own.item(), tracker.item()) == after
