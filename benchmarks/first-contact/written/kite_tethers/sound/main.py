import argparse
import hashlib
import logging
import random
import time
from collections import deque
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
from torch import nn

import kite_env  # noqa: F401  (registers Kite-v0)

log = logging.getLogger("kite")


@dataclass
class Transition:
    obs: np.ndarray
    action: int
    reward: float
    nxt: np.ndarray
    done: bool


class Replay:
    def __init__(self, capacity, seed):
        self.items = deque(maxlen=capacity)
        self.rng = random.Random(seed)

    def push(self, item):
        self.items.append(item)

    def sample(self, n):
        rows = self.rng.sample(range(len(self.items)), n)
        batch = [self.items[i] for i in rows]
        return (
            torch.from_numpy(np.stack([t.obs for t in batch])),
            torch.tensor([t.action for t in batch]),
            torch.tensor([t.reward for t in batch], dtype=torch.float32),
            torch.from_numpy(np.stack([t.nxt for t in batch])),
            torch.tensor([t.done for t in batch], dtype=torch.float32),
        )


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def make_env(seed):
    env = gym.make("Kite-v0", gust=0.3)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    return env


def build_q(hidden):
    return nn.Sequential(nn.Linear(4, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 3))


def choose(env, q, obs, epsilon, rng):
    if rng.random() < epsilon:
        return int(env.action_space.sample())
    with torch.no_grad():
        return int(q(torch.from_numpy(obs)).argmax())


def learn(q, target, opt, batch, gamma):
    obs, action, reward, nxt, done = batch
    with torch.no_grad():
        best = q(nxt).argmax(1, keepdim=True)
        goal = reward + gamma * (1 - done) * target(nxt).gather(1, best).squeeze(1)
    value = q(obs).gather(1, action[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, goal)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(q.parameters(), 5.0)
    opt.step()
    return loss.item()


def evaluate(q, episodes, seed):
    env = gym.make("Kite-v0", gust=0.3)
    total = 0.0
    for k in range(episodes):
        obs, _ = env.reset(seed=seed + k)
        over = False
        while not over:
            with torch.no_grad():
                action = int(q(torch.from_numpy(obs)).argmax())
            obs, reward, crashed, cut, _ = env.step(action)
            total += reward
            over = crashed or cut
    env.close()
    return total / episodes


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=1500)
    ap.add_argument("--warmup", type=int, default=200)
    ap.add_argument("--hidden", type=int, default=48)
    ap.add_argument("--seed", type=int, default=17)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")

    seed_all(args.seed)
    env = make_env(args.seed)
    explore = np.random.default_rng(args.seed + 1)
    memory = Replay(1500, args.seed + 2)
    q, target = build_q(args.hidden), build_q(args.hidden)
    target.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), lr=2e-3)

    began = time.perf_counter()
    obs, _ = env.reset()
    episodes, losses = 0, []
    for step in range(args.steps):
        epsilon = max(0.05, 1.0 - step / 1000)
        action = choose(env, q, obs, epsilon, explore)
        nxt, reward, crashed, cut, _ = env.step(action)
        memory.push(Transition(obs, action, reward, nxt, crashed))
        obs = nxt
        if crashed or cut:
            episodes += 1
            obs, _ = env.reset()
        if step >= args.warmup and step % 4 == 0:
            losses.append(learn(q, target, opt, memory.sample(32), 0.97))
        if step % 150 == 0:
            target.load_state_dict(q.state_dict())
        if step % 600 == 599:
            log.info("step %d, %d episodes, loss %.4f", step + 1, episodes, np.mean(losses[-50:]))
    spent = time.perf_counter() - began
    print(f"{args.steps / spent:.0f} steps per second")

    score = evaluate(q, 4, 900)
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in q.parameters())).hexdigest()[:16]
    print(f"episodes {episodes}  return {score:.6f}  weights {digest}")
    env.close()


if __name__ == "__main__":
    main()
