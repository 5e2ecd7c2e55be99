"""No operation of torch raises an alarm by memory that it never wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import Flag

PROGRAM = Path(__file__).with_name("operator_database.py")


@pytest.mark.slow
@pytest.mark.skipif("sys.platform != 'linux'", reason="glibc fills fresh memory for this")
def test_fresh_memory_shows_in_no_row(tmp_path):
    traces = []
    for byte in (85, 170):
        folder = tmp_path / str(byte)
        environment = {**os.environ, "MALLOC_PERTURB_": str(byte), "PYTHONHASHSEED": "0"}
        done = subprocess.run(
            [sys.executable, PROGRAM, folder], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-2000:]
        attempted, failed, _ = map(int, done.stdout.split()[-3:])
        assert attempted > 10_000
        assert failed < attempted / 20
        traces.append(Trace.open(folder))
    assert traces[0].count_ops() == traces[1].count_ops() > 300_000
    a, b = map(columns, traces)
    hidden = (a["flags"] | b["flags"]) & (Flag.SCRATCH | Flag.OPAQUE)
    differs = (a["outputs"] != b["outputs"]) & (hidden == 0)
    assert set(a["name"][differs]) == set()
    assert (a["inputs"] == b["inputs"]).all()


def columns(trace: Trace) -> dict[str, np.ndarray]:
    """All rows of a trace, whose batches end where the time to write them came."""
    batches = list(trace.iter_ops())
    names = [np.array(batch.names["op"])[batch.columns["op"]] for batch in batches]
    found = {
        name: np.concatenate([batch.columns[name] for batch in batches])
        for name in ("flags", "outputs", "inputs")
    }
    return {**found, "name": np.concatenate(names)}
