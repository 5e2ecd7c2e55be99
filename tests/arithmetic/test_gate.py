"""The gate: dtypes, layouts and devices that an operation may be given, whatever the operation."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.bits import same_bits

import samebits
from samebits.arithmetic import gate, registry
from samebits.errors import NotExactError

aten = torch.ops.aten


def sparse() -> torch.Tensor:
    return torch.eye(3).to_sparse()


def quantized() -> torch.Tensor:
    return torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)


def eights() -> torch.Tensor:
    return torch.ones(3).to(torch.float8_e4m3fn)


@pytest.mark.filterwarnings("ignore")  # torch warns of quantized tensors and of sparse ones
@pytest.mark.parametrize("autograd", [True, False], ids=["grad", "inference"])
@pytest.mark.parametrize(
    ("make", "call", "told"),
    [
        (lambda: torch.ones(3, dtype=torch.complex64), lambda x: x.cumprod(0), "complex64"),
        (lambda: torch.ones(3, dtype=torch.complex32), lambda x: x.clone(), "complex32"),
        (quantized, lambda x: x.clone(), "quint8"),
        (quantized, lambda x: x.int_repr(), "quint8"),
        (quantized, lambda x: torch.cat([x, x]), "quint8"),
        (eights, lambda x: x.clone(), "float8_e4m3fn"),
        (eights, lambda x: torch.stack([x, x]), "float8_e4m3fn"),
        (sparse, lambda x: x.clone(), "sparse_coo"),
        (sparse, lambda x: x.coalesce().to_dense(), "sparse_coo"),
        (lambda: torch.ones(3), lambda x: x.to(torch.float8_e5m2), "float8_e5m2"),
        (lambda: torch.ones(3), lambda x: x.to_mkldnn(), "to_mkldnn|_mkldnn"),
        (lambda: torch.ones(3), lambda x: torch.zeros(3, layout=torch.sparse_coo), "sparse_coo"),
        (lambda: torch.ones(3), lambda x: x.to_sparse(), "sparse"),
        (
            lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
            lambda x: x.clone(),
            "nested",
        ),
        (
            lambda: torch.arange(3),
            lambda x: torch._make_per_tensor_quantized_tensor(x.to(torch.uint8), 0.1, 0),
            "quint8",
        ),
    ],
)
def test_what_is_not_defined_is_refused_by_name(make, call, told, autograd):
    x = make()
    with (
        samebits.exact(),
        torch.inference_mode(not autograd),
        pytest.raises(NotExactError, match=told),
    ):
        call(x)
    call(x)  # torch itself takes it


def test_the_refusal_names_the_operation_and_the_line():
    with samebits.exact(), pytest.raises(NotExactError) as caught:
        torch.ones(2).to(torch.float8_e5m2)
    assert "aten._to_copy is not exact: it is not defined for float8_e5m2" in str(caught.value)
    assert "test_gate.py:" in str(caught.value)


def test_rows_admit_further_dtypes(monkeypatch):
    z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex64)
    wider = {"aten.flip": registry.REAL | registry.COMPLEX, "aten.roll": registry.REAL}
    monkeypatch.setattr(registry, "SAFE", {**registry.SAFE, **wider})
    monkeypatch.setattr(gate, "SAFE", registry.SAFE)
    with samebits.exact():
        assert z.flip(0).tolist() == [3 - 1j, 1 + 2j]
        with pytest.raises(NotExactError, match="complex64"):
            z.roll(1)


def test_memory_of_complex_numbers_may_be_given_another_shape():
    z = torch.tensor([[1 + 2j], [3 - 1j]], dtype=torch.complex64)
    with samebits.exact():
        assert torch.view_as_real(z.t()[0]).tolist() == [[1, 2], [3, -1]]


def test_a_view_is_an_alias():
    views = [aten.t.default, aten.view.default, aten.expand.default, aten.detach.default]
    assert all(gate.is_view(op) for op in views)
    others = [
        *(aten.to.dtype, aten.coalesce.default, aten.contiguous.default, aten.reshape.default),
        *(aten.detach_.default, aten.clone.default, torch.ops.higher_order.cond),
    ]
    assert not any(gate.is_view(op) for op in others)


def test_conversions_are_ours_where_autograd_is_off():
    wide = torch.tensor([1 + 2**-8 + 2**-40], dtype=torch.float64)
    with samebits.exact(), torch.inference_mode():
        assert wide.to(torch.bfloat16).view(torch.int16).item() == 0x3F81  # 3F80 by way of float32
        with pytest.raises(NotExactError, match="does not fit"):
            torch.tensor([float("nan")]).to(torch.int32)


@pytest.mark.parametrize("mode", ["bicubic", "bilinear", "nearest", "nearest-exact", "area"])
def test_interpolation_has_one_form_with_and_without_autograd(mode):
    x = torch.randn(1, 3, 9, 7)
    found = []
    for context in (torch.enable_grad, torch.no_grad, torch.inference_mode):
        with samebits.exact(), context():
            found.append(torch.nn.functional.interpolate(x, (13, 12), mode=mode).clone())
    assert all(same_bits(one, found[0]) for one in found[1:])


def test_higher_order_operators_are_refused_by_name():
    x = torch.ones(3)
    with samebits.exact(), pytest.raises(NotExactError, match="higher-order operator cond"):
        torch.ops.higher_order.cond(x.sum() > 0, torch.sin, torch.cos, (x,))


def test_tensors_without_values_stay_torchs_own_matter():
    with samebits.exact():
        x = torch.ones(3).to("meta")
        assert (x * torch.tensor(2.0)).is_meta
        with pytest.raises(NotExactError, match="on meta"):
            torch.ops.aten.add.Tensor(x, torch.ones(3))


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.copy_(torch.ones(5, 3)),
        lambda x: x.normal_(),
        lambda x: x.add_(1),
        lambda x: x.exp_(),
        lambda x: x.zero_(),
        lambda x: torch.exp(torch.ones(5, 3), out=x),
        lambda x: torch._foreach_add_([torch.ones(2), x], 1.0),
        lambda x: x.index_fill_(0, torch.tensor([0]), 2.0),
    ],
)
def test_writing_to_memory_that_elements_share_is_refused(write):
    memory = torch.zeros(20)
    shared = memory.as_strided((5, 3), (2, 1))
    with samebits.exact():
        with pytest.raises(NotExactError, match="share memory"):
            write(shared)
        assert not memory.any()
        write(memory.as_strided((5, 3), (4, 1)))
        # Strides that look alike, of elements that lie apart: 0, 2, 4 and 3, 5, 7.
        memory.as_strided((2, 3), (3, 2)).fill_(1.0)
        shared.sum()  # reading goes


NUMBER = 1 + 2**-8 + 2**-40
"""By way of binary32 this is a tie of bfloat16, and goes to 1."""


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.full((2,), NUMBER, dtype=torch.bfloat16),
        lambda: torch.zeros(2, dtype=torch.bfloat16).fill_(NUMBER),
        lambda: torch.zeros(2).bfloat16().fill_(torch.tensor(NUMBER, dtype=torch.float64)),
        lambda: torch.full_like(torch.zeros(2).bfloat16(), NUMBER),
        lambda: torch.zeros(2).bfloat16().masked_fill(torch.tensor([True, True]), NUMBER),
        lambda: torch.where(torch.tensor([False]), torch.zeros(1).bfloat16(), NUMBER),
        lambda: torch.nn.functional.pad(torch.zeros(1).bfloat16(), (1, 1), value=NUMBER),
        lambda: torch.zeros(2).bfloat16().scatter(0, torch.tensor([0, 1]), NUMBER),
        lambda: torch.zeros(2).bfloat16().index_fill(0, torch.tensor([0, 1]), NUMBER),
    ],
)
def test_a_number_that_meets_a_half_is_rounded_once(make):
    with samebits.exact():
        assert make().view(torch.int16)[0].item() == 0x3F81
    assert make().view(torch.int16)[0].item() == 0x3F80  # torch's own


def test_a_number_is_compared_as_the_half_that_it_becomes():
    x = torch.tensor([0x3F81], dtype=torch.int16).view(torch.bfloat16)
    with samebits.exact():
        assert bool(x == NUMBER)
        assert not bool(x == NUMBER - 2**-9)


def test_a_number_alone_has_the_default_dtype():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with samebits.exact():
            assert torch.full((1,), NUMBER).view(torch.int16).item() == 0x3F81
    finally:
        torch.set_default_dtype(before)
    with samebits.exact():
        assert torch.full((1,), 0.1).view(torch.int32).item() == 0x3DCCCCCD
