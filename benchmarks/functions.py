"""Whether the functions of exact arithmetic are correctly rounded, for every argument, by MPFR.

    python benchmarks/functions.py                           a sample of each function
    python benchmarks/functions.py --exhaustive [NAME ...]   all 2^32 arguments; minutes a function

For most arguments binary64 decides: if all numbers within 2^-46 of NumPy's value (its error is
below 2^-50) round to the same float, that float is right. The arguments for which it does not,
some thousands a function, are put to MPFR with 24 bits. Finished parts are kept in the result
file, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
import torch
from scipy import special

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import elementwise

RESULT = Path(__file__).parent / "results" / "functions.json"
PART = 1 << 24
CHUNK = 1 << 20
SAMPLE_STRIDE = 4099  # prime, so that a sample meets every exponent and many patterns

Wide = Callable[[Any], Any]

FUNCTIONS: dict[str, tuple[Wide, Wide]] = {
    # name: (NumPy's in binary64, MPFR's)
    "exp": (np.exp, gmpy2.exp),
    "exp2": (np.exp2, gmpy2.exp2),
    "expm1": (np.expm1, gmpy2.expm1),
    "log": (np.log, gmpy2.log),
    "log2": (np.log2, gmpy2.log2),
    "log10": (np.log10, gmpy2.log10),
    "log1p": (np.log1p, gmpy2.log1p),
    "sin": (np.sin, gmpy2.sin),
    "cos": (np.cos, gmpy2.cos),
    "asin": (np.arcsin, gmpy2.asin),
    "acos": (np.arccos, gmpy2.acos),
    "atan": (np.arctan, gmpy2.atan),
    "tanh": (np.tanh, gmpy2.tanh),
    "erf": (special.erf, gmpy2.erf),
    "erfc": (special.erfc, gmpy2.erfc),
    "rsqrt": (lambda x: 1 / np.sqrt(x), gmpy2.rec_sqrt),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), None),
}

BINARY32 = gmpy2.context(precision=24, emax=128, emin=-148, subnormalize=True)
EXACTLY = gmpy2.context(precision=400)


def by_mpfr(name: str, x: float) -> float:
    """The correctly rounded value."""
    argument = gmpy2.mpfr(x, 53)
    if name == "sigmoid":
        with gmpy2.context(EXACTLY):
            wide = 1 / (1 + gmpy2.exp(-argument))
        with gmpy2.context(BINARY32):
            return float(+wide)
    with gmpy2.context(BINARY32):
        return float(FUNCTIONS[name][1](argument))


def mistakes(name: str, patterns: np.ndarray) -> tuple[int, list[str]]:
    """How many arguments went to MPFR, and those whose value is wrong."""
    x = patterns.view(np.float32)
    found = elementwise(name, torch.from_numpy(x)).numpy()
    with np.errstate(all="ignore"):
        wide = FUNCTIONS[name][0](x.astype(np.float64))
        low = (wide * (1 - 2.0**-46)).astype(np.float32)
        high = (wide * (1 + 2.0**-46)).astype(np.float32)
    both_nan = np.isnan(wide) & (found.view(np.int32) == 0x7FC00000)
    found_bits, low_bits = found.view(np.int32), low.view(np.int32)
    decided = (low_bits == high.view(np.int32)) & (found_bits == low_bits)
    open_ones = np.nonzero(~(decided | both_nan))[0]
    wrong = []
    for i in open_ones:
        right = np.float32(by_mpfr(name, float(x[i])))
        given, wanted = found[i].view(np.uint32), right.view(np.uint32)
        if given != wanted:
            wrong.append(f"{patterns[i]:08x}: {given:08x}, not {wanted:08x}")
    return len(open_ones), wrong


def chunks(part: int, exhaustive: bool) -> Iterator[np.ndarray]:
    begin = part * PART
    step = 1 if exhaustive else SAMPLE_STRIDE
    for first in range(begin, begin + PART, CHUNK * step):
        last = min(first + CHUNK * step, begin + PART)
        yield np.arange(first, last, step, dtype=np.uint64).astype(np.uint32)


def check(name: str, *, exhaustive: bool, kept: dict[str, Any], save: Callable[[], None]) -> None:
    """Go through all parts that have not been done."""
    record = kept.setdefault(name, {"parts": 0, "to_mpfr": 0, "wrong": []})
    parts = (1 << 32) // PART
    for part in range(record["parts"], parts):
        for patterns in chunks(part, exhaustive):
            asked, wrong = mistakes(name, patterns)
            record["to_mpfr"] += asked
            record["wrong"] += wrong
        record["parts"] = part + 1
        if exhaustive:
            save()
    print(
        f"{name:8} {record['parts'] * PART if exhaustive else 'sample':>12} arguments, "
        f"{record['to_mpfr']} to MPFR, {len(record['wrong'])} wrong",
        flush=True,
    )
    for line in record["wrong"][:20]:
        print(f"  {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FUNCTIONS))
    parser.add_argument("--exhaustive", action="store_true", help="all 2^32 arguments")
    options = parser.parse_args()
    kept: dict[str, Any] = {}
    if options.exhaustive and RESULT.exists():
        kept = json.loads(RESULT.read_text())

    def save() -> None:
        RESULT.write_text(json.dumps({**kept, "isa": _exact.isa()}, indent=1) + "\n")

    for name in options.names or FUNCTIONS:
        check(name, exhaustive=options.exhaustive, kept=kept, save=save)


if __name__ == "__main__":
    main()
