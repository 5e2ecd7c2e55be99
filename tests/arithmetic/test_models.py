"""Whole trainings: one fingerprint for every thread count and every build of the kernels."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.conftest import builds
from tests.arithmetic.models import MODELS
from torch import nn

import samebits
from samebits.arithmetic import _exact

# What training ends with. These change with a new version of docs/arithmetic.md and never else.
FINGERPRINTS = {
    "mlp": "c345ae7a000c8b79",
    "resnet": "8793091fc1768c11",
    "gpt": "ea01d50d955f0a13",
    "lstm": "9056375bebcfc9f1",
    "gru": "ed6d95d56e360152",
    "vit": "3c0b73167d3e11a5",
    "autoencoder": "68987948d8c471e4",
}


def trained(name: str, steps: int = 3) -> str:
    """The fingerprint of a model, and of what it says, after some steps."""
    torch.manual_seed(0)
    model, x, y, loss = MODELS[name]()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(model(x), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()
    with torch.no_grad():
        return samebits.fingerprint([model, model(x)])


@pytest.mark.parametrize("name", MODELS)
def test_training_ends_with_the_committed_fingerprint(name):
    for build, threads in [(builds()[0], 1), (builds()[0], 3), *((b, 2) for b in builds()[1:])]:
        assert _exact.set_isa(build)
        torch.set_num_threads(threads)
        with samebits.exact():
            found = trained(name)
        assert found == FINGERPRINTS[name], f"{build}, {threads} threads"


@pytest.mark.parametrize("name", MODELS)
def test_every_operation_is_covered(name):
    model, x, _, _ = MODELS[name]()
    before = samebits.fingerprint([model, torch.get_rng_state()])
    found = samebits.exact.coverage(model, x)
    assert found.complete, found.missing
    assert samebits.fingerprint([model, torch.get_rng_state()]) == before


def test_coverage_names_what_is_missing():
    found = samebits.exact.coverage(lambda x: torch.special.bessel_j0(x).exp(), torch.ones(4))
    assert found.missing == ("aten.special_bessel_j0",)
    assert "missing        1  it is not covered yet" in str(found)


class SecondDerivative(nn.Module):
    """An operation that is covered for other arguments."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.polygamma(2, x)


def test_coverage_names_an_operation_that_is_a_formula_and_not_its_parts():
    found = samebits.exact.coverage(nn.Mish(), torch.ones(4), backward=False)
    assert [(entry.operation, entry.how) for entry in found] == [("aten.mish", "decomposition")]
    (missing,) = samebits.exact.coverage(SecondDerivative(), torch.ones(4), backward=False)
    assert (missing.operation, missing.how) == ("aten.polygamma", "missing")
    assert missing.why == "the order 2 is not defined"


def test_coverage_knows_what_is_refused_for_its_arguments():
    model, x = nn.Sequential(nn.Linear(3, 4), SecondDerivative()), torch.ones(2, 3)
    found = samebits.exact.coverage(model, x, backward=False)
    assert set(found.missing) == {"aten.polygamma"}
    assert {entry.why for entry in found if entry.how == "missing"} == {
        "the order 2 is not defined"
    }
    with samebits.exact(allow=found.missing):
        model(x)


@pytest.mark.parametrize("options", [{"foreach": True}, {"foreach": False}])
@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
def test_optimizers_give_the_same_bits_one_by_one_and_in_lists(kind, options):
    def run(**chosen):
        torch.manual_seed(0)
        model = nn.Linear(7, 5)
        extra = {"momentum": 0.9, "nesterov": True} if kind is torch.optim.SGD else {}
        optimizer = kind(model.parameters(), lr=0.1, weight_decay=0.01, **extra, **chosen)
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.randn(6, 7)).square().sum().backward()
            optimizer.step()
        return samebits.fingerprint(model)

    with samebits.exact():
        assert run(**options) == run(foreach=False)


@pytest.mark.parametrize("name", ["mlp", "gpt", "vit"])
def test_a_row_has_the_same_bits_in_every_batch(name):
    with samebits.exact(), torch.no_grad():
        model, x, _, _ = MODELS[name]()
        model.eval()
        rows = x.shape[0]
        whole = model(x)
        each = whole.shape[0] // rows
        for i in range(rows):
            alone = model(x[i : i + 1])
            assert alone.equal(whole[i * each : (i + 1) * each])
        assert model(x.flip(0)[: rows // 2 + 1])[:each].equal(whole[-each:])
