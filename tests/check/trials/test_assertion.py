"""`assert_same`: a function repeats itself, or the line where it does not is named."""

from __future__ import annotations

import inspect
import random

import numpy as np
import pytest
import torch

import samebits
from samebits.errors import NotSameError, UsageError


def draw_from_everything():
    return torch.randn(3), np.random.rand(2), random.random(), [np.random.randint(5), None, "text"]


def test_a_function_that_draws_is_repeated_from_the_same_states():
    result = samebits.assert_same(draw_from_everything, runs=3)
    assert result[0].shape == (3,)


def test_the_generators_stand_as_after_one_call():
    torch.manual_seed(0), np.random.seed(0), random.seed(0)
    once = draw_from_everything(), draw_from_everything()
    torch.manual_seed(0), np.random.seed(0), random.seed(0)
    again = samebits.assert_same(draw_from_everything), draw_from_everything()
    assert samebits.fingerprint(once) == samebits.fingerprint(again)


def test_the_operation_and_the_line_are_named():
    calls = []

    def parts():
        calls.append(1)
        x = torch.ones(3)
        return x * len(calls)

    with pytest.raises(NotSameError) as caught:
        samebits.assert_same(parts)
    _, start = inspect.getsourcelines(parts)
    assert f"{__file__}:{start + 3}: aten.mul" in str(caught.value)
    assert "call 1 and call 2" in str(caught.value)
    assert len(calls) == 2


def test_another_number_of_operations_is_told():
    calls = []

    def grows():
        calls.append(1)
        for _ in calls:
            torch.ones(3)

    with pytest.raises(NotSameError, match=r"only run B|run B"):
        samebits.assert_same(grows)


def test_a_result_made_outside_of_torch_counts():
    numbers = iter(range(10))
    with pytest.raises(NotSameError, match="outside of torch"):
        samebits.assert_same(lambda: next(numbers))


def test_an_exception_of_the_function_comes_out_as_it_is():
    def fails():
        torch.ones(3)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        samebits.assert_same(fails)
    # and leaves nothing behind that would hinder the next
    samebits.assert_same(lambda: torch.ones(3))


def test_one_run_compares_nothing():
    with pytest.raises(UsageError, match="at least 2"):
        samebits.assert_same(lambda: None, runs=1)


def test_a_result_without_a_fingerprint_is_refused():
    with pytest.raises(UsageError):
        samebits.assert_same(lambda: object())


def test_training_repeats():
    def train():
        net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout())
        optimizer = torch.optim.Adam(net.parameters())
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(5, 4)).sum().backward()
            optimizer.step()
        return net

    assert isinstance(samebits.assert_same(train), torch.nn.Module)


def outer_training(momentum):
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)

    def step():
        optimizer.zero_grad()
        loss = model(torch.ones(3, 4)).sum()
        loss.backward()
        optimizer.step()
        return loss

    return step


@pytest.mark.parametrize(
    ("momentum", "changed"),
    [(0.0, "call 1 changed model,"), (0.9, "model, optimizer|optimizer, model")],
)
def test_a_model_that_is_trained_from_outside_is_named_and_no_seed_is_blamed(momentum, changed):
    with pytest.raises(NotSameError, match=changed) as caught:
        samebits.assert_same(outer_training(momentum))
    assert "eed" not in str(caught.value).replace("needs", "")


class Trainer:
    def __init__(self):
        self.weights = {"first": torch.ones(3), "second": torch.ones(3)}
        self.noise = np.random.default_rng(0)

    def step(self):
        self.weights["first"].mul_(2)
        return self.weights["first"] + 1

    def draw(self):
        return self.noise.random()


def test_what_a_method_changes_in_its_object_is_named():
    with pytest.raises(NotSameError, match=r"changed self\.weights\['first'\], so"):
        samebits.assert_same(Trainer().step)


def test_a_generator_of_ones_own_that_went_on_is_named():
    with pytest.raises(NotSameError, match=r"changed self\.noise, so"):
        samebits.assert_same(Trainer().draw)


def test_a_function_handed_on_is_looked_into():
    step = outer_training(0.0)
    with pytest.raises(NotSameError, match=r"call 1 changed model"):
        samebits.assert_same(lambda: step())


def test_what_did_not_change_is_not_blamed():
    model, calls = torch.nn.Linear(4, 2), []

    def differs():
        calls.append(1)
        return model(torch.ones(3, 4)) * len(calls)

    with pytest.raises(NotSameError) as caught:
        samebits.assert_same(differs)
    assert "changed" not in str(caught.value)
    assert "Seed" in str(caught.value)
