"""Optimizers and clipping, in lists and one by one: equal bits, and near to float64."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import samebits

OPTIMIZERS = {
    "Adadelta": {},
    "Adagrad": {"lr_decay": 0.1},
    "Adam": {"amsgrad": True},
    "AdamW": {"amsgrad": True},
    "Adamax": {},
    "NAdam": {},
    "RAdam": {},
    "RMSprop": {"momentum": 0.5, "centered": True},
    "Rprop": {},
    "SGD": {"momentum": 0.9, "dampening": 0.1},
}

TWO_FORMULAS = {"NAdam", "RAdam"}
"""For lists torch orders the factors of these in another way."""


def after_training(name: str, initial: list[torch.Tensor], **options: object) -> list[torch.Tensor]:
    parameters = [value.clone().requires_grad_() for value in initial]
    optimizer = getattr(torch.optim, name)(parameters, lr=0.01, **options)
    for step in range(4):
        optimizer.zero_grad()
        sum(((value - step) * value).sum() for value in parameters).backward()
        nn.utils.clip_grad_value_(parameters, 0.7, foreach=bool(options["foreach"]))
        optimizer.step()
    return [value.detach() for value in parameters]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_in_lists_and_one_by_one(name):
    options = {**OPTIMIZERS[name], **({} if name == "Rprop" else {"weight_decay": 0.01})}
    initial = [torch.linspace(-1, 1, 35).view(5, 7).sin(), torch.linspace(-2, 3, 5)]
    with samebits.exact():
        lists = after_training(name, initial, foreach=True, **options)
        single = after_training(name, initial, foreach=False, **options)
    same = samebits.fingerprint(lists) == samebits.fingerprint(single)
    assert same or name in TWO_FORMULAS
    right = after_training(name, [value.double() for value in initial], foreach=False, **options)
    for own, value in zip(lists + single, right + right, strict=True):
        assert (own.double() - value).abs().max() < 1e-6
