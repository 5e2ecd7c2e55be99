"""`torch.compile(…, backend="samebits")`: the same bits as without it."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.models import MODELS
from torch import nn

import samebits

# torch's compiler asks tensors for gradients that they do not keep, where a graph breaks.
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")

MARKED = {name: pytest.mark.slow for name in ("resnet", "gpt", "lstm", "gru", "vit")}
EVERY_MODEL = [pytest.param(name, marks=MARKED.get(name, ())) for name in MODELS]


@pytest.fixture(autouse=True)
def compiled_anew():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def trained(name: str, *, compiled: bool, steps: int = 2) -> str:
    """The fingerprint of a model, its gradients, the generator and what it says."""
    torch.manual_seed(0)
    model, x, y, loss = MODELS[name]()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def cost(x, y):
        return loss(model(x), y)

    def says(x):
        return model(x)

    if compiled:
        cost, says = (torch.compile(one, backend="samebits") for one in (cost, says))
    for _ in range(steps):
        optimizer.zero_grad()
        cost(x, y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()
    with torch.no_grad():
        gradients = [parameter.grad for parameter in model.parameters()]
        return samebits.fingerprint([model, gradients, says(x), torch.get_rng_state()])


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_a_compiled_model_has_the_bits_of_an_uncompiled_one(name):
    with samebits.exact():
        assert trained(name, compiled=True) == trained(name, compiled=False)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] >= 2, "nothing was compiled"
