"""Tensors in safetensors files, looked at piece by piece without reading the file as a whole."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from samebits.check.diff.distance import numbers_of
from samebits.core.names import printable
from samebits.errors import TraceError

PIECE = 1 << 20
"""Elements that are looked at together: memory stays bounded however large a tensor is."""

_WIDTHS = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"), 1),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 2),
    **dict.fromkeys(("I32", "U32", "F32"), 4),
    **dict.fromkeys(("I64", "U64", "F64", "C64"), 8),
}
_MOST_HEADER_BYTES = 100 * 2**20

Bits = npt.NDArray[Any]


@dataclass(frozen=True)
class TensorView:
    """One tensor in a file.

    Attributes:
        dtype: As safetensors calls it: "F32".
        shape: Its shape.
        bits: Its elements as unsigned integers of their width, flat; read from disk when looked at.
    """

    dtype: str
    shape: tuple[int, ...]
    bits: Bits

    def pieces(self) -> Iterator[tuple[int, Bits]]:
        """Stretches of the elements, each with the number of its first one."""
        for start in range(0, len(self.bits), PIECE):
            yield start, np.asarray(self.bits[start : start + PIECE])

    def numbers(self, bits: Bits) -> npt.NDArray[np.float64] | None:
        """What a stretch of it holds; None for labels, indices and booleans."""
        found = numbers_of(self.dtype, bits.tobytes())
        return None if found is None else found.astype(np.float64)


def tensors_in(file: Path) -> tuple[Mapping[str, TensorView], Mapping[str, str]]:
    """The tensors of a safetensors file by name, and its metadata.

    Raises:
        TraceError: It cannot be read, or is no such file.
    """
    shown = printable(str(file))
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if length > min(size - 8, _MOST_HEADER_BYTES):
                raise TraceError(f"{shown} is no safetensors file")
            header = json.loads(stream.read(length))
        metadata = header.pop("__metadata__", {})
        tensors = {name: _view(file, entry, 8 + length, size) for name, entry in header.items()}
    except OSError as error:
        raise TraceError(f"cannot read {shown}: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise TraceError(f"{shown} is no safetensors file: {printable(str(error), 100)}") from error
    return tensors, metadata


def _view(file: Path, entry: Mapping[str, Any], begin: int, size: int) -> TensorView:
    dtype, shape = entry["dtype"], tuple(int(n) for n in entry["shape"])
    first, end = entry["data_offsets"]
    width, count = _WIDTHS[dtype], math.prod(shape)
    if not 0 <= first <= end <= size - begin or end - first != width * count:
        raise ValueError(f"a tensor of {shape} does not fit where it should be")
    kind = np.dtype(f"<u{width}")
    if not count:
        return TensorView(dtype, shape, np.empty(0, kind))
    bits = np.memmap(file, kind, "r", begin + first, (count,))
    return TensorView(dtype, shape, bits)


def ulp_distance(dtype: str, a: Bits, b: Bits) -> npt.NDArray[np.uint64]:
    """How many representable values lie between elements, as if bits were whole numbers otherwise.

    Floating point numbers of one dtype are ordered as their bits are, the negative ones in
    reverse; so the distance of two of them is the difference of their places in that order.

    Args:
        dtype: Of both.
        a: Elements, shape (n,).
        b: Others, shape (n,).
    """
    places = [_places(dtype, bits) for bits in (a, b)]
    return np.where(places[0] > places[1], places[0] - places[1], places[1] - places[0])


def _places(dtype: str, bits: Bits) -> npt.NDArray[np.uint64]:
    wide = bits.astype(np.uint64)
    if not dtype.startswith(("F", "BF")):
        return wide
    sign = np.uint64(1 << (8 * bits.dtype.itemsize - 1))
    # −0 and +0 share a place: the magnitude counts up from the middle or down from it.
    magnitude = wide & ~sign
    return np.where(wide & sign, sign - magnitude, sign + magnitude)
