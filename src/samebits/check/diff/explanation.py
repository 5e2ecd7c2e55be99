"""What the values behind a divergence show: plain data, for the verdict file and for pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


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
        max_ulp: The largest distance of any element in ULP, of those that were kept.
        process: What the process is called whose state it is, where the run has several: "rank 1".
        differing: The share of elements with other bits.
        doubling: Steps in which it doubles while it grows; None where that cannot be told.
    """

    part: str
    steps: tuple[int, ...]
    relative: tuple[float, ...]
    differing: tuple[float, ...]
    doubling: float | None
    max_ulp: tuple[int, ...] = ()
    process: str = ""


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
class CarriedTensor:
    """A tensor that carried a difference from one part of a slice to a later one.

    Attributes:
        source: The number of the part that made it, from 0.
        signature: Its dtype and shape: "float32[32, 64]".
        others: How many more tensors went the same way.
    """

    source: int
    signature: str
    others: int


@dataclass(frozen=True, kw_only=True)
class SlicePart:
    """Operations of a slice that belong together: of one line, of one module.

    Attributes:
        phase: "forward", "backward" and so on.
        file: The line that they ran for; "" where none is known, or where they are of several.
        line: Its number, from 1; 0 where none is known.
        module: Path of their module, "" outside any.
        ops: Names of the operations, in order, each once; at most four.
        operations: How many there are.
        row: The number in run A of the first one.
        given: The tensors that brought the difference, by where they came from.
        max_ulp: How far the results of the last one lie apart in ULP, by the elements that were
            kept; None where no number is known.
        max_relative: The same, relative to the larger value.
        is_goal: Whether its last operation made what the slice leads to.
    """

    phase: str
    file: str
    line: int
    module: str
    ops: tuple[str, ...]
    operations: int
    row: int
    given: tuple[CarriedTensor, ...]
    max_ulp: int | None
    max_relative: float | None
    is_goal: bool


@dataclass(frozen=True, kw_only=True)
class GraphSlice:
    """How a difference went from the operation that it began in to the loss of that step.

    Attributes:
        step: The step.
        goal: What it leads to: the loss; where that was not reached or is done before, the
            operations of the optimizer; otherwise the last operations that it reached.
        parts: The parts, in the order in which they ran; the first one is where it began.
        loss: Whether the loss of the step has other bits because of it; None where the difference
            began after the loss, or the loss could not be told.
        operations: Operations of the slice.
        reached: Operations that gave other bits because of the first one, on the way or beside it.
        absorbed: Operations that were given other bits because of it, and gave the same.
        others: Operations that gave other bits although nothing that they were given differed.
        joined: By what operations are joined into parts: "operation", "line" or "module".
    """

    step: int
    goal: Literal["loss", "optimizer", "end"]
    parts: tuple[SlicePart, ...]
    loss: bool | None
    operations: int
    reached: int
    absorbed: int
    others: int
    joined: Literal["operation", "line", "module"]


@dataclass(frozen=True, kw_only=True)
class DivergenceValues:
    """The values behind the first divergence, as two further runs have shown them.

    Attributes:
        runs: The folders of the runs that kept the values of the operation; empty without any.
        tensors: The tensors of its result that differ.
        repeats: How it repeats by itself; None where that was not tried.
        growth: How far the parts of the state lie apart after some steps.
        growth_runs: The folders of the runs that kept the state.
        slice: How it went to the loss, tensor by tensor; None where that is not known.
        distances: Of operations of that step: the row in run A, and how far its results lie apart
            in ULP and relative to the larger value, by the elements that were kept.
        missing: Why something is not told, a sentence each.
    """

    runs: tuple[str, ...] = ()
    tensors: tuple[TensorDifference, ...] = ()
    repeats: Repetition | None = None
    growth: tuple[PartGrowth, ...] = ()
    growth_runs: tuple[str, ...] = ()
    slice: GraphSlice | None = None
    distances: tuple[tuple[int, int, float], ...] = ()
    missing: tuple[str, ...] = ()
