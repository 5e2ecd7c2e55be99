"""What entered from outside is marked as data; what operations made is not."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Sampler, TensorDataset

from samebits.check.trace.reader import Trace


def data_ops(watched) -> list[str]:
    return [row.op.removeprefix("aten.") for row in watched.rows if row.data]


def test_arrays_enter_as_data_once(watch):
    def use():
        x = torch.from_numpy(np.arange(100.0))
        return x * 2, x + 1, x.view(10, 10).t() @ torch.ones(10, dtype=torch.float64)

    assert data_ops(watch(use)) == ["lift_fresh"]


def test_a_buffer_enters_where_it_is_first_used(watch):
    def use():
        x = torch.frombuffer(bytearray(range(100)), dtype=torch.uint8)
        return x * 2, x + 1

    assert data_ops(watch(use)) == ["mul.Tensor"]


def test_python_numbers_enter_as_data(watch):
    assert data_ops(watch(lambda: torch.tensor([1.0, 2.0]) * 2)) == ["lift_fresh"]


def test_the_same_data_have_the_same_digest_wherever_they_lie(watch):
    def use(array):
        return watch(lambda: torch.from_numpy(array) + 1).rows[0]

    row, again = use(np.arange(100.0)), use(np.concatenate([[7.0], np.arange(100.0)])[1:])
    assert row.data == again.data != use(np.arange(100.0)[::-1].copy()).data
    assert row.inputs == again.inputs


def test_what_operations_made_is_never_data(watch):
    def work():
        x = torch.randn(6, 8)
        x[1:3].zero_()
        x[:, 2].fill_(3)
        y = x * 2 + x.t().sum() + x[::2, 1:].mean() + x.expand(2, 6, 8).max()
        x.t()[0].add_(1)
        y.diagonal().mul_(x.view(-1)[:6])
        z = x.as_strided((3, 3), (1, 2)) + x.unfold(0, 2, 1).sum() + y.flatten()[3]
        e = torch.empty(4)
        e[:2] = z[0, :2]
        e[2:].fill_(1)
        net = torch.nn.LSTM(8, 4)
        net(y.detach())[0].sum().backward()
        return z, e * 2, net.weight_hh_l0.grad + 1, x.to(torch.bfloat16) + 1

    assert data_ops(watch(work)) == []


def test_many_tensors_are_all_remembered(watch):
    def work():
        parts = [torch.full((5,), i) for i in range(2000)]
        return torch.cat(parts)

    assert data_ops(watch(work)) == []


def test_memory_written_behind_torchs_back_is_data(watch):
    def work():
        array = np.zeros(1000, np.float32)
        x = torch.from_numpy(array)
        first = x + 1
        array[:] = 5
        return first, x + 1

    assert data_ops(watch(work)) == ["lift_fresh", "add.Tensor"]


def test_unwritten_memory_that_numpy_fills_is_data(watch):
    def work():
        x = torch.empty(1000)
        x.numpy()[:] = np.arange(1000)
        return x + 1

    watched = watch(work)
    assert data_ops(watched) == ["add.Tensor"]


def test_data_in_the_memory_of_a_dead_unwritten_tensor_is_data(watch):
    def work():
        for number in range(20):
            torch.empty(1000)
            torch.frombuffer(bytearray([number]) * 4000, dtype=torch.float32) + 1

    assert data_ops(watch(work)) == ["add.Tensor"] * 20


def test_batches_are_data_and_make_the_steps_digest(watch):
    inputs, labels = np.random.default_rng(0).random((8, 3)), np.arange(8)

    def work(shift=0.0):
        dataset = TensorDataset(torch.from_numpy(inputs + shift), torch.from_numpy(labels))
        w = torch.nn.Parameter(torch.zeros(3, dtype=torch.float64))
        optimizer = torch.optim.SGD([w], 0.1)
        for x, y in DataLoader(dataset, batch_size=4):
            (x @ w - y).square().sum().backward()
            optimizer.step()

    watched, again, other = watch(work), watch(work), watch(lambda: work(1.0))
    batches = [run.trace.steps()["batch"].tolist() for run in (watched, again, other)]
    assert batches[0] == batches[1]
    assert len(set(batches[0] + batches[2])) == 5  # two steps each, and 0 at both ends
    assert "data" in {row.phase for row in watched.rows}
    assert {row.phase for row in watched.rows if row.data} <= {"setup", "data", "forward"}


def test_what_a_loaders_worker_sends_is_data(scripts):
    script = scripts.write(
        """
        import torch
        from torch.utils.data import DataLoader, TensorDataset

        if __name__ == "__main__":
            loader = DataLoader(TensorDataset(torch.arange(64.0)), batch_size=32, num_workers=1)
            for (batch,) in loader:
                (batch * 2).sum()
        """
    )
    _, result = scripts.recorded(script.name)
    trace = Trace.open(result.folder)
    rows = [trace.row(i) for i in range(trace.count_ops())]
    products = [row for row in rows if row.op == "aten.mul.Tensor"]
    assert len(products) == 2
    assert all(row.data != 0 for row in products)
    assert all(row.data == 0 for row in rows if row.op == "aten.sum")


def test_a_loaded_tensor_is_data(watch, tmp_path):
    torch.save(torch.ones(40), tmp_path / "tensor.pt")
    watched = watch(lambda: torch.load(tmp_path / "tensor.pt") * 2)
    assert watched.row("mul.Tensor").data != 0


class Shuffled(Sampler):
    """Draws its whole order when it is asked for an iterator."""

    def __iter__(self):
        return iter(torch.randperm(6).tolist())


@pytest.mark.parametrize(
    ("batch_size", "sampler", "draws"),
    [(2, None, []), (2, Shuffled(), ["randperm"]), (None, Shuffled(), ["randperm"])],
)
def test_the_seed_for_workers_is_no_row(watch, batch_size, sampler, draws):
    loader = DataLoader(list(range(6)), batch_size=batch_size, sampler=sampler)
    watched = watch(lambda: [batch + 1 for batch in loader])
    assert [row.op for row in watched.rows if row.op in ("aten.random_", "aten.randperm")] == [
        f"aten.{name}" for name in draws
    ]
    own = watch(lambda: torch.empty((), dtype=torch.int64).random_().item())
    assert "aten.random_" in [row.op for row in own.rows]


def test_nor_is_it_where_there_are_workers(watch):
    loader = DataLoader(list(range(6)), batch_size=2, num_workers=1)
    assert "aten.random_" not in [row.op for row in watch(lambda: next(iter(loader)) + 1).rows]
