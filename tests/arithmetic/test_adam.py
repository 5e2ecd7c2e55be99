"""Adam in one pass: the bits of the separate operations; torch's function elsewhere."""

from __future__ import annotations

import threading

import pytest
import torch
from torch.optim import adam
from torch.utils._python_dispatch import TorchDispatchMode

import samebits
from samebits.arithmetic import _exact

SHAPES = [(), (1,), (7,), (16,), (33, 65), (2, 3, 5, 7), (40000,)]
SPECIAL = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-42, -1e-42, 3e38, 1e-30]


def parameters(dtype: torch.dtype) -> list[torch.Tensor]:
    """Parameters of many shapes with gradients, special values among both."""
    generator = torch.Generator().manual_seed(3)
    found = []
    for shape in SHAPES:
        values, gradient = (torch.randn(shape, dtype=dtype, generator=generator) for _ in range(2))
        for at, tensor in ((0, values), (3, gradient)):
            if tensor.numel() > 20:
                tensor.view(-1)[at : at + len(SPECIAL)] = torch.tensor(SPECIAL, dtype=dtype)
        parameter = torch.nn.Parameter(values)
        parameter.grad = gradient
        found.append(parameter)
    return found


def trained(optimizer_class, dtype, *, steps=3, **settings) -> list[str]:
    """Digests of parameters and states after some steps inside exact()."""
    given = parameters(dtype)
    optimizer = optimizer_class(given, **settings)
    with samebits.exact():
        for _ in range(steps):
            optimizer.step()
            for parameter in given:
                parameter.grad = parameter.grad * 0.7
    states = [value for p in given for value in optimizer.state[p].values()]
    return [str(samebits.fingerprint(tensor.detach())) for tensor in [*given, *states]]


@pytest.fixture
def separately(monkeypatch):
    """torch's own function, operation by operation."""
    monkeypatch.setattr(_exact, "adam", lambda *_: False)


@pytest.fixture
def passes(monkeypatch) -> list[bool]:
    """Whether each parameter's step was taken in one pass."""
    found = []
    native = _exact.adam

    def counting(*arguments):
        found.append(native(*arguments))
        return found[-1]

    monkeypatch.setattr(_exact, "adam", counting)
    return found


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("optimizer", "settings"),
    [
        (torch.optim.AdamW, {}),
        (torch.optim.AdamW, {"weight_decay": 0}),
        (torch.optim.AdamW, {"lr": 1, "betas": (0.0, 0.5), "eps": 1e-3}),
        (torch.optim.Adam, {}),
        (torch.optim.Adam, {"weight_decay": 0.1, "betas": (0.5, 0.25)}),
    ],
)
def test_one_pass_has_the_bits_of_the_operations(optimizer, settings, dtype, passes, request):
    at_once = trained(optimizer, dtype, **settings)
    assert passes == [True] * (3 * len(SHAPES))
    request.getfixturevalue("separately")
    assert trained(optimizer, dtype, **settings) == at_once


@pytest.mark.parametrize("build", ["plain", "avx2", "avx512"])
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_bits_depend_on_neither_build_nor_threads(build, threads):
    before, number = _exact.isa(), torch.get_num_threads()
    expected = trained(torch.optim.AdamW, torch.float32)
    if not _exact.set_isa(build):
        pytest.skip(f"this processor has no {build}")
    torch.set_num_threads(threads)
    try:
        assert trained(torch.optim.AdamW, torch.float32) == expected
    finally:
        torch.set_num_threads(number)
        _exact.set_isa(before)


@pytest.mark.parametrize(
    "settings",
    [
        {"amsgrad": True},
        {"maximize": True},
        {"lr": torch.tensor(0.01)},
        {"foreach": True},
    ],
)
def test_what_is_not_plain_is_left_to_torch(settings, passes):
    trained(torch.optim.AdamW, torch.float32, **settings)
    assert not passes


