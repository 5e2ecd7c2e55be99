"""REINFORCE with a learned baseline on the tilting-board marble maze."""
import argparse
import csv
import random
import tempfile
import time
from collections import deque
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from maze import MarbleMaze


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--episodes", type=int, default=160)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--gamma", type=float, default=0.97)
    p.add_argument("--entropy", type=float, default=0.01)
    p.add_argument("--seed", type=int, default=17)
    return p.parse_args()


class Policy(nn.Module):
    def __init__(self, n_obs, n_act, width=48):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.actor = nn.Linear(width, n_act)
        self.critic = nn.Linear(width, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


def rollout(env, policy, gamma, **reset_kwargs):
    obs, _ = env.reset(**reset_kwargs)
    observations, actions, rewards = [], [], []
    done = False
    while not done:
        x = torch.from_numpy(obs)
        with torch.no_grad():
            action = policy(x)[0].sample()
        obs, reward, terminated, truncated, _ = env.step(int(action))
        observations.append(x)
        actions.append(action)
        rewards.append(reward)
        done = terminated or truncated
    returns, running = [], 0.0
    for r in reversed(rewards):
        running = r + gamma * running
        returns.append(running)
    return torch.stack(observations), torch.stack(actions), torch.tensor(returns[::-1]), sum(rewards)


def main():
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    env = gym.wrappers.TimeLimit(MarbleMaze(), max_episode_steps=30)
    env.action_space.seed(args.seed)
    policy = Policy(env.observation_space.shape[0], int(env.action_space.n))
    opt = torch.optim.Adam(policy.parameters(), lr=args.lr)
    recent = deque(maxlen=40)
    started = time.perf_counter()

    with tempfile.TemporaryDirectory(prefix="marble-") as tmp:
        best, best_path = -float("inf"), Path(tmp) / "best.pt"
        with open(Path(tmp) / "progress.csv", "w", newline="") as fh:
            log = csv.writer(fh)
            log.writerow(["episode", "score", "length", "seconds"])
            for episode in range(args.episodes):
                options = {"near": 3 + episode // 20}
                seed = args.seed if episode == 0 else None
                obs, act, ret, score = rollout(env, policy, args.gamma, seed=seed, options=options)
                dist, value = policy(obs)
                advantage = ret - value.detach()
                loss = (-(dist.log_prob(act) * advantage).mean() + 0.5 * nn.functional.mse_loss(value, ret)
                        - args.entropy * dist.entropy().mean())
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
                opt.step()
                recent.append(score)
                log.writerow([episode, score, len(ret), time.perf_counter() - started])
                mean = sum(recent) / len(recent)
                if len(recent) == recent.maxlen and mean > best:
                    best = mean
                    torch.save(policy.state_dict(), best_path)
                if (episode + 1) % 40 == 0:
                    print(f"episode {episode + 1:4d}  mean score {mean:+.4f}")
        policy.load_state_dict(torch.load(best_path))

    print(f"took {time.perf_counter() - started:.2f} s")
    checksum = sum(p.double().abs().sum() for p in policy.parameters()).item()
    print(f"best mean score {best:+.6f}  weights {checksum:.10f}")


if __name__ == "__main__":
    main()
