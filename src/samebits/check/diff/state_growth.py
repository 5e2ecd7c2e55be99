"""How far parameters, gradients and optimizer of two runs lie apart, step by step."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from samebits.check.diff.explanation import PartGrowth
from samebits.check.diff.growth import doubling_time
from samebits.check.diff.tensor_views import TensorView, tensors_in, ulp_distance

PARTS = ("parameters", "gradients", "optimizer")
_COUNTER = "step"
"""What torch's optimizers call the number of steps that a parameter has taken: it is as large as
the run is long, and beside it what is small would not be seen."""

_FILE = re.compile(r"step-(\d{1,12})\.safetensors")


def state_growth(a: Path, b: Path) -> list[PartGrowth]:
    """Compare what two runs kept after the same steps; an optimizer's step counter is left out.

    Args:
        a: The folder of run A's files, one a step.
        b: Run B's.

    Returns:
        The parts that both have kept at any step.

    Raises:
        TraceError: A file cannot be read.
    """
    of_a, of_b = _files(a), _files(b)
    steps = sorted(of_a.keys() & of_b.keys())
    rows: dict[str, list[tuple[int, float, float, int]]] = {part: [] for part in PARTS}
    for step in steps:
        (one, _), (other, _) = tensors_in(of_a[step]), tensors_in(of_b[step])
        for part in PARTS:
            names = [
                name
                for name in one.keys() & other.keys()
                if name.partition(".")[0] == part
                and not (part == "optimizer" and name.rpartition(".")[2] == _COUNTER)
                and _comparable(one[name], other[name])
            ]
            if names:
                pairs = [(one[name], other[name]) for name in sorted(names)]
                rows[part].append((step, *_distance(pairs)))
    return [_part(part, found) for part, found in rows.items() if found]


def _files(folder: Path) -> dict[int, Path]:
    if not folder.is_dir():
        return {}
    found = ((_FILE.fullmatch(file.name), file) for file in folder.iterdir())
    return {int(match[1]): file for match, file in found if match is not None}


def _comparable(one: TensorView, other: TensorView) -> bool:
    return (one.dtype, one.shape) == (other.dtype, other.shape)


def _distance(pairs: list[tuple[TensorView, TensorView]]) -> tuple[float, float, int]:
    """Relative distance, the share of elements with other bits, and the largest one in ULP."""
    of_difference = of_first = 0.0
    differing = total = largest = 0
    for one, other in pairs:
        for (_, bits), (_, others) in zip(one.pieces(), other.pieces(), strict=True):
            total += len(bits)
            at = np.flatnonzero(bits != others)
            differing += len(at)
            mine, theirs = one.numbers(bits), other.numbers(others)
            if mine is not None and theirs is not None:
                if len(at):
                    apart = ulp_distance(one.dtype, bits[at], others[at])
                    largest = max(largest, int(apart.max()))
                with np.errstate(over="ignore", invalid="ignore"):
                    of_difference += float(((mine - theirs) ** 2).sum())
                    of_first += float((mine**2).sum())
    if not (math.isfinite(of_difference) and math.isfinite(of_first)):
        relative = math.nan
    elif of_first == 0:
        relative = 0.0 if of_difference == 0 else math.inf
    else:
        relative = math.sqrt(of_difference / of_first)
    return relative, differing / max(1, total), largest


def _part(part: str, rows: list[tuple[int, float, float, int]]) -> PartGrowth:
    steps, relative, differing, max_ulp = zip(*rows, strict=True)
    by_step = np.zeros(steps[-1] + 1)
    by_step[list(steps)] = [value if math.isfinite(value) else 0.0 for value in relative]
    return PartGrowth(
        part=part,
        steps=steps,
        relative=relative,
        differing=differing,
        doubling=doubling_time(by_step),
        max_ulp=max_ulp,
    )
