"""What `backend="samebits"` costs: compiled and uncompiled inside `exact()`, by torch's own time.

Sides take turns in one process, ten calls each, and the best time of each counts. A function that
is compiled pays torch.compile's own way in (its guards) at every call. What that alone takes is
measured as well: outside of blocks, with torch's backend that runs a graph as it is.
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
TORCHS = "eager"
"""torch's backend that compiles nothing."""


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


def products(count: int, backend: str | None) -> Call:
    """A chain of products of 8×8 matrices."""
    left_MK, right_KN = torch.randn(8, 8), torch.randn(8, 8) * 0.1

    def chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        for _ in range(count):
            x = x @ y
        return x

    run = torch.compile(chain, backend=backend) if backend else chain
    return lambda: run(left_MK, right_KN)


def elements(backend: str | None) -> Call:
    """Six operations on each of a million values."""
    x_N, y_N = torch.randn(1 << 20), torch.randn(1 << 20)

    def chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return ((x * y + x) * 0.5 - y).relu() * x

    run = torch.compile(chain, backend=backend) if backend else chain
    return lambda: run(x_N, y_N)


def tiny_mlp(backend: str | None) -> Call:
    """64-64-10, batch 32, AdamW; what is compiled is the loss."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    inputs_BD, labels_B = torch.randn(32, 64), torch.randint(0, 10, (32,))
    optimizer = torch.optim.AdamW(model.parameters())
    criterion = nn.CrossEntropyLoss()

    def cost(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return criterion(model(x), y)

    run = torch.compile(cost, backend=backend) if backend else cost

    def step() -> None:
        optimizer.zero_grad()
        run(inputs_BD, labels_B).backward()
        optimizer.step()

    return step


ROWS: dict[str, Callable[[str | None], Call]] = {
    "mm 8x8x8": lambda backend: products(1, backend),
    "mm 8x8x8, 30 in a graph": lambda backend: products(30, backend),
    "six operations on 1 M": elements,
    "step, tiny MLP": tiny_mlp,
}


def measure() -> dict[str, Any]:
    """Ratios to torch's time by row: uncompiled, compiled, and torch's compiler alone."""
    torch.set_num_threads(1)
    ratios = {}
    for name, make in ROWS.items():
        torchs, plain, compiled, entered = best_of(
            [
                (make(None), False),
                (make(None), True),
                (make(BACKEND), True),
                (make(TORCHS), False),
            ],
            4,
        )
        own = {"uncompiled": plain, "compiled": compiled, "torch.compile alone": entered}
        ratios[name] = {way: seconds / torchs for way, seconds in own.items()}
        shown = "   ".join(f"{way} {ratio:6.2f}" for way, ratio in ratios[name].items())
        print(f"  {name:28} torch {torchs * 1e6:8.1f} µs   {shown}", flush=True)
    return {"ratios": ratios}


if __name__ == "__main__":
    main(__doc__, measure)
