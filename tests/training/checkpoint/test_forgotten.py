"""What people forget to save beside trainers and generators: each is named, with its place."""

from __future__ import annotations

import copy
import functools
import gc
import itertools
import random
from collections import deque
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import nn

import samebits


@pytest.fixture
def what_was_collected_is_seen() -> Iterator[None]:
    """Functions of this file have generators as defaults, and are among what is frozen."""
    gc.unfreeze()
    yield
    gc.freeze()


class Shadow:
    """An average of the weights as people write it."""

    def __init__(self, model):
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}


class Meter:
    """Anything with a state."""

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class Carrying(nn.Module):
    """A module that carries its state over in a plain attribute."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.hidden = torch.zeros(4)


class Running(nn.Module):
    """A module of the program's own with nothing but a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(2))


class InSlots:
    __slots__ = ("rng",)

    def __init__(self):
        self.rng = torch.Generator()


def with_default(value, rng=torch.Generator()):  # noqa: B008 (what people write)
    return value, rng


def with_keyword(value, *, rng=np.random.default_rng(1)):  # noqa: B008
    return value, rng


class Methods:
    def augment(self, rng=np.random.RandomState(3)):  # noqa: B008
        return rng


def closed_over():
    generator = torch.Generator()

    def draw():
        return torch.rand(1, generator=generator)

    return draw


def batches_without_end(loader):
    while True:
        yield from loader


@pytest.mark.usefixtures("what_was_collected_is_seen")
def test_everything_that_is_forgotten_is_named_with_its_place(tmp_path):
    model = nn.Linear(3, 2)
    carrying = Carrying()
    loader = samebits.DataLoader(range(8), seed=0)
    plain = torch.utils.data.DataLoader(range(8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    forgotten = {  # in a variable each, as a script has them
        "sobol": torch.quasirandom.SobolEngine(2, scramble=True),
        "sequence": np.random.SeedSequence(5),
        "norm": nn.BatchNorm1d(3, affine=False),
        "running": Running(),
        "cycle": itertools.cycle([1, 2]),
        "count": itertools.count(),
        "endless": batches_without_end(loader),
        "iterator": iter(plain),
        "numbered": enumerate(loader),
        "listed": iter([1, 2]),
        "average": {name: value.clone() for name, value in model.state_dict().items()},
        "arrays": {name: value.numpy().copy() for name, value in model.state_dict().items()},
        "best": copy.deepcopy(model.state_dict()),
        "list": [p.detach().clone() for p in model.parameters()],
        "shadow": Shadow(model),
        "window": deque([1.0], maxlen=3),
        "meter": Meter(),
        "closure": closed_over(),
        "partial": functools.partial(with_keyword, rng=np.random.default_rng(8)),
        "slots": InSlots(),
        "bits": np.random.PCG64(4),
        "optimizer": optimizer,
        "schedule": torch.optim.lr_scheduler.StepLR(optimizer, 1),
        "scaler": torch.amp.GradScaler("cpu"),
        "ema": torch.optim.swa_utils.AveragedModel(model),
        "python": random.Random(3),
    }
    given = {"model": model, "carrying": carrying, "loader": loader}
    told = samebits.Checkpoint(tmp_path, **given).missing()
    assert len(forgotten) == 26
    here = "test_everything_that_is_forgotten_is_named_with_its_place"
    for name, what in {
        "sobol": "SobolEngine",
        "sequence": "numpy.random.SeedSequence",
        "cycle": "an iterator (cycle)",
        "count": "an iterator (count)",
        "endless": "an iterator (batches_without_end)",
        "iterator": "an iterator (SingleProcessDataLoaderIter)",
        "numbered": "an iterator (enumerate)",
        "listed": "an iterator (list_iterator)",
        "average": "a dict of weights",
        "arrays": "a dict of weights",
        "best": "an OrderedDict of weights",
        "list": "a list of weights",
        "window": "a deque",
        "meter": "Meter",
    }.items():
        start = f"{what} (forgotten['{name}'] in {here}) is not in the checkpoint: "
        assert [text for text in told if text.startswith(start)], (name, told)
    for start in (
        f"a dict of weights (forgotten['shadow'].shadow in {here})",
        f"a tensor (carrying.hidden in {here})",
        f"numpy.random bit generator (forgotten['bits'] in {here})",
        f"torch.Generator (forgotten['closure'].generator in {here})",
        f"torch.Generator (forgotten['slots'].rng in {here})",
        f"numpy.random.Generator (forgotten['partial'](…) in {here})",
        f"torch.Generator at {__name__}.with_default(…)",
        f"numpy.random.Generator at {__name__}.with_keyword(…)",
        f"numpy.random.RandomState at {__name__}.Methods.augment(…)",
    ):
        assert [text for text in told if text.startswith(start)], (start, told)
    firsts = {text.split()[0] for text in told}
    assert firsts >= {
        *("BatchNorm1d", "Running", "SGD", "StepLR", "GradScaler", "AveragedModel"),
        "random.Random",
    }


def test_what_is_given_or_keeps_no_state_is_not_named(tmp_path):
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2, affine=False))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    average = {name: value.clone() for name, value in model.state_dict().items()}
    loss = nn.CrossEntropyLoss(weight=torch.ones(2))
    parameters, batch = list(model.parameters()), [torch.ones(5, 3), torch.ones(5)]
    state, sizes = model.state_dict(), {"weight": (2, 3)}
    kept = {"window": deque([1.0]), "average": average}
    loader = samebits.DataLoader(range(8), seed=0)
    run = samebits.Checkpoint(
        tmp_path, model=model, optimizer=optimizer, kept=kept, average=average, loader=loader
    )
    batches, epochs = iter(loader), run.epochs(3)
    here = "test_what_is_given_or_keeps_no_state_is_not_named"
    assert [text for text in run.missing() if here in text] == []
    assert all(one is not None for one in (loss, parameters, batch, state, sizes, batches, epochs))


@pytest.mark.parametrize("given", [False, True])
def test_a_norm_without_parameters_counts_by_its_statistics(tmp_path, given):
    class OwnNorm(nn.BatchNorm1d):
        pass

    norm, without = OwnNorm(3, affine=False), OwnNorm(3, affine=False, track_running_stats=False)
    run = samebits.Checkpoint(tmp_path, **({"norm": norm} if given else {}))
    told = [text for text in run.missing() if "OwnNorm" in text]
    assert len(told) == (0 if given else 1)
    assert without.running_mean is None
