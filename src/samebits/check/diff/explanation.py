"""What the values behind a divergence show: plain data, for the verdict file and for pages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AxisShare:
    """How many places along an axis hold differences.

    Attributes:
        axis: Its number.
        size: Places along it.
        differing: Places with a differing element.
        first: The first such place.
    """

    axis: int
    size: int
    differing: int
    first: int


@dataclass(frozen=True, kw_only=True)
class TensorDifference:
    """One tensor of a result, in two runs.

    Attributes:
        dtype: As safetensors calls it.
        shape: Its shape.
        elements: How many elements it has.
        differing: How many have other bits.
        first: Index of the first one.
        worst: Index of the one that lies furthest apart, in ULP.
        values: What that one is in A and in B; None for what is no floating point number.
        max_abs: Largest absolute difference; None where no two numbers can be subtracted.
        max_relative: Largest difference relative to the larger of both.
        max_ulp: Largest distance in ULP; None for other dtypes than floating point.
        median_ulp: Of the differing elements, the lower bound of the median's bin.
        histogram: Elements by distance: 0, 1, 2 to 3, 4 to 7 … ULP, up to the last that has any.
        axes: Of each axis, how many of its places hold differences.
        map: The largest distance in each part of the tensor as a power of two, 0 for none, 1 for
            1 ULP, 2 for 2 to 3 …; the last axis runs across.
    """

    dtype: str
    shape: tuple[int, ...]
    elements: int
    differing: int
    first: tuple[int, ...]
    worst: tuple[int, ...]
    values: tuple[float, float] | None
    max_abs: float | None
    max_relative: float | None
    max_ulp: int | None
    median_ulp: int
    histogram: tuple[int, ...]
    axes: tuple[AxisShare, ...]
    map: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class PartGrowth:
    """One part of the state, at the steps that were kept.

    Attributes:
        part: "parameters", "gradients" or "optimizer".
        steps: The steps, ascending.
        relative: The norm of the difference of all its values by the norm of run A's, at each step;
            NaN where either is no finite number. Where elements were left out it is an estimate.
        differing: The share of elements with other bits.
        doubling: Steps in which it doubles while it grows; None where that cannot be told.
    """

    part: str
    steps: tuple[int, ...]
    relative: tuple[float, ...]
    differing: tuple[float, ...]
    doubling: float | None


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """How an operation repeats on the inputs that it had.

    Attributes:
        times: How often it was run.
        results: How many different results that gave.
    """

    times: int
    results: int


@dataclass(frozen=True, kw_only=True)
class DivergenceValues:
    """The values behind the first divergence, as two further runs have shown them.

    Attributes:
        runs: The folders of the runs that kept the values of the operation; empty without any.
        tensors: The tensors of its result that differ.
        repeats: How it repeats by itself; None where that was not tried.
        growth: How far the parts of the state lie apart after some steps.
        growth_runs: The folders of the runs that kept the state.
        missing: Why something is not told, a sentence each.
    """

    runs: tuple[str, ...] = ()
    tensors: tuple[TensorDifference, ...] = ()
    repeats: Repetition | None = None
    growth: tuple[PartGrowth, ...] = ()
    growth_runs: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
