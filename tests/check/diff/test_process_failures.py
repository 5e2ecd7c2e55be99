"""Which process failed first is told by what ended each of them, whatever ended last."""

from __future__ import annotations

import pytest
from tests.check.process_entries import process_entry

from samebits.check.diff.process_failures import failures, of_failures

GLOO = "[gloo/transport/tcp/pair.cc:537] Connection closed by peer [127.0.0.1]:2563"


def ending(error="", message="", line=0, operation="", by=""):
    file = "/a/train.py" if line else ""
    return {
        "error": error,
        "message": message,
        "file": file,
        "line": line,
        "operation": operation,
        "by": by,
    }


def rank(number, *, code=None, signal=None, ending=None, **facts):
    return process_entry(
        f"0.{number + 1}",
        rank=number,
        via="mp.spawn",
        file="/a/train.py",
        line=40,
        program="multiprocessing.spawn",
        recorded=False,
        exit={"code": code, "signal": signal},
        ending=ending or {},
        **facts,
    )


REPORTS = {
    "exit": {"code": 1, "signal": None, "reason": "exception"},
    "ending": ending("ProcessRaisedException", "process 1 terminated", 40),
}


@pytest.fixture
def told(make_run):
    def of(*processes, **manifest):
        return failures(make_run([], cwd="/a", processes=list(processes), **manifest))

    return of


def test_a_lost_connection_comes_after_what_has_cut_it(told):
    lost = ending("RuntimeError", GLOO, 24, "all_reduce")
    failed = ending("ValueError", "bad loss\nand more", 31)
    sentences = told(
        rank(0, code=1, ending=lost, collectives=17, steps=5),
        rank(1, code=1, ending=failed, collectives=16, steps=5),
        **REPORTS,
    )
    assert sentences == [
        "rank 1 failed first: it raised ValueError at train.py:31: bad loss; "
        "it had begun 16 collectives in 5 steps",
        "rank 0 lost its connection to another process in all_reduce at train.py:24; "
        "it had begun 17 collectives in 5 steps",
    ]


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ({"code": 3}, "ended with exit code 3"),
        ({"signal": 9}, "was ended by signal 9 (SIGKILL)"),
    ],
)
def test_an_end_without_an_exception(told, how, what):
    lost = ending("DistBackendError", "connection reset by peer", 24, "broadcast")
    sentences = told(rank(0, code=1, ending=lost), rank(1, collectives=2, **how), **REPORTS)
    assert sentences[0] == f"rank 1 failed first: it {what}; it had begun at least 2 collectives"
    assert sentences[1].startswith("rank 0 lost its connection to another process in broadcast")


def test_one_that_its_starter_has_ended_did_not_fail(told):
    sentences = told(
        rank(0, signal=15, ending=ending(line=24, operation="the backward pass", by="process")),
        rank(1, code=1, ending=ending("ValueError", "", 31)),
        **REPORTS,
    )
    assert sentences == [
        "rank 1 failed first: it raised ValueError at train.py:31",
        "rank 0 was then ended by another process while it was in the backward pass at train.py:24",
    ]


def test_those_that_waited_when_the_time_was_up(told):
    """The script's own process waits for its ranks, which is no news."""
    waits = ending(line=24, operation="barrier", by="timeout")
    sentences = told(
        rank(0, signal=9, ending=waits, collectives=4, steps=2),
        rank(1, code=0, steps=1),
        exit={"code": None, "signal": 9, "reason": "killed"},
        ending=ending(line=40, by="timeout"),
    )
    assert sentences == [
        "rank 1 had ended well after 1 step",
        "rank 0 was still waiting in barrier at train.py:24 when the time was up; "
        "it had begun at least 4 collectives in 2 steps",
    ]


def test_ranks_that_fail_alike_are_all_told_and_none_is_the_first(told):
    failed = ending("ValueError", "x", 31)
    sentences = told(*(rank(n, code=1, ending=failed, collectives=3) for n in (0, 1)), **REPORTS)
    assert [sentence.partition(":")[0] for sentence in sentences] == [
        "rank 0 failed",
        "rank 1 failed",
    ]


def test_a_script_that_fails_itself_is_not_taken_for_one_that_reports(told):
    sentences = told(
        rank(0, signal=15, ending=ending(by="process")),
        exit={"code": 1, "signal": None, "reason": "exception"},
        ending=ending("KeyError", "'lr'", 9),
    )
    assert sentences == [
        "the script's own process failed first: it raised KeyError at train.py:9: 'lr'",
        "rank 0 was then ended by another process",
    ]


def test_a_launcher_that_reports_a_lost_connection_did_not_fail_first(told):
    lost = ending("RuntimeError", GLOO, 24, "all_reduce")
    sentences = told(
        rank(0, code=1, ending=lost, collectives=9, steps=4), rank(1, code=0, steps=3), **REPORTS
    )
    assert sentences == [
        "rank 1 had ended well after 3 steps",
        "rank 0 lost its connection to another process in all_reduce at train.py:24; "
        "it had begun 9 collectives in 4 steps",
    ]


