"""Teaches heliostats to aim: a learner that trains while the next rollout is being collected."""
from __future__ import annotations

import argparse
import json
import logging
import sys
import time
import uuid
from pathlib import Path

import torch
from torch import nn

from actor import Actor, Rollout
from field import MirrorField


class Policy(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(MirrorField.OBS, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.mean = nn.Linear(width, MirrorField.ACT)
        self.value = nn.Linear(width, 1)
        self.log_std = nn.Parameter(torch.full((MirrorField.ACT,), -0.7))

    def forward(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        h = self.trunk(obs)
        return self.mean(h), self.log_std, self.value(h).squeeze(-1)


def advantages(model: Policy, data: Rollout, gamma: float = 0.95, lam: float = 0.9) -> tuple[torch.Tensor, torch.Tensor]:
    with torch.no_grad():
        value, last = model(data.obs)[2], model(data.last)[2]
    following = torch.cat([value[1:], last[None]])
    delta = data.reward + gamma * following - value
    gain, running = torch.zeros_like(delta), torch.zeros_like(last)
    for t in reversed(range(len(delta))):
        running = delta[t] + gamma * lam * running
        gain[t] = running
    return gain, gain + value


def learn(model: Policy, optimizer: torch.optim.Optimizer, data: Rollout, epochs: int, parts: int) -> float:
    gain, goal = advantages(model, data)
    gain = (gain - gain.mean()) / (gain.std() + 1e-6)
    obs, act, logp = data.obs.flatten(0, 1), data.act.flatten(0, 1), data.logp.flatten()
    gain, goal, total = gain.flatten(), goal.flatten(), 0.0
    for _ in range(epochs):
        for rows in torch.randperm(len(obs)).chunk(parts):
            mean, log_std, value = model(obs[rows])
            z = (act[rows] - mean) / log_std.exp()
            ratio = ((-0.5 * z.square() - log_std).sum(1) - logp[rows]).exp()
            surrogate = torch.min(ratio * gain[rows], ratio.clamp(0.8, 1.2) * gain[rows]).mean()
            loss = -surrogate + 0.5 * (value - goal[rows]).square().mean() - 1e-3 * log_std.sum()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            total += loss.item()
    return total / (epochs * parts)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=36)
    parser.add_argument("--mirrors", type=int, default=32)
    parser.add_argument("--horizon", type=int, default=48)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(relativeCreated)7d ms  %(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    model = Policy(args.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    actor = Actor(Policy(args.width), args.mirrors, args.horizon, args.seed + 1)
    actor.start()
    actor.publish(0, model)
    history, acting, began = [], 0.0, time.time()
    for number in range(1, args.rounds + 1):
        data = actor.rollouts.get()
        actor.publish(number, model)
        loss = learn(model, optimizer, data, epochs=3, parts=6)
        acting += data.seconds
        history.append({"version": data.version, "reward": data.reward.mean().item(), "loss": loss})
        if number % 9 == 0:
            logging.info("round %d  reward %.5f  loss %.5f  (%.1f s acting)", number, history[-1]["reward"], loss, acting)
    actor.inbox.put(None)
    actor.join()
    out = Path(__file__).resolve().parent / "runs" / uuid.uuid4().hex[:8]
    out.mkdir(parents=True)
    torch.save(model.state_dict(), out / "policy.pt")
    (out / "results.json").write_text(json.dumps({"history": history, "seconds": time.time() - began}))


if __name__ == "__main__":
    main()
