"""`torch.compile(…, backend="samebits")`: the same bits as without it."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.models import MODELS
from torch import nn
from torch.nn import functional

import samebits
from samebits.arithmetic.compiled.memory import planned
from samebits.arithmetic.compiled.plan import NativeSteps
from samebits.errors import NotExactError

# torch's compiler asks tensors for gradients that they do not keep, where a graph breaks.
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")

MARKED = dict.fromkeys(("resnet", "gpt", "lstm", "gru", "vit"), pytest.mark.slow)
EVERY_MODEL = [pytest.param(name, marks=MARKED.get(name, ())) for name in MODELS]


@pytest.fixture(autouse=True)
def compiled_anew():
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    yield
    torch._dynamo.reset()


def trained(name: str, *, compiled: bool, steps: int = 2) -> str:
    """The fingerprint of a model, its gradients, the generator and what it says."""
    torch.manual_seed(0)
    model, x, y, loss = MODELS[name]()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def cost(x, y):
        return loss(model(x), y)

    def says(x):
        return model(x)

    if compiled:
        cost, says = (torch.compile(one, backend="samebits") for one in (cost, says))
    for _ in range(steps):
        optimizer.zero_grad()
        cost(x, y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()
    with torch.no_grad():
        gradients = [parameter.grad for parameter in model.parameters()]
        return samebits.fingerprint([model, gradients, says(x), torch.get_rng_state()])


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_a_compiled_model_has_the_bits_of_an_uncompiled_one(name):
    with samebits.exact():
        assert trained(name, compiled=True) == trained(name, compiled=False)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] >= 1, "nothing was compiled"


def bits_of(function, *inputs, compiled: bool, **options) -> str:
    """The fingerprint of what a function gives, and of the generator afterwards."""
    torch.manual_seed(3)
    run = torch.compile(function, backend="samebits", **options) if compiled else function
    return samebits.fingerprint([run(*inputs), torch.get_rng_state()])


def graphs() -> int:
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def agrees(function, *inputs, **options) -> None:
    with samebits.exact():
        plain = bits_of(function, *inputs, compiled=False)
        assert bits_of(function, *inputs, compiled=True, **options) == plain
    assert graphs() >= 1, "nothing was compiled"
    torch._dynamo.reset()
    assert bits_of(function, *inputs, compiled=True, **options) == plain, "outside of the block"


VALUES = torch.randn(7, 33, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x.exp() + 1).log().sum(0),
        lambda x: nn.functional.dropout(x, 0.3) + torch.randn_like(x),
        lambda x: x.double().mul(x).mean(1),
        lambda x: x.to(torch.bfloat16).exp().float() + x.half().tanh(),
        lambda x: x.t().contiguous().view(-1)[3:].softmax(0),
        lambda x: x.clone().uniform_(1, 2).add_(x).exponential_(),
        lambda x: x.unbind(0)[2].cumsum(0) @ x[:, 0].repeat(5)[:33],
        lambda x: torch.where(x > 0, x, x.long().clamp(-1, 1).float()).sort(1).values,
    ],
)
def test_a_compiled_function_has_the_bits_of_an_uncompiled_one(function):
    agrees(function, VALUES)
    agrees(function, VALUES, fullgraph=True)


def test_graphs_that_break_and_prints_between_them_are_exact():
    def function(x):
        y = x.exp()
        torch._dynamo.graph_break()
        return y.sum(0).log() * float(y.sum())

    with samebits.exact():
        plain = bits_of(function, VALUES, compiled=False)
        assert bits_of(function, VALUES, compiled=True) == plain
        assert graphs() >= 2


def test_shapes_that_change_are_exact():
    def function(x):
        return (x.exp() / x.shape[0]).sum(0)

    with samebits.exact():
        run = torch.compile(function, backend="samebits")
        for rows in (2, 3, 5, 4, 7):
            assert torch.equal(run(VALUES[:rows]), function(VALUES[:rows]))
    assert 2 <= graphs() <= 4


def test_running_statistics_are_updated_as_without_a_compiler():
    def trained_norm(compiled):
        torch.manual_seed(0)
        norm = nn.BatchNorm1d(33)
        run = torch.compile(norm, backend="samebits") if compiled else norm
        for _ in range(3):
            run(VALUES).square().sum().backward()
        norm.eval()
        return samebits.fingerprint([norm, norm.weight.grad, run(VALUES)])

    with samebits.exact():
        assert trained_norm(True) == trained_norm(False)


def test_what_the_block_refuses_is_refused_with_the_line_of_the_script():
    def function(x):
        y = x + 1
        return torch.special.airy_ai(y)  # the line

    line = function.__code__.co_firstlineno + 2
    run = torch.compile(function, backend="samebits")
    with samebits.exact(), pytest.raises(NotExactError) as compiled:
        run(VALUES)
    with samebits.exact(), pytest.raises(NotExactError) as plain:
        function(VALUES)
    assert f"called at {__file__}:{line}." in str(plain.value)
    assert str(compiled.value) == str(plain.value)
    with pytest.raises(NotExactError, match=f":{line}."):
        run(VALUES)  # outside of the block as well


def test_a_block_that_lets_operations_through_runs_uncompiled():
    def function(x):
        return torch.special.airy_ai(x)

    run = torch.compile(function, backend="samebits")
    with samebits.exact(allow={"aten.special_airy_ai"}) as block:
        run(VALUES)
    assert block.allowed == {"aten.special_airy_ai"}
    assert graphs() == 0


@pytest.mark.parametrize("given", [{"mode": "max-autotune"}, {"options": {"fuse": True}}])
def test_options_are_refused(given):
    run = torch.compile(lambda x: x + 1, backend="samebits", **given)
    with pytest.raises(Exception, match="the backend 'samebits' takes no") as raised:
        run(VALUES)
    assert next(iter(given)) in str(raised.value)


def test_other_backends_run_uncompiled_inside_even_from_our_own_code():
    seen = []

    def other(module, inputs):
        return lambda *given: seen.append(1) or module.forward(*given)

    inner = torch.compile(lambda x: x.exp(), backend=other)
    inner(VALUES)
    assert seen == [1]
    skipped = torch._dynamo.disable(inner)

    def function(x):
        return skipped(x + 1).log()

    with samebits.exact():
        plain = (VALUES + 1).exp().log()
        found = torch.compile(function, backend="samebits")(VALUES)
        inner(VALUES)
    assert samebits.fingerprint(found) == samebits.fingerprint(plain)
    assert seen == [1]


def test_a_backward_pass_from_before_the_block_is_let_in_for_it_is_exact():
    def gradient(compiled):
        x = VALUES.clone().requires_grad_()
        function = torch.compile(_cost, backend="samebits") if compiled else _cost
        if compiled:
            cost = function(x)
            with samebits.exact():
                cost.backward()
        else:
            with samebits.exact():
                function(x).backward()
        return samebits.fingerprint(x.grad)

    assert gradient(True) == gradient(False)


def _cost(x):
    return (x.softmax(1) * x.tanh()).sum()


def test_inference_mode_and_checkpoints_run_uncompiled_and_exact():
    def checkpointed(x):
        return torch.utils.checkpoint.checkpoint(_cost, x, use_reentrant=False)

    with samebits.exact():
        x = VALUES.clone().requires_grad_()
        run = torch.compile(checkpointed, backend="samebits")
        run(x).backward()
        y = VALUES.clone().requires_grad_()
        _cost(y).backward()
        assert samebits.fingerprint(x.grad) == samebits.fingerprint(y.grad)
        with torch.inference_mode():
            assert torch.equal(torch.compile(_cost, backend="samebits")(VALUES), _cost(VALUES))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(threads):
    torch.set_num_threads(threads)
    x = torch.randn(300, 401, generator=torch.Generator().manual_seed(1))
    with samebits.exact():
        found = torch.compile(lambda x: (x.exp() * x.sigmoid() + x).sum(1), backend="samebits")(x)
        torch.set_num_threads(2)
        wanted = (x.exp() * x.sigmoid() + x).sum(1)
    assert samebits.fingerprint(found) == samebits.fingerprint(wanted)


def test_chains_of_every_dtype_and_layout_are_fused_and_agree(monkeypatch):
    programs = []
    run = NativeSteps.__call__
    monkeypatch.setattr(
        NativeSteps, "__call__", lambda self, *given: programs.append(self) or run(self, *given)
    )

    def function(x, row, column):
        y = (x * row + column).tanh() if x.dtype != torch.float64 else x * row + column
        z = (y - x).relu() * 3
        return z.t() / (column.t() + 9), z.sum(0), y

    values = torch.randn(70, 90, generator=torch.Generator().manual_seed(1)) * 9
    values[3, 5], values[6, 7], values[8, 9] = float("nan"), float("inf"), -0.0
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for x in (values, values.t().contiguous().t(), values.repeat(1, 2)[:, ::2]):
            x = x.to(dtype)
            with samebits.exact():
                plain = bits_of(function, x, x[0], x[:, :1], compiled=False)
                assert bits_of(function, x, x[0], x[:, :1], compiled=True) == plain
            assert programs, "nothing was native"
            programs.clear()
            torch._dynamo.reset()


def test_values_that_are_needed_at_the_same_time_do_not_lie_in_one_place():
    values = {"a": (100, 0, 2), "b": (64, 1, 3), "c": (100, 3, 4), "d": (10, 2, 5), "e": (1, 6, 7)}
    places, total = planned(values)
    for one, (size, made, last) in values.items():
        assert places[one] % 64 == 0
        assert places[one] + size <= total
        for other, (more, begun, ended) in values.items():
            if one != other and made <= ended and begun <= last:
                beside = places[one] + size <= places[other] or places[other] + more <= places[one]
                assert beside, (one, other)
    assert total < sum(64 * (size // 64 + 1) for size, *_ in values.values())


@pytest.mark.parametrize(
    "function",
    [
        lambda x: functional.interpolate(x, (11, 5), mode="bilinear"),
        lambda x: functional.softshrink(x, 0.3),
        lambda x: functional.multi_margin_loss(x.flatten(1), torch.tensor([0, 1])),
        lambda x: x.sum(dim=None, keepdim=True) * x,
    ],
    ids=["interpolate", "softshrink", "multi_margin_loss", "sum over all"],
)
def test_what_torch_would_take_apart_in_python_is_computed_as_uncompiled(function):
    torch.manual_seed(0)
    torch._dynamo.reset()
    x = torch.randn(2, 3, 7, 9)
    one, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    with samebits.exact():
        plain, compiled = function(one), torch.compile(function, backend="samebits")(other)
        plain.pow(2).sum().backward()
        compiled.pow(2).sum().backward()
    assert same_bits(plain.detach(), compiled.detach())
    assert same_bits(one.grad, other.grad)


def test_what_another_backend_traces_after_a_block_has_gradients():
    layer, x = nn.Linear(4, 3), torch.randn(2, 4)

    def cost(x):
        return layer(x).square().sum()

    def gradient(run):
        layer.zero_grad()
        run(x).backward()
        return layer.weight.grad

    wanted = gradient(cost)
    with samebits.exact():
        torch.compile(cost, backend="samebits")(x)
    torch._dynamo.reset()
    assert torch.allclose(gradient(torch.compile(cost, backend="aot_eager")), wanted)
