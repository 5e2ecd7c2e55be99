"""Arguments that torch refuses are refused inside a block too, in its words, and change nothing."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.operator_database.entries import database
from torch.nn import functional

import samebits
from samebits.errors import NotExactError

IMAGE = torch.ones(1, 4, 8, 8)
LONG = {"dtype": torch.long}


@pytest.mark.parametrize(
    "call",
    [
        lambda: functional.conv2d(IMAGE, torch.ones(3, 3, 3, 3)),
        lambda: functional.conv2d(IMAGE, torch.ones(3, 2, 3, 3), groups=2),
        lambda: functional.conv2d(IMAGE, torch.ones(3, 4, 3, 3), torch.ones(2)),
        lambda: functional.conv2d(IMAGE, torch.ones(3, 4, 3, 3), padding=-1),
        lambda: functional.conv_transpose2d(IMAGE, torch.ones(3, 2, 3, 3)),
        lambda: functional.conv_transpose2d(
            IMAGE, torch.ones(4, 2, 3, 3), stride=2, output_padding=2
        ),
        lambda: torch.nn.Linear(6, 8)(torch.ones(4, 7)),
        lambda: torch.nn.BatchNorm2d(4)(IMAGE.double()),
        lambda: functional.nll_loss(torch.zeros(2, 3), torch.tensor([0.0, 1.0])),
        lambda: functional.nll_loss(torch.zeros(2, 3), torch.tensor([0, 1], dtype=torch.int32)),
        lambda: functional.cross_entropy(torch.zeros(2, 3), torch.zeros(2, 4)),
        lambda: functional.cross_entropy(
            torch.zeros(2, 4), torch.tensor([0, 1]), weight=torch.ones(6)
        ),
        lambda: functional.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0])),
        lambda: functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([2.0])),
        lambda: functional.huber_loss(torch.ones(2), torch.zeros(2), delta=0),
        lambda: functional.smooth_l1_loss(torch.ones(2), torch.zeros(2), beta=-1),
        lambda: torch.rand(3, **LONG),
        lambda: torch.randn(3, **LONG),
        lambda: torch.randn_like(torch.ones(3, **LONG)),
        lambda: torch.ones(3, **LONG).normal_(),
        lambda: torch.ones(3, **LONG).uniform_(),
        lambda: torch.ones(3, **LONG).exponential_(),
        lambda: torch.ones(3).uniform_(-3e38, 3e38),
        lambda: torch.normal(torch.zeros(3), -torch.ones(3)),
    ],
)
def test_the_error_is_torchs_own(call):
    with pytest.raises(Exception) as torchs:  # noqa: PT011  whatever torch raises
        call()
    with samebits.exact(), pytest.raises(torchs.type) as ours:
        call()
    assert str(ours.value).splitlines()[0] == str(torchs.value).splitlines()[0]


def test_a_refused_operation_leaves_its_target_and_the_generators():
    target = torch.ones(3)
    state = torch.get_rng_state()
    with samebits.exact():
        with pytest.raises(RuntimeError, match="must match"):
            target.mul_(torch.ones(4))
        with pytest.raises(RuntimeError, match="from"):
            target.uniform_(2, 1)
    assert target.tolist() == [1, 1, 1]
    assert torch.get_rng_state().equal(state)


@pytest.mark.filterwarnings("ignore")
def test_what_torchs_own_tests_know_to_be_wrong_is_refused():
    refused = []
    for entry in database().values():
        for case in entry.error_inputs("cpu") if entry.error_inputs_func else ():
            sample = case.sample_input
            try:
                entry(sample.input, *sample.args, **sample.kwargs)
            except Exception as error:
                refused.append((entry, sample, type(error)))
    assert len(refused) > 500  # torch takes some of them on this machine
    wrong = []
    with samebits.exact():
        for entry, sample, kind in refused:
            try:
                entry(sample.input, *sample.args, **sample.kwargs)
            except (kind, NotExactError):
                continue
            except Exception as error:
                wrong.append((entry.name, repr(error)))
            else:
                wrong.append((entry.name, f"taken, where torch raises {kind.__name__}"))
    assert not wrong


def test_running_statistics_that_were_expanded_are_refused():
    x, running = torch.randn(4, 3), torch.zeros(1).expand(3)
    with samebits.exact(), pytest.raises(NotExactError, match="running statistics were expanded"):
        torch.nn.functional.batch_norm(x, running, running, training=True)
