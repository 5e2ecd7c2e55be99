"""Numbers by which a script counts its runs."""

from __future__ import annotations

import pytest

from samebits.core.catalog.run_numbers import without_run_numbers


@pytest.mark.parametrize(
    ("line", "bare", "numbers"),
    [
        ("run 3: 949 clips", "run #: 949 clips", [3]),
        (' "run": 12,', ' "run": #,', [12]),
        ("session_id=7, log version 0", "session_id=#, log version #", [7, 0]),
        ("Run #4", "Run ##", [4]),
        ("best run 3", "best run 3", []),
        ("run 0.5", "run 0.5", []),
        ("version 2.13", "version 2.13", []),
        ("prerun 3", "prerun 3", []),
        ("3 runs", "3 runs", []),
        ("run 3b", "run 3b", []),
    ],
)
def test_a_number_behind_such_a_word_counts(line, bare, numbers):
    assert without_run_numbers(line) == (bare, numbers)
