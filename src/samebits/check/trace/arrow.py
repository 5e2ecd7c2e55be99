"""NumPy and Python values as Arrow arrays, without the help of pandas.

`pyarrow.array` and `Array.to_numpy` import pandas where it is installed. Inside a traced process
that would cost half a second and change what the script has loaded, so arrays are made from their
buffers here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samebits.core.names import storable


def fixed_width(values: npt.NDArray[np.generic], kind: pa.DataType) -> pa.Array:
    """An Arrow array on the memory of a contiguous NumPy array, shape (n,), of the same width."""
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)], null_count=0)


def utf8(texts: Sequence[str]) -> pa.Array:
    """An Arrow array of texts, at most 2 GiB in all."""
    encoded = [storable(text).encode("utf-8") for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype="<i4")
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.utf8(), len(encoded), buffers, null_count=0)


def to_numpy(array: pa.Array, dtype: np.dtype[np.generic]) -> npt.NDArray[np.generic]:
    """The values of a fixed-width Arrow array without nulls, shape (n,), on its own memory."""
    if len(array) == 0:
        return np.empty(0, dtype)
    offset = array.offset * dtype.itemsize
    return np.frombuffer(array.buffers()[1], dtype, len(array), offset)


class GrowingDictionary:
    """A dictionary column whose names are found while the run goes on.

    An Arrow stream may replace a dictionary between batches, and that is what readers other than
    Arrow's own understand (delta dictionaries they do not). Rewriting all names at every new one
    would cost the square of their number, so a batch's dictionary holds what recent batches used:
    it grows up to a limit and then starts anew.

    Args:
        index: Arrow type of the codes in the file.
        names: The names known from the start.
        limit: Names in one batch's dictionary before it starts anew.
    """

    def __init__(self, index: pa.DataType, names: Sequence[str] = (), *, limit: int = 4096) -> None:
        self._index = index
        self._limit = limit
        self._names: list[str] = []
        self._local = np.empty(0, dtype=np.int32)  # Code of the run → code in the file, or -1.
        self._written: list[int] = []  # Code in the file → code of the run.
        self._dictionary = utf8(())
        self.extend(names)

    def __len__(self) -> int:
        return len(self._names)

    def extend(self, names: Sequence[str]) -> None:
        """Give the next codes to these names."""
        if not names:
            return
        self._names.extend(names)
        if len(self._names) > len(self._local):
            room = max(2 * len(self._local), len(self._names), 256)
            grown = np.full(room, -1, dtype=np.int32)
            grown[: len(self._local)] = self._local
            self._local = grown

    def encode(self, codes: npt.NDArray[np.integer]) -> pa.DictionaryArray:
        """The column for a batch.

        Args:
            codes: Codes of the run, shape (n,), each less than the number of names.

        Raises:
            IndexError: A code has no name.
        """
        if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < len(self._names):
            raise IndexError(f"a code lies outside the {len(self._names)} known names")
        local = self._local[codes]
        missing = np.unique(codes[local < 0])
        if len(missing):
            if len(self._written) + len(missing) > self._limit:
                self._local[self._written] = -1
                self._written.clear()
                missing = np.unique(codes)
            start = len(self._written)
            self._local[missing] = np.arange(start, start + len(missing), dtype=np.int32)
            self._written.extend(missing.tolist())
            self._dictionary = utf8([self._names[code] for code in self._written])
            local = self._local[codes]
        width = np.dtype("u1") if self._index == pa.uint8() else np.dtype("<i4")
        indices = fixed_width(np.ascontiguousarray(local, dtype=width), self._index)
        return pa.DictionaryArray.from_arrays(indices, self._dictionary, safe=False)
