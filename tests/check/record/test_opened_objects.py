"""Objects among saved values are opened, so that what they hold is compared."""

from __future__ import annotations

import datetime
import random
from argparse import Namespace
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import torch

from samebits.check.record.opened_objects import opened
from samebits.core.fingerprint.tree import fingerprint


class Held:
    def __init__(self, value):
        self.value = value


class Slots:
    __slots__ = ("value",)


class MoreSlots(Slots):
    pass


class History(list):
    best = None


class Replay(deque):
    pass


class Named(str):
    pass


class Settings(dict):
    pass


class Walks(dict):
    def items(self):
        raise AssertionError("asked twice")


class Kept:
    def __init__(self, value, dropped):
        self.value, self.dropped = value, dropped

    def __getstate__(self):
        return {"value": self.value}


class Reduced:
    def __reduce__(self):
        return Held, (1,)


class Pair(NamedTuple):
    first: object
    second: object


@dataclass(frozen=True)
class Frozen:
    value: object


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Detector(torch.nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))
        self.threshold = threshold


def _with(obj, value):
    obj.value = value
    return obj


def _optimizer(lr):
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=lr)


OPENED = {
    "slots": lambda value: _with(Slots(), value),
    "slots of a base": lambda value: _with(MoreSlots(), value),
    "list": lambda value: _with(History([1]), value),
    "items of a list": lambda value: History([value]),
    "deque": lambda value: Replay([value], maxlen=3),
    "of a deque": lambda value: _with(Replay(), value),
    "maximum": lambda value: deque(maxlen=value),
    "str": lambda value: _with(Named("a"), value),
    "dict": lambda value: _with(Settings(a=1), value),
    "items of a dict": lambda value: Settings(a=value),
    "ordered": lambda value: OrderedDict(a=value),
    "default": lambda value: defaultdict(int, a=value),
    "counter": lambda value: Counter({"a": value}),
    "partial": lambda value: partial(max, key=value),
    "function": lambda value: partial(max if value == 1 else min),
    "generator": random.Random,
    "namespace": lambda value: SimpleNamespace(a=value),
    "error": lambda value: ValueError(value),
    "tuple": lambda value: Pair(1, value),
    "dataclass": Frozen,
    "enum": Level,
    "module": Detector,
    "inner module": lambda value: torch.nn.Sequential(Detector(value)),
    "optimizer": _optimizer,
    "tensor": lambda value: _with(torch.nn.Parameter(torch.ones(2)), value),
    "key": lambda value: {Frozen(value): 1},
    "set": lambda value: {value},
    "metadata": lambda value: _metadata(value),
}


def _metadata(value):
    held = torch.nn.Linear(2, 2).state_dict()
    for tensor in held.values():
        tensor.zero_()
    held._metadata[""]["version"] = value
    return held


def _digest(content):
    known, unknown = opened(content)
    return fingerprint(known), unknown


def test_what_an_object_holds_counts():
    of_one, unknown = _digest({"args": Namespace(lr=0.1), "acc": 0.5})
    assert unknown == frozenset()
    assert of_one == _digest({"args": Namespace(lr=0.1), "acc": 0.5})[0]
    assert of_one != _digest({"args": Namespace(lr=0.2), "acc": 0.5})[0]
    assert of_one != _digest({"args": Namespace(lr=0.1), "acc": 0.6})[0]


@pytest.mark.parametrize("name", OPENED)
def test_what_is_written_of_an_object_counts(name):
    make = OPENED[name]
    one, again, other = (_digest({"it": make(value)}) for value in (1, 1, 2))
    assert one == again
    assert one[1] == frozenset()
    assert one[0] != other[0]


STRANGE = {
    "state of its own": lambda: Kept(1, 2),
    "reduced": Reduced,
    "walked otherwise": lambda: Walks(a=1),
    "extended in C": lambda: datetime.date(2024, 1, 2),
    "of itself": lambda: _with_reduce(Held(1)),
    "mask": lambda: np.ma.masked_array([1, 2], [True, False]),
    "objects": lambda: np.array([{}], dtype=object),
    "in no order": lambda: {Held(1)},
}


def _with_reduce(obj):
    obj.__reduce__ = lambda: (Held, (2,))
    return obj


@pytest.mark.parametrize("name", STRANGE)
def test_what_only_the_file_can_tell_is_named(name):
    of_one, unknown = _digest([STRANGE[name](), torch.ones(2)])
    assert len(unknown) == 1
    assert of_one == _digest([STRANGE[name](), torch.ones(2)])[0]
    assert of_one != _digest([STRANGE[name](), torch.zeros(2)])[0]


def test_plain_values_stay_as_they_are():
    content = {"a": [1, (2.0, "x")], ("b", 1): {"c": None}, "shape": torch.Size([2])}
    assert _digest(content) == (fingerprint(content), frozenset())


def test_an_object_may_hold_itself_and_be_held_twice():
    one = Held(None)
    one.value = [one, 3]
    first = _digest({"a": one, "b": one})
    other = Held(None)
    other.value = [other, 4]
    assert first[1] == frozenset()
    assert first[0] != _digest({"a": other, "b": other})[0]


def test_functions_and_types_go_by_their_names():
    assert _digest({"loss": torch.nn.functional.mse_loss})[0] != _digest({"loss": Held})[0]
