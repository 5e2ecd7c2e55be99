"""Lines that walk a weak collection, where threads decide when garbage is collected."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trials.attribution.weak_collections import walked_while_it_empties

SOURCE = "held = WeakSet()\nnumbers = sorted(held)\n"
STARTED = entry("thread", "start", 1)
UNSEEDED = entry("numpy", "draw", 3, seeded=0)


@pytest.fixture
def told(tmp_path, attempt):
    """What is said of a script."""

    def ask(source=SOURCE, entries=(STARTED,), **changes):
        script = tmp_path / "train.py"
        script.write_text(source)
        situation = attempt(found=divergence(**changes)).situation
        situation.traces[0].manifest.script["path"] = str(script)
        evidence = Evidence(found=situation.found, entries=entries)
        return walked_while_it_empties(situation, evidence)

    return ask


def test_the_line_is_named(told):
    cause = told()
    assert (cause.code, cause.line, cause.confidence) == ("thread-timing", 2, "likely")
    assert "goes through a weak collection" in cause.evidence
    assert "gc.collect()" in cause.fix


@pytest.mark.parametrize(
    "changes",
    [
        {"source": SOURCE + "count = len(held)\n"},
        {"source": "x = 1\n"},
        {"entries": ()},
        {"entries": (STARTED, UNSEEDED)},
        {"data": False},
    ],
    ids=["two lines", "no line", "nothing beside it", "unseeded", "no data"],
)
def test_otherwise_it_is_no_reason(told, changes):
    assert told(**changes) is None
