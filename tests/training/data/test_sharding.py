"""One order for any world size, also when the world changes in the middle of an epoch."""

from __future__ import annotations

import itertools

import pytest
import torch
import torch.distributed
from torch.utils.data.distributed import DistributedSampler

from samebits import DataLoader
from samebits.errors import UsageError

from .datasets import Augmented, SharedOut, Stream, same


def parts(world: int, *, state=None, size: int = 64, rounds: int | None = None, **arguments):
    """Each rank's batches, and the state that rank 0 has after them."""
    found, states = [], []
    for rank in range(world):
        loader = DataLoader(
            Augmented(size),
            **{"batch_size": 4, "shuffle": True, "seed": 5, "shard": (rank, world), **arguments},
        )
        if state is not None:
            loader.load_state_dict(state)
        found.append(list(itertools.islice(iter(loader), rounds)))
        states.append(loader.state_dict())
    assert all(one == states[0] for one in states)
    return found, states[0]


def in_rounds(found) -> list[torch.Tensor]:
    """All ranks' batches in the order in which one process would have had them."""
    assert len({len(batches) for batches in found}) == 1
    return [batch for round_ in zip(*found, strict=True) for batch in round_]


@pytest.mark.parametrize("world", [1, 2, 4])
def test_the_order_is_the_same_for_any_world_size(world):
    expected = list(DataLoader(Augmented(64), batch_size=4, shuffle=True, seed=5))
    assert same(in_rounds(parts(world)[0]), expected)


def test_the_world_may_change_in_the_middle_of_an_epoch():
    expected = torch.cat(list(DataLoader(Augmented(64), batch_size=4, shuffle=True, seed=5)))
    first, state = parts(4, rounds=2)
    second, state = parts(1, rounds=3, state=state)
    third, _ = parts(2, batch_size=2, state=state)
    found = [torch.cat(in_rounds(part)) for part in (first, second, third)]
    assert [len(part) for part in found] == [32, 12, 20]
    assert same(torch.cat(found), expected)


@pytest.mark.parametrize("sampler", ["own", "list"])
def test_what_does_not_fill_a_round_is_shared_out_evenly(sampler):
    more = {"shuffle": False, "sampler": list(range(30))} if sampler == "list" else {}
    found, state = parts(4, size=30, **more)
    sizes = [[len(batch) for batch in batches] for batches in found]
    assert sizes == [[4, 4]] * 4  # 16, then 14 and two from the beginning
    assert state["taken"] == 30
    rows = torch.cat(in_rounds(found))
    assert same(rows[30:], rows[:2])
    assert sorted(rows[:30, 0].tolist()) == list(range(30))
    assert [len(batches) for batches in parts(4, size=30, drop_last=True, **more)[0]] == [1] * 4


def test_fewer_samples_than_ranks():
    found, _ = parts(4, size=2)
    assert [len(batches) for batches in found] == [1] * 4
    assert {int(batches[0][0, 0]) for batches in found} == {0, 1}


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("size", [1, 7, 8, 9, 30])
def test_the_length_is_what_comes(size, drop_last):
    for rank in range(3):
        loader = DataLoader(
            range(size), batch_size=2, shard=(rank, 3), drop_last=drop_last, shuffle=True
        )
        assert len(list(loader)) == len(loader)


def test_batches_of_a_batch_sampler_are_dealt_out():
    batches = [[0], [1, 2], [3, 4, 5], [6], [7]]
    found = [
        [
            batch.tolist()
            for batch in DataLoader(range(9), batch_sampler=batches, shard=(rank, 2), seed=0)
        ]
        for rank in range(2)
    ]
    assert found == [[[0], [3, 4, 5], [7]], [[1, 2], [6], [0]]]


def test_samples_as_they_come_are_dealt_out():
    found = [
        [int(x) for x in DataLoader(range(4), batch_size=None, shard=(rank, 2))] for rank in (0, 1)
    ]
    assert found == [[0, 2], [1, 3]]


def distributed(rank: int, world: int, **arguments) -> DataLoader:
    sampler = DistributedSampler(range(48), world, rank, shuffle=True)
    return DataLoader(Augmented(48), batch_size=4, sampler=sampler, seed=5, **arguments)


def test_a_distributed_sampler_is_told_the_epoch_and_resumes_in_another_world():
    straight = [distributed(rank, 4) for rank in range(4)]
    expected = [[list(loader) for _ in range(2)] for loader in straight]
    assert not same(expected[0][0], expected[0][1])
    states = []
    for rank in range(4):
        loader = distributed(rank, 4)
        loader.set_epoch(1)
        batches = iter(loader)
        assert same([next(batches)], expected[rank][1][:1])
        states.append(loader.state_dict())
    assert states[0] == states[3]
    assert states[0]["taken"] == 16
    left = torch.cat([torch.cat(epochs[1][1:]) for epochs in expected])
    resumed = []
    for rank in range(2):
        loader = distributed(rank, 2)
        loader.load_state_dict(states[0])
        resumed.append(torch.cat(list(loader)))
    order = [torch.cat(resumed)[:, 0].sort().values, left[:, 0].sort().values]
    assert torch.equal(*order)


def test_a_place_that_no_rank_of_a_distributed_sampler_can_have():
    state = {**distributed(0, 4).state_dict(), "taken": 10, "batches": 1}
    with pytest.raises(UsageError, match=r"10 samples .* 4 ranks"):
        distributed(0, 4).load_state_dict(state)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_stream_is_dealt_out_in_whole_rounds(workers):
    expected = list(DataLoader(Stream(30), batch_size=4, seed=5))
    found = [
        list(DataLoader(Stream(30), batch_size=4, seed=5, shard=(rank, 2), num_workers=workers))
        for rank in (0, 1)
    ]
    assert same(in_rounds(found), expected[:6])


def test_a_stream_that_shares_itself_out_is_dealt_out_in_each_worker():
    found = [
        list(DataLoader(SharedOut(32), batch_size=4, shard=(rank, 2), num_workers=2, seed=5))
        for rank in (0, 1)
    ]
    indices = torch.cat([torch.cat(part) for part in found])[:, 0]
    assert sorted(indices.tolist()) == list(range(32))


@pytest.mark.parametrize("shard", [(2, 2), (-1, 2), (0, 0), "yes", (1,), (0.5, 2), 3])
def test_a_shard_that_is_none(shard):
    with pytest.raises(UsageError, match="shard"):
        DataLoader(range(4), shard=shard)


def test_sharding_twice():
    with pytest.raises(UsageError, match="DistributedSampler"):
        DataLoader(range(4), sampler=DistributedSampler(range(4), 2, 0), shard=(0, 2))


def test_sharding_without_a_process_group():
    with pytest.raises(UsageError, match="init_process_group"):
        DataLoader(range(4), shard=True)


@pytest.fixture
def two_ranks(monkeypatch):
    for name, value in (("is_initialized", True), ("get_rank", 1), ("get_world_size", 2)):
        monkeypatch.setattr(torch.distributed, name, lambda value=value: value)


@pytest.mark.usefixtures("two_ranks")
def test_the_rank_that_torch_distributed_says():
    loader = DataLoader(range(8), batch_size=2, shard=True)
    assert [batch.tolist() for batch in loader] == [[2, 3], [6, 7]]


@pytest.mark.usefixtures("two_ranks")
def test_ranks_that_all_get_the_same_are_told():
    with pytest.warns(UserWarning, match="2 ranks"):
        DataLoader(range(8), shuffle=True)
    DataLoader(range(8), shard=False)
    DataLoader(range(8), sampler=range(8))
    DataLoader(Stream())
