"""A thread that has done the same and then more, by when it was told to stop."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence

from samebits.check.diff.threads_ahead import only_goes_on

LOOPS = """
def fill():
    while not stopping.is_set():
        ready.put(make())

def serve():
    while True:
        ready.put(make())

def each():
    for item in items:
        ready.put(make(item))
"""
FILLS, SERVES, GOES_THROUGH = 4, 8, 12


@pytest.mark.parametrize(
    ("facts", "ahead"),
    [
        ({}, True),
        ({"rows": (None, 60)}, True),
        ({"rows": (60, 60)}, False),  # in the midst of what the other has done as well
        ({"kind": "output"}, False),
        ({"processes": ("0.1", "0.1")}, False),  # a process: what it leaves is not all compared
        ({"line": SERVES}, False),  # these end sooner by an error alone
        ({"line": GOES_THROUGH}, False),
    ],
)
def test_only_what_a_thread_does_until_it_is_told_to_stop_is_of_no_account(tmp_path, facts, ahead):
    script = tmp_path / "train.py"
    script.write_text(LOOPS)
    usual = {"kind": "inserted", "rows": (60, None), "processes": ("0+1", "0+1")}
    place = {"file": str(script), "line": FILLS}
    assert only_goes_on(divergence(**{**usual, **place, **facts})) is ahead
