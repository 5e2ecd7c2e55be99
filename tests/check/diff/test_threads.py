"""Trainings on other threads, compared without an order."""

from __future__ import annotations

from types import SimpleNamespace

from tests.check.causes.made_up import divergence

from samebits.check.diff.process_traces import diverging_process
from samebits.check.diff.threads import compared_threads, thread_divergence


def test_whose_variables_are_followed_where_a_thread_diverges():
    def of(*processes):
        return diverging_process(divergence(processes=processes))

    assert of() == "0"
    assert of("0+2", "0+1") == "0"
    assert of("0.3.1+2", "0.3.1+2") == "0.3.1"


def run(*digests: str):
    entries = [{"file": "/w/a.py", "line": 3, "steps": 2, "digest": one} for one in digests]
    return SimpleNamespace(manifest=SimpleNamespace(thread_steps=entries))


def test_the_order_does_not_count_and_the_number_does():
    assert thread_divergence(run("a", "b", "a"), run("b", "a", "a")) is None
    assert thread_divergence(run(), run()) is None
    assert thread_divergence(run("a", "b", "a"), run("b", "a")) is not None


def test_a_training_that_only_one_run_has_is_found_on_either_side():
    one, more = run("a", "b"), run("b", "a", "c")
    for pair, name, other in (((one, more), "B", "A"), ((more, one), "A", "B")):
        found = thread_divergence(*pair)
        assert (found.kind, found.op, found.file, found.line) == ("saved", "step", "/w/a.py", 3)
        assert found.detail == (
            "parameters differ that optimizers on other threads update: of 1 of 3 optimizers in "
            f"run {name}, none in run {other} has the bits"
        )


def test_what_was_compared_is_noted():
    assert list(compared_threads(run())) == []
    assert list(compared_threads(run("a"))) == [
        "the parameters that an optimizer updated on other threads agree after each step"
    ]
