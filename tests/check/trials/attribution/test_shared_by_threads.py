"""Threads that draw from torch's one generator are told from what two runs have recorded."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trace.rows import Site
from samebits.check.trace.schema import Flag
from samebits.check.trials.attribution.shared_by_threads import generator_of_all_threads

SEED = entry("torch-cpu", "seed", 9, seeded=1).row
DRAW = entry("torch-cpu", "draw", 20, seeded=1).row
START = replace(entry("thread", "start", 4).row, first_row=2)
DRAWS, PLAIN = int(Flag.RANDOM), 0


def trace(*flags, rows=(), threads=()):
    """What a process or thread has recorded: flags of its rows, its ledger, its threads' rows."""
    columns = {"flags": np.array(flags, np.uint16), "site": np.zeros(len(flags), np.uint32)}
    batch = SimpleNamespace(start=0, columns=columns)
    names = [f"0+{number}" for number, _ in enumerate(threads, 1)]
    recorded = {n: trace(*rows_of) for n, rows_of in zip(names, threads, strict=True)}
    return SimpleNamespace(
        ledger=lambda: list(rows),
        sites=lambda: [Site("train.py", 20, "main", "")],
        count_steps=lambda: 0,
        iter_ops=lambda columns: [batch],
        manifest=SimpleNamespace(threads=[{"name": name} for name in names]),
        process=recorded.get,
    )


def told(run, *entries, **found):
    facts = {"random": True, "data": False, "op": "aten.uniform_", "processes": ("0+1", "0+1")}
    facts["process"] = "the thread started at train.py:4"
    situation: Any = SimpleNamespace(
        closer=divergence(**{**facts, **found}), closer_traces=(run, run)
    )
    between = [one for one in entries if one.row.source == "hand-over"]
    evidence = Evidence(found=situation.closer, entries=entries, between=between)
    return generator_of_all_threads(situation, evidence)


def test_two_threads_that_draw_from_it_are_enough():
    cause = told(trace(rows=(SEED, DRAW, START), threads=((PLAIN, DRAWS), (DRAWS,))))
    assert (cause.code, cause.line, cause.confidence) == ("thread-timing", 20, "likely")
    assert "Run the tasks in processes" in cause.fix


def test_the_main_thread_counts_where_it_draws_beside_others():
    beside = trace(PLAIN, PLAIN, DRAWS, rows=(SEED, DRAW, START), threads=((DRAWS,),))
    assert told(beside, processes=(), process="").line == 20
    before = trace(DRAWS, PLAIN, PLAIN, rows=(SEED, DRAW, START), threads=((DRAWS,),))
    assert told(before) is None


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ((DRAW, START), {}),
        ((SEED, replace(DRAW, seeded=0), START), {}),
        ((SEED, START), {}),
        ((SEED, DRAW, START), {"random": False}),
        ((SEED, DRAW, START), {"data": True}),
        ((SEED, DRAW, START), {"line": 21}),
    ],
    ids=["nobody seeds", "unseeded", "another generator", "no draw", "data", "another line"],
)
def test_nothing_is_told_where_something_else_may_be_the_reason(rows, found):
    assert told(trace(rows=rows, threads=((DRAWS,), (DRAWS,))), **found) is None


@pytest.mark.parametrize("event", ["seed", "state"])
@pytest.mark.parametrize("only_one", [False, True])
def test_another_seed_is_the_reason_and_no_thread(event, only_one):
    given = entry("torch-cpu", event, 9, seeded=1, other_digest=2)
    given = replace(given, other=None) if only_one else given
    run = trace(rows=(SEED, DRAW, START), threads=((DRAWS,), (DRAWS,)))
    assert told(run) is not None
    assert told(run, given) is None


def test_threads_that_start_later_have_nothing_to_do_with_it():
    run = trace(PLAIN, DRAWS, rows=(SEED, DRAW, START), threads=((DRAWS,), (DRAWS,)))
    assert told(run, processes=(), process="", rows=(1, 1)) is None
    assert told(run, processes=(), process="", rows=(2, 2)) is not None


def test_a_model_that_was_handed_over_is_named_where_it_was(tmp_path):
    script = tmp_path / "evaluation.py"
    script.write_text("def submit(net):\n    pending.append(pool.submit(score, net))\n")
    pair = entry("hand-over", "write", 2, detail="ThreadPoolExecutor.submit")
    handed = replace(pair, row=replace(pair.row, site=Site(str(script), 2, "submit", "")))
    run = trace(rows=(SEED, DRAW, START), threads=((PLAIN, DRAWS), (DRAWS,)))
    cause = told(run, handed)
    assert (cause.code, cause.line, cause.confidence) == ("thread-timing", 2, "likely")
    assert "copy.deepcopy of a model" in cause.fix


@pytest.mark.parametrize(
    ("line", "is_named"),
    [
        ("    hiss = torch.randn_like(wave)", True),
        ("    hiss = wave.normal_()", True),
        ("    loss = net(wave)", False),
    ],
)
def test_a_line_of_a_thread_is_named_where_it_can_be_given_a_generator(tmp_path, line, is_named):
    script = tmp_path / "feed.py"
    script.write_text(f"def fill(net, wave):\n{line}\n")
    run = trace(PLAIN, PLAIN, DRAWS, rows=(SEED, DRAW, START), threads=((DRAWS,),))
    thread = run.process("0+1")
    thread.sites = lambda: [Site(str(script), 2, "fill", "")]
    run.process = {"0+1": thread}.get
    cause = told(run, processes=(), process="")
    assert cause.line == (2 if is_named else 20)
    assert ("generator=own" in cause.fix) == is_named
    assert ("train.py:20 drew other numbers" in cause.evidence) == is_named


HANDED = DRAWS | int(Flag.HANDED_GENERATOR)


@pytest.mark.parametrize(
    ("threads", "is_told"),
    [(((PLAIN, HANDED), (HANDED,)), False), (((PLAIN, HANDED), (DRAWS,)), True)],
)
def test_a_generator_that_threads_were_handed_is_another_one(threads, is_told):
    run = trace(rows=(SEED, DRAW, START), threads=threads)
    assert (told(run) is not None) == is_told
