from __future__ import annotations

import argparse
import collections
import datetime
import decimal
import fractions
import pathlib
import types
import uuid

import pandas as pd
import pyarrow as pa
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


class OwnTable(pd.DataFrame):
    """One that the program derived."""


def test_tables_stand_for_their_labels_and_columns():
    table = pd.DataFrame({"n": [1.5, 2.5], "word": ["a", "b"]}, index=["x", "y"])
    table["day"] = pd.to_datetime(["2020-01-02", "2020-01-03"]).as_unit("ns")
    labels, index, numbers, words, days = plain_value(table)
    assert labels == [[None], ["n", "word", "day"]]
    assert index == [[None], ["x", "y"]]
    assert (numbers.tolist(), words) == ([1.5, 2.5], ["a", "b"])
    assert days.dtype == "int64"
    assert plain_value(table["n"])[0] == "n"
    assert plain_value(pd.RangeIndex(3)) == (0, 3, 1)
    assert plain_value(OwnTable({"n": [1]})) is None
    assert plain_value(table.groupby("word")) is None


def test_of_large_tables_the_ends_are_taken():
    wide = pd.DataFrame([range(1000)])
    assert len(plain_value(wide)) == 2 + 256
    _, _, words = plain_value(pd.DataFrame({"word": ["a", *["b"] * 5000, "c"]}))
    assert (words[0], words[1], words[-1], len(words)) == (5002, "a", "c", 1025)


def test_arrows_tables_stand_for_what_their_columns_hold():
    days = pa.array([datetime.date(1970, 1, 3), None], pa.date32())
    table = pa.table({"n": [1.5, 2.5], "word": ["a", None], "day": days})
    names, numbers, words, dates = plain_value(table)
    assert names == ["n", "word", "day"]
    assert (*numbers[:2], numbers[2].tolist()) == ("double", 2, [1.5, 2.5])
    assert words == ["string", 2, ["a", None]]
    assert dates == ["date32[day]", 2, [2, None]]
    assert plain_value(table["word"]) == words
    assert plain_value(pa.scalar(3)) == ["int64", 3]
    assert plain_value(table.schema) is None
    batch = table.to_batches()[0]
    assert [column[0] for column in plain_value(batch)[1:]] == ["double", "string", "date32[day]"]


def test_arrow_knows_times_that_python_does_not():
    far = pa.array([2**62, None], pa.int64()).cast(pa.timestamp("ns"))
    assert plain_value(far) == ["timestamp[ns]", 2, [2**62, None]]
    assert plain_value(pa.array([2**62], pa.timestamp("s")))[2].tolist() == [2**62]
    assert plain_value(pa.array([3], pa.time32("s")))[2].tolist() == [3]


def test_chunks_of_an_arrow_column_do_not_count():
    column, cut = pa.chunked_array([[1, 2, 3]]), pa.chunked_array([[1], [2, 3]])
    assert plain_value(column)[2].tolist() == plain_value(cut)[2].tolist() == [1, 2, 3]


def test_of_large_arrow_tables_the_ends_are_taken():
    wide = pa.table({str(n): [n] for n in range(1000)})
    assert len(plain_value(wide)) == 1 + 256
    kind, length, first, last = plain_value(pa.array(["a", *["b"] * 5000, "c"]))
    assert (kind, length, first[0], last[-1], len(first)) == ("string", 5002, "a", "c", 512)
    _, length, first, last = plain_value(pa.array(range(100_000)))
    assert (length, first[0], last[-1], len(first)) == (100_000, 0, 99_999, 1 << 15)


def test_of_values_that_hold_others_the_number_is_taken():
    assert plain_value(pa.array([[1, 2], [3]])) == [2]
    assert plain_value(pa.scalar([1, 2])) is None


class OwnType(pa.ExtensionType):
    def __init__(self):
        super().__init__(pa.int64(), "own")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        raise AssertionError("the program's code must not run")

    def __str__(self):
        raise AssertionError("the program's code must not run")

    def __arrow_ext_scalar_class__(self):
        raise AssertionError("the program's code must not run")


def test_of_values_of_the_programs_own_types_only_their_number_is_taken():
    own = pa.ExtensionArray.from_storage(OwnType(), pa.array([1, 2]))
    assert plain_value(own) == [2]
    assert plain_value(pa.table({"own": own}))[1] == [2]


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


def test_a_time_of_pandas_is_what_it_shows():
    assert plain_value(pd.Timestamp("2026-10-01 09:00")) == "Timestamp('2026-10-01 09:00:00')"
    assert plain_value(pd.Timedelta(hours=3)) == "Timedelta('0 days 03:00:00')"
    assert plain_value(pd.Timestamp.now()) != plain_value(pd.Timestamp(0))