def test_nothing_is_said_of_a_run_that_ended_well(told):
    pool = {**rank(0, signal=15, ending=ending(by="process")), "rank": "", "role": "pool"}
    assert told(rank(1, code=0), pool) == []


def test_many_are_not_all_told(told):
    failed = ending("ValueError", "x", 31)
    sentences = told(*(rank(n, code=1, ending=failed) for n in range(12)))
    assert len(sentences) == 9
    assert sentences[-1] == "and 4 more of its processes did not end well"


def test_runs_that_say_alike_are_told_once(make_run):
    runs = [make_run([], cwd="/a", processes=[rank(1, code=3)]) for _ in range(2)]
    assert of_failures(runs) == ["in each run rank 1 failed: it ended with exit code 3"]
    runs.append(make_run([], cwd="/a", processes=[rank(1, code=4)]))
    assert of_failures(runs)[-1] == "run 3: rank 1 failed: it ended with exit code 4"


def test_of_ranks_that_hang_the_one_that_is_in_no_collective_is_told(told):
    waits = ending(line=21, operation="all_reduce", by="timeout")
    runs_on = ending(line=17, by="timeout")
    sentences = told(
        rank(0, signal=15, ending=waits, collectives=8, steps=3),
        rank(1, signal=15, ending=runs_on, collectives=8, steps=3),
    )
    assert sentences[0].startswith("rank 0 was still waiting in all_reduce at train.py:21 when")
    assert sentences[1].startswith(
        "rank 1 was still running at train.py:17, in no call of torch.distributed,"
    )
    (alone,) = told(rank(0, signal=15, ending=runs_on, collectives=8, steps=3))
    assert "in no call" not in alone
    backward = ending(line=21, operation="the backward pass", by="timeout")
    sentences = told(
        rank(0, signal=15, ending=backward, collectives=8, steps=3),
        rank(1, signal=15, ending=runs_on, collectives=8, steps=3),
    )
    assert not any("in no call" in sentence for sentence in sentences)


STARTED_RANK_1 = {"distributed": {"rank": 0, "world": 2}, "collectives": 7}


def test_the_scripts_own_process_that_is_a_rank_is_called_one(told):
    """As in Lightning's `ddp`, where rank 0 starts the others."""
    lost = ending("RuntimeError", GLOO, 24, "all_reduce")
    sentences = told(
        rank(1, code=1, ending=lost, collectives=8, steps=4),
        exit={"code": 1, "signal": None, "reason": "exception"},
        ending=ending("ValueError", "bad loss", 31),
        counts={"ops": 0, "steps": 3},
        **STARTED_RANK_1,
    )
    assert sentences == [
        "rank 0 failed first: it raised ValueError at train.py:31: bad loss; "
        "it had begun 7 collectives in 3 steps",
        "rank 1 lost its connection to another process in all_reduce at train.py:24; "
        "it had begun 8 collectives in 4 steps",
    ]


@pytest.mark.parametrize(
    "own",
    [
        {"exit": {"code": None, "signal": 9, "reason": "killed"}},
        {
            "exit": {"code": 1, "signal": None, "reason": "exception"},
            "ending": ending("ProcessRaisedException", "process 0 terminated", 40),
        },
    ],
)
def test_a_rank_that_another_rank_has_ended_did_not_fail_first(told, own):
    failed = ending("ValueError", "bad loss", 31)
    sentences = told(rank(1, code=1, ending=failed), **own, **STARTED_RANK_1)
    assert sentences == ["rank 1 failed first: it raised ValueError at train.py:31: bad loss"]


def test_a_rank_that_fails_because_a_helper_did_is_not_named(told):
    helper = {**rank(1, code=2), "rank": "", "via": "subprocess"}
    sentences = told(
        helper,
        exit={"code": 1, "signal": None, "reason": "exception"},
        ending=ending("RuntimeError", "no data", 31),
        **STARTED_RANK_1,
    )
    assert len(sentences) == 1
    assert sentences[0].endswith("ended with exit code 2")


def test_a_rank_that_has_started_the_others_is_told_where_it_waits(told):
    sentences = told(
        rank(1, signal=9, ending=ending(line=17, by="timeout"), collectives=6, steps=2),
        exit={"code": None, "signal": 9, "reason": "killed"},
        ending=ending(line=24, operation="barrier", by="timeout"),
        counts={"ops": 0, "steps": 2},
        **STARTED_RANK_1,
    )
    assert sentences == [
        "rank 0 was still waiting in barrier at train.py:24 when the time was up; "
        "it had begun at least 7 collectives in 2 steps",
        "rank 1 was still running at train.py:17, in no call of torch.distributed, when the time "
        "was up; it had begun at least 6 collectives in 2 steps",
    ]
