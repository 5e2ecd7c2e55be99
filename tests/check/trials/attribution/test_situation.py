"""What the runs of a check, and of a closer look, have shown before anything is pinned."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from samebits.check.diff.divergence import first_divergence
from samebits.check.trials.attribution.situation import first_situation, plain_pairs
from samebits.check.trials.closer import CloserPair

STOPPED = {"code": 0, "signal": None, "reason": "stopped-at-step"}


def pairs_shown(make_run, closer_parameters):
    """The pairs of two runs that differ in step 1, and of a closer look at it."""

    def run(parameters, **manifest):
        steps = [{"step": 0, "parameters": 5}, {"step": 1, "parameters": parameters}]
        return make_run(steps=steps, **manifest)

    check = run(6), run(7)
    looks = [
        make_run(
            [{"step": 1, "outputs": parameters}],
            steps=[{"step": 0, "parameters": 5}, {"step": 1, "parameters": parameters}],
            level="step",
            exit=STOPPED,
        )
        for parameters in closer_parameters
    ]
    coarse, closer = first_divergence(*check), first_divergence(*looks)
    results: Any = tuple(SimpleNamespace(folder=trace.folder) for trace in looks)
    pair = CloserPair(results, from_step=1)
    situation = first_situation(coarse, closer, check, pair)
    names = {trace.folder: name for trace, name in zip((*check, *looks), "12ab", strict=True)}
    return [
        ("".join(names[trace.folder] for trace in traces), found is not None, compared)
        for traces, found, compared in plain_pairs(situation, pair)
    ]


def test_a_run_of_a_closer_look_is_compared_with_one_of_the_check(make_run):
    assert pairs_shown(make_run, (8, 9)) == [
        ("12", True, "whole"),
        ("ab", True, "from step 1"),
        ("2a", True, "to step 2"),
    ]


def test_a_run_of_a_closer_look_may_agree_with_one_of_the_check(make_run):
    assert pairs_shown(make_run, (7, 9))[-1] == ("2a", False, "to step 2")
