"""What comes of one call inside `exact()`: bits, a refusal, or what must not be."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass
from typing import Any

import torch
from tests.arithmetic.operator_database.inputs import Inputs, Layout
from torch.utils._pytree import tree_leaves, tree_map_only

import samebits
from samebits.errors import NotExactError

MODES = {
    "gradients": contextlib.nullcontext,
    "no_grad": torch.no_grad,
    "inference_mode": torch.inference_mode,
}

SEED = 42
"""The one that random entries of the database set themselves, but not in place."""

BITS, REFUSED, RAISES, WRONG, NOTHING = "bits", "refused", "torch raises", "wrong", "nothing"


@dataclass(frozen=True)
class Outcome:
    """What one pass, forward or backward, has come to.

    Attributes:
        kind: BITS; REFUSED, by a NotExactError; RAISES, as torch does by itself; WRONG, by another
            error although torch computes it; NOTHING, where there is nothing to compute.
        text: A digest of the bits; or the operation that is refused, and why; or the error.
    """

    kind: str
    text: str = ""


@dataclass(frozen=True)
class Call:
    """A way to call an entry: "function", "in place" or "out".

    Attributes:
        form: One of these.
        layout: How the inputs lie in memory.
        mode: A name of `MODES`.
    """

    form: str
    layout: Layout
    mode: str

    def __str__(self) -> str:
        return ", ".join([self.form, self.layout.__name__, self.mode])


def outcomes(entry: Any, sample: Any, inputs: Inputs, call: Call) -> tuple[Outcome, Outcome]:
    """Forward and backward outcome of a call."""
    torch.default_generator.manual_seed(SEED)
    given = inputs.copies(call.layout)
    try:
        with samebits.exact(), MODES[call.mode]():
            result = _called(entry, given, call)
    except Exception as error:
        return _of_error(error, entry, sample, inputs, call, backward=False), Outcome(NOTHING)
    forward = Outcome(BITS, digest(result, values=entry.name not in UNWRITTEN))
    if call.mode != "gradients" or call.form != "function":
        return forward, Outcome(NOTHING)
    try:
        ends = _ends(sample, given, result)
    except Exception:  # torch's sample cannot be differentiated, or not this way
        return forward, Outcome(NOTHING)
    if ends is None:
        return forward, Outcome(NOTHING)
    torch.default_generator.manual_seed(SEED)
    try:
        with samebits.exact():
            gradients = torch.autograd.grad(*ends, allow_unused=True)
    except Exception as error:
        return forward, _of_error(error, entry, sample, inputs, call, backward=True)
    return forward, Outcome(BITS, digest(gradients))


UNWRITTEN = {
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided",
    "resize_", "resize_as_",
}  # fmt: skip
"""Entries whose results are memory that nothing has written to."""


def _called(entry: Any, given: tuple[Any, Any, Any], call: Call) -> Any:
    first, args, kwargs = given
    if call.form == "in place":
        return entry.inplace_variant(first, *args, **kwargs)
    if call.form == "out":
        result = entry.op(first, *args, **kwargs)
        fresh = tree_map_only(torch.Tensor, torch.empty_like, result)
        torch.default_generator.manual_seed(SEED)
        entry.op(first, *args, **kwargs, out=fresh)
        return fresh
    return entry.op(first, *args, **kwargs)


def _ends(sample: Any, given: tuple[Any, Any, Any], result: Any) -> Any:
    """Results, inputs and the gradients of results for the way back; None if there is none."""
    if sample.output_process_fn_grad is not None:
        result = sample.output_process_fn_grad(result)
    wanted = [x for x in tree_leaves(given) if isinstance(x, torch.Tensor) and x.requires_grad]
    results = [x for x in tree_leaves(result) if isinstance(x, torch.Tensor) and x.requires_grad]
    if not wanted or not results:
        return None
    return results, wanted, [_gradient(x.detach()) for x in results]


def _gradient(like: torch.Tensor) -> torch.Tensor:
    """Small numbers that differ from place to place: multiples of ⅛ from −¾ to ⅞."""
    count = torch.arange(like.numel(), dtype=torch.int64)
    return ((count * 5 % 14 - 6) / 8).reshape(like.shape).to(like.dtype)


def _of_error(
    error: Exception, entry: Any, sample: Any, inputs: Inputs, call: Call, *, backward: bool
) -> Outcome:
    if isinstance(error, NotExactError):
        operation = str(error).split(" is not exact")[0]
        return Outcome(REFUSED, f"{operation} ({error.why})")
    if isinstance(error, torch.linalg.LinAlgError):
        return Outcome(RAISES)  # a singular matrix is one only as exactly as it is computed
    try:
        torch.default_generator.manual_seed(SEED)
        given = inputs.copies(call.layout)
        with MODES[call.mode]():
            result = _called(entry, given, call)
            if backward:
                ends = _ends(sample, given, result)
                assert ends is not None
                torch.autograd.grad(*ends, allow_unused=True)
    except Exception:
        return Outcome(RAISES)
    first_line = (str(error).splitlines() or [""])[0]
    return Outcome(WRONG, f"{type(error).__name__}: {first_line}"[:200])


def digest(result: Any, *, values: bool = True) -> str:
    """Shapes and dtypes of a result's tensors; a name for their bits and all else in it."""
    kinds, found = [], hashlib.blake2b(digest_size=8)
    for leaf in tree_leaves(result):
        if isinstance(leaf, torch.Tensor):
            kinds.append(f"{leaf.dtype}{list(leaf.shape)}".removeprefix("torch."))
            for part in _parts(leaf.detach()) if values else ():
                found.update(part.reshape(-1).view(torch.uint8).numpy().tobytes())
        else:
            found.update(leaf.hex().encode() if isinstance(leaf, float) else repr(leaf).encode())
    return f"{' '.join(kinds)}:{found.hexdigest()}"


def _parts(tensor: torch.Tensor) -> list[torch.Tensor]:
    if tensor.is_quantized:
        return _parts(tensor.int_repr())
    if tensor.layout == torch.sparse_coo:
        return [*_parts(tensor._indices()), *_parts(tensor._values())]
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [tensor.crow_indices(), tensor.col_indices(), *_parts(tensor.values())]
    if tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        return [tensor.ccol_indices(), tensor.row_indices(), *_parts(tensor.values())]
    if tensor.is_nested:
        return [part for one in tensor.unbind() for part in _parts(one)]
    plain = tensor.resolve_conj().resolve_neg()
    return [plain.clone(memory_format=torch.contiguous_format)]
