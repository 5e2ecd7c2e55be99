"""A compiled program runs compiled while it is recorded, with the same results."""

from __future__ import annotations

import pytest

from samebits.check.trace.reader import Trace

COMPILED = """
    import torch
    from torch import nn

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 1))
    fast = torch.compile(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(3):
        loss = fast(torch.randn(4, 8)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item().hex())
    from torch._dynamo.utils import counters
    print(counters["stats"]["unique_graphs"], dict(counters["graph_break"]))
"""


@pytest.mark.slow
def test_a_compiled_script_stays_compiled(scripts, monkeypatch, tmp_path):
    # One cache for both, so that the second need not compile again.
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "cache"))
    plain, recorded, result = scripts.both(COMPILED)
    assert plain.code == 0, plain.stderr.decode()
    assert recorded == plain
    trace = Trace.open(result.folder)
    assert trace.manifest.counts["steps"] == 3
    ops = {trace.row(i).op for i in range(trace.count_ops())}
    assert "aten.gelu" not in ops  # it happens inside of a compiled region
    assert "aten.pow.Tensor_Scalar" in ops  # of the loss, outside
