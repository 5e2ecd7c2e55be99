from __future__ import annotations

from samebits.check.diff.verdict import CAUSE_CODES
from samebits.core.catalog.causes import causes


def test_every_cause_that_a_verdict_can_name_is_explained():
    assert tuple(entry.code for entry in causes()) == CAUSE_CODES
    assert all(entry.meaning.endswith(".") and entry.look for entry in causes())
