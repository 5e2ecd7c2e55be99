"""A generator with a seed that was asked more often in one of two runs, beside threads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import PLAIN_ARGUMENTS
from samebits.check.trials.attribution.drawn_more_often import drawn_more_often

THREAD = entry("thread", "start", 4)
OTHERS = entry("process", "start", 4)
MADE = entry("numpy-generator", "construct", 8, seeded=1)


def drawn(line=9, *, calls=(10, 12), **changes):
    pair = entry("numpy-generator", "draw", line, seeded=1, calls=calls[0], **changes)
    assert pair.other is not None
    return replace(pair, other=replace(pair.other, calls=calls[1]))


def told(*entries, **found):
    return drawn_more_often(Evidence(found=divergence(**found), entries=entries))


@pytest.mark.parametrize("found", [{}, {"data": False, "detail": PLAIN_ARGUMENTS}])
def test_the_first_line_that_drew_more_often_is_named(found):
    cause = told(THREAD, MADE, drawn(7, calls=(3, 3)), drawn(9), drawn(10), **found)
    assert (cause.code, cause.line, cause.confidence) == ("thread-timing", 9, "likely")
    assert "10 times in run A and 12 times in run B" in cause.evidence


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ((drawn(),), {}),
        ((OTHERS, drawn()), {}),
        ((THREAD, drawn(calls=(10, 10))), {}),
        ((THREAD, drawn(worker=1)), {}),
        ((THREAD, drawn(process=2)), {}),
        ((THREAD, entry("python", "draw", 3, seeded=0), drawn()), {}),
        ((THREAD, entry("numpy-generator", "construct", 8, seeded=1, other_digest=2), drawn()), {}),
        ((THREAD, drawn()), {"data": False}),
    ],
)
def test_nothing_is_said_where_something_else_may_have_decided(entries, found):
    assert told(*entries, **found) is None
