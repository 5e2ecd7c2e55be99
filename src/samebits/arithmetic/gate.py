"""The gate: what an operation may be given at all, before anything is computed of it.

Results are defined for whole numbers and for float16, bfloat16, float32 and float64, in the memory
of this processor, reached by strides. A row of the table may admit more dtypes, complex ones for
instance. Everything else is refused here, by name, whatever the operation: one that only moves
values as well. The native dispatcher lets through what is plainly admitted; this module looks at
the rest.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from samebits.arithmetic.after_refusal import after_refusal
from samebits.arithmetic.forms import complex_by, computed_by
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import COMPLEX, REAL, SAFE, Dtypes, name_of
from samebits.arithmetic.rounded_numbers import rounded_numbers
from samebits.core.fingerprint.dtypes import torch_codes

_CODES = torch_codes(torch)
_CHANGES_NO_VALUES = frozenset(
    f"aten.{name}"
    for name in (
        "detach_", "set_", "set_.source_Storage", "set_.source_Storage_storage_offset",
        "set_.source_Tensor", "resize_", "resize_as_", "transpose_", "t_", "squeeze_",
        "squeeze_.dim", "squeeze_.dims", "unsqueeze_", "swapaxes_", "swapdims_", "as_strided_",
    )
)  # fmt: skip
"""These change the shape of a tensor, or which memory is its own."""

_MOST_COUNTED = 1 << 20
_ALIASES: Dtypes = REAL | COMPLEX
"""Views compute nothing, so that complex memory may be given another shape."""


def is_view(op: Any) -> bool:
    """Whether an operation gives its argument's memory another shape, and does nothing else.

    Its schema says that every result is an argument's memory, and that nothing is written. That
    is said of `to` and `coalesce` too, which convert or add where they have to: such operations
    are compositions of others, and those are looked at.
    """
    schema = getattr(op, "_schema", None)
    if schema is None or not schema.returns or is_composed(op):
        return False
    aliases = [value.alias_info for value in schema.returns]
    reads = all(info is not None and not info.is_write for info in aliases)
    return reads and not schema.is_mutable


def is_composed(op: Any) -> bool:
    """Whether torch itself computes an operation by calling others."""
    if not isinstance(op, torch._ops.OpOverload):
        return False
    key = "CompositeImplicitAutograd"
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), key))  # type: ignore[no-untyped-call]


def arrives_in_parts(op: Any) -> bool:
    """Whether a block is given the parts of a composition instead of it, but in inference mode."""
    own = torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), "CPU")
    return is_composed(op) and not own


def dtypes_of(op: Any) -> Dtypes:
    """The dtypes of tensors that an operation may be given."""
    name = name_of(op)
    if name in SAFE:
        return SAFE[name]
    if is_view(op):
        return _ALIASES
    found = computed_by(op)
    if found is not None:
        return found.dtypes
    # Of a composition the parts are looked at.
    return _ALIASES if is_composed(op) else REAL


@functools.cache
def written_arguments(op: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Places and names of the arguments whose values an operation changes."""
    name = name_of(op)
    if name in _CHANGES_NO_VALUES or getattr(op, "_schema", None) is None:
        return (), ()
    written = [
        (place, argument)
        for place, argument in enumerate(op._schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    ]
    return (
        tuple(place for place, argument in written if not argument.kwarg_only),
        tuple(sys.intern(argument.name) for _, argument in written),
    )


def mask_of(dtypes: Dtypes) -> int:
    """The same dtypes as bits, by the fingerprint's numbers."""
    return sum(1 << _CODES[dtype] for dtype in dtypes)


def look_closer(op: Any, args: Any, kwargs: Any) -> tuple[Any] | tuple[Any, Any] | None:
    """Look at arguments that are not plainly admitted.

    Args:
        op: The operation.
        args: Its arguments.
        kwargs: Its named arguments, or None.

    Returns:
        The result in a tuple, where there are no values to compute with (on the device "meta"),
        where complex numbers are computed with, and of what torch computes with numbers that are
        rounded here; the arguments to go on with and the named ones, where some were zeros without
        memory; None where the operation may go on.

    Raises:
        NotExactError: A tensor has a dtype, a layout or a device for which nothing is defined.
    """
    kwargs = kwargs or {}
    given = tree_leaves((args, kwargs))
    if _without_values(given):
        return (op(*args, **kwargs),)
    if any(map(_is_zeros, given)) and not is_view(op) and name_of(op) not in SAFE:
        args, kwargs = tree_map_only(torch.Tensor, _with_memory, (args, kwargs))
        return args, kwargs
    handler = complex_by(op) if any(map(_is_complex, given)) else None
    why = refused(given, _ALIASES if handler is not None else dtypes_of(op))
    if why is not None:
        # A composition is not let through by name, for its parts are looked at one by one.
        way_out = "Compute it outside of the block." if is_composed(op) else None
        raise not_exact(name_of(op), why, way_out=way_out)
    _refuse_shared_memory(op, args, kwargs)
    if handler is not None:
        return (_of_complex(handler, op, args, kwargs),)
    if name_of(op) in SAFE:
        args, kwargs = rounded_numbers(op, args, kwargs)
        return (op(*args, **kwargs),)
    return None


def _is_complex(one: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return one.is_complex()
    return isinstance(one, complex) or (isinstance(one, torch.dtype) and one.is_complex)


def _is_zeros(one: Any) -> bool:
    """Whether a tensor is zeros without memory, of which forward-mode derivatives are made."""
    return isinstance(one, torch.Tensor) and one._is_zerotensor()


def _with_memory(tensor: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(tensor) if tensor._is_zerotensor() else tensor


def _of_complex(handler: Any, op: Any, args: Any, kwargs: Any) -> Any:
    try:
        return handler(*args, **kwargs)
    except Exception as error:
        after_refusal(op, args, kwargs, error)
        raise


def _refuse_shared_memory(op: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Refuse to write to a tensor several of whose elements lie in one place of memory."""
    places, names = written_arguments(op)
    targets = [args[place] for place in places if place < len(args)]
    targets += [kwargs[name] for name in names if name in kwargs]
    for target in tree_leaves(targets):
        if isinstance(target, torch.Tensor) and _shares_memory(target):
            raise not_exact(
                name_of(op),
                "several elements of the tensor that is written to share memory",
                way_out="Write to a copy of it: call .clone() first.",
            )


def _shares_memory(tensor: torch.Tensor) -> bool:
    axes = [(n, s) for n, s in zip(tensor.shape, tensor.stride(), strict=True) if n > 1]
    if tensor.numel() < 2 or any(step == 0 for _, step in axes):
        return tensor.numel() > 1
    reach = 0
    for length, step in sorted(axes, key=lambda axis: axis[1]):
        if step <= reach:
            break
        reach += step * (length - 1)
    else:
        return False
    if tensor.numel() > _MOST_COUNTED:
        return True  # strange enough; nobody counts
    places = torch.zeros((), dtype=torch.int64)
    for length, step in axes:
        places = places.unsqueeze(-1) + torch.arange(length) * step
    distinct = int(torch.unique(places).numel())
    return distinct < tensor.numel()


def refused(given: list[Any], dtypes: Dtypes) -> str | None:
    """Why arguments or results are refused, as the rest of a sentence; None if they are not."""
    for one in given:
        why = None
        if isinstance(one, torch.Tensor):
            why = _tensor_refused(one, dtypes)
        elif isinstance(one, torch.dtype):
            why = None if one in dtypes else f"it is not defined for {one}"
        elif isinstance(one, torch.layout):
            why = None if one is torch.strided else f"it is not defined for the layout {one}"
        elif isinstance(one, torch.device):
            why = None if one.type == "cpu" else _elsewhere(one)
        elif isinstance(one, complex):
            why = None if dtypes & COMPLEX else "it is not defined for complex numbers"
        if why is not None:
            return why.replace("torch.", "")
    return None


def _tensor_refused(tensor: torch.Tensor, dtypes: Dtypes) -> str | None:
    if tensor.device.type != "cpu":
        return _elsewhere(tensor.device)
    if tensor.layout != torch.strided:
        return f"a tensor has the layout {tensor.layout}"
    if tensor.is_nested:
        return "a tensor is nested; torch.nested.nested_tensor(…, layout=torch.jagged) is covered"
    if tensor.dtype not in dtypes:
        return f"it is not defined for {tensor.dtype}"
    return None


def _elsewhere(device: torch.device) -> str:
    return f"a tensor is on {device}; exact arithmetic runs on the CPU"


def _without_values(given: list[Any]) -> bool:
    """Whether the result is of the device "meta": it is asked for there, or all tensors are there.

    A tensor without axes counts as a number, as it does for torch.
    """
    if any(isinstance(one, torch.device) and one.type == "meta" for one in given):
        return True
    tensors = [one for one in given if isinstance(one, torch.Tensor)]
    places = {one.device.type for one in tensors if one.ndim or one.device.type != "cpu"}
    return places == {"meta"}
