"""torch's generators, with operations recorded and without."""

from __future__ import annotations

import random
import threading

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@pytest.fixture
def ledger(watch):
    """Rows of the ledger of a recorded function: ledger(fn, level="op")."""

    def rows(fn, level="op"):
        return watch(fn, level=level).trace.ledger()

    return rows


def draws(rows):
    return [
        (row.source, row.detail, row.calls, row.amount)
        for row in rows
        if row.event == "draw" and row.source.startswith("torch")
    ]


def everything():
    torch.rand(3)
    torch.randn(2, 2)
    torch.randperm(4)
    torch.empty(5).uniform_()
    torch.normal(0.0, 1.0, (6,))
    torch.bernoulli(torch.full((7,), 0.5))
    nn.functional.dropout(torch.ones(8), 0.5)
    nn.Linear(4, 2)
    torch.randint(0, 9, (3,), generator=torch.Generator())


@pytest.mark.parametrize("level", ["op", "step"])
def test_draws_are_the_same_with_operations_recorded_and_without(ledger, level):
    assert draws(ledger(everything, level)) == [
        ("torch-cpu", "torch.rand", 1, 3),
        ("torch-cpu", "torch.randn", 1, 4),
        ("torch-cpu", "torch.randperm", 1, 4),
        ("torch-cpu", "torch.Tensor.uniform_", 1, 5),
        ("torch-cpu", "torch.normal", 1, 6),
        ("torch-cpu", "torch.bernoulli", 1, 7),
        ("torch-cpu", "torch.dropout", 1, 8),
        ("torch-cpu", "torch.Tensor.uniform_", 2, 10),
        ("torch-generator", "torch.randint", 1, 3),
    ]


@pytest.mark.parametrize("level", ["op", "step"])
def test_what_does_not_drop_does_not_draw(ledger, level):
    def run():
        inputs = torch.ones(1, 4, 8)
        nn.functional.dropout(inputs, 0.5, training=False)
        nn.functional.dropout(inputs, 0.0)
        heads = inputs[:, None]
        nn.functional.scaled_dot_product_attention(heads, heads, heads)
        torch.ones(3).sum()
        nn.utils.skip_init(nn.Linear, 4, 1)  # on the meta device
        torch.randn(3, device="meta")

    assert draws(ledger(run, level)) == []


def test_recurrent_layers_draw_where_they_drop(ledger):
    layer = nn.LSTM(3, 4, num_layers=2, dropout=0.5)

    def run():
        layer.train()
        layer(torch.ones(5, 1, 3))
        layer.eval()
        layer(torch.ones(5, 1, 3))

    assert [entry[:3] for entry in draws(ledger(run, "step"))] == [("torch-cpu", "torch.lstm", 1)]


def test_seeds_are_followed(ledger):
    def run():
        generator = torch.Generator()
        torch.rand(1, generator=generator)
        generator.manual_seed(5)
        torch.rand(1, generator=generator)
        generator.seed()
        torch.rand(1, generator=generator)
        torch.seed()
        torch.rand(1)
        torch.manual_seed(1)
        torch.rand(1)

    state = torch.get_rng_state()
    rows = ledger(run)
    torch.set_rng_state(state)
    drawn = [row for row in rows if row.event == "draw" and row.source.startswith("torch")]
    # torch gives a generator that is new the same seed each time.
    assert [(row.source, row.seeded) for row in drawn] == [
        ("torch-generator", 1),
        ("torch-generator", 1),
        ("torch-generator", 0),
        ("torch-cpu", 0),
        ("torch-cpu", 1),
    ]
    seeds = [row for row in rows if row.event == "seed" and row.source.startswith("torch")]
    assert [(row.source, row.seeded) for row in seeds] == [
        ("torch-generator", 1),
        ("torch-generator", 0),
        ("torch-cpu", 0),
        ("torch-cpu", 1),
    ]


def test_the_row_that_a_draw_came_before_is_known(ledger):
    def run():
        torch.ones(1).add(1)
        torch.rand(2)

    (row,) = (row for row in ledger(run) if row.event == "draw")
    assert row.first_row == 2


def test_threads_are_counted(ledger):
    def run():
        thread = threading.Thread(target=lambda: torch.rand(5))
        thread.start()
        thread.join()

    assert draws(ledger(run)) == [("torch-cpu", "torch.rand", 1, 5)]


def test_a_loader_that_shuffles_draws_its_seed(ledger):
    loader = DataLoader(TensorDataset(torch.arange(6.0)), batch_size=2, shuffle=True)
    found = draws(ledger(lambda: list(loader)))
    assert {entry[:2] for entry in found} == {
        ("torch-cpu", "torch.Tensor.random_"),
        ("torch-generator", "torch.randperm"),
    }


def test_the_recorders_own_tensors_draw_nothing(ledger):
    assert ledger(lambda: torch.ones(3) + 1) == []


def test_a_wrapper_of_a_decorator_lends_no_name(count):
    wrapped = torch._disable_dynamo(random.Random.sample)
    wrapped(random.Random(0), [1], 1)  # torch imports its compiler at the first call
    row = count(lambda: wrapped(random._inst, [1, 2], 1)).only("python", "draw")
    assert row.detail == "random.sample"


def test_a_state_that_is_put_back_is_no_seed_where_there_was_none(ledger):
    def run():
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(5)
            torch.rand(1)
        torch.rand(1)
        torch.manual_seed(1)
        with torch.random.fork_rng(devices=[]):
            torch.seed()
            torch.rand(1)
        torch.rand(1)

    state = torch.get_rng_state()
    rows = ledger(run)
    torch.set_rng_state(state)
    assert [row.seeded for row in rows if row.event == "draw"] == [1, 0, 0, 1]
