"""Stows boxes into holds by first-fit with local exchange, and keeps a log of each plan."""
import time
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd


@dataclass
class Plan:
    port: str
    boxes: int
    mean_weight: float
    spread: float
    heavy_share: float
    holds: int
    exchanges: int
    solve_ms: float
    imbalance: float


def stow(weights, holds, rng):
    loads = np.zeros(holds)
    where = np.empty(len(weights), dtype=int)
    for box in np.argsort(-weights, kind="stable"):
        where[box] = int(rng.integers(holds)) if rng.random() < 0.3 else int(np.argmin(loads))
        loads[where[box]] += weights[box]
    exchanges = 0
    for _ in range(60):
        box, target = int(rng.integers(len(weights))), int(rng.integers(holds))
        source = where[box]
        if loads[target] + weights[box] < loads[source]:
            loads[source] -= weights[box]
            loads[target] += weights[box]
            where[box] = target
            exchanges += 1
    return loads, exchanges


def plan_log(count, seed):
    rng = np.random.default_rng(seed)
    plans = []
    for _ in range(count):
        boxes, holds = int(rng.integers(20, 90)), int(rng.integers(3, 9))
        weights = rng.gamma(rng.uniform(1, 6), 4.0, boxes)
        began = time.perf_counter()
        loads, exchanges = stow(weights, holds, rng)
        elapsed = time.perf_counter() - began
        plans.append(Plan(("ANR", "RTM", "HAM")[int(rng.integers(3))], boxes, weights.mean(), weights.std(),
                          float((weights > 20).mean()), holds, exchanges, 1e3 * elapsed,
                          float(np.log(loads.std() / loads.mean()))))
    return pd.DataFrame([asdict(p) for p in plans])
