"""Operations that are formulas of others: values, derivatives, every form, halves, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.arithmetic import formula_cases
from tests.arithmetic.bits import same_bits
from tests.arithmetic.test_against_float64 import check
from torch import Tensor, nn
from torch.nn import functional

import samebits
from samebits.errors import NotExactError

ZEROS = torch.tensor([1.0, 0, 1, 1, 0, 1, 1, 1, 1])
OTHER = torch.linspace(-3, 3, 9 * 13).cos().view(9, 13)


def zeroed(x: Tensor, kept: Tensor) -> Tensor:
    """The values with some of them 0, and the derivative of all of them 1."""
    return x - x.detach() * (1 - kept.to(x.dtype))


ACCUMULATIONS: dict[str, tuple[Callable[..., Tensor], list[tuple[int, ...]]]] = {
    "cumprod": (lambda x: x.cumprod(1), [(9, 13)]),
    "cumprod, zeros": (lambda x: zeroed(x, ZEROS).cumprod(1), [(4, 9)]),
    "logcumsumexp": (lambda x: (3 * x).logcumsumexp(0), [(40, 3)]),
    "prod": (torch.prod, [(5, 7)]),
    "prod, a zero": (lambda x: zeroed(x, ZEROS[2:7]).prod(1), [(4, 5)]),
    "prod over an axis": (lambda x: x.prod(0, keepdim=True), [(9, 13)]),
    "norm": (lambda x: x.norm(3, 1) + x.norm(1.5, 1) + x.norm(2, 1), [(9, 13)]),
    "pairwise_distance": (
        lambda x, y: functional.pairwise_distance(x, y, 3.0) + functional.pairwise_distance(x, y),
        [(9, 13), (9, 13)],
    ),
    "triplet_margin_loss": (functional.triplet_margin_loss, [(9, 13)] * 3),
    "dist": (lambda x, y: torch.dist(x, y, 3), [(9, 13), (9, 13)]),
    "weight_norm": (lambda v, g: torch._weight_norm(v, g, 0), [(6, 5, 3), (6, 1, 1)]),
    "weight_norm, last": (lambda v, g: torch._weight_norm(v, g, 2), [(6, 5, 3), (1, 1, 3)]),
    "nansum": (lambda x: torch.where(x < 0, torch.nan, x).nansum(1), [(9, 13)]),
    "nanmean": (lambda x: torch.where(x < 0, torch.nan, x).nanmean(1), [(9, 13)]),
    "trace": (lambda x: x.trace() * x.sum(), [(7, 9)]),
    "std_mean": (lambda x: torch.stack(torch.std_mean(x, 1)), [(9, 13)]),
    "median": (lambda x: x.median() + 2 * x.nanmedian(), [(9, 12)]),
    "aminmax": (lambda x: torch.stack(torch.aminmax(x, dim=1)), [(9, 13)]),
}

FUNCTIONS: dict[str, tuple[Callable[..., Tensor], list[tuple[int, ...]]]] = {
    "prelu": (functional.prelu, [(4, 5, 6), (5,)]),
    "glu": (lambda x: functional.glu(x, 1), [(9, 12)]),
    "mish": (lambda x: functional.mish(3 * x), [(9, 13)]),
    "celu": (lambda x: functional.celu(x, 1.7), [(9, 13)]),
    "hardswish": (lambda x: functional.hardswish(4 * x), [(9, 13)]),
    "hardsigmoid": (lambda x: functional.hardsigmoid(4 * x), [(9, 13)]),
    "hardshrink": (functional.hardshrink, [(9, 13)]),
    "softshrink": (lambda x: functional.softshrink(x, 0.3), [(9, 13)]),
    "threshold": (lambda x: functional.threshold(x, 0.1, 20), [(9, 13)]),
    "rrelu": (lambda x: functional.rrelu(x, 0.1, 0.3), [(9, 13)]),
    "logit": (lambda x: torch.logit(x.sigmoid(), 0.3), [(9, 13)]),
    "degrees": (lambda x: x.deg2rad() + x.rad2deg(), [(9, 13)]),
    "tan": (torch.tan, [(9, 13)]),
    "atanh": (lambda x: (0.9 * x.tanh()).atanh(), [(9, 13)]),
    "hyperbolic": (lambda x: (3 * x).sinh() * x.cosh() + (40 * x).asinh(), [(9, 13)]),
    "acosh": (lambda x: (x.abs() + 1.01).acosh(), [(9, 13)]),
    "sinc": (torch.sinc, [(9, 13)]),
    "fmod": (lambda x: (9 * x).fmod(0.7) + x.fmod(OTHER.to(x.dtype)), [(9, 13)]),
    "remainder": (lambda x: (9 * x) % 0.7 + x % OTHER.to(x.dtype), [(9, 13)]),
    "frac": (lambda x: (9 * x).frac(), [(9, 13)]),
    "floor_divide": (lambda x: x + (9 * x.detach()) // OTHER.to(x.dtype), [(9, 13)]),
    "hypot": (torch.hypot, [(9, 13), (9, 13)]),
    "logaddexp": (lambda x, y: x.logaddexp(y) + x.logaddexp2(9 * y), [(9, 13), (9, 13)]),
    "fmax": (lambda x, y: x.fmax(y) - 3 * x.fmin(y), [(9, 13), (9, 13)]),
    "nan_to_num": (lambda x: torch.where(x < 0, torch.nan, x).nan_to_num(2.0), [(9, 13)]),
    "entr": (
        lambda x, y: torch.special.entr(x.abs()) + torch.special.xlog1py(x, y.abs()),
        [(9, 13)] * 2,
    ),
    "ldexp": (lambda x: torch.ldexp(x, (9 * OTHER).long()), [(9, 13)]),
    "cross": (lambda x, y: torch.linalg.cross(x, y, dim=1), [(9, 3, 4), (9, 3, 4)]),
}


@pytest.mark.parametrize("name", ACCUMULATIONS | FUNCTIONS)
def test_values_and_derivatives(name):
    function, shapes = (ACCUMULATIONS | FUNCTIONS)[name]
    check(function, *(torch.randn(shape) for shape in shapes))


PLACES = formula_cases.IN_FLOAT64 | formula_cases.BY_DIFFERENCES


@pytest.mark.parametrize("name", PLACES)
def test_values_and_derivatives_of_small_cases(name):
    function, shapes = PLACES[name]
    check(function, *(torch.randn(shape) for shape in shapes))


ONE: dict[str, tuple[Any, ...]] = {  # what each is called with after its first argument
    "cumsum": (0,), "cumprod": (0,), "mish": (), "celu": (), "hardswish": (), "hardsigmoid": (),
    "threshold": (0.5, 2.0), "deg2rad": (), "rad2deg": (), "tan": (), "atanh": (),
    "hypot": (OTHER,), "fmod": (OTHER,), "remainder": (0.3,), "floor_divide": (OTHER,),
    "nan_to_num": (), "frac": (), "heaviside": (OTHER,), "sinh": (), "cosh": (), "asinh": (),
    "acosh": (), "sinc": (), "logit": (),
}  # fmt: skip
"""Operations with a form in place."""

INTO: dict[str, tuple[Any, ...]] = {
    **{name: args for name, args in ONE.items() if name != "celu"},
    "prod": (1,), "norm": (2, 1), "logcumsumexp": (0,), "logaddexp": (OTHER,), "fmax": (OTHER,),
    "sum": (1,), "mean": (1,), "amax": (1,), "clamp": (0.1, 0.4), "addcmul": (OTHER, OTHER),
    "nansum": (1,), "linalg_cross": (OTHER[:, :3],), "trace": (), "dist": (OTHER,),
}  # fmt: skip
"""Operations with a form that writes to `out`."""


def operand(name: str) -> Tensor:
    x = torch.randn(9, 13)
    return x[:, :3] if name == "linalg_cross" else x


def function_named(name: str) -> Any:
    return getattr(torch, name, None) or getattr(torch.ops.aten, name)


def function_into(name: str) -> Any:
    return torch.norm if name == "norm" else getattr(torch.ops.aten, name)


@pytest.mark.parametrize("name", ONE)
def test_in_place(name):
    x, args = operand(name), ONE[name]
    changed, half = x.clone(), x.bfloat16()
    with samebits.exact():
        wanted = function_named(name)(x, *args)
        in_place = getattr(torch.ops.aten, f"{name}_")
        assert in_place(changed, *args) is changed
        assert same_bits(changed, wanted)
        wide = function_named(name)(half.float(), *args)
        in_place(half, *args)
        assert half.float().equal(wide.bfloat16().float()) or half.isnan().equal(wide.isnan())


@pytest.mark.parametrize("name", INTO)
def test_out(name):
    x, args = operand(name), INTO[name]
    with samebits.exact():
        wanted = function_named(name)(x, *args)
        out = torch.empty(0)
        function_into(name)(x, *args, out=out)
        assert same_bits(out, wanted)
        with pytest.raises(RuntimeError):
            function_into(name)(x, *args, out=torch.empty(wanted.shape, dtype=torch.int64))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_formula_rounds_halves_once(dtype):
    x = torch.randn(50, 12).to(dtype)
    with samebits.exact():
        for function in (
            functional.mish, functional.hardswish, functional.glu, torch.sinh, torch.cosh,
            lambda t: t.prod(1), lambda t: t.cumprod(1), lambda t: t.norm(3.0, 1),
            lambda t: t % 0.7, lambda t: t.logaddexp(t[0]), lambda t: t.logcumsumexp(1),
            lambda t: t // 0.3, lambda t: t.hypot(t[0]), lambda t: t.round(decimals=1), torch.tan,
            lambda t: functional.prelu(t, t[0, :1]), functional.softshrink,
            lambda t: t.dist(t[0]),
            lambda t: t.cumsum(1), lambda t: t.nansum(1), torch.sinc, lambda t: torch.aminmax(t)[0],
        ):  # fmt: skip
            assert same_bits(function(x).float(), function(x.float()).to(dtype).float())


def test_bags_that_have_no_form_are_refused():
    table, bags = torch.randn(5, 3, requires_grad=True), torch.tensor([[2, 0], [2, 4]])
    with samebits.exact():
        scaled = functional.embedding_bag(bags, table, mode="sum", scale_grad_by_freq=True)
        with pytest.raises(NotExactError, match="frequency"):
            scaled.sum().backward()


def test_an_embedding_of_bounded_norm():
    table = torch.randn(6, 8)
    wanted, index = table.double(), torch.tensor([[1, 1], [4, 0]])
    right = functional.embedding(index, wanted, max_norm=1.5)
    with samebits.exact():
        found = functional.embedding(index, table, max_norm=1.5)
    assert (found.double() - right).abs().max() < 1e-6
    assert (table.double() - wanted).abs().max() < 1e-6
    assert table[2].norm() > 1.5


@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_reductions_into_places(reduce, include_self):
    x, source = torch.randn(5, 6), torch.randn(9, 4)
    index = torch.randint(5, (7, 4))
    with samebits.exact():
        found = x.scatter_reduce(0, index, source, reduce, include_self=include_self)
        changed = x.clone().scatter_reduce_(0, index, source, reduce, include_self=include_self)
    right = x.double().scatter_reduce(0, index, source.double(), reduce, include_self=include_self)
    assert (found.double() - right).abs().max() < 1e-6
    assert same_bits(found, changed)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_pictures_of_whole_numbers_are_refused(mode):
    picture = torch.zeros(1, 3, 4, 4, dtype=torch.uint8)
    with samebits.exact(), pytest.raises(NotExactError):
        functional.interpolate(picture, (7, 7), mode=mode)


def test_what_is_refused_leaves_its_target_alone():
    x = torch.rand(5, dtype=torch.float64)
    before = x.clone()
    with samebits.exact():
        for call in (
            lambda: x.polygamma_(2),
            lambda: torch.polygamma(2, x, out=x),
        ):
            with pytest.raises(NotExactError):
                call()
    assert x.equal(before)


def test_what_float64_has():
    x = torch.randn(9, 12, dtype=torch.float64)
    with samebits.exact():
        found = x.prod(1), x.cumprod(1), functional.hardswish(x), x % 0.7, torch.aminmax(x)[0]
    wanted = x.prod(1), x.cumprod(1), functional.hardswish(x), x % 0.7, torch.aminmax(x)[0]
    for own, right in zip(found, wanted, strict=True):
        assert (own - right).abs().max() <= 1e-14 * right.abs().max()


def test_running_sums_of_exponentials_at_the_edges():
    inf, nan = torch.inf, torch.nan
    for values in (
        [-inf, -200, -300, 150],
        [-inf, -inf, 3],
        [-200, 100, inf, 2],
        [1, nan, 2],
        [inf],
    ):
        x = torch.tensor(values)
        with samebits.exact():
            found = x.logcumsumexp(0)
        assert found.allclose(x.logcumsumexp(0), equal_nan=True)


def test_edges_that_torch_knows_how_to_take():
    inf = torch.inf
    cases = [
        (torch.ldexp, torch.tensor([1, 2]), torch.tensor([0.5, 1.5])),
        (lambda x: x.nan_to_num(posinf=1e300), torch.tensor([inf, 1.0])),
        (lambda x: x.atanh(), torch.tensor([-2.0, 2.0, 1.0])),
    ]
    for call, *args in cases:
        with samebits.exact():
            found = call(*args)
        assert found.allclose(call(*args), equal_nan=True)
        bits = found.view(torch.int32)[found.isnan()]
        assert bool((bits == 0x7FC00000).all())
    x = torch.tensor([[0.0, 1.0]], requires_grad=True)
    with samebits.exact():
        torch.cdist(x, torch.tensor([[0.0, 3.0]]), 0.5).backward()
    assert x.grad.allclose(torch.tensor([[0.0, -1.0]]))


def test_dropout_of_float64_scales_in_float64():
    x = torch.ones(1000, dtype=torch.float64, requires_grad=True)
    with samebits.exact():
        y = functional.dropout(x, 0.3)
        y.sum().backward()
    assert set(y.tolist()) == {0.0, 1 / 0.7}
    assert x.grad.equal(y.detach())


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "prod"])
@pytest.mark.parametrize("dtype", [torch.int64, torch.complex64])
def test_sums_and_products_in_other_kinds_of_numbers_are_refused(name, dtype):
    dim = () if name == "prod" else (0,)
    with samebits.exact(), pytest.raises(NotExactError):
        getattr(torch.ones(3), name)(*dim, dtype=dtype)


def test_whole_numbers_stay_whole():
    x = torch.arange(1, 13).view(3, 4)
    with samebits.exact():
        assert x.prod(1).tolist() == [24, 1680, 11880]
        assert (x % 5).sum() == 23
        assert (x // 5).dtype == torch.int64
        assert x.cumprod(1)[0].tolist() == [1, 2, 6, 24]


@pytest.mark.parametrize(
    "call",
    [
        lambda: functional.glu(torch.ones(3)),
        lambda: functional.celu(torch.ones(3), 0),
        lambda: torch.ones(3).cumprod(1),
        lambda: torch.ones(3).prod(1),
        lambda: torch.ones(2, 2).trace() + torch.ones(3).trace(),
        lambda: torch.linalg.cross(torch.ones(4), torch.ones(4)),
        lambda: torch.ones(3).hypot(torch.ones(2)),
        lambda: torch.ones(3).hypot_(torch.ones(2, 3)),
        lambda: torch.aminmax(torch.ones(0)),
        lambda: functional.softshrink(torch.ones(3), -1.0),
        lambda: functional.interpolate(torch.ones(1, 1, 3, 0), (4, 4), mode="bilinear"),
        lambda: functional.pad(torch.ones(1, 1, 3), (3, 0), "reflect"),
        lambda: functional.fold(torch.ones(1, 5, 4), (3, 3), 2),
        lambda: functional.multi_margin_loss(torch.ones(2, 3), torch.tensor([1, 3])),
        lambda: functional.bilinear(torch.ones(2, 3), torch.ones(2, 4), torch.ones(1, 3, 5)),
        lambda: torch.cdist(torch.ones(2, 3), torch.ones(2, 4)),
    ],
)
def test_bad_arguments_raise_what_torch_raises(call):
    with pytest.raises(Exception) as plain:  # noqa: PT011  the kind is what is compared
        call()
    with samebits.exact(), pytest.raises(type(plain.value)):
        call()


def test_identities_are_initialised():
    weight = torch.randn(4, 6)
    with samebits.exact():
        nn.init.eye_(weight)
    assert weight.equal(torch.eye(4, 6))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_logspace_has_the_powers_of_linspace(dtype):
    with samebits.exact():
        found = torch.logspace(-2, 3, 7, base=3.0, dtype=dtype)
        wanted = torch.pow(3.0, torch.linspace(-2, 3, 7, dtype=torch.float64)).to(dtype)
        assert found.equal(wanted)
        assert torch.logspace(0.5, 2, 1).equal(
            torch.pow(10.0, torch.tensor([0.5]).double()).float()
        )
        with pytest.raises(NotExactError, match="whole numbers"):
            torch.logspace(0, 3, 4, dtype=torch.int64)
