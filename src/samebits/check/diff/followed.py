"""Reads what runs have noted of their tensors: which operation was given what, and who made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from samebits.check.diff.tensor_views import TensorView, tensors_of, ulp_distance
from samebits.check.trace.followed_format import COLUMNS, MOST_BYTES, NO_MAKER, samples_file
from samebits.core.names import printable
from samebits.errors import TraceError


@dataclass(frozen=True)
class GivenTensor:
    """A tensor that an operation was given.

    Attributes:
        digest: Its fingerprint; 0 where it has none.
        makers: The rows of the operations that made it, of those that were followed.
        signature: Its dtype and shape.
    """

    digest: int
    makers: tuple[int, ...]
    signature: str


Followed = Mapping[int, Mapping[int, GivenTensor]]
"""Row → place among the tensors that its operation was given → that tensor."""

RowDistance = tuple[int, int, float]
"""A row of run A, the largest distance of its results in ULP, and relative to the larger value."""


def followed_tensors(file: Path) -> Followed:
    """Read the notes of one run.

    Raises:
        TraceError: They are not there, or damaged.
    """
    try:
        with pa.memory_map(str(file)) as stream, pa.ipc.open_stream(stream) as reader:
            table = reader.read_all()
            columns = [table.column(name).to_pylist() for name in COLUMNS]
    except (OSError, KeyError, pa.ArrowException) as error:
        shown = printable(str(error), 100)
        raise TraceError(f"cannot read {printable(str(file))}: {shown}") from error
    found: dict[int, dict[int, GivenTensor]] = {}
    for row, place, digest, maker, signature in zip(*columns, strict=True):
        tensors = found.setdefault(row, {})
        before = tensors[place].makers if place in tensors else ()
        makers = before if maker == NO_MAKER else (*before, maker)
        tensors[place] = GivenTensor(digest, makers, signature)
    return found


def row_distances(a: Path, b: Path, counterpart: Mapping[int, int]) -> Iterator[RowDistance]:
    """How far the results of operations lie apart, by the elements that were kept of each.

    Args:
        a: The notes of run A, which the samples lie beside.
        b: Those of run B.
        counterpart: Row of run A → its row in run B.

    Yields:
        The rows of which any kept element differs, ascending.

    Raises:
        TraceError: The samples cannot be read.
    """
    of_a, of_b = _samples(a), _samples(b)
    largest: dict[int, tuple[int, float]] = {}
    for name, one in of_a.items():
        row, _, place = name.partition(".")
        other = of_b.get(f"{counterpart.get(int(row), -1)}.{place}")
        if other is None or (one.dtype, one.shape) != (other.dtype, other.shape):
            continue
        ulp, relative = _distance(one, other)
        before = largest.get(int(row), (0, 0.0))
        largest[int(row)] = max(before[0], ulp), max(before[1], relative)
    for number in sorted(largest):
        if largest[number][0]:
            yield (number, *largest[number])


def _samples(notes: Path) -> Mapping[str, TensorView]:
    file = samples_file(notes)
    try:
        if file.stat().st_size > 4 * MOST_BYTES:
            raise TraceError(f"{printable(str(file))} is larger than samebits writes it")
        return tensors_of(file.read_bytes())
    except OSError as error:
        raise TraceError(f"cannot read {printable(str(file))}: {error.strerror}") from error


def _distance(one: TensorView, other: TensorView) -> tuple[int, float]:
    apart = ulp_distance(one.dtype, one.bits, other.bits)
    if not apart.size:
        return 0, 0.0
    mine, theirs = one.numbers(one.bits), other.numbers(other.bits)
    assert mine is not None
    assert theirs is not None
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        relative = np.abs(mine - theirs) / np.maximum(np.abs(mine), np.abs(theirs))
    finite = relative[np.isfinite(relative)]
    return int(apart.max()), float(finite.max()) if finite.size else 0.0
