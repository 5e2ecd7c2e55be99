"""A line that reads what is never the same is blamed for it where nothing else explains it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.ledger_pairing import pair_ledgers
from samebits.check.diff.verdict import PLAIN_ARGUMENTS
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.rows import LedgerRow, Site
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.scope import up_to
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.unproved import unproved
from samebits.check.trials.manifest_causes import with_cause_from_manifests

LINE = Site("train.py", 10, "main", "")
PID = LedgerRow(source="pid", event="read", detail="os.getpid", site=LINE, digest=1)
PORT = replace(PID, source="port", event="draw", detail="socket.bind", amount=1)
CLOCK = replace(PID, source="clock", detail="time.time")
UNSEEDED = LedgerRow(
    source="python", event="draw", detail="random.random", site=LINE, amount=1, seeded=0
)


@pytest.fixture
def runs(make_run):
    """Two runs whose only operation has other arguments: runs(rows of A's ledger, of B's)."""

    def made(a, b):
        traces = []
        for number, rows in enumerate((a, b), start=1):
            trace = make_run([{"outputs": number, "args": number, "op": "aten.mul.Tensor"}])
            write_ledger(trace.folder, rows)
            traces.append(type(trace).open(trace.folder))
        return traces

    return made


@pytest.mark.parametrize(
    ("row", "code", "detail"),
    [
        (PID, "entropy", "pid"),
        (CLOCK, "clock", "time.time"),
        (UNSEEDED, "unseeded-rng", "python"),
    ],
)
def test_two_recorded_runs_name_what_the_line_reads(runs, row, code, detail):
    a, b = runs([row], [replace(row, digest=2)])
    (cause,) = with_cause_from_manifests(compare_traces(a, b), a, b).causes
    assert (cause.code, cause.detail, cause.confidence) == (code, detail, "likely")
    assert (cause.file, cause.line) == ("train.py", 10)
    assert row.detail in cause.evidence
    assert cause.fix


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([PID], [PID]),  # the same number in both
        ([PID], []),  # only one came there
        ([replace(PID, site=Site("train.py", 11, "main", ""))],) * 2,  # another line
        ([PORT], [replace(PORT, digest=2)]),  # a socket is bound there, which reads nothing
    ],
)
def test_what_does_not_explain_it_is_not_blamed(runs, a, b):
    a, b = runs(a, b)
    assert with_cause_from_manifests(compare_traces(a, b), a, b).causes[0].code == "unknown"


def test_a_check_that_has_found_nothing_names_it_too(runs):
    ledgers = [PID], [replace(PID, digest=2)]
    traces = tuple(runs(*ledgers))
    found = compare_traces(*traces).first_divergence
    assert found.detail == PLAIN_ARGUMENTS
    evidence = Evidence(found=found, entries=pair_ledgers(found, *ledgers))
    situation = Situation(
        found=found,
        traces=traces,
        scope=up_to(found),
        closer=found,
        closer_traces=traces,
        closer_scope=up_to(found),
        comes_and_goes=True,
    )
    case = SimpleNamespace(
        spent=False, refuted=set(), tried={"threads"}, orders=None, by_address=False
    )
    cause = unproved(case, situation, FoundCause(hypotheses=(), confirmed=False), evidence)
    assert (cause.code, cause.detail) == ("entropy", "pid")
