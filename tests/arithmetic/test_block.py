"""`samebits.exact(...)` as a block: what it leaves, refuses and lets through."""

from __future__ import annotations

import contextlib
import os
import re
import threading

import pytest
import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

import samebits
from samebits.errors import NotExactError, UsageError

IMAGE, KERNEL = torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3)


def exp_bits() -> int:
    return torch.tensor([0.3]).exp().view(torch.int32).item()


def test_nested_blocks_and_an_exception_leave_the_process_as_it_was():
    def fails():
        with samebits.exact(), samebits.exact():
            torch.ones(3).exp()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    torch.special.bessel_j0(torch.ones(4))  # outside everything goes


def test_one_block_can_be_entered_again():
    block = samebits.exact()
    with block, block:
        assert exp_bits() == 0x3FACC82D
    with block:
        assert exp_bits() == 0x3FACC82D


def test_it_decorates_functions():
    @samebits.exact()
    def twice(x):
        """Doc."""
        return torch.special.bessel_j0(x) if x.numel() == 1 else x * 2

    assert twice(torch.ones(2)).tolist() == [2.0, 2.0]
    assert twice.__doc__ == "Doc."
    with pytest.raises(NotExactError):
        twice(torch.ones(1))


def test_another_thread_computes_as_it_did():
    found = []
    with samebits.exact():
        thread = threading.Thread(
            target=lambda: found.append(torch.special.bessel_j0(torch.zeros(2)).tolist())
        )
        thread.start()
        thread.join()
    assert found == [[1, 1]]


def test_a_refusal_names_the_operation_the_line_and_the_way_out():
    with samebits.exact(), pytest.raises(NotExactError) as caught:
        torch.special.bessel_j0(torch.ones(4))
    text = str(caught.value)
    assert "aten.special_bessel_j0" in text
    assert "test_block.py:" in text
    assert 'samebits.exact(allow={"aten.special_bessel_j0"})' in text


def test_what_is_allowed_goes_through_and_is_named():
    with samebits.exact(allow={"aten.special_bessel_j0"}) as block:
        torch.special.bessel_j0(torch.ones(4))
    assert block.allowed == {"aten.special_bessel_j0"}


@pytest.mark.parametrize(
    ("allow", "told"),
    [
        ("aten.special_bessel_j0", 'allow={"aten.special_bessel_j0"}'),
        ({"cumprod"}, "aten.cumprod"),
        ({"aten.cumprodd"}, "no operation 'aten.cumprodd'"),
        ({"aten.norm.Nothing"}, "no operation"),
        ({3}, "not of int"),
    ],
)
def test_allow_wants_a_set_of_names_that_there_are(allow, told):
    with pytest.raises(UsageError, match=re.escape(told)):
        samebits.exact(allow=allow)


@pytest.mark.parametrize("name", ["aten.conv2d", "aten.softmax.int", "aten.to", "aten::matmul"])
def test_what_torch_takes_apart_before_a_block_is_asked_cannot_be_allowed(name):
    with pytest.raises(UsageError, match=f"torch composes '{name}'"):
        samebits.exact(allow={name})


@pytest.mark.parametrize("surroundings", [torch.no_grad, torch.enable_grad, torch.inference_mode])
def test_torchs_composition_of_exact_parts_is_allowed_by_name(surroundings):
    x = torch.randn(3, 5, 4)
    with samebits.exact():
        parts = x.flatten(1).mm(x.flatten(1).t())
    with surroundings(), samebits.exact(allow={"aten.tensordot", "aten.einsum"}) as block:
        found = torch.tensordot(x, x, ([1, 2], [1, 2]))
    assert block.allowed == {"aten.tensordot"}
    assert found.equal(parts)


def test_allow_takes_an_overload_and_operations_of_others():
    samebits.exact(allow=["aten.norm.Scalar", "aten.exp.default", "lab::filter", "lab.other"])


def test_a_decorator_without_parentheses_is_told_so():
    with pytest.raises(UsageError, match=re.escape("@samebits.exact()")):
        samebits.exact(lambda: None)


