"""Where Python's and NumPy's Mersenne Twister keep their state, as addresses.

Reading or writing the memory costs a hundredth of asking for the state as Python numbers. A block
is believed only when it agrees with what the public function returns.
"""

from __future__ import annotations

import random
import struct
from typing import Any

#: 32-bit words of a Mersenne Twister's state.
TWISTER_WORDS = 624


def python_block() -> tuple[int, int] | None:
    """Address and size in bytes of `random`'s state: an index, then 624 words.

    `None` where the interpreter lays its generator out in another way.
    """
    import ctypes

    instance: Any = getattr(random, "_inst", None)
    # CPython's object header is two words; free-threaded and debug builds have other layouts.
    address, size = id(instance) + object.__basicsize__, 4 * (TWISTER_WORDS + 1)
    if instance is None or type(instance).__basicsize__ < object.__basicsize__ + size:
        return None
    raw = struct.unpack(f"<i{TWISTER_WORDS}I", ctypes.string_at(address, size))
    state = random.getstate()[1]
    return (address, size) if (*raw[1:], raw[0]) == state else None


def numpy_block(source: Any) -> tuple[int, int] | None:
    """Address and size in bytes of a NumPy MT19937's state: 624 words, then a position.

    Args:
        source: A NumPy bit generator; `None` is returned for all but MT19937.
    """
    import ctypes

    if type(source).__name__ != "MT19937":
        return None
    address, size = int(source.ctypes.state_address), 4 * (TWISTER_WORDS + 1)
    *key, position = struct.unpack(f"<{TWISTER_WORDS}Ii", ctypes.string_at(address, size))
    state = source.state["state"]
    agrees = key == state["key"].tolist() and position == state["pos"]
    return (address, size) if agrees else None
