"""Collects rollouts in a thread of its own, with the weights the learner published last."""
from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass

import torch
from torch import nn
from torch.func import functional_call

from field import MirrorField


@dataclass
class Rollout:
    version: int
    obs: torch.Tensor
    act: torch.Tensor
    logp: torch.Tensor
    reward: torch.Tensor
    last: torch.Tensor
    seconds: float


@dataclass
class Published:
    version: int
    weights: dict[str, torch.Tensor]


class Actor(threading.Thread):
    def __init__(self, policy: nn.Module, mirrors: int, horizon: int, seed: int) -> None:
        super().__init__(name="actor", daemon=True)
        self.policy, self.horizon = policy, horizon
        self.generator = torch.Generator().manual_seed(seed)
        self.field = MirrorField(mirrors, self.generator)
        self.inbox: queue.Queue[Published | None] = queue.Queue()
        self.rollouts: queue.Queue[Rollout] = queue.Queue()

    def publish(self, version: int, model: nn.Module) -> None:
        weights = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self.inbox.put(Published(version, weights))

    @torch.no_grad()
    def collect(self, news: Published) -> Rollout:
        began = time.perf_counter()
        obs, kept = self.field.reset(), []
        for _ in range(self.horizon):
            mean, log_std, _ = functional_call(self.policy, news.weights, (obs,))
            noise = torch.randn(mean.shape, generator=self.generator)
            action = mean + log_std.exp() * noise
            logp = (-0.5 * noise.square() - log_std).sum(1)
            following, reward = self.field.step(action)
            kept.append((obs, action, logp, reward))
            obs = following
        stacked = [torch.stack(part) for part in zip(*kept)]
        return Rollout(news.version, *stacked, last=obs, seconds=time.perf_counter() - began)

    def run(self) -> None:
        while (news := self.inbox.get()) is not None:
            self.rollouts.put(self.collect(news))
