"""Double DQN with a target network for the winch."""
import argparse
import random
import time
from collections import deque

import gymnasium
import numpy as np
import torch
from torch import nn

from winch import WinchEnv

gymnasium.register("Winch-v0", entry_point=WinchEnv, max_episode_steps=80)


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def make_env(seed):
    env = gymnasium.make("Winch-v0", depth=5.0)
    env = gymnasium.wrappers.RecordEpisodeStatistics(env)
    env.reset(seed=seed)
    return env


class Replay:
    def __init__(self, capacity, seed):
        self.items = deque(maxlen=capacity)
        self.rng = random.Random(seed)

    def add(self, *transition):
        self.items.append(transition)

    def sample(self, count):
        columns = zip(*self.rng.sample(list(self.items), count))
        state, action, reward, after, done = (np.array(column) for column in columns)
        return (torch.from_numpy(state), torch.from_numpy(action), torch.from_numpy(reward).float(),
                torch.from_numpy(after), torch.from_numpy(done).float())


def q_network():
    return nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 4))


def evaluate(policy, episodes, seed):
    env = make_env(seed)
    returns = []
    for _ in range(episodes):
        state, _ = env.reset()
        finished, total = False, 0.0
        while not finished:
            with torch.no_grad():
                action = policy(torch.from_numpy(state)).argmax().item()
            state, reward, terminated, truncated, _ = env.step(action)
            finished, total = terminated or truncated, total + reward
        returns.append(total)
    return float(np.mean(returns))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1800)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--gamma", type=float, default=0.98)
    args = parser.parse_args()
    seed_everything(args.seed)

    env = make_env(args.seed)
    policy, target = q_network(), q_network()
    target.load_state_dict(policy.state_dict())
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    replay = Replay(1000, args.seed)
    began = time.perf_counter()
    state, _ = env.reset()
    for step in range(args.steps):
        epsilon = max(0.05, 1 - step / 900)
        if random.random() < epsilon:
            action = int(env.action_space.sample())
        else:
            with torch.no_grad():
                action = policy(torch.from_numpy(state)).argmax().item()
        after, reward, terminated, truncated, info = env.step(action)
        replay.add(state, action, reward, after, terminated)
        state = after
        if terminated or truncated:
            state, _ = env.reset()
        if step >= 200 and step % 4 == 0:
            s, a, r, n, d = replay.sample(32)
            with torch.no_grad():
                best = policy(n).argmax(1, keepdim=True)
                goal = r + args.gamma * (1 - d) * target(n).gather(1, best).squeeze(1)
            loss = nn.functional.smooth_l1_loss(policy(s).gather(1, a.unsqueeze(1)).squeeze(1), goal)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if step % 200 == 199:
            target.load_state_dict(policy.state_dict())
    print(f"{args.steps / (time.perf_counter() - began):.0f} steps/s, {env.episode_count} episodes")
    print(f"return {evaluate(policy, 3, args.seed + 1):.6f}")
    print(f"last loss {loss.item():.8f}, weights {sum(p.double().abs().sum().item() for p in policy.parameters()):.8f}")


if __name__ == "__main__":
    main()
