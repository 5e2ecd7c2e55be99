"""The fingerprint of one tensor, whatever its layout, device and class."""

from __future__ import annotations

import sys
from typing import Any

import torch

from samebits.core import _native
from samebits.core.fingerprint import portable
from samebits.core.fingerprint.composite import CompositeKind, integer, node, text
from samebits.core.fingerprint.dtypes import torch_codes
from samebits.errors import UsageError

_CODES = torch_codes(torch)
_PLAIN_CLASSES = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
_COMPRESSED = {
    torch.sparse_csr: ("crow_indices", "col_indices"),
    torch.sparse_bsr: ("crow_indices", "col_indices"),
    torch.sparse_csc: ("ccol_indices", "row_indices"),
    torch.sparse_bsc: ("ccol_indices", "row_indices"),
}


def fingerprint_tensor(tensor: torch.Tensor) -> int:
    """The 64-bit fingerprint of a tensor's bits, dtype and shape.

    Strides, device, `requires_grad` and the class Parameter do not matter; a lazy conjugate or
    negative counts as the values that it stands for. Sparse, quantized and nested tensors and
    wrapper subclasses are fingerprinted by their parts as they are stored, with their layout.

    Args:
        tensor: Any tensor that has bits. On a device other than the CPU, this waits for it.

    Raises:
        UsageError: The tensor has no bits (meta, fake), or none that can be reached.
    """
    if _is_plain(tensor):
        return _strided_cpu(tensor)
    with torch.no_grad(), _without_modes():
        return _by_kind(tensor.detach())


def _is_plain(tensor: torch.Tensor) -> bool:
    return (
        type(tensor) in _PLAIN_CLASSES
        and tensor.layout is torch.strided
        and tensor.is_cpu
        and not (tensor.is_quantized or tensor.is_nested or tensor.is_conj() or tensor.is_neg())
    )


def _without_modes() -> Any:
    # What is asked of a tensor's parts here must not be seen by whoever watches operations.
    from torch.utils._python_dispatch import _disable_current_modes

    return _disable_current_modes()


def _by_kind(tensor: torch.Tensor) -> int:
    _refuse_without_bits(tensor)
    if type(tensor) not in _PLAIN_CLASSES:
        if hasattr(tensor, "__tensor_flatten__"):
            return _wrapper(tensor)
        tensor = tensor.as_subclass(torch.Tensor)
    if tensor.is_nested:
        return node(CompositeKind.NESTED, [fingerprint_tensor(part) for part in tensor.unbind()])
    if tensor.is_quantized:
        return _quantized(tensor)
    if tensor.layout is torch.sparse_coo:
        return _sparse_coo(tensor)
    if tensor.layout in _COMPRESSED:
        return _sparse_compressed(tensor)
    if tensor.layout is not torch.strided:
        # oneDNN's blocked layouts: the values count, in their logical order.
        return fingerprint_tensor(tensor.to_dense())
    tensor = tensor.resolve_conj().resolve_neg()
    if tensor.is_cpu:
        return _strided_cpu(tensor)
    return int(portable.fingerprint_on_device(tensor).item()) % (1 << 64)


def _strided_cpu(tensor: torch.Tensor) -> int:
    code = _CODES.get(tensor.dtype)
    if code is None:
        raise UsageError(f"a tensor of {tensor.dtype} cannot be fingerprinted: unknown dtype")
    try:
        address = tensor.data_ptr()
    except RuntimeError as error:
        raise UsageError(
            f"a {type(tensor).__name__} without storage cannot be fingerprinted ({error})"
        ) from None
    if address == 0 and tensor.numel() != 0:
        raise UsageError(
            "a tensor without storage cannot be fingerprinted",
            hint="Fingerprint it outside of torch.func transforms, before its storage is resized.",
        )
    return _native.fingerprint_view(
        address,
        tensor.element_size(),
        tensor.shape,
        None if tensor.is_contiguous() else tensor.stride(),
        code,
        torch.get_num_threads(),
    )


def _refuse_without_bits(tensor: torch.Tensor) -> None:
    fake = sys.modules.get("torch._subclasses.fake_tensor")
    if fake is not None and isinstance(tensor, fake.FakeTensor):
        kind = "fake"
    elif tensor.is_meta:
        kind = "meta"
    else:
        return
    raise UsageError(
        f"a {kind} tensor has a shape and a dtype but no bits to fingerprint",
        hint="Fingerprint it after it has been materialised on a real device.",
    )


def _wrapper(tensor: torch.Tensor) -> int:
    names, _ = tensor.__tensor_flatten__()  # type: ignore[attr-defined]
    kind = type(tensor)
    parts = [text(f"{kind.__module__}.{kind.__qualname__}"), _shape(tensor)]
    for name in names:
        parts += [text(name), fingerprint_tensor(getattr(tensor, name))]
    return node(CompositeKind.WRAPPER, parts)


def _quantized(tensor: torch.Tensor) -> int:
    parts = [integer(_CODES[tensor.dtype]), fingerprint_tensor(tensor.int_repr())]
    scheme = tensor.qscheme()
    parts.append(text(str(scheme)))
    if scheme in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        scale = torch.tensor(tensor.q_scale(), dtype=torch.float64)
        parts += [fingerprint_tensor(scale), integer(tensor.q_zero_point())]
    else:
        parts += [
            fingerprint_tensor(tensor.q_per_channel_scales()),
            fingerprint_tensor(tensor.q_per_channel_zero_points()),
            integer(tensor.q_per_channel_axis()),
        ]
    return node(CompositeKind.QUANTIZED, parts)


def _sparse_coo(tensor: torch.Tensor) -> int:
    parts = [
        _shape(tensor),
        integer(tensor.sparse_dim()),
        integer(tensor.is_coalesced()),
        fingerprint_tensor(tensor._indices()),
        fingerprint_tensor(tensor._values()),
    ]
    return node(CompositeKind.SPARSE_COO, parts)


def _sparse_compressed(tensor: torch.Tensor) -> int:
    parts = [text(str(tensor.layout)), _shape(tensor), fingerprint_tensor(tensor.values())]
    parts += [fingerprint_tensor(getattr(tensor, name)()) for name in _COMPRESSED[tensor.layout]]
    return node(CompositeKind.SPARSE_COMPRESSED, parts)


def _shape(tensor: torch.Tensor) -> int:
    # A nested tensor's ragged size is a symbol; its parts say what it stands for.
    sizes = (size if isinstance(size, int) else -1 for size in tensor.shape)
    return node(CompositeKind.TUPLE, [integer(size) for size in sizes])
