"""A ledger in memory around a function of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from samebits.check.record.ledger.ledger import Ledger
from samebits.check.record.sources import SourceClassifier
from samebits.check.trace.rows import LedgerRow
from samebits.core import _native


@dataclass(frozen=True)
class Counted:
    """What a function drew and read.

    Attributes:
        result: What it returned.
        rows: The ledger's rows.
    """

    result: Any
    rows: list[LedgerRow]

    def of(self, source: str, event: str | None = None) -> list[LedgerRow]:
        return [
            row
            for row in self.rows
            if row.source == source and (event is None or row.event == event)
        ]

    def only(self, source: str, event: str | None = None) -> LedgerRow:
        found = self.of(source, event)
        assert len(found) == 1, self.rows
        return found[0]


@pytest.fixture
def count() -> Callable[[Callable[[], Any]], Counted]:
    """Calls a function with a ledger that watches: count(fn) -> Counted."""

    def run(fn: Callable[[], Any]) -> Counted:
        with watching() as ledger:
            result = fn()
        return Counted(result, list(ledger.own_table().rows))

    return run


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    """A ledger that watches."""
    with watching() as found:
        yield found


@contextmanager
def watching() -> Iterator[Ledger]:
    recorder = _native.Recorder()
    recorder.watching = True
    recorder.classify(SourceClassifier())
    ledger = Ledger(recorder, None)
    assert ledger.start()
    try:
        yield ledger
    finally:
        ledger.stop()
