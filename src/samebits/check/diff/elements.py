"""Which elements of a result differ, by how much, and where in the tensor they lie."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from samebits.check.diff.explanation import AxisShare, TensorDifference
from samebits.check.diff.tensor_views import TensorView, tensors_in, ulp_distance

ULP_BINS = 65
"""Bins of the histogram: differences of 0, of 1, of 2 to 3, 4 to 7 … ULP."""

MAP_ROWS, MAP_COLUMNS = 48, 96
"""Cells of the picture of a tensor at most."""

_MOST_AXIS = 1 << 20
"""Places along an axis that are told apart."""


def differing_tensors(a: Path, b: Path) -> list[TensorDifference]:
    """Compare two files of captured outputs, tensor by tensor, piece by piece.

    Args:
        a: Outputs in run A, as safetensors.
        b: The same in run B.

    Returns:
        The tensors that have the same dtype and shape in both, and other bits.

    Raises:
        TraceError: A file cannot be read.
    """
    of_a, _ = tensors_in(a)
    of_b, _ = tensors_in(b)
    return list(_differing(of_a, of_b))


def _differing(
    of_a: Mapping[str, TensorView], of_b: Mapping[str, TensorView]
) -> Sequence[TensorDifference]:
    found = []
    for name in sorted(of_a.keys() & of_b.keys()):
        one, other = of_a[name], of_b[name]
        if (one.dtype, one.shape) == (other.dtype, other.shape):
            tally = _Tally(one)
            for (start, bits), (_, others) in zip(one.pieces(), other.pieces(), strict=True):
                tally.add(start, bits, others)
            if tally.differing:
                found.append(tally.result())
    return found


@dataclass
class _Tally:
    """What is known of two tensors after some pieces."""

    view: TensorView
    differing: int = 0
    first: int = -1
    worst: int = -1
    max_ulp: int = 0
    worst_bits: tuple[Any, Any] | None = None
    max_abs: float | None = None
    max_relative: float | None = None
    histogram: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(ULP_BINS, np.int64))

    def __post_init__(self) -> None:
        shape = self.view.shape or (1,)
        self._shape = shape
        self._along = [np.zeros(size if size <= _MOST_AXIS else 0, bool) for size in shape]
        rows, columns = math.prod(shape[:-1]), shape[-1]
        self._cells = np.zeros((min(rows, MAP_ROWS), min(columns, MAP_COLUMNS)), np.uint8)
        self._rows, self._columns = rows, columns

    def add(self, start: int, a: npt.NDArray[Any], b: npt.NDArray[Any]) -> None:
        """Count the differences of one piece that begins at element `start`."""
        at = np.flatnonzero(a != b)
        self.histogram[0] += len(a) - len(at)
        if not len(at):
            return
        a, b, places = a[at], b[at], at + start
        ulp = ulp_distance(self.view.dtype, a, b)
        # Bits that stand for one number (−0 and +0) differ, by the least there is.
        power = np.maximum(1, _bit_length(ulp))
        self.histogram += np.bincount(power, minlength=ULP_BINS)
        self.differing += len(at)
        if self.first < 0:
            self.first = int(places[0])
        largest = int(ulp.argmax())
        if self.worst < 0 or int(ulp[largest]) > self.max_ulp:
            self.worst, self.max_ulp = int(places[largest]), int(ulp[largest])
            self.worst_bits = a[largest : largest + 1], b[largest : largest + 1]
        self._measure(a, b)
        self._locate(places, power)

    def result(self) -> TensorDifference:
        """All of it."""
        is_float = self.view.dtype.startswith(("F", "BF"))
        last = int(np.flatnonzero(self.histogram)[-1])
        return TensorDifference(
            dtype=self.view.dtype,
            shape=self.view.shape,
            elements=len(self.view.bits),
            differing=self.differing,
            first=self._index(self.first),
            worst=self._index(self.worst),
            values=self._worst_values(),
            max_abs=self.max_abs,
            max_relative=self.max_relative,
            max_ulp=self.max_ulp if is_float else None,
            median_ulp=self._median(),
            histogram=tuple(self.histogram[: last + 1].tolist()),
            axes=tuple(
                AxisShare(
                    axis=axis,
                    size=len(along),
                    differing=int(along.sum()),
                    first=int(along.argmax()),
                )
                for axis, along in enumerate(self._along)
                if len(along) and self.view.shape
            ),
            map=tuple(tuple(row) for row in self._cells.tolist()),
        )

    def _measure(self, a: npt.NDArray[Any], b: npt.NDArray[Any]) -> None:
        one, other = self.view.numbers(a), self.view.numbers(b)
        if one is None or other is None:
            return
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            gap = np.abs(one - other)
            relative = gap / np.maximum(np.abs(one), np.abs(other))
        for name, values in (("max_abs", gap), ("max_relative", relative)):
            finite = values[np.isfinite(values)]
            if finite.size:
                before = getattr(self, name)
                setattr(self, name, max(float(finite.max()), 0.0 if before is None else before))

    def _locate(self, places: npt.NDArray[Any], power: npt.NDArray[Any]) -> None:
        for along, index in zip(self._along, np.unravel_index(places, self._shape), strict=True):
            if len(along):
                along[index] = True
        row, column = np.divmod(places, self._columns)
        row = row * self._cells.shape[0] // self._rows
        column = column * self._cells.shape[1] // self._columns
        cells = self._cells.reshape(-1)  # NumPy is quick at this along one axis alone
        np.maximum.at(cells, row * self._cells.shape[1] + column, power.astype(np.uint8))

    def _index(self, place: int) -> tuple[int, ...]:
        return tuple(int(n) for n in np.unravel_index(place, self.view.shape or (1,)))[
            : len(self.view.shape)
        ]

    def _worst_values(self) -> tuple[float, float] | None:
        if self.worst_bits is None:
            return None
        one, other = (self.view.numbers(bits) for bits in self.worst_bits)
        return None if one is None or other is None else (float(one[0]), float(other[0]))

    def _median(self) -> int:
        """The lower bound of the bin that holds the median of the differing elements."""
        beyond = np.cumsum(self.histogram[1:])
        power = int(np.searchsorted(beyond, (self.differing + 1) // 2)) + 1
        return 1 << (power - 1)


def _bit_length(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Bits that each number takes: 0 for 0, 1 for 1, 2 for 2 and 3 and so on."""
    # Of 32 bits a double holds every one, and its exponent is how many there are.
    found = np.frexp((values & np.uint64(0xFFFFFFFF)).astype(np.float64))[1].astype(np.int64)
    high = (values >> np.uint64(32)).astype(np.float64)
    return np.where(high > 0, 32 + np.frexp(high)[1], found) if high.any() else found
