"""Times the steps of a process that the script has started."""

from __future__ import annotations

import os

from samebits.check.record.cost import CostSamples
from samebits.check.record.cost_files import CostFiles
from samebits.check.record.cost_meter import CostMeter
from samebits.check.record.joined_group import when_joined
from samebits.check.record.plan import RecordedProcess
from samebits.check.record.processes.journal import Journal
from samebits.core import _native


def time_steps_here(process: RecordedProcess, journal: Journal, native: _native.Recorder) -> None:
    """Time them from here on; the process goes on until the launcher ends the run.

    Others may wait for it in a collective: it does not leave by itself.

    Args:
        process: This process and its plan, which asks for it.
        journal: Its own.
        native: Hears of the group that it joins.
    """
    assert process.plan.cost_steps is not None
    files, token = CostFiles(process.workspace), journal.token

    def done(samples: CostSamples) -> None:
        files.finish(token, samples)

    when_joined(native, lambda rank, world: journal.note("rank", str(rank), str(world)))
    CostMeter(
        process.plan.cost_steps,
        done,
        exact=process.plan.cost_exact,
        on_begin=lambda: files.begin(token, os.environ),
    ).start()
