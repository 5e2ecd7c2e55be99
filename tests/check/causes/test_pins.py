"""Holds: found by name, and each keeps still what it says."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from samebits.check import causes, hooks
from samebits.check.causes.uninitialized_memory import filled_with, no_filling
from samebits.errors import UsageError

NAMES = (
    "addresses",
    "clock",
    "deterministic-algorithms",
    "entropy",
    "files",
    "hash-seed",
    "listing",
    "memory",
    "seeds",
    "sqlite-clock",
    "sqlite-random",
    "thread-timing",
    "threads",
    "usage",
)


def test_they_are_found_by_name():
    assert causes.PIN_NAMES == NAMES
    assert [causes.pin(name).name for name in NAMES] == list(NAMES)


def test_an_unknown_one_lists_the_choices():
    with pytest.raises(UsageError) as caught:
        causes.pin("hash-sed")
    assert "did you mean hash-seed?" in str(caught.value.hint)
    assert "thread-timing" in str(caught.value.hint)


@pytest.mark.parametrize("name", NAMES)
def test_each_says_what_it_is(name):
    pin = causes.pin(name)
    assert pin.what
    assert pin.__doc__
    assert pin.hook is None or pin.hook in hooks.names()
    surroundings = pin.surroundings()
    assert surroundings.hooks or surroundings.environment or surroundings.addresses == "fixed"


@pytest.mark.parametrize("name", NAMES)
def test_those_that_can_are_bound_to_lines(name):
    pin = causes.pin(name)
    if pin.by_site:
        (hook,) = pin.surroundings(sites=[("a.py", 3)]).hooks
        assert hook.settings["sites"] == [["a.py", 3]]
    else:
        with pytest.raises(AssertionError):
            pin.surroundings(sites=[("a.py", 3)])


def test_settings_reach_the_hook():
    (hook,) = causes.pin("seeds").surroundings(settings={"sources": ["numpy"]}).hooks
    assert hook.settings == {"sources": ["numpy"]}


_READS_MEMORY = """
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = (ctypes.c_size_t,)
libc.free.argtypes = (ctypes.c_void_p,)
found = set()
for size in (24, 1000, 50_000, 3_000_000):
    for _ in range(3):
        block = libc.malloc(size)
        found.update(ctypes.string_at(block, size))
        libc.free(block)
print(sorted(found))
"""


@pytest.mark.skipif(no_filling() is not None, reason=f"memory cannot be filled: {no_filling()}")
@pytest.mark.parametrize("byte", [0, 0x4B])
def test_memory_is_filled_with_the_byte(byte):
    done = subprocess.run(
        [sys.executable, "-c", _READS_MEMORY],
        env={**os.environ, **filled_with(byte)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"[{byte}]"


def test_other_tunables_are_kept():
    given = {"GLIBC_TUNABLES": "glibc.malloc.arena_max=2:glibc.malloc.perturb=7"}
    assert filled_with(0, given)["GLIBC_TUNABLES"] == (
        "glibc.malloc.arena_max=2:glibc.malloc.perturb=255:glibc.malloc.tcache_count=0"
    )


def test_another_allocator_is_named():
    assert "jemalloc" in str(no_filling({"LD_PRELOAD": "/usr/lib/libjemalloc.so.2"}))