def test_the_line_is_the_scripts_where_installed_code_lies_between():
    @contextlib.contextmanager
    def nothing():
        yield

    through_contextlib = nothing()(torch.special.bessel_j0)
    with samebits.exact(), pytest.raises(NotExactError, match=r"test_block\.py:\d+\."):
        through_contextlib(torch.ones(4))


def test_a_mode_of_the_scripts_own_sees_the_scripts_operations():
    class Names(TorchDispatchMode):
        seen: list[str] = []  # noqa: RUF012

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Names(), samebits.exact():
        torch.nn.functional.layer_norm(torch.ones(2, 3), (3,))
    assert Names.seen == ["aten.ones.default", "aten.native_layer_norm.default"]


def test_subnormals_are_kept_where_the_process_drops_them():
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush subnormal numbers")
    try:
        with samebits.exact():
            x = torch.tensor([1e-40]) * 0.5
            assert x.view(torch.int32).item() == 35681
            assert bool(x > 0)
        assert not bool(torch.tensor([1e-40]) * 1.0 > 0)
    finally:
        torch.set_flush_denormal(False)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: torch.ones(3, 4) @ torch.ones(3, 4), RuntimeError),
        (lambda: torch.ones(3) + torch.ones(4), RuntimeError),
        (lambda: torch.ones(3, 4) @ torch.ones(4, 4).double(), RuntimeError),
        (lambda: torch.empty(3).uniform_(2, 1), RuntimeError),
        (lambda: torch.ones(3).sum(2), IndexError),
        (
            lambda: torch.nn.functional.conv2d(torch.ones(1, 3, 4, 4), torch.ones(1, 2, 3, 3)),
            RuntimeError,
        ),
        (lambda: torch.nn.functional.nll_loss(torch.zeros(2, 3), torch.tensor([0, 3])), IndexError),
        (lambda: torch.ones(3).mul_(torch.ones(4)), RuntimeError),
        (lambda: torch.ones(1, 3).expand(2, 3).add_(1), RuntimeError),
        (lambda: functional.conv2d(IMAGE, KERNEL, stride=0), RuntimeError),
        (lambda: functional.conv2d(IMAGE, KERNEL, padding=-1), RuntimeError),
        (lambda: functional.conv2d(IMAGE, KERNEL.double()), RuntimeError),
        (lambda: functional.avg_pool2d(IMAGE, 2, padding=2), RuntimeError),
        (lambda: functional.max_pool2d(IMAGE, 9), RuntimeError),
        (lambda: torch.full((2,), 2.0).bernoulli(), RuntimeError),
        (lambda: torch.ones(3).clamp(), RuntimeError),
        (lambda: torch._foreach_clamp_min([torch.ones(2)], [1.0, 2.0]), RuntimeError),
        (lambda: torch._foreach_add([torch.ones(2)], [torch.ones(2)] * 2), RuntimeError),
        (lambda: torch.randn(-1), RuntimeError),
        (lambda: torch.randn(2, generator=3), TypeError),
        (lambda: torch.multinomial(torch.ones(2), 5), RuntimeError),
        (lambda: functional.dropout(torch.ones(2), 2.0), ValueError),
        (lambda: functional.embedding(torch.tensor([5]), torch.ones(3, 2)), IndexError),
        (lambda: functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2])), ValueError),
    ],
)
def test_bad_input_gives_torchs_kind_of_error(call, kind):
    with samebits.exact(), pytest.raises(kind):
        call()
    with pytest.raises(kind):
        call()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_computes_the_same_bits():
    torch.set_num_threads(3)
    with samebits.exact():
        a = torch.randn(200, 300)
        wanted = samebits.fingerprint(a @ a.t())
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.write(write, samebits.fingerprint(a @ a.t()).encode())
                code = 0
            finally:
                os._exit(code)
        os.close(write)
        found = os.read(read, 100).decode()
        os.close(read)
        assert os.waitpid(child, 0)[1] == 0
    assert found == wanted


def generated():
    yield torch.ones(1)


async def awaited():
    return torch.ones(1)


@pytest.mark.parametrize("function", [generated, awaited])
def test_it_refuses_to_decorate_what_runs_later(function):
    with pytest.raises(UsageError, match=r"samebits\.exact\(\) cannot decorate"):
        samebits.exact()(function)


