"""Memory that nobody wrote holds arbitrary bytes and raises no alarm; reading it for real does."""

from __future__ import annotations

import copy
import mmap

import numpy as np
import pytest
import torch

from samebits.check.diff.divergence import compare_traces
from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import Flag

HARMLESS = """
    import copy
    import pickle
    import numpy
    import torch
    from torch import nn
    from torch.nn import functional
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

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

    def storages():
        t = torch.empty(0).set_(torch.UntypedStorage(4096), 0, (1024,))
        yield t.detach().copy_(torch.arange(1024.0)) + 1
        s = torch.UntypedStorage(8)
        s.fill_(3)
        s.resize_(4000)
        t = torch.empty(0, dtype=torch.uint8).set_(s)
        t[8:] = 7
        yield t.float()
        t = torch.rand(10).resize_(500)
        t[10:] = 2
        yield t.clone()
        yield torch.rand(500).resize_(20).clone()
        yield torch.empty(0).set_(torch.UntypedStorage(16), 0, (100,)).zero_()
        t = torch.empty(50, 7)
        t.numpy()[:20] = numpy.ones((20, 7), numpy.float32)
        yield copy.deepcopy(t)[:20].sum()
        for t in (torch.Tensor(300), torch.rand(2).new(300), torch.rand(1).new_empty(300)):
            copy.deepcopy(t), t.clone()
            yield t.fill_(2).sum()

    def averages():
        net = nn.Linear(8, 4)
        mean = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
        target = pickle.loads(pickle.dumps(net))
        unused = nn.Parameter(torch.empty(77))
        optimizer = torch.optim.Adam([*net.parameters(), unused])
        for _ in range(2):
            optimizer.zero_grad()
            (net(torch.randn(4, 8)) - target(torch.randn(4, 8))).square().mean().backward()
            optimizer.step()
            mean.update_parameters(net)
            best = copy.deepcopy(net.state_dict()), copy.deepcopy(optimizer.state_dict())
            target.load_state_dict({name: value.clone() for name, value in best[0].items()})
        for module in (net, mean, target):
            yield torch.cat([p.detach().flatten() for p in module.parameters()])

    def copies_in_parts():
        half = torch.empty(400)
        half[:100] = torch.rand(100)
        half = copy.deepcopy(half)
        half[100:] = 0
        yield half.sum()
        columns = torch.empty(30, 4)
        for column in range(3):
            columns[:, column] = column
        yield copy.deepcopy(columns).t().contiguous().half()[:3].float().sum()
        yield columns[:, 0].clone().sum()

    lazy = copy.deepcopy(Lazy())
    never_read()
    values = [*scratch_of_kernels(), *written_in_parts(), *storages(), *copies_in_parts()]
    for value in (*values, *averages()):
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
    options = RunPlan(level="op", capture_output=True)
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


def reads_unwritten(row):
    return bool(row.flags & Flag.READS_UNWRITTEN)


def is_scratch(row):
    return bool(row.flags & Flag.SCRATCH)


def test_a_storage_that_is_filled_a_line_later_is_no_data(watch):
    def fill():
        memory = torch.empty(0).set_(torch.UntypedStorage(400), 0, (100,))
        memory.copy_(torch.ones(100))
        return memory * 2

    seen = watch(fill)
    assert is_scratch(seen.row("set_.source_Storage_storage_offset"))
    assert not any(row.data or reads_unwritten(row) for row in seen.rows)


def test_a_storage_that_is_not_filled_is_unwritten(watch):
    seen = watch(lambda: torch.empty(0).set_(torch.UntypedStorage(400), 0, (100,)) * 2)
    assert reads_unwritten(seen.row("mul.Tensor"))
    assert not seen.row("mul.Tensor").data


def test_a_deep_copy_reads_no_data(watch):
    source = torch.arange(50.0)

    def double():
        return copy.deepcopy(source + 1) * 2

    seen = watch(double)
    assert [row.op for row in seen.rows if row.data] == ["aten.add.Tensor"]
    assert not any(reads_unwritten(row) for row in seen.rows)


def test_memory_of_others_is_data_where_it_is_read(watch):
    def attach():
        storage = torch.frombuffer(bytearray(b"0123" * 50), dtype=torch.uint8).untyped_storage()
        return torch.empty(0, dtype=torch.uint8).set_(storage) + 1

    seen = watch(attach)
    assert not seen.row("set_.source_Storage").data
    assert seen.row("add.Tensor").data


def _mapped_file(folder):
    (folder / "numbers").write_bytes(bytes(range(200)))
    return folder / "numbers"


def _map(path):
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 0)


@pytest.mark.parametrize(
    "of_others",
    [
        pytest.param(lambda _: torch.frombuffer(bytearray(200), dtype=torch.uint8), id="buffer"),
        pytest.param(lambda _: torch.from_numpy(np.full(200, 3)), id="numpy"),
        pytest.param(lambda _: torch.from_dlpack(np.full(200, 3)), id="dlpack"),
        pytest.param(
            lambda folder: torch.from_file(
                str(_mapped_file(folder)), shared=True, size=200, dtype=torch.uint8
            ),
            id="from_file",
        ),
        pytest.param(
            lambda folder: torch.from_numpy(np.memmap(_mapped_file(folder), np.uint8, "r+")),
            id="memmap",
        ),
        pytest.param(
            lambda folder: torch.frombuffer(_map(_mapped_file(folder)), dtype=torch.uint8),
            id="mmap",
        ),
    ],
)
def test_memory_that_others_wrote_is_data_and_never_unwritten(watch, tmp_path, of_others):
    seen = watch(lambda: of_others(tmp_path) + 1)
    assert any(row.data for row in seen.rows)
    assert not any(reads_unwritten(row) for row in seen.rows)


def test_what_was_moved_to_shared_memory_was_written(watch):
    seen = watch(lambda: torch.arange(200).share_memory_() + 1)
    assert not any(reads_unwritten(row) for row in seen.rows)


def test_memory_of_others_at_the_address_of_freed_memory_is_written(watch):
    def reuse():
        found, between = 0, []
        # Torch's memory begins at a multiple of 64 bytes, NumPy's at one of 16: only where the heap
        # happens to be aligned can one follow the other, so it is moved on by 16 bytes at a time.
        for number in range(200):
            address = torch.empty(5000).data_ptr()
            theirs = torch.from_numpy(np.empty(5000, np.float32))
            found += theirs.data_ptr() == address
            theirs.clone()
            between.append(bytes(2000 + 16 * number))
        return found

    seen = watch(reuse)
    assert seen.result > 0
    assert not any(
        reads_unwritten(row) or is_scratch(row) for row in seen.rows if "clone" in row.op
    )


def test_what_numpy_writes_into_unwritten_memory_is_data(watch):
    def write(value):
        memory = torch.empty(200)
        memory.numpy()[7] = value
        memory.numpy()[8:] = value + np.arange(192)
        memory.numpy()[:7] = value
        return memory.clone()

    first, second = (watch(lambda value=value: write(value)) for value in (5, 6))
    for seen in (first, second):
        assert seen.row("clone").data
        assert not is_scratch(seen.row("clone"))
    assert first.row("clone").outputs != second.row("clone").outputs


def test_a_tensor_that_is_made_larger_keeps_what_it_held(watch):
    def grow():
        memory = torch.ones(10)
        memory.resize_(1000)
        memory[:10].neg()
        return memory.abs()

    seen = watch(grow)
    assert not reads_unwritten(seen.row("neg"))
    assert reads_unwritten(seen.row("abs"))


def test_a_tensor_that_is_made_smaller_was_written(watch):
    seen = watch(lambda: torch.ones(100).resize_(10).clone())
    assert not is_scratch(seen.row("clone"))
    assert seen.row("clone").outputs == watch(lambda: torch.ones(10)).row("ones").outputs


def test_a_storage_that_grows_is_unwritten_where_it_grew(watch):
    def grow():
        storage = torch.ones(100, dtype=torch.uint8).untyped_storage()
        storage.resize_(900)
        memory = torch.empty(0, dtype=torch.uint8).set_(storage)
        memory[:100].neg()
        return memory.abs()

    seen = watch(grow)
    assert not reads_unwritten(seen.row("neg"))
    assert reads_unwritten(seen.row("abs"))


@pytest.mark.parametrize(
    "copied",
    [
        copy.deepcopy,
        torch.clone,
        lambda t: t.t().contiguous().t(),
        lambda t: t.to(torch.float64),
        lambda t: torch.empty(20, 30).copy_(t),
        lambda t: torch._foreach_copy_([torch.empty(20, 30)], [t])[0],
    ],
    ids=["deepcopy", "clone", "transposed", "dtype", "copy", "foreach"],
)
def test_a_copy_is_unwritten_where_its_source_is(watch, copied):
    def half():
        memory = torch.empty(20, 30)
        memory[:, :10] = 1
        other = copied(memory)
        other[:, :10].neg()
        return other[:, 10:].abs()

    seen = watch(half)
    assert not reads_unwritten(seen.row("neg"))
    assert reads_unwritten(seen.row("abs"))


def test_columns_that_were_written_are_written(watch):
    def columns():
        memory = torch.empty(20, 3)
        memory[:, 1] = 4
        return memory[:, 1].clone()

    assert not is_scratch(watch(columns).row("clone"))


def test_what_an_operation_writes_between_unwritten_elements_leaves_them_unwritten(watch):
    # As circular padding does: it copies borders before all that lies between them is written.
    def copy_every_other() -> tuple[torch.Tensor, ...]:
        e = torch.empty(16)
        e[15] = 1.0
        e[4:15:2].copy_(e[5::2])
        return e[14] + 1, e[13] + 1

    run = watch(copy_every_other)
    _, copied = (row for row in run.rows if row.op == "aten.copy_")
    assert copied.flags & Flag.SCRATCH
    of_written, of_unwritten = (row for row in run.rows if row.op == "aten.add.Tensor")
    assert not of_written.flags & Flag.READS_UNWRITTEN
    assert of_unwritten.flags & Flag.READS_UNWRITTEN


def test_storages_are_made_as_before_once_the_recording_has_ended(watch):
    watch(lambda: torch.UntypedStorage(4))
    assert "__new__" not in vars(torch.UntypedStorage)
    assert torch.UntypedStorage(4).resize_(8).nbytes() == 8
