"""Distil a CEM planner into a policy network: plan, record, imitate, drive."""
import argparse
import csv

import numpy as np
import torch
from torch import nn

from planner import CEMPlanner
from terrain import Terrain


def observe(terrain, state, goal):
    """Goal and slope in the frame of the rover."""
    c, s = np.cos(state[2]), np.sin(state[2])
    rot = np.array([[c, s], [-s, c]])
    to_goal = rot @ (goal - state[:2])
    slope = rot @ terrain.gradient(state[:2])
    dist = np.linalg.norm(to_goal)
    return np.concatenate([to_goal / (dist + 1e-6), [np.tanh(dist / 3)], slope])


def new_task(rng, terrain):
    start = np.append(rng.uniform(1, terrain.extent - 1, 2), rng.uniform(-np.pi, np.pi))
    goal = rng.uniform(1, terrain.extent - 1, 2)
    return start, goal


def record(terrain, planner, rng, episodes, steps):
    obs, act = [], []
    for _ in range(episodes):
        state, goal = new_task(rng, terrain)
        planner.reset()
        for _ in range(steps):
            action = planner.act(state, goal)
            obs.append(observe(terrain, state, goal))
            act.append(action)
            state = terrain.step(state, action)
            if np.linalg.norm(state[:2] - goal) < 0.3:
                break
    return np.array(obs, dtype=np.float32), np.array(act, dtype=np.float32)


class Policy(nn.Module):
    def __init__(self, n_obs=5, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_obs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2))

    def forward(self, obs):
        speed, turn = self.net(obs).unbind(-1)
        return torch.stack([torch.sigmoid(speed), torch.tanh(turn)], -1)


def imitate(policy, obs, act, epochs, lr):
    obs, act = torch.from_numpy(obs), torch.from_numpy(act)
    opt = torch.optim.Adam(policy.parameters(), lr=lr)
    for epoch in range(epochs):
        losses = []
        for idx in torch.randperm(len(obs)).split(32):
            loss = nn.functional.smooth_l1_loss(policy(obs[idx]), act[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        if (epoch + 1) % 10 == 0:
            print(f"imitation {epoch + 1:3d}: {np.mean(losses):.5f}")


@torch.no_grad()
def drive(policy, terrain, rng, episodes=20, steps=40):
    left = []
    for _ in range(episodes):
        state, goal = new_task(rng, terrain)
        for _ in range(steps):
            obs = torch.from_numpy(observe(terrain, state, goal).astype(np.float32))
            state = terrain.step(state, policy(obs).numpy().astype(np.float64))
        left.append(np.linalg.norm(state[:2] - goal))
    return left


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--episodes", type=int, default=9)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--lr", type=float, default=4e-3)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    plan_seed, task_seed, eval_seed = np.random.SeedSequence(args.seed).spawn(3)
    terrain = Terrain(seed=42)
    planner = CEMPlanner(terrain, np.random.default_rng(plan_seed))

    obs, act = record(terrain, planner, np.random.default_rng(task_seed), args.episodes, args.steps)
    ms = 1e3 * np.array(planner.plan_times)
    print(f"{len(obs)} decisions, {np.median(ms):.1f} ms each, slowest {ms.max():.1f} ms")

    policy = Policy()
    imitate(policy, obs, act, args.epochs, args.lr)
    left = drive(policy, terrain, np.random.default_rng(eval_seed))
    print(f"distance left: mean {np.mean(left):.4f}, worst {np.max(left):.4f}")

    with open("drives.csv", "w", newline="") as f:
        csv.writer(f).writerows([i, f"{d:.6f}"] for i, d in enumerate(left))
    torch.save(policy.state_dict(), "policy.pt")


if __name__ == "__main__":
    main()
