"""How far runs came: what a process does comes after what was done before it was started."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.check.process_entries import process_entry

from samebits.check.diff.verdict import Divergence
from samebits.check.trials.attribution.outcome import came_further


def diverges(row, *, process=""):
    names = (process, process) if process else ()
    where = {"process": process, "processes": names, "rows": (row, None)}
    return Divergence(kind="inserted", step=0, phase="setup", op="aten.copy_", **where)


@pytest.mark.parametrize(
    ("before", "now", "further"),
    [
        (diverges(12), diverges(3, process="0.1"), True),
        (diverges(40), diverges(3, process="0.1"), False),
        (diverges(12), diverges(30), False),
        (diverges(3, process="0.1"), diverges(3, process="0.2"), False),
        (diverges(12), None, True),
    ],
    ids=["before it began", "while it may run", "no process", "of two processes", "nowhere"],
)
def test_a_process_comes_after_what_was_before_its_start(before, now, further):
    started = process_entry("0.1", row=20)
    trace = SimpleNamespace(manifest=SimpleNamespace(processes=[started]))
    situation = SimpleNamespace(found=before, traces=(trace, trace))
    trial = SimpleNamespace(usable=True, divergence=now)
    assert came_further(situation, trial) == further
