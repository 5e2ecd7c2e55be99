"""What the native module offers; the docstrings are in native/python/."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

def fingerprint_view(
    address: int,
    itemsize: int,
    shape: Sequence[int],
    strides: Sequence[int] | None,
    dtype_code: int,
    threads: int = 1,
) -> int: ...
def fingerprint_views(
    views: Sequence[tuple[int, int, Sequence[int], Sequence[int] | None, int]],
    threads: int = 1,
) -> list[int]: ...
def fingerprint_bytes(content: bytes, dtype_code: int) -> int: ...
def sum_words(address: int, nbytes: int, first_block: int = 0, threads: int = 1) -> int: ...
def finalise(word_sum: int, dtype_code: int, shape: Sequence[int]) -> int: ...
def combine(running: int, following: int) -> int: ...
def isa() -> str: ...
def set_isa(name: str) -> bool: ...
def digest_memory(address: int, size: int) -> int: ...
def align(
    a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64], max_edits: int
) -> tuple[npt.NDArray[np.int64], bool]: ...

# The recorder's surface is wide and private to samebits.record.
Recorder: Any
Tap: Any
