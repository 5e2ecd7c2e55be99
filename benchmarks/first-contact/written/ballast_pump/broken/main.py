"""Deep Q-learning of a ballast pump, evaluated in the background."""
import copy
import csv
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from agent import QNet, Replay
from evaluation import Evaluator
from tank import BallastEnv

SEED, STEPS, WARMUP, BATCH, GAMMA = 13, 1200, 200, 32, 0.95


def update(net, target, optimizer, batch):
    obs, action, reward, after = batch
    with torch.no_grad():
        goal = reward + GAMMA * target(after).max(1).values
    net.train()
    value = net(obs).gather(1, action[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    began = time.perf_counter()
    env = BallastEnv()
    net = QNet()
    target = copy.deepcopy(net).eval()
    replay = Replay(5000, np.random.default_rng(SEED))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    evaluator = Evaluator()
    obs, _ = env.reset(seed=SEED)
    loss = 0.0
    for step in range(1, STEPS + 1):
        action = net.act(obs)
        after, reward, _, over, _ = env.step(action)
        replay.add(obs, action, reward, after)
        obs = env.reset()[0] if over else after
        if step > WARMUP:
            loss = update(net, target, optimizer, replay.draw(BATCH))
        if step % 100 == 0:
            target.load_state_dict(net.state_dict())
        if step % 150 == 0:
            evaluator.submit(step, net)
            print(f"{time.perf_counter() - began:5.1f} s  step {step}  loss {loss:.5f}", flush=True)
    out = Path(__file__).resolve().parent / "out"
    out.mkdir(exist_ok=True)
    torch.save(net.state_dict(), out / "qnet.pt")
    with open(out / "returns.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["step", "mean_return"])
        for step, value, seconds in evaluator.finish():
            table.writerow([step, f"{value:.6f}"])
            print(f"return at {step}: {value:.4f}   ({seconds:.2f} s)")


if __name__ == "__main__":
    main()
