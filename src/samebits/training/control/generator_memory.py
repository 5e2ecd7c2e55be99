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


def numpy_normal(state: Any) -> int | None:
    """Address of what a NumPy `RandomState` keeps of a pair of normals, of which one was drawn.

    An `int` says whether a normal is waiting; eight bytes after it stands the normal, a `double`.
    The object is searched for a value that is put there, and left as it was.

    Args:
        state: A `RandomState`, such as the one that `numpy.random.rand` and its like draw from.

    Returns:
        The address, or `None` where no such place is found.
    """
    import ctypes

    address, size = id(state), type(state).__basicsize__
    before = state.get_state(legacy=False)
    if "has_gauss" not in before:
        return None
    found: set[int] | None = None
    try:
        for waiting, normal in ((1, -0.8414709848078965), (1, 0.4161468365471424), (0, 0.0)):
            state.set_state({**before, "has_gauss": waiting, "gauss": normal})
            memory = ctypes.string_at(address, size)
            pattern = struct.pack("=d", normal)
            places = {
                place
                for place in range(0, size - 16 + 1, 8)
                if memory[place : place + 4] == struct.pack("=i", waiting)
                and memory[place + 8 : place + 16] == pattern
            }
            found = places if found is None else found & places
    finally:
        state.set_state(before)
    return address + found.pop() if found is not None and len(found) == 1 else None
