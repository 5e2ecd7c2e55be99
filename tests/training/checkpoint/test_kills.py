"""A training that is killed at any moment and started again ends with the bits of one that was not.

The longer run, of 200 kills, is benchmarks/kills.py itself; its result is committed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = Path(__file__).parents[3] / "benchmarks" / "kills.py"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_25_of_25_are_identical(tmp_path):
    result = tmp_path / "result.json"
    command = [sys.executable, str(KILLS), "--kills", "25", "--seed", "1", "--json", str(result)]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(result.read_text())
    assert told["identical"] == 25
    assert told["wrong"] == []
    assert told["outlived"] == 0
    assert told["interrupted"] >= 15  # most moments lie before the end
    assert min(told["killed"].values()) >= 2  # moments, saves and resumes
