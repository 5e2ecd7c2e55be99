"""Blocks of shared memory in the order of the names that they were given."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.sorted_blocks import order_of_blocks

TILES = """\
block = SharedMemory(create=True, size=8)
blocks[block.name] = block
for name in sorted(blocks):
    tiles.append(blocks[name])
"""
MAKING = "multiprocessing.shared_memory.SharedMemory.__init__"


@pytest.fixture
def told(tmp_path):
    def ask(*more, source=TILES, detail=MAKING, **found):
        script = tmp_path / "tiles.py"
        script.write_text(source)
        drawn = entry("urandom", "draw", 1, detail=detail, other_digest=2)
        drawn = replace(drawn, row=replace(drawn.row, site=Site(str(script), 1, "f", "")))
        at = replace(divergence(), **{"data": True, **found})
        return order_of_blocks(Evidence(found=at, entries=(drawn, *more)))

    return ask


def test_the_line_that_sorts_them_is_told(told):
    cause = told()
    assert (cause.code, cause.line, cause.confidence) == ("entropy", 3, "likely")
    assert "tiles.py:1 without a name" in cause.evidence
    assert "in the order in which they were made" in cause.fix


def test_nothing_is_told_where_it_may_be_something_else(told):
    assert told(source=TILES.replace("sorted(blocks)", "blocks")) is None
    assert told(detail="secrets.token_hex") is None
    assert told(data=False) is None
    assert told(process="rank 1") is None
    assert told(entry("numpy", "draw", seeded=0)) is None
    assert told(entry("numpy", "seed", seeded=1, other_digest=2)) is None
