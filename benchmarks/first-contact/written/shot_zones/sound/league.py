"""Simulated seasons. In a module of its own, since the pool cannot import functions from the notebook."""
import multiprocessing
import os
import time

import numpy as np
import pandas as pd

N_ZONES = 16
ROLES = ["big", "wing", "guard"]
ZONE_POINTS = np.array([2] * 10 + [3] * 6)
ZONE_BASE = np.array([0.64, 0.55, 0.44, 0.43, 0.40, 0.41, 0.42, 0.38, 0.39, 0.40, 0.39, 0.38, 0.35, 0.35, 0.36, 0.34])
COLUMNS = ["player", "role", "zone", "defender", "order", "made"]

_state = {}


def _init_worker(seed):
    np.random.seed(seed)
    _state["rng"] = np.random.default_rng(seed)
    _state["since"] = time.time()
    _state["seasons"] = 0


def draft(players, seed):
    """Role, favourite zones, skill and volume of every player."""
    rng = np.random.default_rng(seed)
    roles = rng.choice(ROLES, size=players, p=[0.3, 0.4, 0.3])
    taste = rng.gamma(0.35, 1.0, size=(players, N_ZONES))
    taste[roles == "big", 10:] *= 0.02
    taste[roles == "guard", 10:] *= 2.0
    taste /= taste.sum(1, keepdims=True)
    skill = ZONE_BASE + rng.normal(0, 0.05, size=(players, N_ZONES))
    volume = rng.integers(40, 160, size=players)
    return [
        {"id": i, "role": str(roles[i]), "taste": taste[i], "skill": skill[i], "volume": int(volume[i]), "seed": seed}
        for i in range(players)
    ]


def play_season(player):
    rng = np.random.default_rng([player["seed"], player["id"]])
    fatigue = 0.0
    rows = []
    for order in range(player["volume"]):
        zone = int(rng.choice(N_ZONES, p=player["taste"]))
        defender = float(rng.gamma(3.0, 1.3))
        fatigue = 0.95 * fatigue + 0.004 * rng.random()
        p = player["skill"][zone] + 0.03 * (defender - 4.0) - fatigue
        rows.append((f"P{player['id']:03d}", player["role"], zone, defender, order, int(rng.random() < p)))
    _state["seasons"] += 1
    return rows, os.getpid(), time.time() - _state["since"]


def play_league(players, seed, workers=2):
    with multiprocessing.get_context("fork").Pool(workers, _init_worker, (seed,)) as pool:
        seasons = pool.map(play_season, draft(players, seed), chunksize=3)
    pids = {pid for _, pid, _ in seasons}
    longest = max(age for _, _, age in seasons)
    print(f"{len(seasons)} seasons from processes {sorted(pids)} within {longest:.2f} s")
    shots = pd.DataFrame([row for rows, _, _ in seasons for row in rows], columns=COLUMNS)
    shots["points"] = shots["made"] * ZONE_POINTS[shots["zone"]]
    return shots
