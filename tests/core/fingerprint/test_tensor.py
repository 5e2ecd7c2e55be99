"""Tensors of every dtype, layout and class have the fingerprint of their bits, or a refusal."""

from __future__ import annotations

import warnings

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode

from samebits.core.fingerprint import reference
from samebits.core.fingerprint.dtypes import CODES, torch_codes
from samebits.core.fingerprint.portable import fingerprint_on_device
from samebits.core.fingerprint.tensor import fingerprint_tensor
from samebits.errors import UsageError

QUANTIZED = {"quint8", "qint8", "qint32", "quint4x2", "quint2x4"}
DTYPES = [name for name in CODES if name not in QUANTIZED and hasattr(torch, name)]


def of_bytes(name: str, shape: list[int], seed: int = 0) -> torch.Tensor:
    """A tensor of arbitrary bits of any dtype."""
    dtype = getattr(torch, name)
    count = dtype.itemsize
    for size in shape:
        count *= size
    generator = torch.Generator().manual_seed(seed)
    high = 2 if name == "bool" else 256
    raw = torch.randint(0, high, (count,), dtype=torch.uint8, generator=generator)
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(shape[axis + 1], 1)
    return raw.view(dtype).as_strided(shape, strides)


def content(tensor: torch.Tensor) -> bytes:
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}
    return tensor.view(bits[tensor.itemsize]).numpy().tobytes()


def expected(tensor: torch.Tensor) -> int:
    code = torch_codes(torch)[tensor.dtype]
    return reference.fingerprint(content(tensor), code, tensor.shape)


def on_device(tensor: torch.Tensor) -> int:
    return int(fingerprint_on_device(tensor)) % 2**64


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [[], [0], [7], [3, 5], [2, 0, 3], [40, 53]], ids=str)
def test_every_dtype(name: str, shape: list[int]) -> None:
    tensor = of_bytes(name, shape)
    assert fingerprint_tensor(tensor) == expected(tensor)
    assert on_device(tensor) == expected(tensor)


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(DTYPES),
    shape=st.lists(st.integers(1, 12), min_size=2, max_size=4),
    data=st.data(),
)
def test_strides_do_not_matter(name: str, shape: list[int], data: st.DataObject) -> None:
    view = of_bytes(name, shape).permute(data.draw(st.permutations(range(len(shape)))))
    view = view[:: data.draw(st.integers(1, 3)), data.draw(st.integers(0, 1)) :]
    if data.draw(st.booleans()):
        view = view.unsqueeze(0).expand(3, *view.shape)
    assert fingerprint_tensor(view) == expected(view)
    assert on_device(view) == expected(view)


