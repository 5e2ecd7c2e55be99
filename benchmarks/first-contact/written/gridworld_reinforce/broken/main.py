import argparse
import random
from collections import deque

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from envs import SlipperyGrid

parser = argparse.ArgumentParser(description="REINFORCE with a baseline on the slippery grid")
parser.add_argument("--episodes", type=int, default=200)
parser.add_argument("--gamma", type=float, default=0.97)
parser.add_argument("--seed", type=int, default=543)
parser.add_argument("--log-interval", type=int, default=40)
args = parser.parse_args()


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh())
        self.pi = nn.Linear(64, n_actions)
        self.v = nn.Linear(64, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def run_episode(env, model):
    obs, done = env.reset(), False
    logps, values, rewards, entropies = [], [], [], []
    while not done:
        dist, value = model(torch.from_numpy(obs))
        action = dist.sample()
        obs, reward, done = env.step(action.item())
        logps.append(dist.log_prob(action))
        entropies.append(dist.entropy())
        values.append(value)
        rewards.append(reward)
    return torch.stack(logps), torch.stack(values), torch.stack(entropies), rewards


def returns_of(rewards):
    out, acc = [], 0.0
    for r in reversed(rewards):
        acc = r + args.gamma * acc
        out.append(acc)
    return torch.tensor(out[::-1])


def main():
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = SlipperyGrid()
    model = ActorCritic(env.n_obs, env.n_actions)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    recent = deque(maxlen=50)
    for episode in range(1, args.episodes + 1):
        logps, values, entropies, rewards = run_episode(env, model)
        returns = returns_of(rewards)
        advantage = returns - values.detach()
        loss = -(logps * advantage).sum() + nn.functional.smooth_l1_loss(values, returns, reduction="sum")
        loss = loss - 0.01 * entropies.sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        recent.append(sum(rewards))
        if episode % args.log_interval == 0:
            print(f"Episode {episode}\tlast return {recent[-1]:.2f}\taverage {sum(recent) / len(recent):.4f}")
    torch.save(model.state_dict(), "policy.pt")


if __name__ == "__main__":
    main()
