"""Tensors in safetensors files, looked at piece by piece without reading the file as a whole."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from samebits.check.diff.stored_numbers import numbers_of
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
_ReadBits = Callable[[np.dtype[Any], int, int], Bits]
"""Gives so many elements of a dtype from an offset on."""


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
        """Stretches of the elements, each with the number of its first one.

        Raises:
            TraceError: The file has been cut meanwhile.
        """
        for start in range(0, len(self.bits), PIECE):
            yield start, self._read(start, min(PIECE, len(self.bits) - start))

    def numbers(self, bits: Bits) -> npt.NDArray[np.float64] | None:
        """What a stretch of it holds; None for labels, indices and booleans."""
        found = numbers_of(self.dtype, np.ascontiguousarray(bits))
        return None if found is None else found.astype(np.float64)

    def _read(self, start: int, count: int) -> Bits:
        if not isinstance(self.bits, np.memmap):
            return self.bits[start : start + count]
        # Not through the map: its pages would count as this process's memory until it lets go.
        width, file = self.bits.dtype.itemsize, str(self.bits.filename)
        found = np.fromfile(file, self.bits.dtype, count, offset=self.bits.offset + width * start)
        if len(found) != count:
            raise TraceError(f"{printable(file)} has been cut while it was read")
        return found


def tensors_in(file: Path) -> tuple[Mapping[str, TensorView], Mapping[str, str]]:
    """The tensors of a safetensors file by name, and its metadata.

    Raises:
        TraceError: It cannot be read, or is no such file.
    """
    shown = printable(str(file))
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            begin = _header_ends(stream.read(8), size)
            header = stream.read(begin - 8)
    except OSError as error:
        raise TraceError(f"cannot read {shown}: {error.strerror}") from error
    except ValueError:
        raise TraceError(f"{shown} is no safetensors file") from None

    def bits(kind: np.dtype[Any], offset: int, count: int) -> Bits:
        return np.memmap(file, kind, "r", offset, (count,))

    return _views(header, shown, begin, size, bits)


def tensors_of(content: bytes) -> Mapping[str, TensorView]:
    """The tensors of a safetensors file that has been read, by name; nothing is copied.

    Raises:
        TraceError: It is no such file.
    """
    shown = "what was captured"
    try:
        begin = _header_ends(content[:8], len(content))
    except ValueError:
        raise TraceError(f"{shown} is no safetensors file") from None

    def bits(kind: np.dtype[Any], offset: int, count: int) -> Bits:
        return np.frombuffer(content, kind, count, offset)

    return _views(content[8:begin], shown, begin, len(content), bits)[0]


def _header_ends(start: bytes, size: int) -> int:
    length = int.from_bytes(start, "little")
    if length > min(size - 8, _MOST_HEADER_BYTES):
        raise ValueError("a header that is longer than the file")
    return 8 + length


def _views(
    header: bytes,
    shown: str,
    begin: int,
    size: int,
    bits: Callable[[np.dtype[Any], int, int], Bits],
) -> tuple[Mapping[str, TensorView], Mapping[str, str]]:
    try:
        entries = json.loads(header)
        metadata = entries.pop("__metadata__", {})
        found = {name: _view(entry, begin, size, bits) for name, entry in entries.items()}
    except OSError as error:
        raise TraceError(f"cannot read {shown}: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise TraceError(f"{shown} is no safetensors file: {printable(str(error), 100)}") from error
    return found, metadata


def _view(entry: Mapping[str, Any], begin: int, size: int, bits: _ReadBits) -> TensorView:
    dtype, shape = entry["dtype"], tuple(int(n) for n in entry["shape"])
    first, end = entry["data_offsets"]
    width, count = _WIDTHS[dtype], math.prod(shape)
    if not 0 <= first <= end <= size - begin or end - first != width * count:
        raise ValueError(f"a tensor of {shape} does not fit where it should be")
    kind = np.dtype(f"<u{width}")
    return TensorView(
        dtype, shape, bits(kind, begin + first, count) if count else np.empty(0, kind)
    )


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
