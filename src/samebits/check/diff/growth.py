"""How a difference grows from step to step: how large it is, and how soon it doubles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MATTERS = 0.01
"""Relative difference of two losses that a person would call another result."""

_FEWEST = 4
"""Steps that a rate of growth is read off at least."""

Series = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Growth:
    """The distance between two runs' values of one number, by step.

    Attributes:
        distance: Absolute difference at each step, NaN where either is no finite number; shape
            (steps,).
        first: The first step with a difference; None without one.
        largest: The largest difference; 0 without one.
        doubling: Steps in which the difference doubles while it grows; None where it does not
            grow steadily enough to say.
        matters_from: The first step at which the difference is `MATTERS` of the larger of the two
            values; None where it never is.
    """

    distance: Series
    first: int | None
    largest: float
    doubling: float | None
    matters_from: int | None


def growth(a: Series, b: Series) -> Growth:
    """Compare two series of one number.

    Args:
        a: Values of run A, shape (steps,).
        b: Values of run B, shape (steps,).
    """
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(a - b)
        scale = np.maximum(np.abs(a), np.abs(b))
    distance = np.where(np.isfinite(distance), distance, np.nan)
    known = np.nan_to_num(distance, nan=0.0)
    # A number beside NaN, or beside an infinity, is a difference that no distance measures.
    apart = (np.isfinite(a) != np.isfinite(b)) | (np.isinf(a) & np.isinf(b) & (a != b))
    differs = np.flatnonzero((known > 0) | apart)
    if not len(differs):
        return Growth(distance, None, 0.0, None, None)
    matters = np.flatnonzero(apart | ((known > 0) & (known >= MATTERS * scale)))
    return Growth(
        distance=distance,
        first=int(differs[0]),
        largest=float(known.max()),
        doubling=doubling_time(known),
        matters_from=int(matters[0]) if len(matters) else None,
    )


def doubling_time(distance: Series) -> float | None:
    """Steps in which a distance doubles, by the line of least squares through its logarithms.

    The line ends where nine tenths of the way from the first logarithm to the largest one are
    done: after that a difference has no room to grow.

    Args:
        distance: Distances by step, 0 where there is none; shape (steps,).

    Returns:
        None where fewer than four steps lie between, or the line does not rise or explains less
        than half of what varies, or the distance does not even double.
    """
    steps = np.flatnonzero(distance > 0)
    if len(steps) < _FEWEST:
        return None
    size = np.log2(distance[steps])
    if size.max() - size[0] < 1:
        return None
    enough = size[0] + 0.9 * (size.max() - size[0])
    end = int(np.argmax(size >= enough)) + 1
    steps, size = steps[:end], size[:end]
    if len(steps) < _FEWEST:
        return None
    slope, at_zero = np.polyfit(steps, size, 1)
    rest = size - (slope * steps + at_zero)
    spread = float(((size - size.mean()) ** 2).sum())
    explained = 1 - float((rest**2).sum()) / spread if spread else 0.0
    if slope <= 0 or explained < 0.5 or not math.isfinite(slope):
        return None
    return float(1 / slope)
