"""The arithmetic of `exact()`, readable: running sums, and sums into places (docs/arithmetic.md).

A continuation of `reference`, on which it is built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from samebits.arithmetic.reference import LANES, Array, canonical, function, total

# Running sums ------------------------------------------------------------------------------------

Join = Callable[[Any, Any], Any]


def scan(values: Sequence[Any], join: Join, nothing: Any) -> list[Any]:
    """What each value comes to together with all before it.

    Args:
        values: Numbers, or whatever `join` takes.
        join: What becomes of two neighbouring stretches.
        nothing: What changes nothing.
    """
    blocks = []
    for i in range(0, len(values), LANES):
        block = list(values[i : i + LANES])
        for d in (1, 2, 4, 8, 16, 32):
            for place in range(len(block)):
                if place & d:
                    block[place] = join(block[place // (2 * d) * (2 * d) + d - 1], block[place])
        blocks.append(block)
    totals = [block[-1] for block in blocks[:-1]]
    before = [nothing, *(scan(totals, join, nothing) if totals else [])]
    return [join(p, v) for p, block in zip(before, blocks, strict=True) for v in block]


def running_sum(x: Array) -> Array:
    """The sum up to each value, over the first axis: a scan in binary64."""
    wide = x.astype(np.float64)
    found = scan(list(wide), lambda a, b: a + b, np.zeros(x.shape[1:]))
    return canonical(np.stack(found).astype(x.dtype))


def running_product(x: Array) -> Array:
    """The product up to each value, over the first axis."""
    wide = x.astype(np.float64)
    found = scan(list(wide), lambda a, b: a * b, np.ones(x.shape[1:]))
    return canonical(np.stack(found).astype(x.dtype))


def running_log_sum(x: Array) -> Array:
    """The logarithm of the sum of exponentials up to each value of a sequence, in binary32.

    The scan is that of pairs: the largest value, and the sum of exponentials of what lies below it.
    """

    def join(a: Any, b: Any) -> Any:
        large, small = (a, b) if a[0] > b[0] else (b, a)
        below = np.float32(0.0) if a[0] == b[0] else small[0] - large[0]
        fading = np.float64(function("exp", np.array([below]))[0])
        return large[0], fading * small[1] + large[1]

    pairs = [(v, np.float64(1.0)) for v in x]
    found = scan(pairs, join, (np.float32(-np.inf), np.float64(0.0)))
    sums = np.array([s for _, s in found], np.float64).astype(np.float32)
    return canonical(function("log", sums) + np.array([m for m, _ in found], np.float32))


# Places ------------------------------------------------------------------------------------------


def added_to_places(target: Array, index: Array, values: Array) -> Array:
    """The target with the sum of what the index sends there added to each place that it names.

    Args:
        target: [N, …].
        index: [M], from 0 to N − 1.
        values: [M, …], of the target's dtype.
    """
    result = np.array(target)
    for place in np.unique(index):
        result[place] = canonical(result[place] + total(values[index == place]))
    return result