def test_a_parameter_that_is_not_plain_is_left_to_torch_alone(passes):
    given = [torch.nn.Parameter(torch.ones(4, 6).t()), torch.nn.Parameter(torch.ones(4, 6))]
    halves = torch.nn.Parameter(torch.ones(5, dtype=torch.float16))
    optimizer = torch.optim.AdamW([*given, halves], eps=1e-3)
    for parameter in (*given, halves):
        parameter.grad = torch.ones_like(parameter)
    with samebits.exact():
        optimizer.step()
    assert passes == [False, True, False]
    assert {float(optimizer.state[p]["step"]) for p in (*given, halves)} == {1.0}
    assert torch.equal(given[0].t(), given[1])


def test_memory_that_is_shared_is_left_to_torch(passes):
    parameter = torch.nn.Parameter(torch.ones(8))
    optimizer = torch.optim.AdamW([parameter])
    parameter.grad = parameter.detach()
    with samebits.exact():
        optimizer.step()
    assert passes == [False]


def test_autograd_knows_that_the_parameter_changed():
    parameter = torch.nn.Parameter(torch.ones(8))
    optimizer = torch.optim.AdamW([parameter])
    parameter.grad = torch.ones(8)
    with samebits.exact():
        loss = (parameter * parameter).sum()
        optimizer.step()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


def test_torchs_function_is_back_after_the_last_block():
    before = adam._single_tensor_adam
    with samebits.exact():
        inside = adam._single_tensor_adam
        with samebits.exact():
            assert adam._single_tensor_adam is inside
        assert adam._single_tensor_adam is inside
    assert inside is not before
    assert adam._single_tensor_adam is before


def test_who_replaced_it_meanwhile_keeps_it(monkeypatch):
    def own(*_, **__):
        raise AssertionError

    monkeypatch.setattr(adam, "_single_tensor_adam", adam._single_tensor_adam)
    with samebits.exact():
        adam._single_tensor_adam = own
    assert adam._single_tensor_adam is own


def test_an_unknown_function_of_torch_is_left_alone(monkeypatch):
    def other(params, grads):
        raise AssertionError

    monkeypatch.setattr(adam, "_single_tensor_adam", other)
    with samebits.exact():
        assert adam._single_tensor_adam is other


def test_another_thread_outside_the_block_has_torchs_own(passes):
    parameter = torch.nn.Parameter(torch.ones(8))
    optimizer = torch.optim.AdamW([parameter])
    parameter.grad = torch.ones(8)
    with samebits.exact():
        thread = threading.Thread(target=optimizer.step)
        thread.start()
        thread.join()
    assert not passes
    assert float(optimizer.state[parameter]["step"]) == 1.0


class Watching(TorchDispatchMode):
    """Counts the operations that it sees."""

    seen = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen += 1
        return func(*args, **(kwargs or {}))


def test_who_watches_operations_sees_each_of_them(passes):
    with Watching() as watching, samebits.exact():
        parameter = torch.nn.Parameter(torch.ones(8))
        optimizer = torch.optim.AdamW([parameter])
        parameter.grad = torch.ones(8)
        before = watching.seen
        optimizer.step()
    assert watching.seen - before > 8
    assert not passes


def test_what_is_let_through_is_not_computed_here(passes):
    parameter = torch.nn.Parameter(torch.ones(8))
    optimizer = torch.optim.AdamW([parameter])
    parameter.grad = torch.ones(8)
    with samebits.exact(allow={"aten.addcdiv_"}):
        optimizer.step()
    assert not passes


def test_the_names_of_torchs_arguments_are_the_known_ones():
    with samebits.exact():
        assert adam._single_tensor_adam.__module__ == "samebits.arithmetic.optimizers"
    assert adam._single_tensor_adam.__module__ == "torch.optim.adam"


def test_a_gradient_whose_sign_is_turned_by_a_bit(passes):
    parameter = torch.nn.Parameter(torch.ones(1))
    parameter.grad = torch.tensor([1 + 2j]).conj().imag
    assert parameter.grad.is_neg()
    optimizer = torch.optim.AdamW([parameter], lr=0.1)
    with samebits.exact():
        optimizer.step()
    assert not passes
    assert float(parameter.detach()) > 1
