"""Answers to remote calls: the function that was called is told, where nothing else may be it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.trials.attribution.by_requests import by_requests

SERVER = """
received = {{}}

def push(worker, gradient):
    received[worker] = gradient
    for arrived in {walked}:
        weights.sub_(arrived)

def work(rank):
    current = {call}
    return current * 2
"""
BY_RPC = "rpc.rpc_sync('node0', push, (rank, 1))"


@pytest.fixture
def told(tmp_path):
    def cause(*ledger, walked="received.values()", call=BY_RPC):
        script = tmp_path / "server.py"
        script.write_text(SERVER.format(walked=walked, call=call))
        found = divergence(
            file=str(script), line=11, function="work", process="rank 1", processes=("0.2", "0.2")
        )
        trace = SimpleNamespace(ledger=lambda: [one.row for one in ledger])
        evidence = SimpleNamespace(starts=[entry("process", "start", detail="fork by mp.spawn")])
        return by_requests(SimpleNamespace(closer=found, traces=(trace, trace)), evidence)

    return cause


def test_the_loop_over_what_came_is_named(told):
    cause = told()
    assert (cause.code, cause.detail, cause.confidence) == ("process-timing", "push", "likely")
    assert cause.line == 6
    assert "number of the sender" in cause.fix


def test_without_such_a_loop_it_is_the_function(told):
    assert told(walked="sorted(received)").line == 4


def test_without_a_remote_call_nothing_is_said(told):
    assert told(call="push(rank, 1)") is None


@pytest.mark.parametrize(
    "noted", [entry("clock"), entry("numpy", "draw", seeded=0), entry("uuid", "draw")]
)
def test_what_else_may_explain_the_answer_keeps_it_from_being_said(told, noted):
    assert told(noted) is None
