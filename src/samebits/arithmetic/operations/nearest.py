"""Interpolation to the nearest place: values move (docs/arithmetic.md, "Places").

Inputs and results are [N, C, *places].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.forms import write
from samebits.arithmetic.operations.arguments import torch_decides
from samebits.arithmetic.registry import decomposition, name_of


def source_places(size: int, out: int, scale: float | None, middle: bool) -> Tensor:
    """Which place of an axis each place of the result reads.

    Args:
        size: Length of the axis.
        out: Its length in the result.
        scale: By which the axis is said to grow; None where the lengths decide.
        middle: Whether the middle of a place is looked at ("nearest-exact"), or its beginning.

    Returns:
        [out], int64. Where the lengths decide ⌊j × size ÷ out⌋, or ⌊(2 j + 1) × size ÷ (2 out)⌋,
        in whole numbers; else ⌊j × step⌋ or ⌊(j + ½) × step⌋, step = 1 ÷ scale in binary64.
    """
    places = torch.arange(out)
    if scale is None or scale <= 0:
        return ((2 * places + 1) * size) // (2 * out) if middle else (places * size) // out
    start = places.double() + 0.5 if middle else places.double()
    return (start * (1.0 / scale)).floor().to(torch.int64).clamp(0, size - 1)


@decomposition(
    *(
        f"aten.{kind}{axes}d"
        for kind in ("upsample_nearest", "_upsample_nearest_exact")
        for axes in "123"
    ),
    writes=True,
)
def nearest(
    op: Any, out: Tensor | None, x: Tensor, output_size: Sequence[int], *scales: Any, **named: Any
) -> Any:
    """The value of one place for each place of the result, as it is."""
    scales = (*scales, *named.values())
    axes = len(output_size)
    if x.ndim != axes + 2 or min(*x.shape[1:], *output_size) < 1:
        torch_decides(op, (x, output_size, *scales), {})
        raise RuntimeError(f"{name_of(op)}: cannot go from {list(x.shape)} to {output_size} places")
    given = [*scales, *[None] * (axes - len(scales))]
    middle = "exact" in name_of(op)
    result = x
    for axis, (length, scale) in enumerate(zip(output_size, given, strict=True), 2):
        places = source_places(x.shape[axis], length, scale, middle)
        result = result.index_select(axis, places)
    return result if out is None else write(op, out, result)
