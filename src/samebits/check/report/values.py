"""The values behind a divergence, ready to print: sentences, bars and curves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from samebits.check.diff.explanation import (
    AxisShare,
    DivergenceValues,
    PartGrowth,
    TensorDifference,
)
from samebits.check.report.printable import printable_name, printable_text
from samebits.check.report.slices import SliceView, slice_view

LAST_BITS_ULP = 4
"""Distances up to this many ULP come of rounding a step or two otherwise."""

SMALL = 1e-3
"""Relative distances up to this are small, though more than a rounding."""

MOST_ULP_IN_BARS = 1 << 16
"""Distances from here on are no matter of rounding: how many ULP they are says nothing more."""

MOST_TENSORS = 4
HEIGHTS = 8
"""Heights of a curve's points, above 0, which is no point."""


@dataclass(frozen=True, kw_only=True)
class TensorText:
    """One tensor that differs; every text is ready to print.

    Attributes:
        title: "float32[64, 16]: 3 of 1,024 elements differ".
        what: Sentences.
        bars: Pairs of a range of ULP and how many elements lie in it.
        map: The largest distance in each part of the tensor, as a power of two of ULP; 0: none.
    """

    title: str
    what: tuple[str, ...]
    bars: tuple[tuple[str, int], ...]
    map: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class CurveView:
    """One curve; every text is ready to print.

    Attributes:
        name: "parameters".
        heights: A height from 0 (none) to `HEIGHTS` for each step that was kept, by the logarithm.
        what: One sentence.
    """

    name: str
    heights: tuple[int, ...]
    what: str


@dataclass(frozen=True, kw_only=True)
class ValuesView:
    """All of it; every text is ready to print."""

    tensors: tuple[TensorText, ...]
    sentences: tuple[str, ...]
    curves: tuple[CurveView, ...]
    way: SliceView | None = None


def values_view(found: DivergenceValues) -> ValuesView:
    """What is shown of an explanation, in a terminal and on a page."""
    return ValuesView(
        tensors=tuple(map(_tensor, found.tensors[:MOST_TENSORS])),
        sentences=tuple(_sentences(found)),
        curves=tuple(_curve(one, name) for name, _, one in named_curves(found.growth)),
        way=None if found.slice is None else slice_view(found.slice),
    )


def dtype_name(dtype: str) -> str:
    """What torch calls a dtype of safetensors: "float32" for "F32"."""
    names = {"BF16": "bfloat16", "BOOL": "bool", "C64": "complex64"}
    if dtype in names:
        return names[dtype]
    kinds = {"F": "float", "I": "int", "U": "uint"}
    kind, rest = kinds.get(dtype[:1]), dtype[1:]
    return f"{kind}{rest.lower()}" if kind else printable_name(dtype, 20)


def _tensor(found: TensorDifference) -> TensorText:
    shape = ", ".join(map(str, found.shape))
    title = (
        f"{dtype_name(found.dtype)}[{shape}]: {found.differing:,} of {found.elements:,} elements "
        f"differ{_size(found)}"
    )
    is_rounding = found.max_ulp is not None and not _is_other_value(found)
    has_bars = is_rounding and (found.max_ulp or 0) < MOST_ULP_IN_BARS
    return TensorText(
        title=title,
        what=tuple(_of_tensor(found)),
        bars=tuple(_bars(found.histogram)) if has_bars else (),
        map=found.map,
    )


def _size(found: TensorDifference) -> str:
    """What kind of difference it is."""
    if found.max_ulp is None:
        return ""
    if found.max_ulp <= LAST_BITS_ULP:
        return ", in the last bits: they were rounded differently"
    if not _is_other_value(found):
        return ", by little, but by more than a rounding"
    return ": they are other values"


def _is_other_value(found: TensorDifference) -> bool:
    """Whether a difference is so large that how many ULP it is says nothing."""
    if found.max_ulp is None or found.max_ulp <= LAST_BITS_ULP:
        return False
    is_finite = found.values is None or all(map(math.isfinite, found.values))
    return not is_finite or found.max_relative is None or found.max_relative > SMALL


