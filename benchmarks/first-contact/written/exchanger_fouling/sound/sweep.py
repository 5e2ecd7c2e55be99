"""A sweep of heat exchanger designs, each integrated along its length."""
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
from scipy.integrate import solve_ivp
from scipy.stats import qmc

RANGES = {
    "flow_hot": (0.6, 2.4),
    "flow_cold": (0.8, 3.0),
    "area_m2": (4.0, 18.0),
    "fouling": (0.0, 0.8),
    "inlet_hot": (60.0, 95.0),
}
TARGET = "outlet_c"


def integrate(design):
    began = time.perf_counter()
    transfer = 0.9 / (1 + design["fouling"])

    def slope(_, temperature):
        hot, cold = temperature
        exchanged = transfer * design["area_m2"] / 4 * (hot - cold)
        return [-exchanged / (4.2 * design["flow_hot"]), exchanged / (4.2 * design["flow_cold"])]

    path = solve_ivp(slope, (0, 1), [design["inlet_hot"], 15.0], rtol=1e-6)
    return {
        **design,
        "rhs_calls": path.nfev,
        "drop_c": 0.0 if not path.success else float(path.y[0, 0] - path.y[0, -1]),
        "solve_ms": 1000 * (time.perf_counter() - began),
        "status": path.message[:20],
        TARGET: float(path.y[1, -1]),
    }


def run_sweep(count, seed, threads):
    points = qmc.LatinHypercube(len(RANGES), rng=np.random.default_rng(seed)).random(count)
    low, high = np.array(list(RANGES.values())).T
    designs = [dict(zip(RANGES, map(float, row))) for row in qmc.scale(points, low, high)]
    with ThreadPoolExecutor(threads) as pool:
        return pd.DataFrame(pool.map(integrate, designs))
