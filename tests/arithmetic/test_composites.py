"""What torch composes by layout, size or installed packages has one composition by value."""

from __future__ import annotations

import threading

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import samebits
from samebits.arithmetic import composites
from samebits.errors import NotExactError

FLOATS = (torch.float32, torch.bfloat16, torch.float16)


def turned(x: Tensor) -> Tensor:
    """The same values, the last two axes the other way round in memory."""
    return x.mT.contiguous().mT


def heads_inside(x: Tensor) -> Tensor:
    """The same values, heads next to each other in memory, as models have them."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def attended(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, learnt: bool = False, **named
) -> str:
    """Fingerprint of a result and its derivatives, all flat; the result without autograd agrees."""
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    if learnt:
        mask = mask.clone().requires_grad_()
    torch.manual_seed(1)
    result = functional.scaled_dot_product_attention(*leaves, attn_mask=mask, **named)
    gradient = torch.linspace(-1, 1, result.numel()).view(result.shape).to(result.dtype)
    grads = torch.autograd.grad(result, leaves, gradient)
    for context in (torch.no_grad, torch.inference_mode):
        torch.manual_seed(1)
        with context():
            again = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, **named)
            assert torch.equal(again, result)
    return samebits.fingerprint([t.detach().flatten() for t in (result, *grads)])


def case(dtype: torch.dtype) -> list[Tensor]:
    source = torch.Generator().manual_seed(5)
    return [torch.randn((2, 3, n, 8), generator=source).to(dtype) for n in (5, 7, 7)]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [None, (5, 7), (1, 7), (7,), (2, 1, 5, 7), (3, 5, 1)])
def test_attention_is_one_by_value(dtype, shape):
    q, k, v = case(dtype)
    mask = None
    if shape is not None:
        mask = torch.linspace(-2, 2, torch.Size(shape).numel()).view(shape).to(dtype)
    with samebits.exact():
        wanted = attended(q, k, v, mask)
        assert attended(heads_inside(q), turned(k), turned(heads_inside(v)), mask) == wanted
        assert attended(q, k, v, mask, scale=8**-0.5) == wanted
        if mask is not None:
            assert attended(q, k, v, mask, learnt=True) == wanted
        else:
            assert attended(q[0], k[0], v[0]) == attended(q[:1], k[:1], v[:1])


def test_attention_of_every_number_of_axes_is_that_of_its_rows():
    q, k, v = case(torch.float32)
    with samebits.exact(), torch.no_grad():
        whole = functional.scaled_dot_product_attention(q, k, v)
        for i in range(2):
            assert functional.scaled_dot_product_attention(q[i], k[i], v[i]).equal(whole[i])
            row = functional.scaled_dot_product_attention(q[i, 2], k[i, 2], v[i, 2])
            assert row.equal(whole[i, 2])
        deep = functional.scaled_dot_product_attention(*(x[:, None] for x in (q, k, v)))
        assert deep.equal(whole[:, None])
        spread = functional.scaled_dot_product_attention(q, k[:1], v[:1])
        assert spread[1].equal(functional.scaled_dot_product_attention(q[1], k[0], v[0]))


def test_a_boolean_and_a_causal_mask_are_the_numbers_that_they_stand_for():
    q, k, v = case(torch.float32)
    lower = torch.ones(5, 7, dtype=torch.bool).tril()
    numbers = torch.zeros(5, 7).masked_fill(~lower, -torch.inf)
    with samebits.exact():
        wanted = attended(q, k, v, is_causal=True)
        assert attended(q, k, v, lower) == wanted
        assert attended(q, k, v, numbers) == wanted
        assert attended(q, k, v, numbers, learnt=True) == wanted


def test_a_row_that_is_hidden_altogether_has_no_weights():
    q, k, v = case(torch.float32)
    mask = torch.ones(5, 7, dtype=torch.bool)
    mask[3] = False
    with samebits.exact():
        result = functional.scaled_dot_product_attention(q, k, v, mask)
        assert not result[:, :, 3].any()
        numbers = torch.zeros(5, 7).masked_fill(~mask, -torch.inf)
        assert attended(q, k, v, numbers, learnt=True) == attended(q, k, v, mask)


@pytest.mark.parametrize("dtype", FLOATS)
def test_dropout_of_attention_does_not_ask_for_strides(dtype):
    q, k, v = case(dtype)
    with samebits.exact():
        wanted = attended(q, k, v, dropout_p=0.3)
        assert attended(heads_inside(q), turned(k), heads_inside(v), dropout_p=0.3) == wanted
        assert attended(q, k, v, dropout_p=0.0) != wanted
        torch.manual_seed(1)
        weights = (q.float() @ k.float().mT * 8**-0.5).softmax(-1)
        written = functional.dropout(weights, 0.3) @ v.float()
        torch.manual_seed(1)
        result = functional.scaled_dot_product_attention(q, k, v, dropout_p=0.3)
        assert result.equal(written.to(dtype))


def test_keys_that_heads_share_are_derived_as_sums():
    q, k, v = case(torch.float32)
    shared = [x[:, :1].clone().requires_grad_() for x in (k, v)]
    with samebits.exact():
        result = functional.scaled_dot_product_attention(q, *shared, enable_gqa=True)
        grads = torch.autograd.grad(result.sum(), shared)
        own = [x.repeat_interleave(3, 1).detach().requires_grad_() for x in shared]
        wanted = functional.scaled_dot_product_attention(q, *own)
        assert wanted.equal(result)
        for found, full in zip(grads, torch.autograd.grad(wanted.sum(), own), strict=True):
            assert found.equal(full.sum(1, keepdim=True))


@pytest.mark.parametrize(
    ("shapes", "named"),
    [
        ([(2, 3), (4, 2), (4, 3)], {}),
        ([(2, 3), (4, 3), (5, 3)], {}),
        ([(2, 3), (4, 3), (4, 3)], {"is_causal": True, "attn_mask": torch.ones(2, 4)}),
        ([(2, 2, 3), (3, 4, 3), (4, 3)], {}),
        ([(3,), (4, 3), (4, 3)], {}),
    ],
)
def test_wrong_shapes_of_attention_get_torchs_error(shapes, named):
    tensors = [torch.ones(shape) for shape in shapes]
    with pytest.raises(RuntimeError) as torchs:
        functional.scaled_dot_product_attention(*tensors, **named)
    with samebits.exact(), pytest.raises(RuntimeError) as own:
        functional.scaled_dot_product_attention(*tensors, **named)
    assert not isinstance(own.value, NotExactError)
    assert isinstance(own.value, type(torchs.value))


def test_attention_to_nothing_is_zero():
    x, none = torch.ones(2, 4, 3), torch.ones(2, 0, 3)
    with samebits.exact():
        assert functional.scaled_dot_product_attention(x, none, none).equal(torch.zeros(2, 4, 3))
        assert functional.scaled_dot_product_attention(none, x, x).shape == (2, 0, 3)


def test_contractions_of_vectors_do_not_ask_for_strides():
    x, y = torch.randn(10_000)[::2], torch.randn(5000)
    plain = x.contiguous()
    with samebits.exact():
        wanted = plain @ y
        for one in (x, plain):
            assert torch.inner(one, y).equal(wanted)
            assert torch.tensordot(one, y, 1).equal(wanted)
            assert torch.tensordot(one.view(50, 100), y.view(50, 100), 2).equal(wanted)
            assert torch.einsum("i,i", one, y).equal(wanted)
            assert one.inner(y).equal(wanted)
            out = torch.empty(())
            torch.inner(one, y, out=out)
            assert out.equal(wanted)
    assert torch.inner(x, y).equal(torch.ops.aten.inner.default(x, y))


def test_several_products_are_taken_from_left_to_right():
    a, b, c = torch.randn(2, 300), torch.randn(300, 40), torch.randn(40, 200)
    with samebits.exact():
        wanted = (a @ b) @ c
        assert torch.linalg.multi_dot([a, b, c]).equal(wanted)
        assert torch.linalg.multi_dot([a[0], b, c]).equal(wanted[0])
        assert torch.linalg.multi_dot([a[0], b, c[:, 0]]).equal(wanted[0, 0])
        assert torch.einsum("ij,jk,kl->il", a, b, c).equal(wanted)
        # As from the packages that look for a cheaper path.
        assert torch._VF.einsum("ij,jk,kl->il", (a, b, c), path=[1, 2, 0, 1]).equal(wanted)
        with torch.inference_mode():
            assert torch.linalg.multi_dot([a, b, c]).equal(wanted)
            assert torch._VF.einsum("ij,jk,kl->il", (a, b, c), path=[1, 2, 0, 1]).equal(wanted)
        first = torch.linalg.multi_dot([a[:1], b, c])
        assert first.equal(wanted[:1])


def test_derivatives_of_contractions_are_those_of_their_products():
    a, b = torch.randn(6, 40, requires_grad=True), torch.randn(7, 40, requires_grad=True)
    with samebits.exact():
        found = torch.autograd.grad(torch.inner(a, b).square().sum(), (a, b))
        wanted = torch.autograd.grad((a @ b.t()).square().sum(), (a, b))
        assert all(x.equal(y) for x, y in zip(found, wanted, strict=True))
        spread = torch.tensordot(a, torch.ones(1, 3), ([1], [0]))
        assert spread.equal(a.sum(1, keepdim=True).expand(6, 3))


def with_gaps(x: Tensor) -> Tensor:
    """The same values, every second place of a larger memory."""
    return torch.stack([x, x], -1)[..., 0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("gaps", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])
def test_a_layer_of_one_vector_hands_its_bias_the_same_zeros_however_they_lie(dtype, gaps):
    values = [torch.randn(shape).to(dtype) for shape in ((8,), (6, 8), (6,))]
    gradient = torch.tensor([1.0, -0.0, 0.0, -2.0, -0.0, 3.0], dtype=dtype)
    found = []
    for chosen in ((0, 0, 0), gaps):
        own = [with_gaps(x) if gap else x for x, gap in zip(values, chosen, strict=True)]
        leaves = [x.detach().requires_grad_() for x in own]
        with samebits.exact():
            result = functional.linear(*leaves)
            grads = torch.autograd.grad(result, leaves, gradient)
            with torch.inference_mode():
                assert functional.linear(*own).equal(result)
        found.append(samebits.fingerprint([result.detach(), *(g.flatten() for g in grads)]))
    assert found[0] == found[1]


@pytest.mark.parametrize("centred", [True, False])
def test_frames_of_an_expanded_signal_are_derived_by_value(centred):
    signal = torch.full((1,), 0.5).expand(40)
    found = []
    for x in (signal, signal.clone()):
        leaf = x.detach().requires_grad_()
        with samebits.exact():
            result = torch.stft(
                leaf, 16, 4, window=torch.hann_window(16), center=centred, return_complex=True
            )
            (grad,) = torch.autograd.grad(result.abs().sum(), leaf)
        found.append(samebits.fingerprint([result.detach(), grad.contiguous()]))
    assert found[0] == found[1]


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_whole_numbers_are_torchs_own_where_an_out_is_given(mode):
    a, b = torch.arange(4), torch.arange(1, 5)
    with mode(), samebits.exact():
        out = torch.empty((), dtype=torch.int64)
        assert torch.inner(a, b, out=out) is out
        assert out == 20
        assert torch.tensordot(a, b, dims=1, out=torch.empty((), dtype=torch.int64)) == 20


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("shape", [(3, 4), (4,)])
def test_a_layer_is_written_to_what_is_given(mode, shape):
    x, weight = torch.randn(shape), torch.randn(5, 4)
    with mode(), samebits.exact():
        wanted = torch.nn.functional.linear(x, weight)
        out = torch.empty_like(wanted)
        assert torch._C._nn.linear(x, weight, out=out) is out
    assert torch.equal(out, wanted)


def test_a_rank_has_no_gradient():
    out = torch.empty((), dtype=torch.int64)
    with samebits.exact():
        assert torch.linalg.matrix_rank(torch.eye(3, requires_grad=True), out=out) == 3


def test_what_requires_a_gradient_is_not_written_to_what_is_given():
    x = torch.randn(4, 6, requires_grad=True)
    out = torch.empty(4, 4, dtype=torch.complex64)
    with samebits.exact(), pytest.raises(RuntimeError, match="requires grad"):
        torch.fft.ihfft2(x, out=out)


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize(
    "named",
    [
        {},
        {"hermitian": True},
        {"tol": 0.5},
        {"tol": torch.tensor(0.5)},
        {"atol": 0.1, "rtol": 0.1},
        {"atol": torch.tensor(0.1), "rtol": torch.tensor(0.1)},
    ],
    ids=["default", "hermitian", "tol", "tol of a tensor", "atol", "atol of a tensor"],
)
def test_a_rank_is_written_to_what_is_given(mode, named):
    x = torch.randn(3, 5, 5)
    x[0] = 0
    with mode(), samebits.exact():
        wanted = torch.linalg.matrix_rank(x, **named)
        out = torch.full_like(wanted, 7)
        assert torch.linalg.matrix_rank(x, **named, out=out) is out
    assert out.tolist() == wanted.tolist()
    assert out[0] == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("shape", [(2, 3, 4, 8), (3, 4, 8), (4, 8)])
@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_attention_with_a_mask_that_is_causal_as_well_is_refused_in_torchs_words(
    dtype, shape, dropout
):
    x, mask = torch.randn(shape).to(dtype), torch.ones(4, 4, dtype=torch.bool)
    with samebits.exact(), pytest.raises(RuntimeError) as found:
        functional.scaled_dot_product_attention(x, x, x, mask, dropout, is_causal=True)
    with pytest.raises(RuntimeError) as torchs:  # whose fused form alone takes both
        functional.scaled_dot_product_attention(x[:1], x[:1], x[:1], mask, 0.1, is_causal=True)
    assert str(found.value) == str(torchs.value)
    assert type(found.value) is type(torchs.value)


def test_a_thread_without_a_block_has_torchs_composition(monkeypatch):
    used = []
    monkeypatch.setattr(composites, "computed_by", lambda op: used.append(op))
    x = torch.randn(30, 4)
    with samebits.exact(allow={"aten.tensordot"}):
        torch.tensordot(x, x, 2)  # let through
        thread = threading.Thread(target=lambda: torch.tensordot(x, x, 2))
        thread.start()
        thread.join()
    assert used == []
    with samebits.exact():
        torch.tensordot(x, x, 2)
    assert used == [torch.ops.aten.tensordot.default]


def test_nothing_stays_when_the_last_block_is_over():
    name = "aten::inner"
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    with samebits.exact(), samebits.exact():
        assert has(name, "AutogradCPU")
    assert not has(name, "AutogradCPU")
