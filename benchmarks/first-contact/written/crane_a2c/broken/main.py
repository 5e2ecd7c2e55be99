"""Advantage actor-critic for an overhead crane, several environments in step."""

import argparse
import pickle
import random
import time
from collections import deque
from pathlib import Path

import numpy as np
import torch
from torch import nn

from crane import CraneEnv


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--envs", type=int, default=6)
    parser.add_argument("--updates", type=int, default=150)
    parser.add_argument("--rollout", type=int, default=16)
    parser.add_argument("--gamma", type=float, default=0.97)
    parser.add_argument("--gae-lambda", type=float, default=0.92)
    parser.add_argument("--entropy", type=float, default=0.01)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--out", type=Path, default=Path("crane_run"))
    return parser.parse_args()


class EnvBatch:
    """Environments that start anew by themselves when an episode ends."""

    def __init__(self, count, seed):
        self.envs = [CraneEnv() for _ in range(count)]
        self.observations = np.stack([env.reset(seed=seed + i)[0] for i, env in enumerate(self.envs)])
        self.running = np.zeros(count)
        self.finished = deque(maxlen=40)

    def step(self, actions):
        rewards, ends = [], []
        for i, (env, action) in enumerate(zip(self.envs, actions)):
            observation, reward, failed, timeout, _ = env.step(action)
            self.running[i] += reward
            if failed or timeout:
                self.finished.append(self.running[i])
                self.running[i] = 0.0
                observation, _ = env.reset()
            self.observations[i] = observation
            rewards.append(reward)
            ends.append(float(failed or timeout))
        return self.observations.copy(), np.array(rewards, np.float32), np.array(ends, np.float32)


class Agent(nn.Module):
    def __init__(self, inputs, actions, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.policy = nn.Linear(hidden, actions)
        self.value = nn.Linear(hidden, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)
        nn.init.zeros_(self.policy.bias)

    def forward(self, x):
        h = self.body(x)
        return torch.distributions.Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


def advantages(rewards, ends, values, last, gamma, lam):
    result, running = torch.zeros_like(rewards), torch.zeros_like(last)
    following = last
    for t in reversed(range(len(rewards))):
        keep = 1 - ends[t]
        delta = rewards[t] + gamma * keep * following - values[t]
        running = delta + gamma * lam * keep * running
        result[t], following = running, values[t]
    return result


def main():
    args = get_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    args.out.mkdir(exist_ok=True)
    batch = EnvBatch(args.envs, seed=1000 * args.seed)
    agent = Agent(CraneEnv.observation_size, len(CraneEnv.actions))
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.lr)
    observations = torch.from_numpy(batch.observations.copy())
    began, curve = time.time(), []

    for update in range(args.updates):
        memory = {"obs": [], "act": [], "rew": [], "end": []}
        for _ in range(args.rollout):
            with torch.no_grad():
                actions = agent(observations)[0].sample()
            following, rewards, ends = batch.step(actions.tolist())
            for key, value in zip(memory, (observations, actions, rewards, ends)):
                memory[key].append(torch.as_tensor(value))
            observations = torch.from_numpy(following)
        obs, act, rew, end = (torch.stack(memory[key]) for key in memory)

        policy, values = agent(obs)
        with torch.no_grad():
            last = agent(observations)[1]
            gain = advantages(rew, end, values, last, args.gamma, args.gae_lambda)
        loss_policy = -(policy.log_prob(act) * (gain - gain.mean()) / (gain.std() + 1e-6)).mean()
        loss_value = (values - (gain + values.detach())).square().mean()
        loss = loss_policy + 0.5 * loss_value - args.entropy * policy.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()
        if update % 30 == 29:
            mean = float(np.mean(batch.finished)) if batch.finished else float("nan")
            curve.append((update, mean, time.time() - began))
            steps = (update + 1) * args.rollout * args.envs
            print(f"update {update + 1}: return {mean:.2f}, {steps / (time.time() - began):.0f} steps/s")

    torch.save(agent.state_dict(), args.out / "agent.pt")
    (args.out / "curve.pkl").write_bytes(pickle.dumps(curve))


if __name__ == "__main__":
    main()
