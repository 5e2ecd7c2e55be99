"""What a run has left where it is ended before its script is named, and not read."""

from __future__ import annotations

import pytest

from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace

SCRIPT = """
    import sqlite3
    import torch

    base = sqlite3.connect("rows.sqlite")
    base.execute("CREATE TABLE IF NOT EXISTS rows (number INTEGER)")
    base.execute("INSERT INTO rows VALUES (1)")
    base.commit()
    with open("log.txt", "w") as file:
        file.write("one line")
    (torch.ones(2) + 1).sum()
    """


@pytest.mark.parametrize(
    ("ends", "is_read"),
    [
        ({}, True),
        ({"stop_row": 1}, True),
        ({"steps": 1}, True),
        ({"stop_row": 1, "leaves_files_unread": True}, False),
    ],
)
def test_files_of_a_run_that_ends_early_are_not_read(scripts, ends, is_read):
    result = scripts.run(Target(script=scripts.write(SCRIPT)), **ends)
    files = Trace.open(result.folder).manifest.files
    assert {file["path"].rpartition("/")[2] for file in files} == {"rows.sqlite", "log.txt"}
    assert all((file["digest"] != "unread") is is_read for file in files)
