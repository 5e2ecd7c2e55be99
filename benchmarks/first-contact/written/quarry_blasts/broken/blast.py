"""Ground vibration at a house near the quarry for one blast (1-D damped column, finite differences)."""
import numpy as np

GRID = 160
STEPS = 700


def draw_plan(rng, number):
    """One blasting plan: charge per delay, number of holes, delay, distance, rock."""
    return {
        "blast": number,
        "charge": float(rng.uniform(20, 120)),
        "holes": int(rng.integers(4, 14)),
        "delay": int(rng.choice([17, 25, 42])),
        "distance": int(rng.integers(60, 150)),
        "stiffness": float(rng.uniform(0.15, 0.4)),
        "damping": float(rng.uniform(0.002, 0.012)),
        "seed": int(rng.integers(2**31)),
    }


def simulate(plan):
    rng = np.random.default_rng(plan["seed"])
    speed = plan["stiffness"] * (1 + 0.15 * rng.standard_normal(GRID))
    speed = np.clip(speed, 0.05, 0.6)
    u = np.zeros(GRID)
    v = np.zeros(GRID)
    scatter = 1 + 0.1 * rng.standard_normal(plan["holes"])
    seat = np.array([i * plan["delay"] for i in range(plan["holes"])]) + rng.integers(0, 3, plan["holes"])
    trace = np.empty(STEPS)
    for t in range(STEPS):
        lap = np.zeros(GRID)
        lap[1:-1] = u[2:] - 2 * u[1:-1] + u[:-2]
        v = (v + speed * lap) * (1 - plan["damping"])
        fired = seat == t
        if fired.any():
            v[2:6] += np.sqrt(plan["charge"]) * scatter[fired].sum()
        u = u + v
        u[-1] = u[-2]
        trace[t] = v[plan["distance"]]
    trace += 0.02 * rng.standard_normal(STEPS)
    return {
        "blast": plan["blast"],
        "plan": [plan["charge"], plan["holes"], plan["delay"], plan["distance"], plan["stiffness"], plan["damping"]],
        "trace": trace.reshape(-1, 10).mean(1).astype(np.float32),
        "ppv": float(np.log1p(np.abs(trace).max())),
        "energy": float(np.log1p((trace**2).sum())),
    }
