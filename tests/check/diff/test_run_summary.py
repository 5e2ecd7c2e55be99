"""What a verdict says about one run, and the row of its table."""

from __future__ import annotations

import pytest

from samebits.check.diff.run_summary import run_summary
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
