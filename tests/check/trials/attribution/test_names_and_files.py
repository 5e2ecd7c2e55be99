"""Files that are put back so that pinned names are free again are no cause of their own."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import entry

from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.trials.attribution.side_effects import without_needs_of_names

NAME = entry("python", "draw", detail="tempfile.mkstemp")
UUID = entry("uuid", "draw", detail="uuid.uuid4")
FILES = Hypothesis(pin="files", code="data-changed", standing=Standing.NOTED)
SEEDS = Hypothesis(pin="seeds", code="unseeded-rng", standing=Standing.NOTED, entries=[NAME])


@pytest.mark.parametrize(("drawn", "left"), [(NAME, ["entropy"]), (UUID, ["entropy", "files"])])
def test_files_are_left_out_beside_names_of_files_alone(drawn, left):
    entropy = Hypothesis(pin="entropy", code="entropy", standing=Standing.NOTED, entries=[drawn])
    assert [one.pin for one in without_needs_of_names([entropy, FILES])] == left
    assert [one.pin for one in without_needs_of_names([SEEDS, FILES])] == ["seeds", "files"]
