"""The loader in a Checkpoint: a training that was interrupted anywhere ends with the same bits."""

from __future__ import annotations

import itertools
import random

import pytest
import torch
from torch import nn

import samebits

from .datasets import Augmented

EPOCHS = 2


class InterruptedRunError(Exception):
    """The run ended here."""


def train(folder, *, stop_after: int | None = None, workers: int = 0, every: int = 1):
    """Train with dropout, augmentation, a schedule and validation; return parameters and losses."""
    samebits.seed_everything(0)
    model = nn.Sequential(nn.Linear(8, 4), nn.Dropout(0.5), nn.Linear(4, 1)).double()
    optimizer = torch.optim.AdamW(model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    loader = samebits.DataLoader(
        Augmented(20), batch_size=4, shuffle=True, seed=1, num_workers=workers
    )
    validation = samebits.DataLoader(Augmented(4), seed=2)
    run = samebits.Checkpoint(
        folder, model=model, optimizer=optimizer, scheduler=scheduler, loader=loader
    )
    run.restore()
    steps = itertools.count(1)
    losses = []
    for epoch in run.epochs(EPOCHS):
        for batch in loader:
            optimizer.zero_grad()
            loss = model(batch).square().mean() * (1 + random.random())
            loss.backward()
            optimizer.step()
            losses.append((epoch, loss.item()))
            list(validation)
            run.save(every=every)
            if next(steps) == stop_after:
                raise InterruptedRunError
        scheduler.step()
    return losses, [parameter.tolist() for parameter in model.parameters()]


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    return train(tmp_path_factory.mktemp("straight"))


# Resumed after an epoch's last batch, the schedule moves on before this process's optimizer does.
@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")
@pytest.mark.parametrize(
    ("stop_after", "every", "workers"), [(1, 1, 0), (4, 3, 0), (5, 1, 0), (7, 2, 1), (10, 1, 0)]
)
def test_a_resumed_training_ends_with_the_same_bits(tmp_path, straight, stop_after, every, workers):
    with pytest.raises(InterruptedRunError):
        train(tmp_path, stop_after=stop_after, every=every)
    losses, parameters = train(tmp_path, every=every, workers=workers)
    done = stop_after // every * every
    assert losses == straight[0][done:]
    assert parameters == straight[1]
