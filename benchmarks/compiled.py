"""What `backend="samebits"` costs: compiled and uncompiled inside `exact()`, as ratios to torch's own.

Sides take turns in one process, a call each, and the best time of each counts. A function that is compiled
pays torch.compile's own way in (its guards) at every call, which is shown beside it.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from reporting import main
from torch import nn

import samebits

Call = Callable[[], object]
BACKEND = "samebits"


def best_of(calls: Sequence[tuple[Call, bool]], seconds: float) -> list[float]:
    """Best seconds of each call; the second of a pair says whether it runs inside `exact()`."""
    best = [math.inf] * len(calls)
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        for place, (call, inside) in enumerate(calls):
            with samebits.exact() if inside else contextlib.nullcontext():
                call()
                for _ in range(10):
                    started = time.perf_counter()
                    call()
                    best[place] = min(best[place], time.perf_counter() - started)
    return best


def products(count: int, compiled: bool) -> Call:
    """A chain of products of 8×8 matrices."""
    a_MK, b_KN = torch.randn(8, 8), torch.randn(8, 8) * 0.1

    def chain(a_MK: torch.Tensor, b_KN: torch.Tensor) -> torch.Tensor:
        for _ in range(count):
            a_MK = a_MK @ b_KN
        return a_MK

    run = torch.compile(chain, backend=BACKEND) if compiled else chain
    return lambda: run(a_MK, b_KN)


def elements(compiled: bool) -> Call:
    """Six operations on each of a million values."""
    x_N, y_N = torch.randn(1 << 20), torch.randn(1 << 20)

    def chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return ((x * y + x) * 0.5 - y).relu() * x

    run = torch.compile(chain, backend=BACKEND) if compiled else chain
    return lambda: run(x_N, y_N)


def tiny_mlp(compiled: bool) -> Call:
    """64-64-10, batch 32, AdamW; what is compiled is the loss."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    inputs_BD, labels_B = torch.randn(32, 64), torch.randint(0, 10, (32,))
    optimizer = torch.optim.AdamW(model.parameters())
    criterion = nn.CrossEntropyLoss()

    def cost(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return criterion(model(x), y)

    run = torch.compile(cost, backend=BACKEND) if compiled else cost

    def step() -> None:
        optimizer.zero_grad()
        run(inputs_BD, labels_B).backward()
        optimizer.step()

    return step


ROWS: dict[str, Callable[[bool], Call]] = {
    "mm 8x8x8": lambda compiled: products(1, compiled),
    "mm 8x8x8, 30 in a graph": lambda compiled: products(30, compiled),
    "six operations on 1 M": elements,
    "step, tiny MLP": tiny_mlp,
}


def measure() -> dict[str, Any]:
    """Ratios by row: uncompiled and compiled inside the block, by torch's time outside."""
    torch.set_num_threads(1)
    ratios = {}
    for name, make in ROWS.items():
        torchs, plain, compiled = best_of(
            [(make(False), False), (make(False), True), (make(True), True)], 4
        )
        ratios[name] = {"uncompiled": plain / torchs, "compiled": compiled / torchs}
        print(
            f"  {name:28} torch {torchs * 1e6:8.1f} µs   uncompiled {plain / torchs:6.2f}   "
            f"compiled {compiled / torchs:6.2f}",
            flush=True,
        )
    return {"ratios": ratios}


if __name__ == "__main__":
    main(__doc__, measure)
