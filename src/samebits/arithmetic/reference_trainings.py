"""CTC, products into places and interpolation against aliasing, readable (docs/arithmetic.md).

As in `reference.py`: plain NumPy, one rounding an operation, slow and obvious.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from samebits.arithmetic.reference import Array, canonical, function, total

# Connectionist temporal classification -----------------------------------------------------------


def _log_sum(values: Sequence[np.float32]) -> np.float32:
    most = max(values)
    most = np.float32(0.0) if most == -math.inf else most
    sum_: np.float32 | None = None
    for term in function("exp", np.array([value - most for value in values], np.float32)):
        sum_ = term if sum_ is None else sum_ + term
    found: np.float32 = function("log", np.array([sum_], np.float32))[0] + most
    return found


def _states(target: Sequence[int], blank: int) -> list[int]:
    return [blank, *(state for label in target for state in (label, blank))]


def ctc(log_probs: Array, target: Sequence[int], blank: int = 0) -> tuple[np.float32, Array, Array]:
    """The loss of one sample, the sums over beginnings [T, states] and the derivative [T, C].

    Args:
        log_probs: [T, C], float32.
        target: The classes, without blanks.
        blank: The class of a blank.
    """
    states = _states(target, blank)
    never = np.float32(-math.inf)
    steps, count = len(log_probs), len(states)
    emitted = log_probs[:, states]
    alpha = np.full((steps, count), never)
    beta = np.full((steps, count), never)
    alpha[0, :2] = emitted[0, :2]
    for t in range(1, steps):
        for s in range(count):
            skip = s > 1 and states[s] != states[s - 2]
            past = [alpha[t - 1, s], alpha[t - 1, s - 1] if s else never]
            past.append(alpha[t - 1, s - 2] if skip else never)
            alpha[t, s] = _log_sum(past) + emitted[t, s]
    ends = list(alpha[-1, -1:-3:-1])
    loss = -(_log_sum(ends) if len(ends) == 2 else ends[0])
    beta[-1, -2:] = np.float32(0.0) + emitted[-1, -2:]
    for t in reversed(range(steps - 1)):
        for s in range(count):
            skip = s < count - 2 and states[s] != states[s + 2]
            next_ones = [beta[t + 1, s], beta[t + 1, s + 1] if s < count - 1 else never]
            next_ones.append(beta[t + 1, s + 2] if skip else never)
            beta[t, s] = _log_sum(next_ones) + emitted[t, s]
    shares = function("exp", alpha + beta + loss - emitted)
    sums = np.zeros_like(log_probs)
    for t in range(steps):
        for state in set(states):
            own = [shares[t, s] for s in range(count) if states[s] == state and beta[t, s] != never]
            if own:
                sums[t, state] = sums[t, state] + total(np.array(own, np.float32))
    return loss, alpha, function("exp", log_probs) - sums


# Products into places ----------------------------------------------------------------------------


def product(values: Array) -> float:
    """The product of values, halved until one is left, in binary64."""
    values = values.astype(np.float64)
    while len(values) > 1:
        half = (len(values) + 1) // 2
        kept = values[:half].copy()
        kept[: len(values) - half] = values[: len(values) - half] * values[half:]
        values = kept
    return float(values[0])


def products_into(x: Array, index: Array, source: Array) -> Array:
    """A vector whose places are multiplied with the values that an index sends to them."""
    found = x.copy()
    for place in np.unique(index):
        found[place] = product(np.concatenate([x[place : place + 1], source[index == place]]))
    return found


# Interpolation against aliasing ------------------------------------------------------------------


def _kernel(cubic: bool, t: float) -> float:
    if not cubic:
        return 1 - t if t < 1 else 0.0
    if t < 1:
        return (1.5 * t - 2.5) * t * t + 1
    return ((-0.5 * t + 2.5) * t - 4) * t + 2 if t < 2 else 0.0


def against_aliasing(x: Array, out: int, *, cubic: bool) -> Array:
    """Interpolation along the last axis, [rows, size] to [rows, out], without aligned corners."""
    size = x.shape[-1]
    step = size / out
    wide = max(step, 1.0)
    reach = (2 if cubic else 1) * wide
    found = np.empty((x.shape[0], out), x.dtype)
    for j in range(out):
        center = (j + 0.5) * step
        first, end = max(0, int(center - reach + 0.5)), min(size, int(center + reach + 0.5))
        scale = 1 / step if step >= 1 else 1.0
        weights = [_kernel(cubic, abs((i - center + 0.5) * scale)) for i in range(first, end)]
        whole = weights[0]
        for weight in weights[1:]:
            whole = whole + weight
        terms = [x.dtype.type(w / whole) * x[:, first + i] for i, w in enumerate(weights)]
        found[:, j] = total(np.stack(terms))
    return canonical(found)
