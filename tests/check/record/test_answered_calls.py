"""What RPC runs on threads of C++ is not recorded: where nothing else is, nobody says SAME."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from samebits.check.diff.out_of_reach import out_of_reach
from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace

SCRIPT = """
    import os
    import subprocess
    import sys

    import torch
    import torch.distributed.rpc as rpc

    def train():
        global weights
        weights = torch.rand(4) + 1
        return {returned}

    rank = int(os.environ.get("RANK", "0"))
    if rank == 0:
        other = subprocess.Popen([sys.executable, __file__], env={{**os.environ, "RANK": "1"}})
    options = rpc.TensorPipeRpcBackendOptions(init_method="file://" + os.path.abspath("store"))
    rpc.init_rpc(str(rank), rank=rank, world_size=2, rpc_backend_options=options)
    if rank == 0:
        answer = rpc.rpc_sync("1", train)
        {then}
    rpc.shutdown()
    if rank == 0:
        other.wait()
"""


@pytest.mark.parametrize(
    ("returned", "then", "lacking"),
    [
        ("None", "pass", "functions that were called by RPC"),
        ("weights", "answer * 2", None),
    ],
)
def test_a_training_that_nobody_recorded_is_not_compared(
    tmp_path, monkeypatch, returned, then, lacking
):
    monkeypatch.chdir(tmp_path)
    source = textwrap.dedent(SCRIPT).format(returned=returned, then=then)
    Path("agents.py").write_text(source)
    result = run_script(
        Target(script=Path("agents.py"), args=()),
        tmp_path / "run",
        RunPlan(level="op", capture_output=True),
    )
    assert result.exit_code == 0, result.stderr_tail
    trace = Trace.open(tmp_path / "run")
    assert trace.manifest.extra["answered"]
    assert next((one.name for one in out_of_reach(trace, trace)), None) == lacking
