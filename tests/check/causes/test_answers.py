"""Lines that ask whether something is ready, and whose answer decides what is computed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.answers import answered_otherwise
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.writing.fix import fix
from samebits.check.trace.rows import Site

SCRIPT = """
def work(jobs, model, stop):
    if not jobs.full():
        jobs.put(model)
    while not jobs.empty():
        train(model)
    print("waiting", jobs.qsize())
    while True:
        if stop.is_set():
            break
        time.sleep(0.1)
    while True:
        if stop.is_set():
            break
        train(model)
    while True:
        try:
            job = jobs.get_nowait()
        except Empty:
            continue
        train(job)
    while True:
        try:
            model = jobs.get_nowait()
        except Empty:
            pass
        train(model)
    while model:
        try:
            train(jobs.get_nowait())
        except Empty:
            pass
    depths, waits = [], 0
    depths.append(jobs.qsize())
    assert jobs.full()
    if jobs.full():
        waits += 1
    if jobs.empty():
        raise RuntimeError("nothing came")
    print(depths, waits)
    if jobs.empty():
        model.skipped += 1

def count(jobs):
    global missed
    if jobs.empty():
        missed += 1
"""
IN_A_CONDITION, IN_A_LOOP, SHOWN, WAITED, TRAINS, RETRIES, TAKES_THE_NEWEST, LAST = (
    *(3, 5, 7, 9, 13, 18, 24, 30),
)
KEPT_TO_SHOW, ASSERTED, COUNTED_TO_SHOW, FAILS, COUNTED = 34, 35, 36, 38, 41
COUNTED_FOR_ALL = 46


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return str(path)


def at(script, line, *, detail="", differs=True):
    text = SCRIPT.split("\n")[line - 1]
    asked = ("full", "empty", "qsize", "is_set", "get_nowait")
    detail = detail or next(f"Queue.{name}" for name in asked if f".{name}(" in text)
    pair = entry("readiness", "read", other_digest=2 if differs else 1)
    row = replace(pair.row, site=Site(script, line, "work", ""), detail=detail)
    return replace(pair, row=row, other=replace(row, digest=pair.other.digest))


@pytest.mark.parametrize(
    ("line", "decides"),
    [
        (IN_A_CONDITION, True),
        (IN_A_LOOP, False),
        (SHOWN, False),
        (WAITED, False),
        (TRAINS, True),
        (RETRIES, False),
        (TAKES_THE_NEWEST, True),
        (LAST, False),
        (KEPT_TO_SHOW, False),
        (ASSERTED, False),
        (COUNTED_TO_SHOW, False),
        (FAILS, False),
        (COUNTED, True),
        (COUNTED_FOR_ALL, True),
    ],
)
def test_an_answer_must_be_able_to_decide_something(script, line, decides):
    found = answered_otherwise(Evidence(found=divergence(), between=(at(script, line),)))
    assert (found is not None) == decides


def test_what_a_line_calls_may_ask_for_its_own_work(script):
    entry = at(script, IN_A_CONDITION, detail="Future.done")
    assert answered_otherwise(Evidence(found=divergence(), between=(entry,))) is None


def test_the_same_answers_decide_nothing(script):
    same, other = at(script, IN_A_CONDITION, differs=False), at(script, TRAINS)
    assert answered_otherwise(Evidence(found=divergence(), between=(same,))) is None
    assert answered_otherwise(Evidence(found=divergence(), between=(same, other))) is other


def test_a_loop_that_gives_something_each_time_decides_how_often(tmp_path):
    source = "def feed(self):\n    while used < 9 and self.jobs.empty():\n        {}\n"
    script = tmp_path / "feed.py"
    row = replace(entry("readiness").row, site=Site(str(script), 2, "feed", ""))
    row = replace(row, detail="Queue.empty")
    asked = replace(entry("readiness"), row=row, other=replace(row, digest=2))

    def told(body):
        script.write_text(source.format(body))
        return answered_otherwise(Evidence(found=divergence(), between=(asked,)))

    assert told("yield batch") is asked
    assert told("used += 1") is None
    assert told("if rare: continue\n        yield batch") is None
    assert told("item = self.jobs.get()\n        yield item") is None
    advice = fix("thread-timing", Culprit(file=str(script), line=2, entry=asked))
    assert "whatever is ready by then" not in advice
    told("yield batch")
    advice = fix("thread-timing", Culprit(file=str(script), line=2, entry=asked))
    assert "a fixed number of times" in advice
