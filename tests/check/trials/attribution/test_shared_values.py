"""A number that one process reads while others change it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.loader_workers import number_read_by_workers
from samebits.check.trials.attribution.shared_values import read_while_others_write

SCRIPT = """
from tasks import shared
def work(x):
    shared.value += 1
    if shared.value > x:
        return
    print("done", shared.value)
    shared.value += x * shared.value
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return str(path)


def at(script, line, *, event="read", process=1, worker=-1, differs=True):
    pair = entry("shared-value", event, other_digest=2 if differs else 1)
    site = Site(script, line, "work", "")
    row = replace(pair.row, site=site, process=process, worker=worker)
    return replace(pair, row=row, other=replace(row, digest=pair.other.digest))


@pytest.mark.parametrize(
    ("line", "settings", "named"),
    [
        (5, {}, True),
        (8, {}, True),  # what is added goes by the number itself
        (4, {}, False),  # moved on by a number of one's own
        (7, {}, False),  # shown
        (5, {"differs": False}, False),
        (5, {"process": 2}, False),  # nobody else writes
    ],
)
def test_what_is_read_must_be_able_to_decide_something(script, line, settings, named):
    writes = at(script, 4, event="write", process=2)
    entries = (writes, at(script, line, **settings))
    place = read_while_others_write(Evidence(found=divergence(), entries=entries))
    assert (None if place is None else place.line) == (line if named else None)


@pytest.mark.parametrize(
    ("worker", "data", "told"), [(0, True, True), (-1, True, False), (0, False, False)]
)
def test_workers_of_a_loader_need_no_further_runs(script, worker, data, told):
    entries = (at(script, 4, event="write", process=2), at(script, 5, worker=worker))
    cause = number_read_by_workers(Evidence(found=divergence(data=data), entries=entries))
    assert (cause is not None) == told
    if cause is not None:
        assert (cause.code, cause.line, cause.confidence) == ("process-timing", 5, "likely")
        assert "worker 0" in cause.evidence.lower()
