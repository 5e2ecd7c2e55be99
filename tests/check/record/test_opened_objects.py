"""Objects among saved values are opened, so that what they hold is compared."""

from __future__ import annotations

from argparse import Namespace

import torch

from samebits.check.record.opened_objects import opened
from samebits.core.fingerprint.tree import fingerprint


class Held:
    def __init__(self, value):
        self.value = value


class Slots:
    __slots__ = ("value",)


def _digest(content):
    known, unknown = opened(content)
    return fingerprint(known), unknown


def test_what_an_object_holds_counts():
    of_one, unknown = _digest({"args": Namespace(lr=0.1), "acc": 0.5})
    assert unknown == frozenset()
    assert of_one == _digest({"args": Namespace(lr=0.1), "acc": 0.5})[0]
    assert of_one != _digest({"args": Namespace(lr=0.2), "acc": 0.5})[0]
    assert of_one != _digest({"args": Namespace(lr=0.1), "acc": 0.6})[0]


def test_what_holds_nothing_that_can_be_seen_is_named():
    of_one, unknown = _digest([Slots(), torch.ones(2)])
    assert unknown == {f"{__name__}.Slots"}
    assert of_one != _digest([Slots(), torch.zeros(2)])[0]


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
