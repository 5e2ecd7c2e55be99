"""Runs of several ranks, made up."""

from __future__ import annotations

import pytest
from tests.check.agreement.made_ranks import WRAPPED, rank
from tests.check.process_entries import process_entry

from samebits.check.agreement.findings import findings
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace


@pytest.fixture
def run(make_run):
    """A run whose ranks have these rows, steps and notes."""

    def make(ranks, script=None, **notes):
        entries = [
            process_entry(f"0.{n + 1}", rank=n if script is None else n + 1)
            for n in range(len(ranks))
        ]
        rows, steps, own = script or rank()
        if script is not None:
            own = {"distributed": {"rank": 0, "world": 1 + len(ranks)}, **own}
        made = make_run(rows, steps=steps, processes=entries, **own)
        for entry, (rows, steps, own) in zip(entries, ranks, strict=True):
            replicas = {"modules": [WRAPPED], "samplers": [], "steps": [], **notes, **own}
            folder = process_folder(made.folder, entry["name"])
            make_run(rows, steps=steps, folder=folder, replicas=replicas)
        return findings(Trace.open(made.folder))

    return make
