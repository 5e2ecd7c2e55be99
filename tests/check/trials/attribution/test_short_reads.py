"""Lines that take what has arrived so far off a pipe or a socket."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import OTHER_SHAPE
from samebits.check.trials.attribution.short_reads import read_in_parts

SOURCE = "link = socket.create_connection(address)\nraw = link.recv(1024)\n"
SHORT = f"{OTHER_SHAPE}: float32[4] in A, float32[3] in B"
STARTED = entry("process", "start", 1)
UNSEEDED = entry("numpy", "draw", 3, seeded=0)
LISTED = entry("listing", "list", 4, other_digest=2, order_free=5)


@pytest.fixture
def told(tmp_path, attempt):
    """What is said of a script."""

    def ask(source=SOURCE, entries=(STARTED,), *, nothing_else=False, **changes):
        script = tmp_path / "train.py"
        script.write_text(source)
        situation = attempt(found=divergence(**changes)).situation
        situation.traces[0].manifest.script["path"] = str(script)
        evidence = Evidence(found=situation.found, entries=entries)
        return read_in_parts(situation, evidence, nothing_else=nothing_else)

    return ask


def test_the_line_is_named(told):
    cause = told(detail=SHORT)
    assert (cause.code, cause.line, cause.confidence) == ("process-timing", 2, "likely")
    assert "as many bytes as have arrived" in cause.evidence
    assert "makefile" in cause.fix


@pytest.mark.parametrize(
    "changes",
    [
        {"source": SOURCE * 2},
        {"source": "x = 1\n"},
        {"entries": ()},
        {"entries": (STARTED, UNSEEDED)},
        {"data": False},
    ],
    ids=["two lines", "no line", "nothing beside it", "unseeded", "no data"],
)
def test_otherwise_it_is_no_reason(told, changes):
    assert told(nothing_else=True, **changes) is None


def test_what_else_may_explain_it_is_tried_before(told):
    assert told(entries=(STARTED, LISTED), detail=SHORT) is None
    assert told(entries=(STARTED, LISTED), nothing_else=True) is not None


def test_blocks_of_one_size_are_left_to_runs(told):
    assert told() is None
    assert told(nothing_else=True) is not None
