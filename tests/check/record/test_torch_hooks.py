"""Hooks leave what they wrap as it was: to pickle, to interrupts, to other threads."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import threading
import weakref

import torch
from torch.utils.data import DataLoader, TensorDataset

import samebits


def test_a_hooked_function_pickles_and_copies_as_itself(scripts):
    plain, recorded, _ = scripts.both(
        """
        import copy, functools, pickle
        import torch
        again = pickle.loads(pickle.dumps(torch.save))
        print(again.__module__, again.__qualname__)
        print(pickle.loads(pickle.dumps(functools.partial(torch.save))).func.__qualname__)
        print(copy.deepcopy({"f": torch.save})["f"].__qualname__)
        """
    )
    assert recorded.stdout == plain.stdout
    assert recorded.stderr == plain.stderr


def test_hooked_functions_can_be_handled_as_before(tmp_path):
    with samebits.record(tmp_path / "run"):
        for function in (torch.Tensor.backward, torch._utils._rebuild_tensor):
            assert inspect.isfunction(function)
            assert weakref.ref(function)() is function
            assert pickle.loads(pickle.dumps(function)) is function
            assert pickle.loads(pickle.dumps(functools.partial(function))).func is function
            assert copy.deepcopy([function])[0] is function
            assert repr(function).startswith("<function ")
        call = pickle.loads(pickle.dumps(torch.nn.Module.__call__))
        assert call.__qualname__ == "Module._wrapped_call_impl"
        method = pickle.loads(pickle.dumps(torch.nn.Identity().__call__))
        assert method(torch.ones(1)) == 1
        assert pickle.loads(pickle.dumps(torch.ones(1).backward)).__name__ == "backward"


def test_call_sites_that_were_quickened_before_reach_the_hook_and_leave_it(tmp_path, watch):
    layer, value = torch.nn.Identity(), torch.ones(1)

    def forward():
        layer.__call__(value)
        layer(value)

    for recorded in (0, 2, 0, 2):
        for _ in range(200):
            forward()
        if recorded:
            assert watch(forward, level="module").ops == ["torch.nn.modules.linear.Identity"] * 2
    with samebits.record(tmp_path / "run", level="module") as run:
        pass
    forward()
    assert run.trace.count_ops() == 0


def test_an_interrupt_inside_print_reaches_the_script(scripts):
    plain, recorded, _ = scripts.both(
        """
        import os, signal
        def handler(number, frame):
            raise KeyboardInterrupt
        signal.signal(signal.SIGUSR1, handler)
        caught = 0
        for _ in range(200):
            try:
                os.kill(os.getpid(), signal.SIGUSR1)
                print("", end="")
            except KeyboardInterrupt:
                caught += 1
        print(caught)
        """
    )
    assert plain.stdout == b"200\n"
    assert (recorded.stdout, recorded.stderr) == (plain.stdout, plain.stderr)


def test_a_loader_read_by_a_thread_leaves_the_step_alone(watch):
    loader = DataLoader(TensorDataset(torch.arange(6.0)), batch_size=2)
    parameter = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([parameter], 0.1)

    def train(read_ahead: bool):
        if read_ahead:
            reader = threading.Thread(target=lambda: list(loader))
            reader.start()
            reader.join()
        parameter.sum().backward()
        optimizer.step()

    with_reader = watch(lambda: train(True)).trace.steps()["batch"][0]
    without = watch(lambda: train(False)).trace.steps()["batch"][0]
    assert with_reader == without == 0


def test_an_output_that_is_moved_next_to_freed_memory_is_only_read_where_it_is(scripts):
    _, recorded, _ = scripts.both(
        """
        import torch
        a, b = torch.ones(25_000_000), torch.ones(25_000_000)
        out = torch.empty(0)
        gone = torch.empty(25_000_000)
        del gone
        torch.add(a, b, out=out)
        print(out.sum().item())
        """
    )
    assert (recorded.code, recorded.stdout) == (0, b"50000000.0\n")


class Graphs:
    """A batch as libraries of graphs make it."""

    def __init__(self, x, stamp):
        self.stamp = stamp
        self.store = {"x": x, "edges": [torch.arange(4)]}


class Secret:
    """Nothing in it can be read."""

    __slots__ = ()


def digests_of_batches(watch, make):
    def train():
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loader = DataLoader(range(2), batch_size=1, collate_fn=lambda samples: make(samples[0]))
        for _ in loader:
            model(torch.ones(2)).sum().backward()
            optimizer.step()

    return watch(train).trace.steps()["batch"][:2].tolist()


def test_a_batch_that_is_an_object_counts_by_its_tensors(watch):
    first, second = digests_of_batches(watch, lambda i: Graphs(torch.full((3,), float(i)), i))
    assert 0 != first != second != 0
    # When it was made is no data.
    first, second = digests_of_batches(watch, lambda i: Graphs(torch.ones(3), i))
    assert first == second != 0


def test_a_batch_that_cannot_be_read_is_none(watch):
    assert digests_of_batches(watch, lambda _: Secret()) == [0, 0]
    assert digests_of_batches(watch, lambda i: [torch.tensor([i]), Secret()]) == [0, 0]
