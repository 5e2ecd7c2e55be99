"""Double DQN with noisy layers that keeps a drone over its pad in gusty wind."""

import argparse
import collections
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from layers import NoisyLinear, resample_all


@dataclass
class Settings:
    seed: int = 77
    steps: int = 700
    warmup: int = 100
    batch: int = 32
    gamma: float = 0.96
    tau: float = 0.02
    lr: float = 1e-3
    width: int = 40


class Hover(gym.Env):
    """Position and speed on a line; thrust left, none or right; wind with memory."""

    action_space = gym.spaces.Discrete(3)
    observation_space = gym.spaces.Box(-5, 5, (3,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1, 1, 2)
        self.wind, self.age = 0.0, 0
        return self._seen(), {}

    def _seen(self):
        return np.array([*self.state, self.wind], np.float32).clip(-5, 5)

    def step(self, action):
        place, speed = self.state
        self.wind = 0.9 * self.wind + self.np_random.normal(0, 0.15)
        speed = 0.95 * speed + 0.1 * ((action - 1) * 1.5 + self.wind)
        place = place + 0.1 * speed
        self.state = np.array([place, speed])
        self.age += 1
        lost = abs(place) > 3
        reward = -(place**2) - 0.1 * speed**2 - (5.0 if lost else 0.0)
        return self._seen(), float(reward), bool(lost), self.age >= 80, {}


class Replay:
    def __init__(self, capacity, seed):
        self.items = collections.deque(maxlen=capacity)
        self.rng = np.random.default_rng(seed)

    def add(self, *item):
        self.items.append(item)

    def sample(self, count):
        rows = [self.items[i] for i in self.rng.integers(len(self.items), size=count)]
        s, a, r, n, d = zip(*rows)
        return (torch.from_numpy(np.stack(s)), torch.tensor(a), torch.tensor(r),
                torch.from_numpy(np.stack(n)), torch.tensor(d, dtype=torch.float32))


class Dueling(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, width), nn.ReLU(), NoisyLinear(width, width), nn.ReLU())
        self.value = nn.Sequential(NoisyLinear(width, width // 2), nn.ReLU(), NoisyLinear(width // 2, 1))
        self.gain = nn.Sequential(NoisyLinear(width, width // 2), nn.ReLU(), NoisyLinear(width // 2, 3))

    def forward(self, x):
        h = self.body(x)
        gain = self.gain(h)
        return self.value(h) + gain - gain.mean(-1, keepdim=True)


def evaluate(net, seed, flights=5):
    net.eval()
    env, total = Hover(), 0.0
    for flight in range(flights):
        seen, _ = env.reset(seed=seed + flight)
        over = False
        while not over:
            with torch.no_grad():
                action = net(torch.from_numpy(seen)).argmax().item()
            seen, reward, lost, late, _ = env.step(action)
            total += reward
            over = lost or late
    net.train()
    return total / flights


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=Settings.steps)
    cfg = Settings(steps=parser.parse_args().steps)
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)

    online, target = Dueling(cfg.width), Dueling(cfg.width)
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.Adam(online.parameters(), lr=cfg.lr)
    replay = Replay(5000, cfg.seed)
    env = Hover()
    seen, _ = env.reset(seed=cfg.seed)
    returns, running = [], 0.0
    began = time.perf_counter()

    for step in range(cfg.steps):
        resample_all()
        with torch.no_grad():
            action = online(torch.from_numpy(seen)).argmax().item()
        after, reward, lost, late, _ = env.step(action)
        replay.add(seen, action, reward, after, lost)
        running += reward
        seen = after
        if lost or late:
            returns.append(running)
            running = 0.0
            seen, _ = env.reset()
        if step < cfg.warmup:
            continue
        s, a, r, n, d = replay.sample(cfg.batch)
        with torch.no_grad():
            choice = online(n).argmax(-1, keepdim=True)
            goal = r + cfg.gamma * (1 - d) * target(n).gather(1, choice).squeeze(1)
        q = online(s).gather(1, a[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q, goal)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(online.parameters(), 5.0)
        optimizer.step()
        with torch.no_grad():
            for p, t in zip(online.parameters(), target.parameters()):
                t.lerp_(p, cfg.tau)

    spent = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        path.write_text(json.dumps({"settings": asdict(cfg), "returns": returns, "seconds": spent}))
        stored = json.loads(path.read_text())
    print(f"{cfg.steps / spent:.0f} steps/s, {len(stored['returns'])} flights")
    weights = nn.utils.parameters_to_vector(online.parameters()).double()
    print(f"evaluation {evaluate(online, 9000):.6f} weights {weights.sum().item():.10f}")


if __name__ == "__main__":
    main()
