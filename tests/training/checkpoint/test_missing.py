"""What `missing()` names, where it says that it is, and what it leaves alone."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import samebits


class Augmented(Dataset):
    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> float:
        return index + self.rng.random()


@pytest.fixture(autouse=True)
def _nothing_of_other_tests():
    gc.collect()


def told_by(run: samebits.Checkpoint, name: str) -> list[str]:
    return [sentence for sentence in run.missing() if name in sentence]


def test_an_average_of_the_weights_is_named_and_not_its_parts(tmp_path):
    class OwnAverage(torch.optim.swa_utils.AveragedModel):
        pass

    class OwnLayer(nn.Linear):
        pass

    model = nn.Sequential(OwnLayer(2, 2))
    average = OwnAverage(model)
    run = samebits.Checkpoint(tmp_path, model=model)
    expected = (
        "OwnAverage (average in test_an_average_of_the_weights_is_named_and_not_its_parts) is not "
        "in the checkpoint: give it by a name"
    )
    assert told_by(run, "Own") == [expected]
    run.register("average", average)
    assert told_by(run, "Own") == []


def test_modules_around_one_that_is_given_are_not_named(tmp_path):
    class OwnWrapper(nn.Module):
        def __init__(self, inner: nn.Module) -> None:
            super().__init__()
            self.inner = inner

    class OwnLoss(nn.CrossEntropyLoss):
        pass

    model = nn.Linear(2, 2)
    kept = OwnWrapper(model), OwnLoss(weight=torch.ones(2)), OwnWrapper(nn.Dropout(0.5))
    assert told_by(samebits.Checkpoint(tmp_path, model=model), "Own") == []
    assert len(kept) == 3


def test_a_module_inside_an_object_that_is_given_is_not_named(tmp_path):
    class OwnLayer(nn.Linear):
        pass

    class Average:
        def __init__(self) -> None:
            self.module = OwnLayer(2, 2)

        def state_dict(self):
            return self.module.state_dict()

        def load_state_dict(self, state):
            self.module.load_state_dict(state)

    average = Average()
    assert len(told_by(samebits.Checkpoint(tmp_path), "OwnLayer")) == 1
    assert told_by(samebits.Checkpoint(tmp_path, average=average), "OwnLayer") == []


def test_a_module_that_is_still_being_made_is_no_trouble(tmp_path):
    half = nn.Linear.__new__(nn.Linear)
    samebits.Checkpoint(tmp_path).missing()
    assert type(half) is nn.Linear


def test_the_advice_for_a_loader_is_one_that_can_be_followed(tmp_path):
    class TorchOwn(DataLoader):
        pass

    class SamebitsOwn(samebits.DataLoader):
        pass

    theirs, ours = TorchOwn(range(4)), SamebitsOwn(range(4), seed=0)
    run = samebits.Checkpoint(tmp_path)
    (torchs,), (own,) = told_by(run, "TorchOwn"), told_by(run, "SamebitsOwn")
    assert torchs.startswith("TorchOwn (theirs in ")
    assert torchs.endswith(": use samebits.DataLoader in its place, and give that by a name")
    assert own.endswith(": give it by a name")
    assert len(theirs) == len(ours)


def test_what_is_inside_a_loader_is_the_loaders_while_workers_persist(tmp_path):
    class OwnLoader(samebits.DataLoader):
        pass

    with pytest.warns(UserWarning, match="rng"):
        loader = OwnLoader(Augmented(), seed=0, num_workers=1, persistent_workers=True)
    next(iter(loader))
    given, not_given = samebits.Checkpoint(tmp_path, loader=loader), samebits.Checkpoint(tmp_path)
    assert told_by(given, "Augmented") == []
    assert told_by(given, "Loader (") == []
    assert [text.partition(" ")[0] for text in told_by(not_given, "Loader (")] == ["OwnLoader"]
    assert len(told_by(not_given, "Augmented.rng")) == 1


def test_an_optimizer_is_named_although_its_scheduler_holds_it(tmp_path):
    class OwnSteps(torch.optim.SGD):
        pass

    optimizer = OwnSteps([torch.ones(1, requires_grad=True)])
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    del optimizer
    told = told_by(samebits.Checkpoint(tmp_path, schedule=schedule), "Own")
    assert told == ["OwnSteps is not in the checkpoint: give it by a name"]
