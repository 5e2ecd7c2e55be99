"""Memory that nobody wrote holds arbitrary bytes and raises no alarm; reading it for real does."""

from __future__ import annotations

import pytest

from samebits.compare.divergence import compare_traces
from samebits.record.launcher import run_script
from samebits.record.run import RunOptions, Target
from samebits.trace.reader import Trace

HARMLESS = """
    import copy
    import torch
    from torch import nn
    from torch.nn import functional

    torch.manual_seed(0)
    torch.set_num_threads(1)

    def scratch_of_kernels():
        for net in (nn.LSTM(5, 7, num_layers=2), nn.GRU(5, 7), nn.LSTM(5, 7, bidirectional=True)):
            net(torch.randn(4, 3, 5))[0].sum().backward()
            yield net.weight_hh_l0.grad
        bags = nn.EmbeddingBag(10, 3, mode="max")
        bags(torch.arange(6), torch.tensor([0, 2])).sum().backward()
        yield bags.weight.grad
        logits = torch.randn(8, 2, 5, requires_grad=True)
        lengths = torch.tensor([8, 5]), torch.tensor([3, 1])
        loss = functional.ctc_loss(logits.log_softmax(2), torch.randint(1, 5, (2, 3)), *lengths)
        loss.backward()
        yield logits.grad
        q = torch.randn(1, 2, 9, 5, requires_grad=True)
        functional.scaled_dot_product_attention(q, q, q).sum().backward()
        yield q.grad
        yield functional.rrelu(torch.randn(50, requires_grad=True), training=False)
        yield functional.pad(torch.randn(1, 2, 5, 5), (2, 1, 1, 2), mode="circular")

    def written_in_parts():
        e = torch.empty(1000)
        e[:500] = 1
        e[500:].fill_(2)
        yield e + 1
        e = torch.empty(1000)
        e.index_put_((torch.arange(500),), torch.ones(500))
        e.index_put_((torch.arange(500, 1000),), torch.ones(500))
        yield e * 2
        e = torch.empty(20, 30)
        for column in range(30):
            e[:, column] = column
        yield e.sum()
        e = torch.empty(40, 30)
        e.masked_fill_(torch.rand(40, 30) > 0.5, 1.0)
        e[:20].zero_(), e[20:].zero_()
        yield e.t().contiguous().mean(1)
        yield torch.empty(300).resize_(500).zero_() + 1
        yield torch.empty(200).copy_(torch.ones(200)) + torch.empty_like(torch.ones(200)).normal_()
        yield torch.sum(torch.ones(5, 70), 0, out=torch.empty(70)) + 1

    def never_read():
        torch.empty(300).to(torch.float64)
        copy.deepcopy(nn.ParameterList([torch.empty(300)]))
        torch.empty(400).view(20, 20).t().clone()
        torch.cat([torch.ones(3), torch.empty(0)])

    class Lazy(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.empty(100))

    lazy = copy.deepcopy(Lazy())
    never_read()
    for value in (*scratch_of_kernels(), *written_in_parts()):
        print(value.double().sum().item())
"""

HARMFUL = """
    import torch
    torch.ones(3)
    x = torch.empty(1000)
    print((x.nan_to_num() * 0 + x).shape)
"""


def run(folder, source, monkeypatch, byte):
    monkeypatch.setenv("MALLOC_PERTURB_", str(byte))
    target = Target(script=source)
    options = RunOptions(level="op", capture_output=True)
    result = run_script(target, folder / f"run-{byte}", options)
    assert (result.exit_code, result.stderr_tail) == (0, "")
    return Trace.open(result.folder)


@pytest.mark.skipif("sys.platform != 'linux'", reason="glibc fills fresh memory for this")
def test_bytes_that_mean_nothing_raise_no_alarm(scripts, monkeypatch):
    script = scripts.write(HARMLESS)
    verdict = compare_traces(*(run(scripts.folder, script, monkeypatch, b) for b in (1, 2)))
    assert verdict.first_divergence is None
    assert verdict.verdict == "same"


@pytest.mark.skipif("sys.platform != 'linux'", reason="glibc fills fresh memory for this")
def test_what_is_computed_from_unwritten_memory_is_found(scripts, monkeypatch):
    script = scripts.write(HARMFUL)
    verdict = compare_traces(*(run(scripts.folder, script, monkeypatch, b) for b in (1, 2)))
    assert verdict.first_divergence.op == "aten.nan_to_num"
    assert verdict.first_divergence.line == 5
