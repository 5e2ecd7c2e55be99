from __future__ import annotations

import dataclasses
import json
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import samebits
from samebits.errors import UsageError
from samebits.training.control import capture, isolated_rng, restore, streams
from samebits.training.control.generator_objects import set_generator_state


def draws() -> tuple[float, float, float]:
    return random.random(), float(np.random.standard_normal()), float(torch.randn(()))


def test_a_block_leaves_no_mark() -> None:
    with isolated_rng():
        first = draws()
    with isolated_rng():
        random.seed(1)
        np.random.seed(1)
        torch.manual_seed(1)
        assert draws() != first
    with isolated_rng():
        assert draws() == first


def test_a_block_that_raises_leaves_no_mark() -> None:
    @isolated_rng()
    def fail() -> None:
        draws()
        raise KeyError("inside")

    before = capture().python
    with pytest.raises(KeyError):
        fail()
    # The guard of every test here sees whether anything else is left.
    assert capture().python == before


def test_nested_blocks_each_put_back_their_own() -> None:
    scope = isolated_rng()
    with scope:
        draws()
        with isolated_rng():
            inner = draws()
        assert draws() == inner
        with scope:
            again = draws()
        assert draws() == again


def test_one_odd_normal_number_is_part_of_the_state() -> None:
    """NumPy's legacy generator and random.gauss make normals in pairs and keep the second."""
    with isolated_rng():
        np.random.seed(0)
        random.seed(0)
        np.random.standard_normal()
        random.gauss(0.0, 1.0)
        with isolated_rng():
            kept = np.random.standard_normal(), random.gauss(0.0, 1.0)
        assert (np.random.standard_normal(), random.gauss(0.0, 1.0)) == kept


def test_decorates_functions_that_call_themselves() -> None:
    @isolated_rng()
    def count(n: int) -> int:
        """Count down."""
        draws()
        return 0 if n == 0 else 1 + count(n - 1)

    assert count(3) == 3
    assert count.__name__ == "count"
    assert count.__doc__ == "Count down."


def test_refuses_what_runs_after_the_call() -> None:
    def generator() -> Iterator[int]:
        yield 1

    async def coroutine() -> None: ...

    async def both():  # type: ignore[no-untyped-def]
        yield 1

    for late in (generator, coroutine, both):
        with pytest.raises(UsageError, match=r"write|Write `with isolated_rng\(\):` inside"):
            isolated_rng()(late)
    with pytest.raises(UsageError, match="can decorate a function"):
        isolated_rng()(3)  # type: ignore[type-var]


def test_capture_and_restore_go_there_and_back() -> None:
    with isolated_rng():
        here = capture()
        first = draws()
        there = capture()
        restore(here)
        assert draws() == first
        after = draws()
        restore(there)
        assert draws() == after


@pytest.mark.parametrize("which", ["python", "numpy", "torch_cpu", "streams"])
def test_where_one_generator_refuses_all_are_as_they_were(which: str) -> None:
    own = streams.Streams(3)
    own.numpy("noise").random()
    with isolated_rng():
        there = capture()
        draws(), own.numpy("noise").random()
        random.gauss(0, 1)
        wrong: Any = {
            "python": (3, (1,) * 625, "x"),
            "numpy": {**there.numpy, "state": 3},
            "torch_cpu": torch.zeros(5, dtype=torch.uint8),
            "streams": {own.number: {"numpy/noise": {"kind": "numpy", "state": {}}}},
        }[which]
        before = samebits.fingerprint(json.dumps(str(capture())).encode())
        with pytest.raises(Exception, match=r"."):
            restore(dataclasses.replace(there, **{which: wrong}))
        assert samebits.fingerprint(json.dumps(str(capture())).encode()) == before


def test_a_generator_that_refuses_a_state_stands_where_it_stood() -> None:
    python = random.Random(1)
    python.gauss(0, 1)
    before = python.getstate()
    with pytest.raises(ValueError, match="state vector"):
        set_generator_state(python, {"kind": "python", "state": (3, (1,) * 5, 2.5)})
    assert python.getstate() == before
    legacy = np.random.RandomState(1)
    known = str(legacy.get_state(legacy=False))
    state = {**legacy.get_state(legacy=False), "has_gauss": "x"}
    state["state"] = {"key": np.zeros(624, dtype=np.uint32), "pos": 1}
    with pytest.raises((ValueError, TypeError)):
        set_generator_state(legacy, {"kind": "numpy-legacy", "state": state})
    assert str(legacy.get_state(legacy=False)) == known


def test_capture_is_not_changed_by_what_is_drawn_later() -> None:
    with isolated_rng():
        state = capture()
        draws()
        restore(state)
        first = draws()
        restore(state)
        assert draws() == first


def test_a_device_that_was_not_running_gets_the_seed_it_would_have_started_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[int] = []
    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: True)
    monkeypatch.setattr(torch.cuda, "manual_seed_all", given.append)
    with isolated_rng():
        torch.default_generator.manual_seed(77)
        with isolated_rng():
            torch.default_generator.manual_seed(1)
    assert given[0] == 77


def test_running_devices_are_put_back_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    states = [torch.arange(16, dtype=torch.uint8), torch.ones(16, dtype=torch.uint8)]
    put_back: dict[int, torch.Tensor] = {}
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: list(states))
    monkeypatch.setattr(
        torch.cuda, "set_rng_state", lambda state, device: put_back.update({device: state})
    )
    with isolated_rng():
        states.reverse()
    assert torch.equal(put_back[0], states[1])
    assert torch.equal(put_back[1], states[0])


def test_calls_that_overlap_in_two_threads_each_put_back_their_own_state() -> None:
    inside, leave = threading.Event(), threading.Event()

    @isolated_rng()
    def hold(body: Callable[[], None]) -> None:
        body()

    def wait_inside() -> None:
        inside.set()
        assert leave.wait(timeout=60)

    def end_the_earlier_call() -> None:
        leave.set()
        earlier.join(timeout=60)
        assert random.getstate() == at_the_earlier_call

    with isolated_rng():
        at_the_earlier_call = random.getstate()
        earlier = threading.Thread(target=hold, args=(wait_inside,))
        earlier.start()
        assert inside.wait(timeout=60)
        random.seed(12345)
        hold(end_the_earlier_call)


def test_imports_nothing(run_python: Callable[..., str]) -> None:
    code = (
        "import random, sys\n"
        "from samebits.training.control import isolated_rng\n"
        "random.seed(0); first = random.random(); random.seed(0)\n"
        "with isolated_rng(): random.random()\n"
        "assert random.random() == first\n"
        "with isolated_rng(): import numpy\n"
        "print(sorted({'torch'} & set(sys.modules)))"
    )
    assert run_python(code) == "[]"


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_generators_are_put_back() -> None:
    torch.cuda.init()
    with isolated_rng():
        first = torch.rand(8, device="cuda")
    with isolated_rng():
        assert torch.equal(torch.rand(8, device="cuda"), first)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_started_inside_goes_back_to_its_seed(run_python: Callable[..., str]) -> None:
    code = (
        "import torch\n"
        "from samebits.training.control import isolated_rng\n"
        "torch.manual_seed(5)\n"
        "{0}\n"
        "print(torch.rand(3, device='cuda').tolist())"
    )
    inside = "with isolated_rng():\n torch.manual_seed(6); torch.rand(9, device='cuda')"
    assert run_python(code.format(inside)) == run_python(code.format("pass"))
