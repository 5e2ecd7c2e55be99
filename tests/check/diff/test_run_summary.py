"""What a verdict says about one run, and the row of its table."""

from __future__ import annotations

import pytest

from samebits.check.diff.run_summary import run_summary
from samebits.check.diff.verdict import ProcessSummary, RunSummary
from samebits.check.report.run_rows import run_rows


@pytest.mark.parametrize(
    ("distributed", "rank", "name"),
    [
        ({"rank": 0, "world": 2}, 0, "1 (rank 0)"),  # as Lightning has it
        ({"rank": 0, "world": 1}, None, "1"),
        ({}, None, "1"),
        ({"rank": "0", "world": 2}, None, "1"),
    ],
)
def test_a_script_that_is_one_of_several_ranks_says_which(make_run, distributed, rank, name):
    summary = run_summary(make_run([{}], distributed=distributed))
    assert summary.rank == rank
    assert run_rows([summary])[0].name == name


@pytest.mark.parametrize(
    ("complete", "seconds", "shown"), [(False, 0.0, "?"), (True, 0.0, "0.0"), (False, 2.5, "2.5")]
)
def test_how_long_a_killed_process_ran_is_unknown(complete, seconds, shown):
    process = ProcessSummary(
        name="rank 0",
        label="rank 0",
        folder="a/processes/0.2",
        steps=3,
        ops=100,
        exit_code=-15,
        seconds=seconds,
        complete=complete,
    )
    run = RunSummary(folder="a", steps=0, ops=0, exit_code=-15, seconds=9.0, processes=(process,))
    assert run_rows([run])[1].seconds == shown
