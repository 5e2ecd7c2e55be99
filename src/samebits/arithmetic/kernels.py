"""The native kernels with tensors of any dtype and layout brought into the shape they want."""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.refusal import not_exact
from samebits.core.fingerprint import dtypes, isa

FLOATING = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
_READABLE = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]

PLAIN, OWN_RULES, NO_MEMORY = 0, 1, 2


def _tensor_kind(kind: type[torch.Tensor]) -> int:
    """Which tensor subclasses the kernels may read: those that leave operations to torch."""
    if kind.__torch_dispatch__ is torch.Tensor.__torch_dispatch__:
        return PLAIN
    return OWN_RULES


_exact.attach(
    tensor=torch.Tensor,
    parameter=torch.nn.Parameter,
    tables=dtypes.native_tables(torch),
    kind_of_type=_tensor_kind,
    dtypes={name: getattr(torch, name) for name in _READABLE},
    empty_strided=torch.empty_strided,
    get_num_threads=torch.get_num_threads,
    cpu=torch.device("cpu"),
    strided=torch.strided,
)

NUMBERS: dict[str, int] = _exact.operation_numbers()
"""The native number of every element-wise operation."""

native_elementwise = _exact.elementwise


def use_environment_build() -> None:
    """Run the build of the kernels that SAMEBITS_ISA names, as the fingerprint does."""
    import os

    name = os.environ.get(isa.VARIABLE)
    if name and not _exact.set_isa(name):
        isa.choose(name)  # raises with the choices, unless only this library lacks the build


def elementwise(
    name: str,
    *tensors: torch.Tensor,
    scalars: tuple[float, ...] = (),
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """Run one element-wise operation of `native/exact/operations.hpp`.

    Args:
        name: Its name there.
        tensors: Operands of one floating dtype, which broadcast against each other.
        scalars: Its numbers, in the order in which the formula names them.
        out: Where the result goes; a new tensor unless given.

    Raises:
        NotExactError: The kernels cannot read an operand, or have no such operation for its dtype.
    """
    result = native_elementwise(NUMBERS[name], out, tensors, scalars)
    if result is NotImplemented:
        kinds = ", ".join(f"{tensor.dtype} on {tensor.device}" for tensor in tensors)
        raise not_exact(name, f"there is no kernel for {kinds}".replace("torch.", ""))
    return result  # type: ignore[no-any-return]


def converted(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The tensor with each value rounded once to a floating dtype, NaN canonical."""
    if tensor.dtype == dtype:
        return tensor
    if tensor.dtype in FLOATING and dtype in FLOATING and tensor.device.type == "cpu":
        out = torch.empty_like(tensor, dtype=dtype)
        return elementwise("copy", tensor, out=out)
    if dtype in FLOATING and tensor.device.type == "cpu" and not tensor.is_complex():
        # Whole numbers: one rounding, of which every machine has the same.
        return _whole_as_bfloat16(tensor) if dtype == torch.bfloat16 else tensor.to(dtype)
    raise not_exact(
        "aten._to_copy", f"there is no kernel from {tensor.dtype} to {dtype}".replace("torch.", "")
    )


def _whole_as_bfloat16(tensor: torch.Tensor) -> torch.Tensor:
    """Whole numbers rounded once; torch rounds them to binary32 first.

    In binary64 they are exact, or, beyond 2⁵³, without their last bits but odd where those were
    not 0 (round to odd), which a second rounding to fewer bits cannot tell from the number.
    """
    if tensor.dtype in (torch.int32, torch.uint32, torch.int64):
        whole = tensor.to(torch.int64)
        wide = whole.double()
        long = (whole >= 2**53) | (whole <= -(2**53))
        if bool(long.any()):
            odd = (whole >> 11) | ((whole & 2047) != 0)
            wide = torch.where(long, odd.double() * 2048.0, wide)
        return converted(wide, torch.bfloat16)
    return tensor.to(torch.bfloat16)


def computed_in(dtype: torch.dtype) -> torch.dtype:
    """The dtype in which values of a floating dtype are computed: halves in float32."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def widened(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor in the dtype in which it is computed."""
    return converted(tensor, computed_in(tensor.dtype))


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor in the dtype in which it is computed, row-major and without gaps."""
    return widened(tensor).contiguous()


def new(like: torch.Tensor, *shape: int, dtype: torch.dtype | None = None) -> torch.Tensor:
    """A row-major tensor without contents, of `like`'s dtype unless given."""
    return torch.empty(shape, dtype=dtype or like.dtype, device="cpu")


def is_float(value: Any) -> bool:
    """Whether a value is a tensor of a floating or complex dtype."""
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
