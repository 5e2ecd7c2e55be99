"""Deep Q-learning of the brakes of a trolley; a thread tests the policy while the learning goes on."""
import argparse
import copy
import random
import threading
import time
from collections import deque

import numpy as np
import torch
from torch import nn

from yard import TrolleyEnv


def build() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.05), nn.LayerNorm(64), nn.ReLU(),
                         nn.Linear(64, 64), nn.Dropout(0.05), nn.LayerNorm(64), nn.ReLU(),
                         nn.Linear(64, 4))


class Examiner:
    """Plays test episodes with the greedy policy, away from the learner."""

    def __init__(self, episodes: int, seed: int):
        self.episodes = episodes
        self.seed = seed
        self.scores = {}
        self.threads = []

    def start(self, step: int, policy: nn.Module):
        thread = threading.Thread(target=self.play, args=(step, policy), name=f"exam-{step}")
        self.threads.append(thread)
        thread.start()

    @torch.no_grad()
    def play(self, step: int, policy: nn.Module):
        env = TrolleyEnv()
        policy.eval()
        returns = []
        for episode in range(self.episodes):
            state, _ = env.reset(seed=self.seed + episode)
            total, over = 0.0, False
            while not over:
                action = policy(torch.from_numpy(state)[None]).argmax().item()
                state, reward, done, late, _ = env.step(action)
                total += reward
                over = done or late
            returns.append(total)
        policy.train()
        self.scores[step] = float(np.mean(returns))

    def finish(self) -> dict:
        for thread in self.threads:
            thread.join()
        return dict(sorted(self.scores.items()))


def learn(policy, target, optimizer, memory, rng, discount=0.97, size=64):
    states, actions, rewards, nexts, ends = zip(*rng.sample(memory, size))
    states, nexts = torch.from_numpy(np.stack(states)), torch.from_numpy(np.stack(nexts))
    value = policy(states).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
    with torch.no_grad():
        best = target(nexts).amax(1)
        aim = torch.tensor(rewards) + discount * best * (1 - torch.tensor(ends))
    loss = nn.functional.smooth_l1_loss(value, aim)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 5.0)
    optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--exam-every", type=int, default=200)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = random.Random(args.seed)

    env = TrolleyEnv()
    policy = build()
    target = copy.deepcopy(policy).eval()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    memory = deque(maxlen=800)
    examiner = Examiner(episodes=15, seed=9000)
    state, _ = env.reset(seed=args.seed)
    losses, began = [], time.perf_counter()
    for step in range(1, args.steps + 1):
        if rng.random() < max(0.1, 1 - step / 600):
            action = rng.randrange(4)
        else:
            with torch.no_grad():
                action = policy(torch.from_numpy(state)[None]).argmax().item()
        after, reward, done, late, _ = env.step(action)
        memory.append((state, action, reward, after, float(done)))
        state = env.reset()[0] if done or late else after
        if step > args.warmup:
            losses.append(learn(policy, target, optimizer, memory, rng))
        if step % 100 == 0:
            target.load_state_dict(policy.state_dict())
        if step % args.exam_every == 0:
            examiner.start(step, copy.deepcopy(policy))
    print(f"{args.steps / (time.perf_counter() - began):.0f} steps/s")
    for step, score in examiner.finish().items():
        print(f"step {step:5d} mean return {score:+.5f}")
    total = sum(p.double().abs().sum().item() for p in policy.parameters())
    print(f"loss {np.mean(losses[-100:]):.9f} weights {total:.12f}")


if __name__ == "__main__":
    main()
