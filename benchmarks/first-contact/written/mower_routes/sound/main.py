"""Train a robot mower with actor-critic updates after each episode."""
import argparse
import collections
import random
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from lawn import make_lawn


class Agent(nn.Module):
    def __init__(self, size, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.Flatten(),
                                  nn.Linear(12 * size * size, 64), nn.Tanh())
        self.policy = nn.Linear(64, actions)
        self.value = nn.Linear(64, 1)

    def forward(self, observation):
        hidden = self.body(observation)
        return Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


def play(env, agent, observation):
    """One episode from the given first observation."""
    observations, actions, rewards = [], [], []
    done = False
    while not done:
        seen = torch.from_numpy(observation)
        with torch.no_grad():
            action = agent(seen.unsqueeze(0))[0].sample().item()
        observations.append(seen)
        actions.append(action)
        observation, reward, terminated, truncated, info = env.step(action)
        rewards.append(reward)
        done = terminated or truncated
    return torch.stack(observations), torch.tensor(actions), rewards, info["episode"]


def returns_of(rewards, discount):
    total, out = 0.0, []
    for reward in reversed(rewards):
        total = reward + discount * total
        out.append(total)
    return torch.tensor(out[::-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--discount", type=float, default=0.95)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)

    env = make_lawn()
    env.action_space.seed(args.seed)
    agent = Agent(6, env.action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2e-3)
    recent = collections.deque(maxlen=10)
    begun, steps = time.perf_counter(), 0
    for episode in range(args.episodes):
        observation, _ = env.reset(seed=args.seed if episode == 0 else None)
        observations, actions, rewards, summary = play(env, agent, observation)
        returns = returns_of(rewards, args.discount)
        policy, values = agent(observations)
        advantage = returns - values.detach()
        loss = (-(policy.log_prob(actions) * advantage).mean()
                + 0.5 * nn.functional.mse_loss(values, returns) - 0.01 * policy.entropy().mean())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 1.0)
        optimizer.step()
        recent.append(summary["r"])
        steps += summary["l"]
        if episode % 10 == 9:
            print(f"episode {episode + 1}: mean reward {np.mean(recent):.4f}")
    print(f"{steps / (time.perf_counter() - begun):.0f} steps per second")
    norm = torch.cat([p.detach().flatten() for p in agent.parameters()]).double().norm().item()
    print(f"last rewards {np.mean(recent):.6f}, norm of weights {norm:.12f}")


if __name__ == "__main__":
    main()
