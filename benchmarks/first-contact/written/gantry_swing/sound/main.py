"""Move a gantry crane's load to its place without swing, by policy gradients."""
import argparse
import json
import random
import tempfile
from collections import deque
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal

from runlog import RunLog


class Gantry(gym.Env):
    observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = np.array([self.np_random.uniform(-2, 2), 0.0, self.np_random.uniform(-0.2, 0.2), 0.0])
        self.ticks = 0
        return self.state.astype(np.float32), {}

    def step(self, action):
        push = 4.0 * float(np.clip(action[0], -1, 1))
        place, speed, angle, spin = self.state
        speed += 0.05 * push
        spin += 0.05 * (-9.81 / 3.0 * np.sin(angle) - push / 3.0 * np.cos(angle) + self.np_random.normal(0, 0.02))
        self.state = np.array([place + 0.05 * speed, 0.98 * speed, angle + 0.05 * spin, 0.995 * spin])
        self.ticks += 1
        reward = -(place ** 2 + 4.0 * angle ** 2 + 0.01 * push ** 2)
        return self.state.astype(np.float32), reward, abs(place) > 5, self.ticks >= 30, {}


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
        self.spread = nn.Parameter(torch.tensor([-0.5]))

    def forward(self, state):
        return Normal(self.body(state), self.spread.exp())


def play(env, policy, seed=None):
    state, _ = env.reset(seed=seed)
    states, actions, rewards = [], [], []
    while True:
        with torch.no_grad():
            action = policy(torch.from_numpy(state)).sample()
        states.append(torch.from_numpy(state))
        actions.append(action)
        state, reward, ended, stopped, _ = env.step(action.numpy())
        rewards.append(reward)
        if ended or stopped:
            return torch.stack(states), torch.stack(actions), rewards


def returns(rewards, discount=0.97):
    total, out = 0.0, deque()
    for reward in reversed(rewards):
        total = reward + discount * total
        out.appendleft(total)
    return torch.tensor(list(out), dtype=torch.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=18)
    parser.add_argument("--episodes", type=int, default=6)
    parser.add_argument("--rate", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=2)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory() as folder:
        log = RunLog(Path(folder) / "run.jsonl", vars(args))
        env = Gantry()
        env.reset(seed=args.seed)
        policy = Policy()
        optimizer = torch.optim.Adam(policy.parameters(), lr=args.rate)
        for update in range(args.updates):
            played = [play(env, policy) for _ in range(args.episodes)]
            states = torch.cat([p[0] for p in played])
            actions = torch.cat([p[1] for p in played])
            gains = torch.cat([returns(p[2]) for p in played])
            gains = (gains - gains.mean()) / (gains.std() + 1e-6)
            loss = -(policy(states).log_prob(actions).squeeze(1) * gains).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log.write(kind="update", update=update, reward=float(np.mean([sum(p[2]) for p in played])))
        log.close()
        lines = [json.loads(line) for line in open(Path(folder) / "run.jsonl")]

    rewards = [line["reward"] for line in lines if line["kind"] == "update"]
    print(f"{len(rewards)} updates in {lines[-1]['elapsed']} s")
    print(f"reward {np.mean(rewards[-5:]):.6f}, weights {sum(p.double().sum().item() for p in policy.parameters()):.10f}")


if __name__ == "__main__":
    main()
