"""Prints kernels/function_tables.hpp: the polynomials of the functions, in binary64.

Each is the interpolation at Chebyshev nodes, computed with 200 bits and rounded once. Run it again
only to change a polynomial.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

import numpy as np
from mpmath import mp, mpf
from scipy import special

mp.prec = 200
Function = Callable[[mpf], mpf]


def interpolated(f: Function, low: mpf, high: mpf, degree: int) -> list[mpf]:
    """Coefficients, constant first, of the polynomial through f at Chebyshev nodes."""
    n = degree + 1
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    rows = mp.matrix([[node**power for power in range(n)] for node in nodes])
    return list(mp.lu_solve(rows, mp.matrix([f(node) for node in nodes])))


def table(name: str, values: list[mpf], comment: str) -> None:
    """Print one table."""
    print(f"// {comment}")
    body = ",\n    ".join(float(value).hex() for value in values)
    print(f"constexpr double {name}[] = {{\n    {body},\n}};\n")


def roots_of_two(count: int) -> None:
    """Print 2^(j / count) as bits, less j in the four bits below the exponent."""
    print(f"// 2^(j / {count}) as bits, less j << 48")
    values = []
    for j in range(count):
        (pattern,) = struct.unpack("<q", struct.pack("<d", float(mpf(2) ** (mpf(j) / count))))
        values.append(hex(pattern - (j << 48)))
    body = ",\n    ".join(values)
    print(f"constexpr int64_t roots_of_two[] = {{\n    {body},\n}};\n")


# 2 / sqrt(pi) is no float. What is lost of it serves all slopes below.
SLOPE_OF_ERF = 2 / mp.sqrt(mp.pi)
LOST_SLOPE = float(SLOPE_OF_ERF - mpf(float(np.float32(float(SLOPE_OF_ERF)))))
DOUBT = mpf("1.4375") * mpf(2) ** -24


def favourable_center(place: float) -> mpf:
    """A float near `place` where erf, and its slope less LOST_SLOPE, are floats but for 2^-35."""
    ends = np.float32([place - 1 / 128, place + 1 / 128]).view(np.int32)
    candidates = np.arange(ends[0], ends[1] + 1, dtype=np.int32).view(np.float32).astype(float)
    values = special.erf(candidates)
    slopes = 2 / np.sqrt(np.pi) * np.exp(-(candidates**2)) - LOST_SLOPE
    below = values - np.float32(values)
    lost = np.where(below < 0, 1, below) + abs(slopes - np.float32(slopes)) / 16
    return mpf(float(candidates[np.argmin(lost)]))


def erf_from_centers() -> list[list[mpf]]:
    """Center, erf, slope and five coefficients of the rest, for 32 intervals around j / 8."""
    pieces = []
    for j in range(32):
        # The last one: where erf is 1 - 2^-24, and nearly constant.
        center = mpf(0) if j == 0 else favourable_center(j / 8 if j < 31 else 3.8325)
        value, slope = mp.erf(center), SLOPE_OF_ERF * mp.exp(-(center**2))
        rest = interpolated(
            smooth(
                lambda u, c=center, v=value, s=slope: (mp.erf(c + u) - v - s * u) / u**2,
                -center * slope,
            ),
            mpf(j) / 8 - mpf(1) / 16 - center,
            mpf(j) / 8 + mpf(1) / 16 - center,
            4,
        )
        pieces.append([center, value, slope - LOST_SLOPE, rest[0] - DOUBT, *rest[1:]])
    return pieces


def float_of(value: mpf) -> str:
    """The nearest float, as C++ writes it."""
    return re.sub("0*p", "p", float(np.float32(float(value))).hex()) + "f"


def table_of_floats(name: str, rows: list[list[mpf]], comment: str) -> None:
    """Print one table of tables of binary32, four numbers a line."""
    print(f"// {comment}")
    print(f"alignas(64) constexpr float {name}[][{len(rows[0])}] = {{")
    for row in rows:
        numbers = [float_of(value) for value in row]
        lines = [", ".join(numbers[i : i + 4]) for i in range(0, len(numbers), 4)]
        print("    {" + ",\n     ".join(lines) + "},")
    print("};\n")


def smooth(f: Function, at_zero: mpf) -> Function:
    """The function with its limit where its formula divides by zero."""
    return lambda z: at_zero if abs(z) < mpf(2) ** -80 else f(z)


def main() -> None:
    """Print the header."""
    print("// Made by native/exact/make_tables.py. Coefficients come constant first.")
    print("#pragma once\n\n#include <cstdint>\n")
    print("namespace samebits::exact::SAMEBITS_EXACT_BUILD::tables {\n")
    for name, pieces, degree in (("expm1_over_r", 2, 10), ("short_expm1_over_r", 32, 5)):
        reach = mp.log(2) / pieces * mpf("1.001")
        table(
            name,
            interpolated(smooth(lambda r: mp.expm1(r) / r, mpf(1)), -reach, reach, degree),
            f"(e^r - 1) / r for |r| <= ln(2) / {pieces}",
        )
    roots_of_two(16)
    most = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.001")
    table(
        "log_ratio",
        interpolated(
            smooth(lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z, mpf(2) / 3),
            mpf(0),
            most,
            7,
        ),
        "(2 atanh(s) / s - 2) / z, z = s^2, for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1)",
    )
    most = (mp.pi / 4) ** 2 * mpf("1.001")
    table(
        "sin_ratio",
        interpolated(
            smooth(lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, -mpf(1) / 6),
            mpf(0),
            most,
            6,
        ),
        "(sin(r) / r - 1) / z, z = r^2, for |r| <= pi / 4",
    )
    table(
        "cos_ratio",
        interpolated(smooth(lambda z: (mp.cos(mp.sqrt(z)) - 1) / z, -mpf(1) / 2), mpf(0), most, 7),
        "(cos(r) - 1) / z, z = r^2, for |r| <= pi / 4",
    )
    erf_pieces: list[list[mpf]] = []
    for j in range(16):
        center = mpf(j) / 4
        if j == 0:
            ratio = interpolated(
                smooth(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z), 2 / mp.sqrt(mp.pi)),
                mpf(0),
                mpf("0.126") ** 2,
                5,
            )
            odd = [mpf(0)] * 12
            for power, value in enumerate(ratio):
                odd[2 * power + 1] = value
            erf_pieces.append(odd)
        else:
            reach = mpf("0.126") if j < 15 else mpf("0.18")
            erf_pieces.append(interpolated(lambda u, c=center: mp.erf(c + u), -reach, reach, 11))
    table(
        "erf_pieces",
        [erf_pieces[j][power] for power in range(12) for j in range(16)],
        "erf(j / 4 + u): 16 pieces a power of u",
    )
    print("// 2 / sqrt(pi), less the float next to it")
    print(f"constexpr float lost_slope_of_erf = {float_of(LOST_SLOPE)};\n")
    pieces = erf_from_centers()
    table_of_floats(
        "erf_near",
        [[piece[row] for piece in pieces] for row in range(8)],
        "erf(c + u) = v + s u + u^2 (...): c, v, s and the coefficients of 32 intervals",
    )
    print("}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD::tables")


main()
