"""Code that is right gives no findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.lint.discovery import find_files
from samebits.lint.runner import lint_files

CLEAN = Path(__file__).parent / "clean"
FILES = find_files([CLEAN])


def test_there_are_enough_files():
    assert len(FILES) >= 40


def test_all_together_give_nothing():
    assert lint_files(FILES, jobs=1).findings == ()


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.path.relative_to(CLEAN)))
def test_each_by_itself_gives_nothing(file):
    assert lint_files([file], jobs=1).findings == ()


def test_the_same_check_finds_what_is_wrong(tmp_path):
    seeded = (CLEAN / "seeded_all.py").read_text()
    (tmp_path / "train.py").write_text(seeded.replace("torch.manual_seed(0)\n", ""))
    found = lint_files(find_files([tmp_path]), jobs=1).findings
    assert [f.code for f in found] == ["SB114", "SB114"]
