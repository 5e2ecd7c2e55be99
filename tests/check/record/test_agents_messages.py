"""What RPC agents tell each other as they come up is not recorded; what the script does is."""

from __future__ import annotations

import textwrap
from pathlib import Path

from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace

AGENTS = """
    import os
    import subprocess
    import sys

    import torch
    import torch.distributed.rpc as rpc

    rank = int(os.environ.get("RANK", "0"))
    if rank == 0:
        other = subprocess.Popen([sys.executable, __file__], env={**os.environ, "RANK": "1"})
    options = rpc.TensorPipeRpcBackendOptions(init_method="file://" + os.path.abspath("store"))
    before = torch.ones(2) + 1
    names = ("ps", "a-trainer")
    rpc.init_rpc(names[rank], rank=rank, world_size=2, rpc_backend_options=options)
    if rank == 0:
        asked = rpc.rpc_sync("a-trainer", torch.mul, (before, 3)) * 5
    rpc.shutdown()
    if rank == 0:
        other.wait()
"""


def test_messages_of_agents_are_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("agents.py").write_text(textwrap.dedent(AGENTS))
    command = Target(script=Path("agents.py"), args=())
    result = run_script(command, tmp_path / "run", RunPlan(level="op", capture_output=True))
    assert result.exit_code == 0, result.stderr_tail
    trace = Trace.open(tmp_path / "run")
    ops = [row.op for row in trace.rows(range(trace.count_ops()))]
    assert ops == ["aten.ones", "aten.add.Tensor", "aten.mul.Tensor"]
