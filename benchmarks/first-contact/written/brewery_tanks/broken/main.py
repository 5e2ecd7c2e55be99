"""Double DQN that learns to cool fermentation tanks."""
import copy
import csv
import json
import secrets
import time
from pathlib import Path

import numpy as np
import torch

from agent import Replay, learn, q_net
from rollout import Explorer, make_tanks, test

HERE = Path(__file__).resolve().parent
SEED = 9
TANKS = 8
STEPS = 1500


def main():
    began = time.time()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    run_name = f"tanks_{secrets.token_hex(3)}"
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    print(f"run {run_name}")

    tanks, obs = make_tanks(TANKS, SEED)
    n_obs = tanks.single_observation_space.shape[0]
    n_act = int(tanks.single_action_space.n)
    net = q_net(n_obs, n_act)
    target = copy.deepcopy(net)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    replay = Replay(8000, n_obs, seed=SEED + 1)
    explorer = Explorer(tanks, seed=SEED + 2)

    returns, losses, curve = [], [], []
    fresh = np.zeros(TANKS, bool)
    for step in range(1, STEPS + 1):
        epsilon = max(0.05, 1.0 - step / 700)
        action = explorer.act(net, obs, epsilon)
        nxt, reward, spoiled, late, info = tanks.step(action)
        keep = ~fresh
        replay.add(obs[keep], action[keep], reward[keep], nxt[keep], spoiled[keep])
        fresh = spoiled | late
        if "episode" in info:
            returns += [float(r) for r in info["episode"]["r"][fresh]]
        obs = nxt
        if step > 60:
            losses.append(learn(net, target, opt, replay.sample(64)))
        if step % 100 == 0:
            target.load_state_dict(net.state_dict())
        if step % 150 == 0:
            mean = float(np.mean(returns[-24:])) if returns else float("nan")
            curve.append((step, epsilon, mean, float(np.mean(losses[-150:]))))
            print(f"[{time.time() - began:5.1f}s] step {step:4d} eps {epsilon:.2f} "
                  f"return {mean:8.3f} loss {curve[-1][3]:.4f}", flush=True)
    tanks.close()

    scores = test(net, 20, seed=1000)
    torch.save(net.state_dict(), out / "weights.pt")
    with open(out / "curve.csv", "w", newline="") as f:
        csv.writer(f).writerows([("step", "epsilon", "return", "loss"), *curve])
    results = {"run": run_name, "test_mean": float(np.mean(scores)),
               "test_worst": float(np.min(scores)), "episodes": len(returns),
               "seconds": round(time.time() - began, 2)}
    (out / "results.json").write_text(json.dumps(results, indent=2))
    print(f"test return {results['test_mean']:.3f}, worst {results['test_worst']:.3f}, "
          f"{results['seconds']} s")


if __name__ == "__main__":
    main()
