"""A thread that has done the same and then more, by when it was told to stop."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence

from samebits.check.diff.process_operations import _only_goes_on


@pytest.mark.parametrize(
    ("facts", "ahead"),
    [
        ({}, True),
        ({"rows": (None, 60)}, True),
        ({"rows": (60, 60)}, False),  # in the midst of what the other has done as well
        ({"kind": "output", "rows": (60, None)}, False),
        ({"processes": ("0.1", "0.1")}, False),  # a process: what it leaves is not all compared
    ],
)
def test_only_what_a_thread_does_at_its_end_is_of_no_account(facts, ahead):
    usual = {"kind": "inserted", "rows": (60, None), "processes": ("0+1", "0+1")}
    assert _only_goes_on(divergence(**{**usual, **facts})) is ahead
