"""Two machines' parts of one training, recorded by two agents on this one, and collected."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from samebits.check.agreement.findings import findings
from samebits.check.diff.divergence import compare_traces
from samebits.check.trace.reader import Trace

SCRIPT = """
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
generator = torch.Generator().manual_seed(dist.get_rank())
for step in range(2):
    optimizer.zero_grad()
    model(torch.randn(8, 4, generator=generator)).sum().backward()
    if APART and dist.get_rank() == 1 and step == 1:
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
dist.destroy_process_group()
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def record(folder, *, apart):
    """Two agents, each under `samebits run`, that find each other by an address."""
    folder.mkdir()
    (folder / "train.py").write_text(SCRIPT.replace("APART", str(apart)))
    port, agents = free_port(), []
    for node in range(2):
        command = [
            *(sys.executable, "-m", "samebits", "run", "--out", f"part-{node}", "-m"),
            *("torch.distributed.run", "--nnodes", "2", "--node-rank", str(node)),
            *("--master-addr", "127.0.0.1", "--master-port", str(port), "train.py"),
        ]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        agents.append(subprocess.Popen(command, cwd=folder, env=environment))
    assert [agent.wait(timeout=120) for agent in agents] == [0, 0]
    return folder


def collect(folder):
    command = [sys.executable, "-m", "samebits", "collect", "part-1", "part-0", "-o", "run"]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="gloo's agents are tried on Linux")
def test_two_agents_parts_are_one_run(tmp_path):
    one, other = (record(tmp_path / name, apart=name == "b") for name in "ab")
    assert collect(one).splitlines()[0] == "samebits: collected in run: 2 ranks of 2 parts"
    told = collect(other)
    assert "replicas-disagree: after step 1 the parameters of ranks 0 and 1 differ" in told
    a, b = (Trace.open(folder / "run") for folder in (one, other))
    assert [one.name for one in compare_traces(a, a).runs[0].processes] == ["rank 0", "rank 1"]
    assert findings(a) == ()
    (found,) = findings(b)
    assert (
        found.line
        == SCRIPT.splitlines().index("        nn.utils.clip_grad_norm_(model.parameters(), 0.1)")
        + 1
    )
    verdict = compare_traces(a, b)
    assert verdict.first_divergence.process == "rank 1"
    assert verdict.first_divergence.line == found.line
    worlds = [p["world"] for p in a.manifest.processes if p["rank"]]
    assert worlds == ["2", "2"]


def test_a_part_that_is_no_run_is_a_message(cli, tmp_path):
    (tmp_path / "part").mkdir()
    result = cli("collect", "part", "-o", "run")
    assert result.exit_code == 2
    assert result.stderr.startswith("samebits: error: cannot read part/manifest.json")
    result = cli("collect", "nope://x", "-o", "run")
    assert result.exit_code == 2
    assert "cannot read nope://x: " in result.stderr


def test_a_folder_that_holds_something_is_left_alone(cli, tmp_path):
    Path(tmp_path, "run").mkdir()
    Path(tmp_path, "run", "kept").write_text(json.dumps(1))
    result = cli("collect", "part", "-o", "run")
    assert result.exit_code == 2
    assert "-o OUT" in result.stderr
