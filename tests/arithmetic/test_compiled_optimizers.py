"""Compiled steps of torch's optimizers: the bits of uncompiled ones, or a refusal that says why."""

from __future__ import annotations

import pytest
import torch

import samebits
from samebits.errors import NotExactError

SLOW = pytest.mark.slow
_MORE = (torch.optim.NAdam, torch.optim.RAdam, torch.optim.ASGD)
pytestmark = pytest.mark.filterwarnings("ignore")  # torch deprecates what its optimizers call

THE_SAME = [
    (torch.optim.SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    pytest.param(
        *(torch.optim.SGD, {"momentum": 0.9, "dampening": 0.3, "maximize": True}), marks=SLOW
    ),
    (torch.optim.RMSprop, {"centered": True, "momentum": 0.3}),
    pytest.param(torch.optim.Adadelta, {"weight_decay": 0.1}, marks=SLOW),
    pytest.param(torch.optim.Rprop, {}, marks=SLOW),
]
REFUSED = [
    torch.optim.Adagrad,
    torch.optim.Adamax,
    torch.optim.NAdam,
    torch.optim.RAdam,
    torch.optim.ASGD,
]


def stepped(kind, compiled: bool, **options) -> str:
    """The fingerprint of parameters after three steps."""
    torch._dynamo.reset()
    generator = torch.Generator().manual_seed(3)
    parameters = [torch.nn.Parameter(torch.randn(9, generator=generator)) for _ in range(2)]
    optimizer = kind(parameters, lr=0.01, **options)
    step = (
        torch.compile(lambda: optimizer.step(), backend="samebits") if compiled else optimizer.step
    )
    with samebits.exact():
        for _ in range(3):
            for parameter in parameters:
                parameter.grad = torch.randn(9, generator=generator)
            step()
    return samebits.fingerprint(parameters)


@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize(("kind", "options"), THE_SAME)
def test_these_have_the_bits_of_uncompiled_ones(kind, options, foreach):
    plain = stepped(kind, False, foreach=foreach, **options)
    assert stepped(kind, True, foreach=foreach, **options) == plain


def test_adams_own_pass_runs_between_graphs():
    plain = stepped(torch.optim.AdamW, False, foreach=False)
    assert stepped(torch.optim.AdamW, True, foreach=False) == plain


@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize("kind", REFUSED)
def test_those_for_which_torch_computes_with_other_numbers_are_refused(kind, foreach):
    with pytest.raises(NotExactError, match=r"a compiled step of an optimizer \(_\w+\)") as refusal:
        stepped(kind, True, foreach=foreach)
    assert "test_compiled_optimizers.py:" in str(refusal.value)
    assert "outside of what is compiled" in str(refusal.value)


@pytest.mark.parametrize("options", [{"foreach": True}, {"amsgrad": True}, {"fused": True}])
def test_other_forms_of_adam_are_refused_or_the_same(options):
    plain = stepped(torch.optim.Adam, False, **options)
    try:
        found = stepped(torch.optim.Adam, True, **options)
    except NotExactError as error:
        assert "a compiled step of an optimizer" in str(error)  # noqa: PT017
    else:
        assert found == plain
