"""States that do not fit are refused with a reason, and nothing is changed by them."""

from __future__ import annotations

import pytest

from samebits import DataLoader
from samebits.errors import UsageError

from .datasets import Augmented, Stream, same


def loader(size: int = 50, **more) -> DataLoader:
    return DataLoader(Augmented(size), **{"batch_size": 8, "shuffle": True, "seed": 7, **more})


@pytest.fixture
def state():
    one = loader()
    next(iter(one))
    return one.state_dict()


def test_what_a_state_holds(state):
    assert state == {
        "schema": "samebits.loader/1",
        "seed": 7,
        "length": 50,
        "order": "shuffle",
        "epoch": 0,
        "batches": 1,
        "taken": 8,
        "finished": False,
        "sampler": None,
        "stream": None,
    }


WRONG = {
    "no state": ({"a": 1}, "something else"),
    "another's state": ({"_num_yielded": 3}, "StatefulDataLoader"),
    "a later schema": ({"schema": "samebits.loader/9"}, "samebits.loader/9"),
    "an entry less": ({"epoch": None}, '"epoch" of type NoneType'),
    "a negative number": ({"taken": -1}, "-1"),
    "a bool for a number": ({"batches": True}, "True"),
    "text for a number": ({"seed": "7"}, "of type str"),
    "a list for a stream": ({"stream": [1]}, "of type list"),
    "no stream": ({"stream": {}}, '"workers"'),
    "workers without positions": (
        {"stream": {"workers": 2, "items": [1], "told": [None], "turn": 0, "shared_out": None}},
        "2 workers",
    ),
    "another seed": ({"seed": 8}, "seed=7.*seed=8"),
    "another length": ({"length": 51}, "51 samples"),
    "another order": ({"order": "sampler Mine"}, "sampler Mine"),
}


@pytest.mark.parametrize("what", WRONG)
def test_states_that_do_not_fit(state, what):
    change, message = WRONG[what]
    wrong = change if what in ("no state", "another's state") else {**state, **change}
    one = loader()
    batches = list(one)
    before = one.state_dict()
    with pytest.raises(UsageError, match=message):
        one.load_state_dict(wrong)
    assert one.state_dict() == before
    one.set_epoch(0)
    assert same(list(one), batches)


def test_an_entry_that_is_missing(state):
    del state["taken"]
    with pytest.raises(UsageError, match='no "taken"'):
        loader().load_state_dict(state)


def test_a_seed_that_nobody_chose_is_the_states(state):
    one = loader(seed=None)
    one.load_state_dict(state)
    assert one.seed == 7


def test_at_the_beginning_of_an_epoch_the_dataset_may_have_grown(state):
    one = loader()
    list(one)
    grown = loader(60)
    grown.load_state_dict(one.state_dict())
    assert grown.epoch == 1
    assert len(list(grown)) == 8


@pytest.mark.parametrize("epoch", [-1, 1.5, "1", True])
def test_an_epoch_that_is_none(epoch):
    with pytest.raises(UsageError, match="epoch"):
        loader().set_epoch(epoch)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"in_order": False}, "in_order"),
        ({"snapshot_every_n_steps": 0}, "snapshot_every_n_steps"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
    ],
)
def test_arguments_that_cannot_be_honoured(arguments, message):
    with pytest.raises(UsageError, match=message):
        DataLoader(Augmented(), **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"batch_size": 0},
        {"num_workers": -1},
        {"shuffle": True, "sampler": [1]},
        {"batch_size": 4, "batch_sampler": [[1]]},
        {"persistent_workers": True},
    ],
)
def test_what_torch_refuses_is_refused(arguments):
    with pytest.raises(ValueError, match=r"."):
        DataLoader(Augmented(), **arguments)


def test_it_is_a_loader_of_torchs():
    import torch.utils.data

    one = loader(drop_last=True)
    assert isinstance(one, torch.utils.data.DataLoader)
    assert (one.batch_size, one.drop_last, len(one)) == (8, True, 6)
    assert isinstance(one.sampler, torch.utils.data.RandomSampler)
    assert len(iter(one)) == 6
    with pytest.raises(ValueError, match="should not be set"):
        one.batch_size = 3
    with pytest.raises(TypeError):
        len(iter(DataLoader(Stream(20))))
