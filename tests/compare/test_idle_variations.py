"""Variations that found nothing to vary."""

from __future__ import annotations

import pytest

from samebits.compare.idle_variations import with_idle_told
from samebits.compare.verdict import Verdict


def entry(name, verdict, reason=""):
    return {"name": name, "verdict": verdict, "reason": reason}


NO_LOADER = entry("workers", "same", "the script made no DataLoader")
NO_FLAG = entry("batch", "not-applicable", "no option")
AGREES = entry("threads", "same")


@pytest.mark.parametrize(
    ("entries", "results", "nothing"),
    [
        ((NO_LOADER,), ["not-applicable"], True),
        ((NO_LOADER, NO_FLAG), ["not-applicable"] * 2, True),
        ((NO_FLAG,), ["not-applicable"], True),
        ((NO_LOADER, AGREES), ["not-applicable", "same"], False),
        ((entry("workers", "different"), NO_FLAG), ["different", "not-applicable"], False),
        ((), [], False),
    ],
)
def test_they_are_not_applicable_and_a_note_says_when_nothing_was_varied(entries, results, nothing):
    told = with_idle_told(Verdict(verdict="same", runs=(), variations=entries, notes=("before",)))
    assert [one["verdict"] for one in told.variations] == results
    assert told.notes[0] == "before"
    assert [note.startswith("nothing was varied") for note in told.notes[1:]] == [True] * nothing
