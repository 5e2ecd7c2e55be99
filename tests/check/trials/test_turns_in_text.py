"""Who did what goes by the turns that threads take; what they computed does not."""

from __future__ import annotations

import pytest

from samebits.check.trials.turns_in_text import differ_by_turns

TASKS = "\n".join(f"[worker {{}}] task {number}" for number in range(4))


def said(*workers):
    return TASKS.format(*workers)


@pytest.mark.parametrize(
    ("a", "b", "turns"),
    [
        (said(0, 1, 0, 1), said(1, 0, 0, 1), True),
        (said(0, 1, 0, 1), said(1, 0, 0, 2), True),  # few
        ("waiting 3\nwaiting 2\nwaiting 1", "waiting 3\nwaiting 1\nwaiting 0", True),
        ("counted 419313", "counted 414242", False),
        ("total -11836.699219", "total -11836.703125", False),
        ("first: cat", "first: dog", False),
        ("first 3 0 1 2", "first 0 3 2 1", True),
        ("waiting 300", "waiting 200", False),
        ("took 3 of 4000", "took 5 of 4000", True),  # by its form a time
    ],
)
def test_turns(make_run, a, b, turns):
    plain = tuple(make_run([{}], printed=text) for text in (a, b))
    paces = tuple(make_run([{}], printed=text) for text in ("took 2 of 4000", "took 4 of 4000"))
    assert differ_by_turns(plain, paces) == turns
