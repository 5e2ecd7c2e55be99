"""Which entries of the catalog a recorded operation meets when the script runs on CUDA."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from samebits.core.catalog.operations import ForwardOutput, Operation, entries_for

ForwardOutputs = Callable[[str], Collection[str]]


class Output(NamedTuple):
    """What a signature says of one output.

    Attributes:
        dtype: Such as "float32"; "" where it is not known.
        ndim: Its number of dimensions; None where it is not known.
    """

    dtype: str
    ndim: int | None


@dataclass(frozen=True, kw_only=True)
class OutlookContext:
    """What conditions may ask for beyond the operation itself.

    Attributes:
        torch: Version of torch, such as "2.13.0+cpu"; None where it is not known.
        variables: Names of the environment variables that are set.
    """

    torch: str | None = None
    variables: Collection[str] = field(default=())


def outputs_of(signature: str) -> list[Output]:
    """Read a signature such as "float32[2, 3]; int64[2]".

    Text that is no signature gives outputs of which nothing is known.
    """
    return [_output(part) for part in signature.split("; ")] if signature else []


def meets_on_cuda(
    op: str,
    phase: str,
    signature: str,
    *,
    surroundings: OutlookContext,
    forward: ForwardOutputs = lambda op: (),
) -> Operation | None:
    """The entry that holds for a recorded operation, should it run on CUDA.

    Where a row does not show whether a condition holds, the condition counts as met, except for
    entries that say of themselves that no row can show it.

    Args:
        op: Its name as traces show it.
        phase: Its phase as traces show it: "setup", "data", "forward", "backward", "optimizer".
        signature: Its outputs.
        surroundings: The version of torch and the variables.
        forward: Gives the signatures that a forward operation had at the same line.

    Returns:
        The first entry in the catalog's order that raises or switches, or None.
    """
    outputs = outputs_of(signature)
    first = outputs[0] if outputs else Output("", None)
    for entry in entries_for(op):
        if (
            entry.visible
            and entry.mode != "nothing"
            and entry.device in ("cuda", "any")
            and entry.phase in ("any", "backward" if phase == "backward" else "forward")
            and entry.speaks_of(surroundings.torch)
            and entry.unless not in surroundings.variables
            and _has_dtype(first.dtype, entry.dtype)
            and (entry.ndim is None or first.ndim in (None, entry.ndim))
            and (entry.forward is None or _fits(entry.forward, forward(entry.forward.op)))
        ):
            return entry
    return None


_OUTPUT = re.compile(r"(\w+)\[([\d, ]*)\]")
_QUANTIZED = re.compile(r"qu?int\d+(x\d+)?")


def _output(text: str) -> Output:
    found = _OUTPUT.fullmatch(text)
    if found is None:
        return Output("", None)
    dtype, shape = found.groups()
    return Output(dtype, shape.count(",") + 1 if shape.strip() else 0)


def _has_dtype(dtype: str, wanted: str | None) -> bool:
    if wanted is None:
        return True
    if wanted == "quantized":  # only rarely the case: an unknown one counts as a plain one
        return _QUANTIZED.fullmatch(dtype) is not None
    if not dtype:
        return True
    floating = dtype.startswith(("float", "bfloat"))
    if wanted == "integral":
        return dtype == "bool" or dtype.startswith(("int", "uint"))
    return floating or (wanted == "inexact" and dtype.startswith("complex"))


def _fits(wanted: ForwardOutput, signatures: Collection[str]) -> bool:
    """Whether one of the signatures has the wanted output; also where there is none to look at."""
    if not signatures:
        return True
    found = [outputs_of(signature) for signature in signatures]
    return any(
        len(outputs) > wanted.output and outputs[wanted.output].ndim in (None, wanted.ndim)
        for outputs in found
    )
