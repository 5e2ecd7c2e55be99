"""The same samples with any number of workers, and generators that nobody disturbs."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils.data import Dataset, Subset, get_worker_info

from samebits import DataLoader

from .datasets import Augmented, draw, global_states, same

EPOCHS = 2
WAYS = {
    "one": {"num_workers": 1},
    "two, persistent": {"num_workers": 2, "persistent_workers": True},
    "four": {"num_workers": 4},
    "two, prefetching much": {"num_workers": 2, "prefetch_factor": 5},
}


def epochs(count=EPOCHS, **arguments):
    loader = DataLoader(
        Augmented(), **{"batch_size": 8, "shuffle": True, "seed": 3, "num_workers": 0, **arguments}
    )
    return [list(loader) for _ in range(count)]


@pytest.fixture(scope="module")
def expected():
    return epochs()


@pytest.mark.parametrize("way", WAYS)
def test_workers_change_nothing(expected, way):
    assert same(epochs(**WAYS[way]), expected)


def test_spawned_workers_change_nothing(expected, tmp_path):
    program = tmp_path / "program.py"
    shutil.copy(Path(__file__).with_name("datasets.py"), tmp_path)
    program.write_text(
        "import sys, torch\n"
        "from samebits import DataLoader\n"
        "from datasets import Augmented\n"
        "if __name__ == '__main__':\n"
        "    loader = DataLoader(Augmented(), batch_size=8, shuffle=True, seed=3, num_workers=1,\n"
        "                        multiprocessing_context='spawn')\n"
        "    torch.save(list(loader), sys.argv[1])\n"
    )
    found = tmp_path / "found.pt"
    subprocess.run([sys.executable, str(program), str(found)], check=True, timeout=240)
    assert same(torch.load(found), expected[0])


def test_no_two_samples_of_any_epochs_share_a_draw(expected):
    drawn = torch.cat([batch for epoch in expected for batch in epoch])
    assert len(drawn) == EPOCHS * 50
    for column in drawn.T[1:]:
        assert len(column.unique()) == len(drawn)


def test_each_epoch_has_another_order_and_all_samples(expected):
    orders = [torch.cat(epoch)[:, 0].tolist() for epoch in expected]
    assert orders[0] != orders[1]
    assert [sorted(order) for order in orders] == [list(range(50))] * EPOCHS


def test_the_seed_decides():
    assert not same(epochs(seed=4), epochs())
    torch.manual_seed(3)
    assert same(epochs(seed=None), epochs())
    random.random()
    torch.rand(5)
    assert same(epochs(seed=None), epochs())
    generator = torch.Generator().manual_seed(3)
    state = generator.get_state()
    assert same(epochs(seed=None, generator=generator), epochs())
    assert torch.equal(generator.get_state(), state)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("use_twice", [False, True])
def test_iterating_leaves_the_global_generators_alone(workers, use_twice):
    np.random.randn()
    random.gauss(0, 1)
    before = global_states()
    loader = DataLoader(
        Augmented(), batch_size=8, shuffle=True, num_workers=workers, collate_fn=noisy_collate
    )
    for _ in loader:
        if use_twice:
            next(iter(loader))
        assert global_states() == before
        break
    list(loader)
    assert global_states() == before


def test_generators_are_put_back_when_a_sample_fails():
    before = global_states()
    with pytest.raises(ZeroDivisionError):
        list(DataLoader(Failing(), batch_size=2))
    assert global_states() == before


class Failing(Augmented):
    """Its fifth sample cannot be had."""

    def __getitem__(self, index: int) -> torch.Tensor:
        row = draw(index)
        return row / 0 if index != 5 else 1 // 0


def noisy_collate(samples: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack([*samples, draw(-1)])


@pytest.mark.parametrize("workers", [0, 2])
def test_collating_may_draw(workers):
    expected = epochs(collate_fn=noisy_collate, batch_size=10)
    assert same(epochs(collate_fn=noisy_collate, batch_size=10, num_workers=workers), expected)
    collated = torch.stack([batch[-1] for epoch in expected for batch in epoch])
    assert len(collated[:, 1].unique()) == len(collated)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_failed_batch_is_passed_when_the_loop_goes_on(workers):
    loader = DataLoader(Failing(12), batch_size=2, num_workers=workers)
    batches, firsts = iter(loader), []
    for _ in range(6):
        try:
            firsts.append(next(batches) is not None)
        except ZeroDivisionError:
            assert loader.state_dict()["taken"] == 4
    assert (len(firsts), loader.state_dict()["taken"]) == (5, 12)
    assert next(batches, None) is None


class Batched(Augmented):
    """Fetches batches at once, with or without random numbers."""

    def __init__(self, *, draws: bool) -> None:
        super().__init__()
        self.draws = draws
        self.fetched: list[int] = []

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: list[int]) -> list[torch.Tensor]:
        self.fetched.append(len(indices))
        return [draw(i) if self.draws else torch.tensor(i) for i in indices]


def test_a_dataset_that_fetches_batches_is_asked_for_batches():
    dataset = Batched(draws=False)
    assert same(list(DataLoader(dataset, batch_size=25)), list(torch.arange(50).split(25)))
    assert dataset.fetched == [25, 25]


@pytest.mark.parametrize("wrapped", [False, True])
def test_unless_it_draws_random_numbers(wrapped):
    dataset = Batched(draws=True)
    chosen: Dataset = Subset(dataset, range(50)) if wrapped else dataset
    found = list(DataLoader(chosen, batch_size=8, seed=3))
    assert same(found, list(DataLoader(Augmented(), batch_size=8, seed=3)))
    assert dataset.fetched == [8, *[1] * 50]


def test_samples_as_they_come():
    found = list(DataLoader(Augmented(), batch_size=None, seed=3))
    assert same(found, [row for batch in DataLoader(Augmented(), seed=3) for row in batch])


def configure(worker_id: int) -> None:
    info = get_worker_info()
    assert info.id == worker_id
    info.dataset.size = 1000 * (1 + worker_id)
    random.seed(0)


class Configured(Augmented):
    """Says what its worker did to it."""

    def __getitem__(self, index: int) -> torch.Tensor:
        info = get_worker_info()
        assert info.dataset is self
        return torch.tensor([self.size, info.id, info.num_workers, info.seed, random.random()])


def test_a_worker_init_fn_finds_the_dataset_and_need_not_seed():
    def load():
        loader = DataLoader(
            Configured(8), batch_size=2, num_workers=2, worker_init_fn=configure, seed=0
        )
        return list(loader)

    found = load()
    assert [batch[0, :3].tolist() for batch in found] == [[1000, 0, 2], [2000, 1, 2]] * 2
    assert len({float(row[4]) for batch in found for row in batch}) == 8
    assert same(load(), found)


@pytest.mark.parametrize("workers", [0, 1])
def test_workers_end_with_the_last_reference(workers):
    loader = DataLoader(Augmented(), num_workers=workers)
    for _ in loader:
        break
    assert loader._iteration is not None
    assert loader._iteration() is None


def test_only_one_iteration_at_a_time_uses_persistent_workers():
    loader = DataLoader(Augmented(), batch_size=8, num_workers=1, persistent_workers=True, seed=0)
    first = iter(loader)
    next(first)
    second = iter(loader)
    assert next(first, None) is None
    assert len(list(second)) == 7
