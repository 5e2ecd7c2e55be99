"""The hook "memory": small arrays of NumPy come from the C library, filled as it fills memory."""

from __future__ import annotations

import pytest

from samebits.check.causes.uninitialized_memory import NOISE, filled_with, no_filling

pytestmark = pytest.mark.skipif(no_filling() is not None, reason=str(no_filling()))

STALE = """
import threading, numpy as np
found = []
def look():
    for size in (1, 8, 64, 127):
        old = [np.full(size, 7.5) for _ in range(7)]
        del old
        found.append(bool((np.empty(size) == 7.5).any()))
look()
thread = threading.Thread(target=look); thread.start(); thread.join()
print(any(found), np.empty(64).view(np.uint8).tolist()[:2])
"""


def test_what_numpy_kept_of_freed_arrays_is_not_handed_out_again(run):
    assert run(STALE, {"memory": {}}, **filled_with(0)) == ["False [0, 0]"]


def test_noise_reaches_small_arrays(run):
    assert run(STALE, {"memory": {}}, **filled_with(NOISE)) == [f"False [{NOISE}, {NOISE}]"]


def test_without_it_they_hold_what_was_there_before(run):
    (line,) = run(STALE, {}, **filled_with(0))
    assert line.startswith("True")


def test_arrays_from_before_are_freed_and_grown_as_ever(run):
    source = """
import numpy as np
kept = [np.arange(n) for n in range(1, 400)]
kept[100].resize(4000, refcheck=False)
total = sum(int(a.sum()) for a in kept)
del kept
print(total, np.zeros(9).sum(), np.ones((300, 300)).sum())
"""
    assert run(source, {"memory": {}}, **filled_with(0)) == run(source, {})
