"""What is named where the budget has ended before any further run settled the cause."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check import causes
from samebits.check.causes.culprit import Culprit, WalkedSet
from samebits.check.causes.evidence import Evidence
from samebits.check.diff.value_lines import FlowDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.trials.attribution import culprit_by_values
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.scope import up_to
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.unproved import _flow, unproved


@pytest.fixture
def named(make_run):
    """The cause that is named for these entries of the ledger: named(entry, ...)."""

    def cause(*entries, refuted=(), orders=None, found=None, spent=True):
        found = found or divergence()
        traces = (make_run(), make_run())
        evidence = Evidence(found=found, entries=entries)
        situation = Situation(
            found=found,
            traces=traces,
            scope=up_to(found),
            closer=found,
            closer_traces=traces,
            closer_scope=up_to(found),
            comes_and_goes=False,
        )
        case = SimpleNamespace(
            spent=spent,
            refuted=set(refuted),
            tried=set(refuted),
            orders=orders,
            by_address=False,
        )
        ranked = tuple(causes.hypotheses(evidence))
        return unproved(case, situation, FoundCause(hypotheses=ranked, confirmed=False), evidence)

    return cause


STARTED = entry("process", "start", detail="fork by mp")
PLACE = entry("python", "draw", 22, seeded=0, detail="tempfile._RandomNameSequence.__next__")
NUMBER = entry("pid", detail="multiprocessing.spawn.spawn_main", line=1, other_digest=2)


def drawn(amount, other):
    pair = entry("numpy-generator", "draw", 13, seeded=1, process=1)
    row, of_b = (replace(pair.row, amount=drawn) for drawn in (amount, other))
    return replace(pair, row=row, other=of_b)


def test_workers_that_drew_unequally_are_named_whatever_else_was_noted(named):
    cause = named(STARTED, PLACE, NUMBER, drawn(300, 200), refuted={"thread-timing"})
    assert (cause.code, cause.line, cause.confidence) == ("process-timing", 13, "likely")


def test_what_hardly_matters_is_not_named_for_want_of_time(named):
    cause = named(PLACE, NUMBER, refuted={"thread-timing"})
    assert cause.code != "entropy"


def test_what_may_well_matter_is(named):
    assert named(entry("urandom", "draw", 7)).code == "entropy"


@pytest.mark.parametrize(
    ("goes_by", "code"), [("identity", "address-order"), ("string", "data-changed")]
)
def test_a_set_that_was_seen_to_go_by_addresses_is_named(monkeypatch, named, goes_by, code):
    """Pins cannot keep objects where they are that threads allocate."""
    walked = WalkedSet(file="train.py", line=12, goes_by=goes_by, ordered=False)
    place = Culprit(file="train.py", line=12, variable="shots", walked=walked)
    monkeypatch.setattr(culprit_by_values, "of_order", lambda values, at: place)
    assert named(orders=ValueDifferences()).code == code
    assert named(orders=None).code == "data-changed"


def test_it_comes_before_the_way_that_the_runs_take_from_there(monkeypatch, named):
    """Which operations come next goes by what was walked."""
    walked = WalkedSet(file="train.py", line=12, goes_by="identity", ordered=False)
    place = Culprit(file="train.py", line=12, variable="done", walked=walked)
    monkeypatch.setattr(culprit_by_values, "of_order", lambda values, at: place)
    found = replace(divergence(), kind="inserted", rows=(7, None), data=False)
    asked = {"found": found, "spent": False}
    assert named(orders=ValueDifferences(), **asked).code == "address-order"


@pytest.mark.parametrize(("entries", "confidence"), [((), "proved"), (("thread",), "likely")])
def test_ways_that_part_beside_threads_are_not_proved(entries, confidence):
    """Turns are kept as far as each thread ends within its own; one that never ends does not."""
    flow = FlowDifference(
        file="train.py", line=41, function="prepare", next_a="train.py:43", next_b="train.py:37"
    )
    noted = Evidence(found=divergence(), entries=tuple(entry(name, "start") for name in entries))
    case = SimpleNamespace(
        everything=lambda *_: SimpleNamespace(pinned=("seeds", "thread-timing")),
        read=lambda _: noted,
        trials=SimpleNamespace(let_go=lambda *_, **__: (None, ValueDifferences(flow=flow))),
    )
    found = _flow(case, SimpleNamespace(closer_scope=None), None)
    assert (found.code, found.line, found.confidence) == ("control-flow", 41, confidence)
