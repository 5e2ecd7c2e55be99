"""Threads or processes: whose pace may have decided, by what a script has started."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes import hypotheses
from samebits.check.causes.evidence import Evidence
from samebits.check.diff.racing_parties import racing_parties
from samebits.check.diff.verdict import CHANGED_BESIDE

THREAD = ("thread", "threading.Thread.start")
CHILD = ("process", "fork by multiprocessing.process.BaseProcess.start")
SPAWNED = ("process", "python3.11 by multiprocessing.process.BaseProcess.start")
POOL = ("thread", "multiprocessing.context.BaseContext.Pool")
FEEDER = ("thread", "multiprocessing.queues.Queue.put")
KEEPER = ("thread", "concurrent.futures.process.ProcessPoolExecutor.map")
THREAD_POOL = ("thread", "multiprocessing.pool.ThreadPool.__init__")
GIT = ("process", "git by subprocess.Popen.__init__")
OTHER = {"process": "rank 1", "processes": ("0.2", "0.2")}
OWN_THREAD = {"process": "thread 1", "processes": ("0+1", "0+1")}


def started(*kinds):
    return [entry(source, "start", detail=detail) for source, detail in kinds]


@pytest.mark.parametrize(
    ("kinds", "where", "parties"),
    [
        ((THREAD,), {}, "thread"),
        ((CHILD,), {}, "process"),
        ((SPAWNED,), {}, "process"),
        ((CHILD, POOL), {}, "process"),
        ((CHILD, FEEDER), {}, "process"),
        ((CHILD, KEEPER), {}, "process"),
        ((THREAD_POOL,), {}, "thread"),
        ((THREAD, GIT), {}, "thread"),
        ((GIT,), {}, "process"),
        ((THREAD, CHILD), {}, "thread"),
        ((THREAD, CHILD), OTHER, "process"),
        ((THREAD, CHILD), {**OTHER, "detail": CHANGED_BESIDE}, "thread"),
        ((THREAD, CHILD), OWN_THREAD, "thread"),
    ],
)
def test_it_is_told_by_what_was_started_and_where_the_runs_diverge(kinds, where, parties):
    rows = [one.row for one in started(*kinds)]
    found = divergence(**where)
    assert racing_parties(rows, found) == parties
    timing = [
        h
        for h in hypotheses(Evidence(found=found, entries=started(*kinds)))
        if h.pin == "thread-timing"
    ]
    assert [h.code for h in timing] == [f"{parties}-timing"]
