"""The Trainer's mixin, driven by a stand-in that calls in the order of Transformers 5.23."""

from __future__ import annotations

import sys
import types
from types import SimpleNamespace

import pytest
import torch
import torch.utils.data
from torch.utils.data import IterableDataset, RandomSampler, SequentialSampler

from samebits.integrations.transformers import ExactLoading, TrainerLoader

from .conftest import draw


class Rows(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.tensor([index, *draw()], dtype=torch.float64)


def skip_first_batches(dataloader, num_batches=0):
    """As Accelerate's: makes a loader of torch's of any other."""
    raise AssertionError("the loader was taken apart")


class Trainer:
    """Two epochs over a loader, from a batch on; the sampler is chosen by a name."""

    def __init__(self, sampler="random", dataset=None, **more) -> None:
        self.args = SimpleNamespace(
            **{
                "seed": 3,
                "data_seed": None,
                "dataloader_num_workers": 0,
                "dataloader_drop_last": False,
                "dataloader_pin_memory": True,
                "dataloader_persistent_workers": False,
                "dataloader_prefetch_factor": None,
                **more,
            }
        )
        self._train_batch_size = 4
        self.sampler = sampler
        self.dataset = Rows() if dataset is None else dataset
        self.seen: list[torch.Tensor] = []

    def _get_train_sampler(self):
        kinds = {"random": RandomSampler, "in order": SequentialSampler, "none": lambda _: None}
        return kinds.get(self.sampler, lambda _: [7, 7, 3, 1])(self.dataset)

    def get_train_dataloader(self):
        return torch.utils.data.DataLoader(self.dataset, batch_size=4, collate_fn=torch.stack)

    def train(self, epoch: int = 0, batches: int = 0) -> str:
        loader = self.get_train_dataloader()
        for current in range(epoch, 2):
            if batches:
                loader = sys.modules["transformers.trainer"].skip_first_batches(loader, batches)
                batches = 0
            loader.set_epoch(current)
            self.seen += list(loader)
        return "trained"


class Exact(ExactLoading, Trainer):
    pass


@pytest.fixture(autouse=True)
def transformers(monkeypatch):
    module = types.ModuleType("transformers.trainer")
    module.skip_first_batches = skip_first_batches
    monkeypatch.setitem(sys.modules, "transformers", types.ModuleType("transformers"))
    monkeypatch.setitem(sys.modules, "transformers.trainer", module)
    return module


def equal(a, b) -> bool:
    return len(a) == len(b) and all(map(torch.equal, a, b))


@pytest.mark.parametrize("sampler", ["random", "in order", "none", "weighted"])
def test_a_resume_from_any_batch(sampler, transformers):
    straight = Exact(sampler)
    assert straight.train() == "trained"
    per_epoch = len(straight.seen) // 2
    for so_far in range(2 * per_epoch):
        resumed = Exact(sampler)
        resumed.train(*divmod(so_far, per_epoch))
        assert equal(resumed.seen, straight.seen[so_far:]), so_far
    assert transformers.skip_first_batches is skip_first_batches


def test_workers_change_nothing():
    straight, other = Exact(), Exact(dataloader_num_workers=1, dataloader_prefetch_factor=3)
    straight.train()
    other.train()
    assert equal(other.seen, straight.seen)


def test_the_seed_of_the_data_comes_first():
    assert Exact().get_train_dataloader().seed == 3
    assert Exact(data_seed=5).get_train_dataloader().seed == 5


def test_the_trainers_own_loader_is_taken_over():
    loader = Exact(dataloader_drop_last=True).get_train_dataloader()
    assert isinstance(loader, TrainerLoader)
    assert (loader.batch_size, loader.collate_fn, loader.drop_last) == (4, torch.stack, True)


def test_an_iterable_dataset_stays_with_the_trainer():
    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(4))

    loader = Exact(dataset=Stream()).get_train_dataloader()
    assert type(loader) is torch.utils.data.DataLoader


def test_other_loaders_are_left_to_accelerate(transformers):
    class Nested(Exact):
        def get_train_dataloader(self):
            return torch.utils.data.DataLoader(self.dataset)

    with pytest.raises(AssertionError, match="taken apart"):
        Nested().train(0, 1)
    assert transformers.skip_first_batches is skip_first_batches
