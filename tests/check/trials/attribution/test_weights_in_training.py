"""Weights that a thread reads while they are trained are told, and not the clock that held it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.weights_in_training import weights_in_training

SCRIPT = """
def train(writer, model, batches):
    for batch in batches:
        step(model, batch)
        writer.inbox.put(model.state_dict())
"""


@pytest.fixture
def told(tmp_path):
    """The cause: told(hypothesis, handed over or not, entries, found)."""
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    put = entry("hand-over", "write")
    put = replace(put, row=replace(put.row, site=Site(str(path), 5, "train", "")))

    def cause(pin=None, *entries, handed=True, **found):
        evidence = Evidence(
            found=divergence(**found), entries=entries, between=(put,) if handed else ()
        )
        pinned = None
        if pin is not None:
            pinned = Hypothesis(pin=pin, code=pin, standing=Standing.POSSIBLE)
        return weights_in_training(evidence, pinned)

    return cause


def test_what_held_the_thread_is_not_the_cause(told):
    cause = told("clock", entry("thread", "start", 2))
    assert (cause.code, cause.line, cause.confidence) == ("thread-timing", 5, "likely")
    assert "a clock that starts at a fixed moment" in cause.evidence
    assert "Hand over copies of what goes on being changed" in cause.fix


def test_processes_are_told_from_threads(told):
    assert told(None, entry("process", "start", 2)).code == "process-timing"


def test_a_seed_that_was_another_number_explains_data_by_itself(told):
    seeded = entry("numpy-generator", "construct", 3, seeded=1, other_digest=2)
    assert told("clock", entry("thread", "start", 2), seeded) is None


@pytest.mark.parametrize(
    ("pin", "more"),
    [("hash-seed", {}), ("clock", {"handed": False}), ("clock", {"data": False})],
    ids=["a pin that holds nobody", "nothing handed over", "no data"],
)
def test_nothing_is_told_of_what_other_things_explain(told, pin, more):
    assert told(pin, entry("thread", "start", 2), **more) is None
