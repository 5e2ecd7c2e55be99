"""How much of a long list is looked at, where what it holds takes long to look at."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from samebits.check.record.values.mentions import mentions_of
from samebits.check.record.values.plain_values import KNOWN, OPAQUE, is_known, plain_value
from samebits.core import _native


@pytest.fixture
def traced(tmp_path):
    """Follows a function's variables: traced(function, *args) -> tables made plain, digests."""
    numbers = iter(range(10))

    def run(function, *args):
        made: Counter[str] = Counter()

        def known(value):
            made[type(value).__name__] += 1
            return plain_value(value)

        def describe(code):
            if code is not function.__code__:
                return None
            found = mentions_of(code)
            return tracer.reserve_places(1 + 2 * len(found.lines)), *found

        tracer = _native.ValueTracer()
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        tracer.start(
            recorder=_native.Recorder(),
            describe=describe,
            kind_of_module=lambda name: KNOWN if is_known(name) else OPAQUE,
            known=known,
            stopped=lambda: None,
            events=str(folder / "events"),
            digests=str(folder / "digests"),
            most_events=10**6,
        )
        try:
            function(*args)
        finally:
            tracer.stop()
        return made, np.fromfile(folder / "digests", np.uint64)

    return run


def gather(tables, count):
    kept = []
    for number in range(count):
        kept.append(tables[number])
    return kept


def test_a_list_that_grows_is_not_gone_through_each_time(traced):
    tables = [pd.DataFrame({"x": np.arange(8.0), "word": list("abcdefgh")}) for _ in range(300)]
    made, _ = traced(gather, tables, 300)
    # Each line is looked at closely the first, second, fourth … time, and quickly otherwise.
    assert 300 < made["DataFrame"] < 30 * 300


def hold(values):
    for _ in range(3):
        kept = values  # noqa: F841 - the third time, it is looked at quickly


@pytest.mark.parametrize("changed", [0, -1])
def test_both_ends_are_looked_at_though_what_they_hold_is_long(traced, changed):
    rows = [[float(row), *range(20)] for row in range(200)]
    _, before = traced(hold, rows)
    rows[changed] = [0.5, *range(20)]
    _, after = traced(hold, rows)
    assert (before != after).sum() == 2 * 3 + 1  # both names each time, and the argument