def _of_tensor(found: TensorDifference) -> Iterator[str]:
    if found.max_ulp is not None and _is_other_value(found):
        if found.max_abs is not None and found.max_relative is not None:
            yield (
                f"the largest difference is {found.max_abs:.6g}, and at most "
                f"{found.max_relative:.2g} times the larger of both values"
            )
    elif found.max_ulp is not None:
        text = f"the largest distance is {found.max_ulp:,} ULP"
        if found.max_abs is not None and found.max_relative is not None:
            text += f" ({found.max_abs:.6g}, {found.max_relative:.2g} times the value)"
        if found.differing > 1:
            text += f", the median {found.median_ulp:,} ULP or a little more"
        yield text
    if found.values is not None:
        one, other = found.values
        at = f"[{', '.join(map(str, found.worst))}]"
        yield f"furthest apart at {at}: {one!r} in A, {other!r} in B"
    if found.first != found.worst:
        yield f"the first that differs is [{', '.join(map(str, found.first))}]"
    yield from filter(None, map(_axis, found.axes))


def _axis(share: AxisShare) -> str:
    """Where along an axis they lie, where that is not everywhere."""
    if share.differing == share.size or share.size < 2:
        return ""
    if share.differing == 1:
        return f"all of them lie at {share.first} of axis {share.axis}, which has {share.size:,}"
    return f"they lie at {share.differing:,} of {share.size:,} places of axis {share.axis}"


def _bars(histogram: tuple[int, ...]) -> Iterator[tuple[str, int]]:
    """The bins that hold anything."""
    for power, count in enumerate(histogram):
        if power and count:
            low, high = 1 << (power - 1), (1 << power) - 1
            yield (f"{low:,}" if low == high else f"{low:,} to {high:,}"), count


def _sentences(found: DivergenceValues) -> Iterator[str]:
    left = len(found.tensors) - MOST_TENSORS
    if left > 0:
        yield f"and {left} more tensors of its result"
    if found.repeats is not None and found.repeats.times:
        times, results = found.repeats.times, found.repeats.results
        if results <= 1:
            yield f"repeated {times} times on the inputs of run A, the operation gave the same bits"
        else:
            yield (
                f"repeated {times} times on the inputs of run A, the operation gave {results} "
                "different results: it does not repeat by itself"
            )
    yield from map(printable_text, found.missing)


def named_curves(growth: tuple[PartGrowth, ...]) -> Iterator[tuple[str, list[str], PartGrowth]]:
    """Each curve with its name and its processes; what is the same in several of them is one."""
    processes = list(dict.fromkeys(one.process for one in growth))
    alike: dict[PartGrowth, list[str]] = {}
    for one in growth:
        alike.setdefault(replace(one, process=""), []).append(one.process)
    for part, of in alike.items():
        name = printable_name(part.part, 40)
        if len(of) == len(processes):
            name += " of every rank" if len(of) > 1 else ""
        else:
            name += f" of {' and '.join(printable_name(one, 40) for one in of)}"
        yield name, of, part


def _curve(found: PartGrowth, name: str) -> CurveView:
    sizes = [value if math.isfinite(value) and value > 0 else 0.0 for value in found.relative]
    logs = [math.log(value) for value in sizes if value]
    low, high = (min(logs), max(logs)) if logs else (0.0, 0.0)
    heights = tuple(
        0 if not value else 1 + round((HEIGHTS - 1) * _part(math.log(value), low, high))
        for value in sizes
    )
    return CurveView(name=name, heights=heights, what=_of_curve(found))


def _part(value: float, low: float, high: float) -> float:
    return 1.0 if high == low else (value - low) / (high - low)


def _of_curve(found: PartGrowth) -> str:
    known = [
        (step, value)
        for step, value in zip(found.steps, found.relative, strict=True)
        if math.isfinite(value) and value > 0
    ]
    if not known:
        return "the same bits after each step that was looked at"
    (first, begin), (last, end) = known[0], known[-1]
    text = f"{begin:.2g} of its size after step {first}"
    if last > first:
        text += f", {end:.2g} after step {last}"
    if found.doubling is not None:
        text += f"; doubles every {found.doubling:.3g} steps"
    return f"{text}; {100 * found.differing[-1]:.3g} % of the elements differ in the end"
