"""One number for what several ranks have, so that arrays of them can be matched."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def hashes(names: Sequence[str]) -> npt.NDArray[np.uint64]:
    """A number that a name has on every rank, of each name."""
    digests = (blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8) for name in names)
    return np.array([int.from_bytes(one.digest(), "little") for one in digests], np.uint64)


def mixed(parts: Sequence[npt.NDArray[np.uint64]]) -> npt.NDArray[np.uint64]:
    """One number for each place, which depends on every part and on their order."""
    key = np.zeros(len(parts[0]), np.uint64)
    for part in parts:
        key = (key ^ part) * _SPREAD
        key ^= key >> np.uint64(29)
    return key
