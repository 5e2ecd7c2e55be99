"""What the operator database's test must notice: made-up entries that are wrong in one way each."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.arithmetic.operator_database import processes, table
from tests.arithmetic.operator_database.inputs import (
    Inputs,
    channels_last,
    expanded,
    plain,
    strided,
    unexpanded,
)
from tests.arithmetic.operator_database.judgement import judged

from samebits.errors import NotExactError


def inside() -> bool:
    """Whether an exact block is open."""
    return torch._C._len_torch_dispatch_stack() > 0


def entry(op: Any, **more: Any) -> Any:
    return SimpleNamespace(op=op, name="made up", inplace_variant=None, supports_out=False, **more)


def sample(*tensors: torch.Tensor) -> Any:
    first, *args = tensors
    return SimpleNamespace(
        input=first,
        args=tuple(args),
        kwargs={},
        output_process_fn_grad=None,
        broadcasts_input=False,
    )


def judge(made: Any) -> dict[str, Any]:
    given = sample(torch.arange(1.0, 13.0).reshape(3, 4).requires_grad_())
    (found,) = judged(made, [given], [Inputs(given)])
    return found


def failing(x: torch.Tensor) -> torch.Tensor:
    if inside():
        raise TypeError("a kernel was given what it cannot take")
    return x


def refused_with_threads(x: torch.Tensor) -> torch.Tensor:
    if torch.get_num_threads() == 7:
        raise NotExactError("aten.made_up is not exact: too many threads.", why="too many threads")
    return x


class Halved(torch.autograd.Function):
    """Moves values; the way back depends on the number of threads."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 0.5 if torch.get_num_threads() == 7 else gradient * 1


@pytest.mark.parametrize(
    ("op", "problem"),
    [
        (lambda x: x * torch.get_num_threads(), "no_grad, 7 threads: other bits"),
        (lambda x: x * 1 if x.is_contiguous() else x + x, "strided, no_grad, 1 threads: other"),
        (lambda x: x * 1 if torch.is_grad_enabled() else x + x, "no_grad, 1 threads: other bits"),
        (lambda x: x + x if torch.is_inference_mode_enabled() else x * 1, "inference_mode"),
        (lambda x: x + x if 0 in x.stride() else x * 1, "expanded, no_grad, 1 threads: other bits"),
        (lambda x: x.copysign(-x.new_tensor(torch.get_num_threads() - 7.0)), "7 threads: other"),
        (lambda x: x[: 1 + (torch.get_num_threads() == 2)], "2 threads: other bits"),
        (Halved.apply, "backward: function, channels_last, gradients, 7 threads: other bits"),
        (failing, "TypeError: a kernel was given"),
        (refused_with_threads, "7 threads: refused, not bits"),
    ],
)  # fmt: skip
def test_what_must_not_be_is_said(op, problem):
    assert any(problem in one for one in judge(entry(op))["problems"])


def test_equal_bits_in_every_way_are_no_problem():
    found = judge(entry(lambda x: x.exp().sum(0)))
    assert (found["forward"], found["backward"], found["problems"]) == ("bits", "bits", [])
    assert len(found["bits"]) == 4


def test_what_is_refused_in_every_way_is_no_problem_and_is_named():
    found = judge(entry(torch.special.bessel_j0, supports_autograd=True))
    assert (found["forward"], found["problems"]) == ("refused", [])
    assert found["why"] == ["aten.special_bessel_j0 (it is not covered yet)"]


def test_a_layout_may_be_refused_and_is_named():
    def refused_unless_contiguous(x: torch.Tensor) -> torch.Tensor:
        if not x.is_contiguous():
            raise NotExactError("aten.made_up is not exact: a layout.", why="a layout")
        return x * 1

    found = judge(entry(refused_unless_contiguous))
    assert found["problems"] == []
    assert found["refused_ways"] == ["strided", "channels_last", "expanded"]


def test_what_torch_raises_itself_is_no_problem():
    found = judge(entry(lambda x: x.reshape(5, 7)))
    assert (found["forward"], found["problems"]) == ("torch raises", [])


def test_results_in_place_and_in_a_given_tensor_are_compared():
    def out_of_order(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        return x.exp() if out is None else out.copy_(x.exp() + 1)

    made = entry(out_of_order)
    made.supports_out = True
    made.inplace_variant = lambda x: x.expm1_()
    problems = judge(made)["problems"]
    assert any("out, strided" in one for one in problems)
    assert any("in place, plain" in one for one in problems)


@pytest.mark.parametrize(
    "shape", [(), (3,), (2, 3), (1, 1), (2, 1, 3), (2, 3, 4, 5), (2, 1, 3, 4, 5)]
)
@pytest.mark.parametrize("layout", [plain, strided, channels_last])
def test_a_layout_has_the_same_values_in_memory_of_its_own(layout, shape):
    values = torch.randn(shape)
    laid = layout(values)
    assert laid.equal(values)
    laid.add_(1)
    assert not laid.equal(values)


def test_layouts_are_what_they_are_called():
    values = torch.randn(2, 3, 4, 5)
    assert channels_last(values).is_contiguous(memory_format=torch.channels_last)
    assert not strided(values).is_contiguous()
    assert 0 in expanded(values).stride()
    assert unexpanded(values).is_contiguous()
    assert unexpanded(values).equal(expanded(values))


def test_values_reach_another_process():
    mine, other = (Inputs(sample(torch.randn(3), torch.arange(4))) for _ in range(2))
    assert mine.to_bytes() != other.to_bytes()
    assert other.take(memoryview(mine.to_bytes())) == 3 * 4 + 4 * 8
    assert mine.to_bytes() == other.to_bytes()


FOUND = {"forward": "bits", "backward": "bits", "why": [], "refused_ways": [], "bits": ["a", "b"]}


@pytest.mark.parametrize(
    "change", [{"bits": ["a", "c"]}, {"forward": "refused"}, {"problems": ["other bits"]}]
)
def test_another_capability_must_have_the_same(change):
    mine = {**FOUND, "problems": []}
    processes._hold_against(mine, {**FOUND, "problems": [], **change}, "AVX2")
    assert "AVX2" in mine["problems"][0]


def test_the_table_says_how_many_are_computed_and_what_is_refused():
    good = {**FOUND, "problems": []}
    bad = {**good, "forward": "refused", "why": ["aten.special_bessel_j0 (it is not covered yet)"]}
    lines = table.described("x.y", {"float32": [good, good], "float64": [good, bad]})
    assert lines == [
        "x.y: float32: all 2",
        "x.y: float64: 1 of 2; forward refused: aten.special_bessel_j0 (it is not covered yet)",
    ]
