"""What else has no seed, beside the generator that is blamed."""

from __future__ import annotations

from dataclasses import replace

from tests.check.causes.made_up import entry

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.verdict import Cause
from samebits.check.trace.ledger import write_ledger
from samebits.check.trials.attribution.further_unseeded import (
    drawn_unseeded,
    further_unseeded,
    note_of_unseeded,
)

BLAMED = Culprit(file="/w/train.py", line=3, detail="torch-cpu")
TORCH = entry("torch-cpu", "draw", 9, detail="torch.Tensor.uniform_", seeded=0)
PYTHON = entry("python", "draw", 7, detail="random.shuffle", seeded=0)
MADE = entry("numpy-generator", "construct", 5, detail="numpy.random.default_rng", seeded=0)
DRAWN = entry("numpy-generator", "draw", 6, detail="numpy.random.Generator.normal", seeded=0)


def test_each_generator_is_named_once():
    assert further_unseeded([TORCH, MADE, DRAWN, PYTHON, PYTHON], BLAMED) == [
        "# numpy.random.default_rng makes a generator without a seed at train.py:5: "
        "give it one as well",
        "random.seed(0)  # random.shuffle draws without a seed at train.py:7",
    ]


def test_what_another_process_draws_is_named_with_where_it_does():
    elsewhere = replace(DRAWN, row=replace(DRAWN.row, process=1))
    assert further_unseeded([elsewhere], BLAMED) == [
        "# numpy.random.Generator.normal draws without a seed at train.py:6, in a process that the "
        "script starts: seed it there"
    ]
    in_worker = replace(DRAWN, row=replace(DRAWN.row, process=1, worker=0))
    assert further_unseeded([in_worker], BLAMED) == []


def test_the_one_that_is_blamed_is_not_named_again():
    assert further_unseeded([TORCH], BLAMED) == []
    made = Culprit(file=MADE.place[0], line=MADE.place[1], detail="numpy-generator")
    assert further_unseeded([MADE, DRAWN], made) == []
    elsewhere = replace(MADE, row=replace(MADE.row, process=1))
    assert further_unseeded([elsewhere], made) == []


def test_what_is_written_beside_is_imported_as_well(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("import torch\nx = torch.rand(3)\n")
    culprit = Culprit(file=str(script), line=2, detail="torch-cpu")
    told = fix("unseeded-rng", culprit, further=further_unseeded([PYTHON], BLAMED))
    assert told.splitlines() == [
        "import random  # at the top of the file",
        "torch.manual_seed(0)  # at the start, before anything is drawn",
        "random.seed(0)  # random.shuffle draws without a seed at train.py:7",
    ]


CLOCK = Cause(
    code="clock", detail="", file="train.py", line=4, evidence="", fix="", confidence="likely"
)


def test_draws_without_a_seed_are_noted_beside_a_cause_that_is_none_of_them():
    told = note_of_unseeded([PYTHON, PYTHON, DRAWN], [CLOCK])
    assert told == (
        "also unseeded (whether it matters was not shown): random.shuffle at train.py:7, "
        "numpy.random.Generator.normal at train.py:6"
    )


def test_a_cause_that_says_what_to_seed_needs_no_such_note():
    assert note_of_unseeded([PYTHON], [CLOCK, replace(CLOCK, code="worker-rng")]) is None
    assert note_of_unseeded([], [CLOCK]) is None


def test_draws_of_a_run_are_those_that_nobody_seeded(make_run):
    trace = make_run()
    write_ledger(trace.folder, [PYTHON.row, replace(PYTHON.row, seeded=1), MADE.row])
    (drawn,) = drawn_unseeded(type(trace).open(trace.folder))
    assert drawn.row.detail == "random.shuffle"


def test_spaces_that_a_vector_of_environments_copies_take_no_seed():
    vector = "gymnasium.vector.sync_vector_env.SyncVectorEnv.__init__"
    made = replace(MADE, row=replace(MADE.row, detail=vector))
    assert further_unseeded([made], BLAMED) == []
    drawn = replace(PYTHON, row=replace(PYTHON.row, detail=vector))
    assert further_unseeded([made, drawn], BLAMED) != []
