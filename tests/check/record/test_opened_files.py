"""Which files count as read: what an import opens takes no room from the script's own data."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record import opened_files
from samebits.check.record.opened_files import OpenedFiles


def test_code_of_libraries_takes_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_files, "_MOST_FILES", 3)
    library = tmp_path / "library"
    library.mkdir()
    modules = [library / f"module_{number}.pyc" for number in range(5)]
    data = tmp_path / "data.csv"
    for path in (*modules, data):
        path.write_text("1,2\n")

    files = OpenedFiles((str(library),))
    try:
        for path in (*modules, data):
            path.read_text()
    finally:
        files.stop()

    assert [read["path"] for read in files.inputs()] == [str(data)]


def test_code_that_a_script_writes_counts_as_written(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()

    files = OpenedFiles((str(tmp_path / "other"),))
    try:
        (library / "made.py").write_text("VALUE = 3\n")
    finally:
        files.stop()

    assert files.written() == [str(library / "made.py")]
    assert files.changed()["paths"] == [str(library / "made.py")]
