"""Cost of recording an operation as runs grow: 10⁴, 10⁵, 10⁶ operations, and 10⁷ when asked.

A cost that stays flat says that nothing the recorder keeps grows with the run. Set
SAMEBITS_BENCH_LONG=1 for the longest; it takes a quarter of an hour.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

from recording import recorded, tiny_mlp
from reporting import main

OPS = (10_000, 100_000, 1_000_000)
LONGEST = 10_000_000
OPS_A_STEP = 77


def microseconds_an_operation(ops: int, *, level: str | None) -> float:
    """Time of the tiny MLP's steps, recorded at a level or plain (None), by operation."""
    step = tiny_mlp()
    step()
    steps = ops // OPS_A_STEP
    with contextlib.nullcontext() if level is None else recorded(level):
        started = time.perf_counter()
        for _ in range(steps):
            step()
    # The time includes what recording does at its end: the last rows belong to it.
    return (time.perf_counter() - started) / (steps * OPS_A_STEP) * 1e6


def measure(ops: tuple[int, ...] | None = None) -> dict[str, Any]:
    """Microseconds an operation plain and recorded, by length, and how flat the cost is."""
    if ops is None:
        ops = (*OPS, LONGEST) if os.environ.get("SAMEBITS_BENCH_LONG") == "1" else OPS
    table: dict[str, dict[str, float]] = {}
    for count in ops:
        plain = microseconds_an_operation(count, level=None)
        found = microseconds_an_operation(count, level="op")
        table[str(count)] = {"plain_us": plain, "recorded_us": found, "ratio": found / plain}
    first, last = table[str(min(ops))], table[str(max(ops))]
    return {
        "microseconds_an_operation": table,
        # Of the cost that recording adds: 1 is flat.
        "growth": (last["recorded_us"] - last["plain_us"])
        / (first["recorded_us"] - first["plain_us"]),
    }


if __name__ == "__main__":
    main(__doc__, measure)
