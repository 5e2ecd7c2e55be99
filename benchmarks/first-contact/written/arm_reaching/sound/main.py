"""Teach a two-joint arm to reach: cross-entropy planning in a pool of simulators, then
distil the plans into a policy network.
"""
import json
import multiprocessing as mp
import os
import time

import numpy as np
import torch

from arm import DOF, HORIZON, Arm, observe, targets
from planner import plan_all
from policy import Buffer, Policy, distil

ROUNDS = 3
GOALS = 12
SEED = 404


def score(policy, goals):
    """Mean final distance when the policy, not the planner, moves the arm."""
    ends = []
    for goal in goals:
        arm = Arm()
        for _ in range(HORIZON):
            with torch.no_grad():
                action = policy(torch.from_numpy(observe(arm, goal))[None])[0]
            arm.step(action.numpy())
        ends.append(float(np.hypot(*(arm.tip() - goal))))
    return float(np.mean(ends)), ends


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    os.makedirs("run", exist_ok=True)
    policy = Policy(inputs=3 * DOF, outputs=DOF)
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
    buffer = Buffer(capacity=2000)
    trials = targets(8, seed=SEED + 1)
    curve = []
    with mp.get_context("fork").Pool(2) as pool, open("run/timing.txt", "w") as timing:
        for k in range(ROUNDS):
            t0 = time.perf_counter()
            goals = targets(GOALS, seed=SEED + 10 * k)
            episodes = plan_all(pool, goals, seed=SEED + k)
            t1 = time.perf_counter()
            for episode in episodes:
                buffer.extend(episode.observations, episode.actions)
            loss = distil(policy, optimizer, buffer, steps=60, batch=64)
            distance, ends = score(policy, trials)
            reward = float(np.mean([e.cost for e in sorted(episodes, key=lambda e: e.index)]))
            curve.append({"round": k, "cost": reward, "loss": loss, "distance": distance})
            print(f"round {k}: plan cost {reward:.6f}, loss {loss:.6f}, distance {distance:.6f}")
            workers = sorted({e.worker for e in episodes})
            timing.write(f"{k}: planned in {t1 - t0:.3f} s by {workers}\n")
    torch.save({"policy": policy.state_dict(), "optimizer": optimizer.state_dict()},
               "run/policy.pt")
    with open("run/curve.json", "w") as f:
        json.dump({"curve": curve, "ends": ends}, f, indent=1)


if __name__ == "__main__":
    main()
