"""Lines that go through a weak collection."""

from __future__ import annotations

import pytest

from samebits.core.source.weak_collections import lines_that_walk_weak_collections

HELD = "self.shifts = weakref.WeakValueDictionary()\n"


@pytest.mark.parametrize(
    ("line", "walks"),
    [
        ("numbers = sorted(self.shifts)", True),
        ("x = [shift.reward for shift in memory.shifts.values()]", True),
        ("for number, shift in self.shifts.items(): pass", True),
        ("count = len(self.shifts)", True),
        ("shift = self.shifts[3]", False),
        ("shift = self.shifts.get(3)", False),
        ("numbers = sorted(self.recent)", False),
    ],
)
def test_what_goes_by_all_that_is_held_counts(tmp_path, line, walks):
    file = tmp_path / "memory.py"
    file.write_text(f"{HELD}{line}\n")
    assert lines_that_walk_weak_collections(str(file)) == ((2,) if walks else ())


def test_a_collection_that_holds_what_is_in_it_does_not(tmp_path):
    file = tmp_path / "memory.py"
    file.write_text("shifts: dict = {}\nnumbers = sorted(shifts)\n")
    assert lines_that_walk_weak_collections(str(file)) == ()


def test_a_name_that_something_else_goes_under_as_well_may_be_that(tmp_path):
    file = tmp_path / "memory.py"
    file.write_text(f"{HELD}self.shifts = list(rows)\nnumbers = sorted(self.shifts)\n")
    assert lines_that_walk_weak_collections(str(file)) == ()
