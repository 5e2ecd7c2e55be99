from __future__ import annotations

import argparse
import collections
import datetime
import decimal
import fractions
import pathlib
import types
import uuid

import pytest
import torch

from samebits.check.record.values.plain_values import is_known, plain_value


class OwnZone(datetime.tzinfo):
    def utcoffset(self, when):
        raise AssertionError("the program's code must not run")


class OwnPath(type(pathlib.Path())):
    def __str__(self):
        raise AssertionError("the program's code must not run")


class OwnQueue(collections.deque):
    def __iter__(self):
        raise AssertionError("the program's code must not run")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (pathlib.PurePosixPath("a/b"), "a/b"),
        (datetime.date(2020, 1, 2), "datetime.date(2020, 1, 2)"),
        (datetime.timedelta(3), "datetime.timedelta(days=3)"),
        (datetime.datetime(2020, 1, 2), "datetime.datetime(2020, 1, 2, 0, 0)"),
        (decimal.Decimal("0.10"), "0.10"),
        (fractions.Fraction(1, 3), (1, 3)),
        (uuid.UUID(int=7), 7),
        (argparse.Namespace(a=1), {"a": 1}),
        (types.SimpleNamespace(a=1), {"a": 1}),
        (collections.deque([1, 2], maxlen=3), [1, 2]),
        (collections.UserList([1]), [1]),
    ],
)
def test_what_stands_for_a_value(value, expected):
    assert plain_value(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        datetime.datetime(2020, 1, 2, tzinfo=OwnZone()),
        OwnPath("a"),
        OwnQueue([1]),
        types.MethodType(len, []),
        collections.ChainMap(),
    ],
)
def test_nothing_stands_for_what_the_program_made(value):
    assert plain_value(value) is None


class OwnOptimizer(torch.optim.SGD):
    """One that the program derived."""


def test_an_optimizer_stands_for_its_groups_of_parameters():
    weights = [torch.nn.Parameter(torch.ones(n)) for n in (2, 3)]
    optimizer = torch.optim.SGD(weights, lr=0.1)
    assert is_known(type(optimizer).__module__)
    (group,) = plain_value(optimizer)
    assert [id(weight) for weight in group["params"]] == [id(weight) for weight in weights]
    assert group["lr"] == 0.1
    assert plain_value(OwnOptimizer(weights, lr=0.1)) is None
