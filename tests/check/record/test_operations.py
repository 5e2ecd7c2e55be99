"""Every kind of operation is recorded, runs as it would unwatched, and repeats row by row."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional

import samebits
from samebits.check.trace.schema import Flag

# torch's own, about kinds of tensors that it calls beta or deprecated.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:torch", "ignore:.*(beta|deprecated|prototype):UserWarning"
)

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


@case
def in_place_through_a_view():
    x = torch.zeros(4)
    x[1:3].add_(1)
    return x * 2


@case
def aliases():
    x = torch.randn(2, 6)
    same = x.view(3, 4).t().detach()
    x.mul_(2)
    return same + 1, x.expand(5, 2, 6) * 3


@case
def sparse_coo():
    s = torch.sparse_coo_tensor([[0, 1], [1, 0]], torch.randn(2), (2, 2), check_invariants=False)
    return torch.sparse.mm(s.coalesce(), torch.ones(2, 2)), s.to_dense()


@case
def sparse_csr():
    s = torch.eye(3).to_sparse_csr()
    return s @ torch.randn(3, 2)


@case
def quantized():
    q = torch.quantize_per_tensor(torch.randn(4), 0.1, 0, torch.quint8)
    return q.dequantize() + 1


@case
def nested_jagged():
    parts = [torch.randn(2, 3), torch.randn(4, 3)]
    return (torch.nested.nested_tensor(parts, layout=torch.jagged) * 2).values()


@case
def nested_strided():
    n = torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)])
    return (n * 2).to_padded_tensor(0.0)


@case
def conjugate_and_negative_views():
    x = torch.randn(4, dtype=torch.complex64)
    y = x.conj()
    return y * 2, y.imag + 1, torch._neg_view(x.real) * 3, torch.view_as_real(y.resolve_conj())


@case
def eight_bit_floats():
    x = torch.randn(8).to(torch.float8_e4m3fn)
    return x.to(torch.float32) + 1, x.view(torch.uint8)


@case
def subclass_by_function():
    class Named(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs or {})

    return (torch.randn(3).as_subclass(Named) + 1).sum().as_subclass(torch.Tensor)


@case
def subclass_by_dispatch():
    from torch.testing._internal.two_tensor import TwoTensor

    both = TwoTensor(torch.randn(3), torch.zeros(3)) * 2 + 1
    return both.a, both.b


@case
def fake_tensors():
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        shape = (torch.empty(4) + 1).shape
    return torch.randn(*shape)


@case
def meta_tensors():
    x = torch.empty(4, 4, device="meta")
    return torch.randn(*(x @ x).shape)


@case
def compiled():
    torch._dynamo.reset()

    @torch.compile(backend="aot_eager")
    def f(x):
        return (x * 2).sin().sum()

    x = torch.randn(3, requires_grad=True)
    f(x).backward()
    return x.grad


@case
def scripted_and_traced():
    double = torch.jit.script(_double)
    line = torch.jit.trace(nn.Linear(3, 3), torch.ones(1, 3))
    return [line(double(torch.ones(1, 3))) for _ in range(3)]


def _double(x: torch.Tensor) -> torch.Tensor:
    return x * 2 + x.sin()


@case
def autocast():
    line = nn.Linear(8, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = line(torch.randn(2, 8))
    y.float().sum().backward()
    return y, line.weight.grad


@case
def checkpointed():
    from torch.utils.checkpoint import checkpoint

    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    x = torch.randn(2, 4, requires_grad=True)
    for reentrant in (True, False):
        checkpoint(net, x, use_reentrant=reentrant).sum().backward()
    return x.grad


@case
def function_transforms():
    from torch.func import functional_call, grad, hessian, jvp, vmap

    def f(x):
        return (x.sin() ** 2).sum()

    line = nn.Linear(3, 2)
    call = vmap(lambda x: functional_call(line, dict(line.named_parameters()), (x,)))
    return (
        vmap(grad(f))(torch.randn(3, 4)),
        hessian(f)(torch.ones(3)),
        jvp(f, (torch.ones(3),), (torch.ones(3),)),
        call(torch.randn(5, 3)),
        vmap(lambda x: x + torch.randn(2), randomness="different")(torch.ones(3, 2)),
    )


@case
def own_autograd_function():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return 2 * x * gradient

    x = torch.randn(3, requires_grad=True)
    Square.apply(x).sum().backward()
    return x.grad


@case
def double_backward():
    x = torch.randn(3, requires_grad=True)
    (gradient,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    gradient.pow(2).sum().backward()
    return x.grad


@case
def forward_mode():
    import torch.autograd.forward_ad as forward_ad

    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.randn(3), torch.ones(3))
        return forward_ad.unpack_dual(dual.sin() * 2).tangent


@case
def hooks():
    line, seen = nn.Linear(3, 3), []
    line.register_forward_hook(lambda module, args, output: output * 2)
    line.register_full_backward_hook(lambda *_: seen.append(1))
    line.weight.register_hook(lambda gradient: gradient * 3)
    line(torch.randn(2, 3, requires_grad=True)).sum().backward()
    return line.weight.grad, len(seen)


@case
def lbfgs_closures():
    line, x = nn.Linear(3, 1), torch.randn(5, 3)
    optimizer = torch.optim.LBFGS(line.parameters(), max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = line(x).pow(2).mean()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return line.weight


@case
def several_optimizers():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    optimizers = [
        torch.optim.AdamW(net[0].parameters(), foreach=True),
        torch.optim.SGD(net[1].parameters(), 0.1, momentum=0.9, fused=True),
        torch.optim.Adam(net.parameters(), fused=True),
        torch.optim.SparseAdam([nn.Parameter(torch.randn(3))]),
    ]
    for _ in range(2):
        net(torch.randn(4, 3)).sum().backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    return net[0].weight, net[1].weight


@case
def higher_order_operations():
    from torch._higher_order_ops.wrap import wrap

    return wrap(lambda x: x.sin() + 1, torch.randn(3))


@case
def own_mode():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counts(TorchDispatchMode):
        seen = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen += 1
            return func(*args, **(kwargs or {}))

    with Counts() as mode:
        y = torch.randn(3) * 2
    return mode.seen, y


@case
def errors():
    try:
        torch.ones(2, 3) @ torch.ones(2, 3)
    except RuntimeError as error:
        return type(error).__name__, str(error)


@case
def symbolic_trace():
    return torch.fx.symbolic_trace(nn.Sequential(nn.Linear(3, 3), nn.ReLU()))(torch.ones(1, 3))


@case
def exported():
    program = torch.export.export(nn.Sequential(nn.Linear(3, 3), nn.ReLU()), (torch.ones(1, 3),))
    return program.module()(torch.ones(1, 3))


@case
def copied_modules():
    module = nn.ModuleList([nn.Linear(3, 3), nn.LSTM(3, 3)])
    again = copy.deepcopy(module), pickle.loads(pickle.dumps(module))
    return [m[0](torch.ones(1, 3)) for m in again], [m[1].weight_hh_l0 for m in again]


@case
def lstm():
    net = nn.LSTM(3, 4, num_layers=2, dropout=0.1)
    net(torch.randn(5, 2, 3))[0].sum().backward()
    return net.weight_hh_l0.grad


@case
def attention():
    q = torch.randn(1, 2, 8, 16, requires_grad=True)
    functional.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
    return q.grad


@case
def no_outputs_no_elements():
    torch._foreach_add_([torch.ones(2)], 1.0)
    torch.ops.aten._assert_async(torch.tensor(True))
    return torch.ones(0, 3).sum(), torch.empty(0)


@case
def not_numbers():
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0])
    return x * 2, torch.log(x), x.sum()


@case
def resized_storage():
    x = torch.randn(4)
    x.untyped_storage().resize_(0)
    x.untyped_storage().resize_(16)
    return x.copy_(torch.ones(4))


@case
def inference_mode():
    with torch.inference_mode():
        return nn.Linear(3, 3)(torch.randn(2, 3)).add_(1).clone()


@pytest.mark.parametrize("name", CASES)
def test_a_kind_of_operation_runs_as_unwatched_and_repeats(name, watch):
    outcomes = []
    for how in ("unwatched", "watched", "again"):
        torch.manual_seed(0)
        outcomes.append(CASES[name]() if how == "unwatched" else watch(CASES[name]))
    unwatched, first, again = outcomes
    assert samebits.fingerprint(first.result) == samebits.fingerprint(unwatched)
    assert samebits.fingerprint(again.result) == samebits.fingerprint(unwatched)
    assert [replace(row, data=0) for row in first.rows] == [
        replace(row, data=0) for row in again.rows
    ]
    assert first.rows, "nothing was recorded"
    # What it ends with was computed on memory that could be read.
    comparable = [row for row in first.rows if not row.flags & (Flag.SCRATCH | Flag.OPAQUE)]
    assert comparable
    assert all(row.outputs for row in comparable if row.signature)


def test_nothing_of_the_recorder_stays_in_torch(watch):
    before = nn.Module.__call__, torch.Tensor.backward, torch.save
    assert watch(lambda: (nn.Module.__call__, torch.Tensor.backward)).result != before[:2]
    assert (nn.Module.__call__, torch.Tensor.backward, torch.save) == before
    assert torch._C._len_torch_dispatch_stack() == 0


def test_errors_are_torchs_own(watch):
    with pytest.raises(RuntimeError) as unwatched:
        torch.ones(2, 3) @ torch.ones(2, 3)
    with pytest.raises(RuntimeError) as watched:
        watch(lambda: torch.ones(2, 3) @ torch.ones(2, 3))
    assert (type(watched.value), str(watched.value)) == (
        type(unwatched.value),
        str(unwatched.value),
    )


def test_a_failing_operation_is_no_row(watch):
    assert watch(errors).ops == ["ones", "ones"]


@pytest.mark.parametrize(
    ("function", "flag"),
    [
        (lambda: torch.randn(3), Flag.RANDOM),
        (lambda: torch.zeros(3).add_(1), Flag.INPLACE),
        (lambda: torch.zeros(3).view(1, 3), Flag.VIEW),
        (lambda: torch.empty(3), Flag.SCRATCH),
        (lambda: torch.zeros(3, device="meta"), Flag.OPAQUE),
    ],
)
def test_flags_say_what_an_operation_is(watch, function, flag):
    rows = watch(function).rows
    assert rows[-1].flags & flag
    assert not any(row.flags & flag for row in rows[:-1])


@pytest.mark.parametrize("name", ["randn", "uniform_", "native_dropout", "bernoulli_.float"])
def test_a_permuted_or_other_result_changes_the_row(watch, name):
    def draw():
        x = torch.randn(100).uniform_()
        return functional.dropout(x.requires_grad_(), 0.5)

    rows = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        rows.append([row for row in watch(draw).rows if row.op == f"aten.{name}"])
    for row, other in zip(*rows, strict=True):
        assert row.outputs != other.outputs


def test_bits_count_not_values(watch):
    def outputs(value):
        return watch(lambda: torch.full((3,), value)).rows[-1].outputs

    assert outputs(0.0) != outputs(-0.0)
    assert outputs(float("nan")) == outputs(float("nan"))
    assert outputs(1.0) != outputs(1)


def test_plain_arguments_count(watch):
    rows = [watch(lambda a=a: torch.ones(3).add(1, alpha=a)).rows[-1] for a in (1, 2)]
    assert rows[0].args != rows[1].args
    assert rows[0].inputs == rows[1].inputs


def test_an_operation_in_another_thread_disturbs_nothing(watch):
    import threading

    def work():
        thread = threading.Thread(target=lambda: torch.ones(3) * 2)
        thread.start()
        thread.join()
        return torch.ones(2)

    assert watch(work).ops == ["ones"]
