"""The functions of `exact()`, readable: as many bits as it takes (mpmath), rounded once.

A part of `samebits.arithmetic.reference`: docs/arithmetic.md, "Functions".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_FORMATS = {np.dtype(np.float32): (24, -125, 128), np.dtype(np.float64): (53, -1021, 1024)}
"""Bits, the exponent of the smallest normal number, and that of what is too large."""


def canonical(x: Array) -> Array:
    """The same values with every NaN the quiet, positive one without payload."""
    x = np.array(x)
    x[np.isnan(x)] = np.nan
    return x


def _rounded(value: Any, dtype: Any) -> float:
    """A number of mpmath's, rounded once to a dtype (to nearest, ties to even)."""
    import mpmath  # type: ignore[import-untyped]

    if value == 0:
        return 0.0
    precision, smallest, too_large = _FORMATS[np.dtype(dtype)]
    fraction, exponent = mpmath.frexp(value)
    bits = max(precision if exponent >= smallest else precision + exponent - smallest, 0)
    # nint rounds ties to even; below the subnormal numbers nothing is left but 0 or the smallest.
    whole = mpmath.nint(mpmath.ldexp(fraction, bits))
    scaled = mpmath.ldexp(whole, exponent - bits)
    if abs(scaled) >= mpmath.mpf(2) ** too_large:
        return float("inf") if scaled > 0 else -float("inf")
    return float(scaled)


def _special(name: str, x: float) -> float | None:
    """Values that are exact, and where the function ends."""
    infinite, no_number = float("inf"), float("nan")
    if x != x:
        return x
    limits: dict[str, tuple[float, float]] = {
        "exp": (0.0, infinite), "exp2": (0.0, infinite), "expm1": (-1.0, infinite),
        "tanh": (-1.0, 1.0), "erf": (-1.0, 1.0), "erfc": (2.0, 0.0), "sigmoid": (0.0, 1.0),
        "log": (no_number, infinite), "log2": (no_number, infinite),
        "log10": (no_number, infinite), "log1p": (no_number, infinite), "rsqrt": (no_number, 0.0),
    }  # fmt: skip
    if x in (infinite, -infinite) and name != "atan":
        return limits.get(name, (no_number, no_number))[x > 0]
    if x == 0:
        if name in ("sin", "tanh", "erf", "expm1", "log1p", "asin", "atan"):
            return x  # the zero keeps its sign
        if name in ("log", "log2", "log10"):
            return -infinite
        if name == "rsqrt":
            return float(np.copysign(infinite, x))
    if name in ("log", "log2", "log10", "rsqrt") and x < 0:
        return no_number
    if name == "log1p" and x <= -1:
        return -infinite if x == -1 else no_number
    if name in ("asin", "acos") and abs(x) > 1:
        return no_number
    if name in ("exp", "exp2", "expm1") and x > 1100:
        return infinite
    if name in ("exp", "exp2", "sigmoid") and x < -1200:
        return 0.0
    if name == "expm1" and x < -60:
        return -1.0
    if name in ("tanh", "erf", "erfc", "sigmoid") and abs(x) > 60 and (x > 0 or name != "sigmoid"):
        return limits[name][x > 0]
    return None


def function(name: str, x: Array) -> Array:
    """A function of one argument, correctly rounded in the dtype of its argument.

    Args:
        name: exp, exp2, expm1, log, log2, log10, log1p, sin, cos, asin, acos, atan, tanh, erf,
            erfc, sigmoid or, in binary32 alone, rsqrt.
        x: float32 or float64.
    """
    import mpmath

    formulas: dict[str, Callable[[Any], Any]] = {
        "exp": mpmath.exp,
        "exp2": lambda v: mpmath.mpf(2) ** v,
        "expm1": mpmath.expm1,
        "log": mpmath.log,
        "log2": lambda v: mpmath.log(v) / mpmath.log(2),
        "log10": mpmath.log10,
        "log1p": mpmath.log1p,
        "sin": mpmath.sin,
        "cos": mpmath.cos,
        "asin": mpmath.asin,
        "acos": mpmath.acos,
        "atan": mpmath.atan,
        "tanh": mpmath.tanh,
        "erf": mpmath.erf,
        "erfc": mpmath.erfc,
        "sigmoid": lambda v: 1 / (1 + mpmath.exp(-v)),
        "rsqrt": lambda v: 1 / mpmath.sqrt(v),
    }
    result = np.empty(x.shape, x.dtype)
    with mpmath.workprec(400):
        for place in np.ndindex(x.shape):
            value = float(x[place])
            known = _special(name, value)
            if known is None:
                known = _rounded(formulas[name](mpmath.mpf(value)), x.dtype)
            result[place] = known
    return canonical(result)


def power(x: Array, y: Array) -> Array:
    """X to the power of y, correctly rounded; both of one shape and dtype.

    Zeros, infinities and NaN follow IEEE 754-2019, 9.2.1: the power 0 of anything is 1, as is any
    power of 1; a negative number has powers that are whole, and no others.
    """
    import mpmath

    result = np.empty(x.shape, x.dtype)
    with mpmath.workprec(400):
        for place in np.ndindex(x.shape):
            result[place] = _one_power(float(x[place]), float(y[place]), x.dtype)
    return canonical(result)


def _one_power(x: float, y: float, dtype: Any) -> float:
    import mpmath

    infinite = float("inf")
    if y == 0 or x == 1:
        return 1.0
    if x != x or y != y:
        return float("nan")
    if y in (infinite, -infinite):
        return 1.0 if x == -1 else (infinite if (abs(x) > 1) == (y > 0) else 0.0)
    whole = y == int(y)
    sign = -1.0 if whole and int(y) % 2 and np.copysign(1.0, x) < 0 else 1.0
    if x == 0 or x in (infinite, -infinite):
        return sign * (0.0 if (x == 0) == (y > 0) else infinite)
    if x < 0 and not whole:
        return float("nan")
    exponent = mpmath.mpf(y) * mpmath.log(abs(mpmath.mpf(x)), 2)
    if abs(exponent) > 1200:
        return sign * (infinite if exponent > 0 else 0.0)
    # mpmath multiplies whole powers out, so that the middle between two numbers is that.
    exact = mpmath.mpf(abs(x)) ** mpmath.mpf(y)
    return sign * _rounded(exact, dtype)


def arc_tangent(y: Array, x: Array) -> Array:
    """The angle of the points (x, y), correctly rounded; both of one shape and dtype.

    Zeros and infinities follow IEEE 754-2019, 9.2.1.
    """
    import mpmath

    result = np.empty(x.shape, x.dtype)
    with mpmath.workprec(2400):  # a subnormal quotient, and what it is more than its angle
        for place in np.ndindex(x.shape):
            result[place] = _one_angle(float(y[place]), float(x[place]), x.dtype)
    return canonical(result)


def _one_angle(y: float, x: float, dtype: Any) -> float:
    import mpmath

    if x != x or y != y:
        return float("nan")
    infinite = float("inf")
    behind = np.copysign(1.0, x) < 0
    a, b = abs(x), abs(y)
    if b == 0 or (a == infinite and b != infinite):
        angle = mpmath.mpf(0)
    elif a == b:  # infinite, both, or not
        angle = mpmath.pi / 4
    elif b == infinite or a == 0:
        angle = mpmath.pi / 2
    else:
        angle = mpmath.atan(mpmath.mpf(b) / mpmath.mpf(a))
    if behind:
        angle = mpmath.pi - angle
    return float(np.copysign(_rounded(angle, dtype), y))