@pytest.mark.parametrize("blocks", [1, 2, 3])
@pytest.mark.parametrize("extra", [0, 4, 512, 1004])
def test_the_portable_form_in_chunks(
    monkeypatch: pytest.MonkeyPatch, blocks: int, extra: int
) -> None:
    monkeypatch.setattr("samebits.core.fingerprint.portable._CHUNK_BLOCKS", 2)
    tensor = torch.arange((blocks * 8192 + extra) // 4, dtype=torch.int32)
    assert on_device(tensor) == expected(tensor)
    # Words that do not begin at a multiple of eight bytes.
    assert on_device(tensor[1:]) == expected(tensor[1:])


def test_class_and_gradient_do_not_matter() -> None:
    values = torch.randn(4, 5)
    first = fingerprint_tensor(values)
    assert fingerprint_tensor(torch.nn.Parameter(values)) == first
    assert fingerprint_tensor(values.clone().requires_grad_() * 1) == first

    class Tagged(torch.Tensor):
        pass

    assert fingerprint_tensor(values.as_subclass(Tagged)) == first
    with torch.inference_mode():
        assert fingerprint_tensor(values.clone()) == first


def test_lazy_conjugates_and_negatives_count_as_their_values() -> None:
    values = torch.randn(6, dtype=torch.complex64)
    lazy = values.conj()
    assert lazy.is_conj()
    assert fingerprint_tensor(lazy) == fingerprint_tensor(lazy.resolve_conj())
    assert fingerprint_tensor(lazy) != fingerprint_tensor(values)
    assert on_device(lazy) == fingerprint_tensor(lazy)
    negative = lazy.imag
    assert negative.is_neg()
    assert fingerprint_tensor(negative) == fingerprint_tensor(-values.imag)
    assert on_device(negative) == fingerprint_tensor(negative)


def test_sparse_coo_counts_as_stored() -> None:
    indices = torch.tensor([[0, 1, 1], [2, 0, 2]])
    values = torch.tensor([3.0, 4.0, 5.0])

    def build(**changes: object) -> torch.Tensor:
        given = {"indices": indices, "values": values, "size": (2, 3), "check_invariants": True}
        return torch.sparse_coo_tensor(**{**given, **changes})

    same = [fingerprint_tensor(build()) for _ in range(2)]
    changed = [
        build(values=values + 1),
        build(indices=indices.flip(0), size=(3, 2)),
        build(size=(2, 4)),
        build(is_coalesced=True),
        build().to_dense(),
    ]
    assert len({*same, *(fingerprint_tensor(tensor) for tensor in changed)}) == 6


@pytest.mark.filterwarnings("ignore:Sparse .* tensor support is in beta")
def test_compressed_layouts_differ() -> None:
    dense = torch.eye(4)
    layouts = [
        dense.to_sparse_csr(),
        dense.to_sparse_csc(),
        dense.to_sparse_bsr((2, 2)),
        dense.to_sparse_bsc((2, 2)),
    ]
    prints = [fingerprint_tensor(tensor) for tensor in layouts]
    assert len({*prints, fingerprint_tensor(dense)}) == 5
    assert prints[0] == fingerprint_tensor(torch.eye(4).to_sparse_csr())
    assert prints[0] != fingerprint_tensor((2 * dense).to_sparse_csr())


@pytest.mark.filterwarnings("ignore:.*quantize")
def test_quantized() -> None:
    values = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))

    def tensorwise(scale: float = 0.1, zero: int = 0, kind: torch.dtype = torch.qint8) -> int:
        return fingerprint_tensor(torch.quantize_per_tensor(values, scale, zero, kind))

    assert tensorwise() == tensorwise()
    assert (
        len({tensorwise(), tensorwise(0.2), tensorwise(zero=3), tensorwise(kind=torch.qint32)}) == 4
    )
    integers = torch.arange(4, dtype=torch.int8)
    moved = [torch._make_per_tensor_quantized_tensor(integers, 0.1, zero) for zero in (0, 3)]
    assert fingerprint_tensor(moved[0]) != fingerprint_tensor(moved[1])
    scales, zeros = torch.tensor([0.1, 0.2, 0.3]), torch.zeros(3)
    by_channel = torch.quantize_per_channel(values, scales, zeros, 0, torch.qint8)
    other = torch.quantize_per_channel(values, scales * 2, zeros, 0, torch.qint8)
    assert fingerprint_tensor(by_channel) != fingerprint_tensor(other)


def test_nested() -> None:
    parts = [torch.ones(2, 3), torch.zeros(4, 3)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        strided = torch.nested.nested_tensor(parts)
    jagged = torch.nested.nested_tensor(parts, layout=torch.jagged)
    again = torch.nested.nested_tensor(parts, layout=torch.jagged)
    cut = torch.nested.nested_tensor([*parts[:1], parts[1][:3]], layout=torch.jagged)
    assert fingerprint_tensor(jagged) == fingerprint_tensor(again)
    prints = {fingerprint_tensor(tensor) for tensor in (strided, jagged, cut)}
    assert len(prints) == 3


def test_blocked_layouts_count_as_their_values() -> None:
    if not torch.backends.mkldnn.is_available():
        pytest.skip("torch has no oneDNN")
    values = torch.randn(2, 3, 4, 4)
    assert fingerprint_tensor(values.to_mkldnn()) == fingerprint_tensor(values)


def test_without_bits() -> None:
    with pytest.raises(UsageError, match="meta tensor has a shape"):
        fingerprint_tensor(torch.empty(3, device="meta"))
    with FakeTensorMode():
        fake = torch.empty(3)
    with pytest.raises(UsageError, match="fake tensor has a shape"):
        fingerprint_tensor(fake)
    freed = torch.ones(3)
    freed.untyped_storage().resize_(0)
    with pytest.raises(UsageError, match="without storage"):
        fingerprint_tensor(freed)


def test_inside_a_function_transform() -> None:
    def inner(value: torch.Tensor) -> torch.Tensor:
        with pytest.raises(UsageError, match="storage"):
            fingerprint_tensor(value)
        return value

    torch.func.vmap(inner)(torch.ones(2, 3))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("name", DTYPES)
def test_cuda_gives_the_same(name: str) -> None:
    for shape in ([], [0], [3, 5], [2048, 33]):
        tensor = of_bytes(name, shape)
        assert fingerprint_tensor(tensor.cuda()) == expected(tensor)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_does_not_wait() -> None:
    tensor = torch.randn(1000, 33, device="cuda").t()
    torch.cuda.set_sync_debug_mode("error")
    try:
        result = fingerprint_on_device(tensor)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert int(result) % 2**64 == fingerprint_tensor(tensor.cpu())
