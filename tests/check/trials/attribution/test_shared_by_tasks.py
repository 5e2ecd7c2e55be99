"""Whether all tasks of a worker draw from one generator."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import PLAIN_ARGUMENTS
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.loader_workers import (
    batches_out_of_order,
    moved_between_workers,
)
from samebits.check.trials.attribution.shared_by_tasks import (
    generator_made_for_tasks,
    generator_of_all_tasks,
    generator_that_tasks_share,
    unseeded_in_tasks,
)


def made(line=5, *, process=1, seeded=1, other_digest=1):
    pair = entry(
        "numpy-generator", "construct", line, seeded=seeded, digest=1, other_digest=other_digest
    )
    return replace(pair, row=replace(pair.row, process=process))


def drawn(amount, other, *, process=1, seeded=1):
    pair = entry("numpy-generator", "draw", 9, seeded=seeded, digest=0, other_digest=0)
    row = replace(pair.row, process=process, amount=amount)
    return replace(pair, row=row, other=replace(row, amount=other))


def test_where_pace_decides_tasks_may_draw_as_many_as_chance_has_it():
    """How many a task draws may follow from the numbers: what a worker has made is told then."""

    def told(*entries):
        evidence = Evidence(found=divergence(), entries=entries)
        place = generator_made_for_tasks(evidence)
        return None if place is None else place.line

    uneven = (drawn(300, 200), drawn(100, 250, process=2))
    assert told(made(), made(process=2), *uneven) == 5
    assert told(*uneven) is None  # what they draw from was there before
    assert told(made(), drawn(300, 200), drawn(150, 100, process=2)) is None  # both drew more
    assert told(drawn(300, 200), drawn(100, 200, process=2)) == 9


def ended(amount, *, process):
    """What a process drew in run A, and had nothing to do in run B."""
    return replace(drawn(amount, 0, process=process), other=None)


def by_python(pair):
    return replace(
        pair,
        row=replace(pair.row, source="python"),
        other=replace(pair.other, source="python"),
    )


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ((made(), drawn(300, 200)), 5),
        ((made(), made(7), drawn(300, 200)), 7),
        ((made(process=2), drawn(300, 200)), 9),
        ((drawn(300, 200),), 9),
        ((made(), drawn(300, 200), drawn(100, 200, process=2)), 5),
        ((made(), drawn(300, 200), drawn(100, 250, process=2)), None),
        ((made(), drawn(400, 500), drawn(300, 400, process=2), ended(200, process=3)), 5),
        ((made(), by_python(drawn(282, 365)), by_python(drawn(454, 365, process=2))), 9),
        ((made(), by_python(drawn(282, 365)), by_python(drawn(300, 365, process=2))), None),
        ((made(), drawn(300, 300)), None),
        ((made(other_digest=2), drawn(300, 200)), None),
        ((made(seeded=0), drawn(300, 200)), None),
        ((drawn(300, 200, seeded=0),), None),
        ((drawn(300, 200, process=0),), None),
    ],
    ids=[
        "made in the worker",
        "the last of two",
        "made in another worker",
        "inherited",
        "tasks of each other",
        "other data",
        "an idle one",
        "python, more and less",
        "python, more in both",
        "equal shares",
        "a seed for each task",
        "no seed",
        "nothing seeded",
        "the script's own process",
    ],
)
def test_it_is_known_by_equal_seeds_and_unequal_draws(entries, line):
    place = generator_of_all_tasks(Evidence(found=divergence(), entries=entries))
    assert (None if place is None else place.line) == line


@pytest.mark.parametrize(
    ("amounts", "line"),
    [([(300, 250), (200, 250)], 5), ([(300, 200), (200, 300)], None)],
    ids=["one generator for all tasks", "whole tasks went to the other"],
)
def test_workers_that_number_themselves_take_each_others_seeds(amounts, line):
    entries = []
    for process, (seed, other) in enumerate([(3, 4), (4, 3)], start=1):
        pair = made(process=process, other_digest=other)
        row = replace(pair.row, digest=seed, order_free=seed)
        entries.append(replace(pair, row=row, other=replace(row, digest=other, order_free=other)))
        entries.append(drawn(*amounts[process - 1], process=process))
    place = generator_of_all_tasks(Evidence(found=divergence(), entries=entries))
    assert (None if place is None else place.line) == line


@pytest.mark.parametrize(
    ("entries", "changes", "line"),
    [
        ((made(), drawn(300, 200), drawn(200, 300, process=2)), {}, 5),
        ((made(), drawn(300, 200), drawn(200, 300, process=2)), {"detail": PLAIN_ARGUMENTS}, 5),
        ((made(), drawn(300, 200)), {}, None),
        ((made(), drawn(300, 200), drawn(200, 250, process=2)), {}, None),
        ((made(), drawn(300, 200), drawn(200, 300, process=2)), {"data": False}, None),
        ((made(), drawn(300, 200), drawn(200, 300, process=2)), {"process": "rank 1"}, None),
        (
            (made(), drawn(300, 200), drawn(200, 300, process=2), entry("pid", seeded=0)),
            {},
            5,
        ),
        (
            (
                made(),
                drawn(300, 200),
                drawn(200, 300, process=2),
                entry("python", "draw", seeded=0),
            ),
            {},
            None,
        ),
    ],
    ids=["two", "numbers", "one", "other data", "no data", "elsewhere", "a name", "unseeded"],
)
def test_two_workers_that_drew_what_the_other_did_are_told_without_runs(
    attempt, entries, changes, line
):
    found = divergence(**changes)
    situation = attempt(found=found).situation
    cause = generator_that_tasks_share(situation, Evidence(found=found, entries=entries))
    assert (None if cause is None else cause.line) == line
    if cause is not None:
        assert (cause.code, cause.confidence) == ("process-timing", "likely")
        assert "a generator of its own, seeded by the number of the task" in cause.fix


@pytest.mark.parametrize(
    ("amounts", "line"),
    [((300, 200), (200, 250)), ((300, 200), (250, 200))],
    ids=["less and more", "both less"],
)
def test_tasks_may_draw_as_many_as_chance_has_it(attempt, amounts, line):
    pairs = [drawn(*amounts, process=1), drawn(*line, process=2)]
    found = divergence()
    situation = attempt(found=found).situation
    evidence = Evidence(found=found, entries=(made(), *pairs))
    cause = generator_that_tasks_share(situation, evidence, as_many=False)
    assert (cause is not None) == (line[0] < line[1])


START = entry("worker", "start", 40, worker=0)


def of_worker(worker, a, b, source="numpy-generator", event="construct", line=23, **more):
    """What a worker did so often in A and in B, with the seeds 1, 2, ... of the tasks it had."""
    pair = entry(source, event, line, worker=worker, seeded=1, **more)
    rows = [replace(pair.row, calls=len(items), order_free=sum(items)) for items in (a, b)]
    return replace(pair, row=rows[0], other=rows[1])


def told(*entries, **changes):
    return moved_between_workers(Evidence(found=divergence(**changes), entries=entries))


def test_the_same_work_done_by_other_workers_is_a_matter_of_timing():
    cause = told(START, of_worker(0, (1, 2), (1, 2, 4)), of_worker(1, (3, 4), (3,)))
    assert (cause.code, cause.line, cause.confidence) == ("process-timing", 40, "likely")
    assert "at train.py:23 worker 0 came 2 times in run A and 3 times in run B" in cause.evidence
    assert "get_worker_info" in cause.fix


def test_so_it_is_where_only_the_digest_of_a_batch_tells():
    moved = of_worker(0, (1, 2), (1, 2, 4)), of_worker(1, (3, 4), (3,))
    assert told(START, *moved, kind="step", op="batch", data=False).code == "process-timing"
    assert told(START, *moved, kind="step", op="loss", data=False) is None


def test_files_that_other_workers_read_are_the_same_work():
    name = {"source": "file", "event": "read", "detail": "a.csv", "line": 9}
    only_a, only_b = of_worker(0, (5,), (), **name), of_worker(1, (5,), (), **name)
    entries = (replace(only_a, other=None), replace(only_b, other=None, only_second=True))
    assert told(START, *entries).line == 40
    assert told(*entries).line == 9
    assert told(START, entries[0]) is None


@pytest.mark.parametrize(
    ("entries", "changes"),
    [
        ((of_worker(0, (1, 2), (1, 2)), of_worker(1, (3, 4), (3, 4))), {}),
        ((of_worker(0, (1, 2), (1, 2, 4)), of_worker(1, (3, 4), (3, 5))), {}),
        ((of_worker(0, (1, 2), (1, 2, 4)), of_worker(1, (3, 4), (5,))), {}),
        ((of_worker(0, (1, 2), (1, 2, 4)), of_worker(1, (3, 4), (3,))), {"data": False}),
        (
            (
                of_worker(0, (1, 2), (1, 2, 4)),
                of_worker(1, (3, 4), (3,)),
                entry("numpy", "draw", 30, seeded=0),
            ),
            {},
        ),
        (
            (
                of_worker(0, (1, 2), (1, 2, 4)),
                of_worker(1, (3, 4), (3,)),
                of_worker(1, (7,), (7, 8), line=31),
            ),
            {},
        ),
    ],
    ids=[
        "the same workers",
        "more work in one run",
        "other work",
        "no data differ",
        "something without a seed",
        "more of something else",
    ],
)
def test_anything_else_is_left_to_further_runs(entries, changes):
    assert told(START, *entries, **changes) is None


START_OF_TASKS = entry("process", "start", 3)


def test_a_pause_of_a_process_is_no_result(tmp_path):
    path = tmp_path / "tasks.py"
    path.write_text(
        "def work(n):\n    time.sleep(random.uniform(0, 0.01))\n    x = random.uniform(0, 1)\n"
    )

    def cause(line):
        drawn = entry("python", "draw", line, seeded=0, process=2, detail="random.uniform")
        drawn = replace(drawn, row=replace(drawn.row, site=Site(str(path), line, "work", "")))
        return unseeded_in_tasks(
            Evidence(found=divergence(), entries=(START_OF_TASKS,), drawn_unseeded=(drawn,))
        )

    assert cause(2) is None
    assert cause(3).line == 3


def test_what_a_process_draws_without_a_seed_may_be_what_it_gives_back():
    fit = entry("numpy", "draw", 14, seeded=0, process=2, detail="KMeans.fit")

    def cause(pair, *, starts=(START_OF_TASKS,), **changes):
        found = divergence(**{"data": True, **changes})
        return unseeded_in_tasks(Evidence(found=found, entries=starts, drawn_unseeded=(pair,)))

    told = cause(fit)
    assert (told.code, told.line, told.confidence) == ("unseeded-rng", 14, "likely")
    assert "random_state=number" in told.fix
    assert cause(fit, starts=()) is None
    assert cause(fit, data=False) is None
    assert cause(fit, process="the process started at train.py:3") is None
    assert cause(entry("numpy", "draw", 14, seeded=0, process=0)) is None
    assert cause(entry("numpy", "draw", 14, seeded=0, process=2, worker=1)) is None


def test_a_generator_that_a_task_makes_without_a_seed_is_named_where_it_is_made():
    drawn = entry("python", "draw", 16, seeded=0, process=2, detail="random.Random.uniform")
    made = entry("python", "construct", 15, seeded=0, process=2, detail="random.Random")
    evidence = Evidence(
        found=divergence(),
        entries=(START_OF_TASKS,),
        without_seed=(made, drawn),
        drawn_unseeded=(drawn,),
    )
    assert unseeded_in_tasks(evidence).line == 15


@pytest.mark.parametrize(
    ("loader", "changes", "line"),
    [
        ("DataLoader(d, num_workers=2, in_order=False)", {}, 2),
        ("data.DataLoader(d,\n  in_order=False)", {}, 3),
        ("DataLoader(d, num_workers=2, in_order=True)", {}, None),
        ("DataLoader(d, num_workers=2)", {}, None),
        ("DataLoader(d, num_workers=1, in_order=False)", {}, None),
        ("DataLoader(d, in_order=False)", {"process": "rank 1"}, None),
        ("fetch(d, in_order=False)", {}, None),
        ("DataLoader(d, in_order=False)", {"data": False}, None),
    ],
)
def test_a_loader_that_gives_batches_as_they_are_ready(tmp_path, loader, changes, line):
    script = tmp_path / "train.py"
    script.write_text(f"d = []\nloader = {loader}\n")
    start = replace(START, row=replace(START.row, site=Site(str(script), 40, "main", "")))
    cause = batches_out_of_order(Evidence(found=divergence(**changes), entries=[start]))
    assert (None if cause is None else cause.line) == line
    if cause is not None:
        assert (cause.code, cause.confidence) == ("process-timing", "likely")
        assert "in_order" in cause.fix


def test_of_several_such_loaders_none_is_named(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("a = DataLoader(d, in_order=False)\nb = DataLoader(e, in_order=False)\n")
    start = replace(START, row=replace(START.row, site=Site(str(script), 40, "main", "")))
    assert batches_out_of_order(Evidence(found=divergence(), entries=[start])) is None


def test_a_loader_out_of_order_whose_workers_divided_their_work_otherwise_is_told_at_once(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("loader = DataLoader(d, num_workers=2, in_order=False)\n")
    start = replace(START, row=replace(START.row, site=Site(str(script), 40, "main", "")))
    cause = told(start, of_worker(0, (1, 2), (1, 2, 4)), of_worker(1, (3, 4), (3,)))
    assert cause.line == 1
    assert "worker 0 came 2 times in run A and 3 times in run B" in cause.evidence
    assert told(start, of_worker(0, (1, 2), (1, 2)), of_worker(1, (3, 4), (3, 4))) is None


def test_a_space_that_tasks_sample_is_seeded_in_each_of_them():
    drawn = entry(
        "numpy-generator", "draw", 18, seeded=0, detail="gymnasium.spaces.box.Box.sample", process=1
    )
    evidence = Evidence(
        found=divergence(), entries=[entry("process", "start", 30)], drawn_unseeded=[drawn]
    )
    cause = unseeded_in_tasks(evidence)
    assert "env.action_space.seed(number)" in cause.fix
    assert "random_state" not in cause.fix


def test_a_generator_that_each_task_makes_is_shared_by_none():
    """Which worker takes how many tasks goes by timing, and changes no numbers."""
    made_in_tasks = made(seeded=2)
    anew = replace(
        made_in_tasks,
        row=replace(made_in_tasks.row, calls=16),
        other=replace(made_in_tasks.other, calls=17),
    )
    amounts = drawn(320, 340), drawn(320, 300, process=2)
    evidence = Evidence(found=divergence(), entries=(made_in_tasks, *amounts))
    assert generator_of_all_tasks(evidence).line == 5
    assert generator_of_all_tasks(replace(evidence, entries=(anew, *amounts))) is None