def trained(compiled: bool) -> str:
    with samebits.exact():
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(5, 7), torch.nn.GELU(), torch.nn.Dropout(0.3), torch.nn.Linear(7, 2)
        )
        run = torch.compile(model, backend="aot_eager") if compiled else model
        optimizer = torch.optim.AdamW(model.parameters())
        for _ in range(2):
            optimizer.zero_grad()
            run(torch.randn(4, 5)).square().mean().backward()
            optimizer.step()
        return samebits.fingerprint(model)


def test_compiled_code_inside_is_exact():
    torch._dynamo.reset()
    assert trained(compiled=True) == trained(compiled=False)


def test_code_whose_first_run_lies_inside_is_exact():
    torch._dynamo.reset()
    double = torch.compile(lambda x: x.exp() * 2, backend="eager")
    with samebits.exact():
        found = double(torch.tensor([0.3]))
    assert found.view(torch.int32).item() == 0x402CC82D


def test_code_that_was_compiled_before_is_exact_inside():
    torch._dynamo.reset()
    x = torch.tensor([0.3])
    double = torch.compile(lambda x: x.exp() * 2, backend="aot_eager")
    double(x)
    with samebits.exact():
        found = double(x)
    assert found.view(torch.int32).item() == 0x402CC82D


def test_the_compiler_never_sees_how_exact_results_are_made():
    torch._dynamo.reset()
    seen = []

    def backend(graph, inputs):
        seen.append(graph)
        return graph.forward

    run = torch.compile(lambda x: torch.randn_like(x).softmax(0).cumsum(0), backend=backend)
    with samebits.exact():
        run(torch.ones(5))
    assert seen == []


@pytest.mark.parametrize("how", ["backward", "grad"])
def test_a_compiled_backward_pass_from_before_is_refused(how):
    import torch._dynamo

    torch._dynamo.reset()
    weight = torch.nn.Parameter(torch.ones(3))
    loss = torch.compile(lambda w: (w.exp() * 2).sum(), backend="aot_eager")(weight) * 3
    with samebits.exact(), pytest.raises(NotExactError, match="ran before the block"):
        loss.backward() if how == "backward" else torch.autograd.grad(loss, weight)
    assert weight.grad is None
    loss.backward()  # outside it is as it was
    assert weight.grad is not None


def test_backward_passes_of_anything_else_run():
    import torch._dynamo

    weight = torch.nn.Parameter(torch.ones(3))
    before = torch.autograd._engine_run_backward
    loss = (weight.exp() * 2).sum()
    with samebits.exact():
        loss.backward()
        assert torch.autograd._engine_run_backward is not before
    assert torch.autograd._engine_run_backward is before
    assert weight.grad is not None


def test_a_graph_that_must_be_whole_is_refused_by_the_compiler():
    torch._dynamo.reset()
    run = torch.compile(lambda x: x.exp(), backend="eager", fullgraph=True)
    with samebits.exact(), pytest.raises(RuntimeError, match="dispatch mode"):
        run(torch.ones(2))


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # torch's own use
def test_transforms_of_torch_func_are_exact():
    x = torch.tensor([0.3, -1.5, 0.7])
    with samebits.exact():
        one = x.exp().sin()
        assert torch.vmap(lambda row: row.exp().sin())(x.expand(3, 3))[1].equal(one)
        leaf = x.clone().requires_grad_()
        leaf.exp().sum().backward()
        assert torch.func.grad(lambda v: v.exp().sum())(x).equal(leaf.grad)
        assert torch.func.jvp(torch.exp, (x,), (torch.ones(3),))[1].equal(x.exp())


def test_blocks_of_several_threads_may_overlap():
    entered, leave = threading.Event(), threading.Event()
    before = torch._C._get_mkldnn_enabled()

    def other():
        with samebits.exact():
            entered.set()
            leave.wait(60)

    thread = threading.Thread(target=other)
    with samebits.exact():
        thread.start()
        assert entered.wait(60)
    assert not torch._C._get_mkldnn_enabled()  # the other block still wants it off
    leave.set()
    thread.join()
    assert torch._C._get_mkldnn_enabled() == before
