"""CTC against the readable specification, bit for bit, and against torch in binary64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from torch import Tensor
from torch.nn import functional

import samebits
from samebits.arithmetic import reference_trainings as reference

REPEATED = [1, 1, 3, 3, 2]


def loss_and_slope(x: Tensor, *given, **options) -> tuple[Tensor, Tensor]:
    leaf = x.clone().requires_grad_()
    loss = functional.ctc_loss(leaf, *given, **options)
    loss.backward(torch.ones_like(loss))
    return loss.detach(), leaf.grad


@pytest.mark.parametrize(("target", "blank"), [(REPEATED, 0), ([0], 2), ([], 1), ([2, 0, 2], 3)])
def test_one_sample_has_the_bits_of_the_reference(target, blank):
    x = torch.randn(12, 1, 4)
    with samebits.exact():
        x = x.log_softmax(2)
        loss, slope = loss_and_slope(
            x, torch.tensor([target]).long(), (12,), (len(target),), blank, reduction="none"
        )
        _, alpha = torch.ops.aten._ctc_loss(
            x, torch.tensor([target]).long(), [12], [len(target)], blank
        )
    right, sums, derivative = reference.ctc(x[:, 0].numpy(), target, blank)
    assert same_bits(loss, np.array([right], np.float32))
    assert same_bits(alpha[0], sums)
    assert same_bits(slope[:, 0], derivative)


@pytest.mark.parametrize("case", range(12))
def test_values_and_derivatives_are_near_those_of_binary64(case):
    steps, count, classes, most = (int(torch.randint(1, 9, ())) for _ in range(4))
    blank = int(torch.randint(0, classes + 1, ()))
    lengths = torch.randint(0, most + 1, (count,))
    targets = torch.randint(0, classes, (count, most))
    targets = torch.where(targets >= blank, targets + 1, targets)
    if case % 2:
        targets = torch.cat([row[:n] for row, n in zip(targets, lengths, strict=True)])
    x = torch.randn(steps, count, classes + 1).log_softmax(2)
    given = (targets, torch.randint(1, steps + 1, (count,)), lengths, blank)
    for options in ({"reduction": "mean"}, {"reduction": "none", "zero_infinity": True}):
        with samebits.exact():
            found = loss_and_slope(x, *given, **options)
        right = loss_and_slope(x.double(), *given, **options)
        for own, wanted in zip(found, right, strict=True):
            assert own.double().allclose(wanted, rtol=1e-5, atol=1e-5, equal_nan=True)


def test_a_sample_has_the_same_bits_whatever_else_is_in_the_batch():
    x = torch.randn(15, 3, 6)
    targets = torch.tensor([[1, 2, 2, 5], [3, 3, 0, 0], [4, 0, 0, 0]])
    with samebits.exact():
        together, slope = loss_and_slope(x, targets, (15, 11, 4), (4, 2, 1), reduction="none")
        alone, own = loss_and_slope(
            x[:, 1:2], torch.tensor([[3, 3]]), (11,), (2,), reduction="none"
        )
    assert same_bits(together[1:2], alone)
    assert same_bits(slope[:, 1], own[:, 0])


def test_a_target_that_does_not_fit_has_no_derivative():
    x, targets = torch.randn(3, 2, 4).log_softmax(2), torch.tensor([[1, 1], [1, 2]])
    for zero in (False, True):
        given = (targets, (2, 3), (2, 2), 0, "none", zero)
        with samebits.exact():
            loss, slope = loss_and_slope(x, *given)
        right = loss_and_slope(x.double(), *given)
        assert loss[0].item() == (0.0 if zero else torch.inf)
        assert loss.double().allclose(right[0])
        assert slope.double().allclose(right[1], equal_nan=True)
        assert bool(slope[:2, 0].isnan().all()) is not zero


def test_one_sample_without_a_batch():
    x = torch.randn(6, 5).log_softmax(1)
    with samebits.exact():
        found = functional.ctc_loss(x, torch.tensor([1, 4]), (6,), (2,))
    assert found.allclose(functional.ctc_loss(x, torch.tensor([1, 4]), (6,), (2,)))


@pytest.mark.parametrize(
    ("targets", "steps", "lengths", "blank"),
    [
        (torch.ones(2, 3, dtype=torch.int64), (7, 6), (3, 3), 0),
        (torch.ones(2, 3, dtype=torch.int64), (6,), (3, 3), 0),
        (torch.ones(2, 3, dtype=torch.int64), (6, 6), (3, 4), 0),
        (torch.ones(2, 3, dtype=torch.int64), (6, 6), (3, 3), 5),
        (torch.ones(5, dtype=torch.int64), (6, 6), (3, 3), 0),
    ],
)
def test_bad_arguments_raise_what_torch_raises(targets, steps, lengths, blank):
    x = torch.randn(6, 2, 5).log_softmax(2)
    with pytest.raises(RuntimeError) as plain:
        functional.ctc_loss(x, targets, steps, lengths, blank)
    with samebits.exact(), pytest.raises(RuntimeError) as found:
        functional.ctc_loss(x, targets, steps, lengths, blank)
    assert str(found.value) == str(plain.value)


def test_a_target_that_is_no_class_is_an_error():
    x = torch.randn(6, 1, 5).log_softmax(2)
    with samebits.exact(), pytest.raises(RuntimeError, match=r"targets from 0 to 4|out of"):
        functional.ctc_loss(x, torch.tensor([[7]]), (6,), (1,))
