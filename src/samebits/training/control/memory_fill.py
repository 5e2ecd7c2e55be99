"""Having the C library fill the memory that it hands out and takes back."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping

NOISE = 0x4B
"""A byte that shows: four of them are the float32 13,323,083, eight the float64 2.7e55, and as
integers they are far beyond any index."""

_TUNABLES = "GLIBC_TUNABLES"
_OTHER_ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc", "hoard", "asan", "scudo")


def no_filling(environment: Mapping[str, str] | None = None) -> str | None:
    """Why the memory of programs cannot be filled here; None when it can.

    Args:
        environment: That of the program; this process's unless given.
    """
    library = platform.libc_ver()[0]
    if library != "glibc":
        return f"only glibc's allocator can be told to fill, and this is {library or 'not glibc'}"
    preloaded = (os.environ if environment is None else environment).get("LD_PRELOAD", "")
    for name in _OTHER_ALLOCATORS:
        if name in preloaded:
            return f"LD_PRELOAD replaces glibc's allocator by {name}"
    return None


def filled_with(byte: int, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables under which memory is handed out filled with a byte.

    The cache of freed blocks that each thread keeps is switched off: what comes out of it is not
    filled, and holds addresses.

    Args:
        byte: From 0 to 254.
        environment: That of the program, whose other tunables are kept.
    """
    assert 0 <= byte < 0xFF, byte
    # mallopt(3), M_PERTURB: handed out memory gets the complement of the value's last byte, freed
    # memory the byte itself; 0 fills nothing.
    value = byte ^ 0xFF
    given = (os.environ if environment is None else environment).get(_TUNABLES, "")
    ours = ("glibc.malloc.perturb", "glibc.malloc.tcache_count")
    kept = [one for one in given.split(":") if one and one.partition("=")[0] not in ours]
    tunables = [*kept, f"{ours[0]}={value}", f"{ours[1]}=0"]
    return {_TUNABLES: ":".join(tunables), "MALLOC_PERTURB_": str(value)}
