"""DQN on a self-made cart balancing task, replay buffer, target network, epsilon-greedy."""
import copy
import logging
import math
import os
import random
import time
from collections import deque, namedtuple

import torch
import torch.nn.functional as F

Transition = namedtuple("Transition", "obs action reward next_obs done")
logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(process)d] %(message)s")
log = logging.getLogger(__name__)


class Balance:
    """An inverted pendulum on a cart, Euler-integrated."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def reset(self):
        self.s = [self.rng.uniform(-0.05, 0.05) for _ in range(4)]
        self.t = 0
        return list(self.s)

    def step(self, action):
        x, v, a, w = self.s
        force = 10.0 if action else -10.0
        temp = (force + 0.05 * w * w * math.sin(a)) / 1.1
        acc = (9.8 * math.sin(a) - math.cos(a) * temp) / (0.5 * (4 / 3 - 0.1 * math.cos(a) ** 2 / 1.1))
        dv = temp - 0.05 * acc * math.cos(a) / 1.1
        self.s = [x + 0.02 * v, v + 0.02 * dv, a + 0.02 * w, w + 0.02 * acc]
        self.t += 1
        fell = abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.21
        return list(self.s), 0.0 if fell else 1.0, fell or self.t >= 100


class Replay:
    def __init__(self, size, rng):
        self.items, self.rng = deque(maxlen=size), rng

    def push(self, *what):
        self.items.append(Transition(*what))

    def sample(self, n):
        batch = Transition(*zip(*self.rng.sample(self.items, n)))
        return (torch.tensor(batch.obs), torch.tensor(batch.action), torch.tensor(batch.reward),
                torch.tensor(batch.next_obs), torch.tensor(batch.done, dtype=torch.float32))


def make_q():
    return torch.nn.Sequential(torch.nn.Linear(4, 48), torch.nn.ReLU(), torch.nn.Linear(48, 48), torch.nn.ReLU(),
                               torch.nn.Linear(48, 2))


def greedy(q, obs):
    with torch.no_grad():
        return int(q(torch.tensor(obs)).argmax())


def evaluate(q, episodes=5):
    env, total = Balance(seed=10_000), 0.0
    for _ in range(episodes):
        obs, done = env.reset(), False
        while not done:
            obs, r, done = env.step(greedy(q, obs))
            total += r
    return total / episodes


def main():
    seed = 77
    torch.manual_seed(seed)
    rng = random.Random(seed)
    log.info("process %d on %d CPUs", os.getpid(), os.cpu_count())
    env, replay, q = Balance(seed + 1), Replay(5000, rng), make_q()
    target = copy.deepcopy(q)
    opt = torch.optim.Adam(q.parameters(), lr=2e-3)
    steps, lengths, began = 0, deque(maxlen=20), time.monotonic()
    for episode in range(60):
        obs, done, length = env.reset(), False, 0
        while not done:
            eps = max(0.05, 0.9 - steps / 700)
            action = rng.randrange(2) if rng.random() < eps else greedy(q, obs)
            nxt, reward, done = env.step(action)
            replay.push(obs, action, reward, nxt, done)
            obs, steps, length = nxt, steps + 1, length + 1
            if len(replay.items) >= 200 and steps % 2 == 0:
                o, a, r, n, d = replay.sample(32)
                with torch.no_grad():
                    y = r + 0.98 * (1 - d) * target(n).max(1).values
                loss = F.smooth_l1_loss(q(o).gather(1, a[:, None])[:, 0], y)
                opt.zero_grad()
                loss.backward()
                opt.step()
            if steps % 150 == 0:
                target.load_state_dict(q.state_dict())
        lengths.append(length)
        if episode % 15 == 14:
            log.info("%.0f env steps per second", steps / (time.monotonic() - began))
            print(f"episode {episode + 1} steps {steps} mean length {sum(lengths) / len(lengths):.2f}")
    print("greedy return", evaluate(q))
    torch.save(q.state_dict(), "q.pt")


if __name__ == "__main__":
    main()
