"""Q-learning for a forklift that fetches pallets in a warehouse."""
import argparse
import copy
import csv
import random
import tempfile
import time
from collections import deque
from pathlib import Path

import numpy as np
import torch
from torch import nn

from warehouse import Warehouse


def network(inputs, actions):
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, actions))


def learn(net, target, optimizer, batch, gamma):
    states, actions, rewards, following, ends = (torch.as_tensor(np.array(part)) for part in zip(*batch))
    value = net(states).gather(1, actions[:, None])[:, 0]
    with torch.no_grad():
        aim = rewards.float() + gamma * target(following).max(1).values * (~ends).float()
    loss = nn.functional.smooth_l1_loss(value, aim)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def evaluate(net, env, seed, episodes=10):
    total = 0.0
    for number in range(episodes):
        state, _ = env.reset(seed=seed + number)
        over = False
        while not over:
            with torch.no_grad():
                action = int(net(torch.from_numpy(state)).argmax())
            state, reward, ended, cut, _ = env.step(action)
            total += reward
            over = ended or cut
    return total / episodes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--episodes", type=int, default=45)
    parser.add_argument("--gamma", type=float, default=0.95)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)

    env = Warehouse()
    env.reset(seed=args.seed)
    env.action_space.seed(args.seed)
    net = network(env.observation_space.shape[0], int(env.action_space.n))
    target = copy.deepcopy(net)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    memory = deque(maxlen=4000)
    steps = 0
    began = time.perf_counter()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "progress.csv"
        with path.open("w", newline="") as stream:
            writer = csv.writer(stream)
            for episode in range(args.episodes):
                state, _ = env.reset()
                over, gained, loss = False, 0.0, float("nan")
                epsilon = max(0.1, 1.0 - episode / 30)
                while not over:
                    if random.random() < epsilon:
                        action = int(env.action_space.sample())
                    else:
                        with torch.no_grad():
                            action = int(net(torch.from_numpy(state)).argmax())
                    following, reward, ended, cut, _ = env.step(action)
                    memory.append((state, action, reward, following, ended))
                    state, over = following, ended or cut
                    gained += reward
                    steps += 1
                    if len(memory) >= 200 and steps % 3 == 0:
                        loss = learn(net, target, optimizer, random.sample(memory, 64), args.gamma)
                    if steps % 150 == 0:
                        target.load_state_dict(net.state_dict())
                writer.writerow([episode, f"{gained:.3f}", f"{loss:.6f}"])
        rows = list(csv.reader(path.open()))

    print(f"{steps / (time.perf_counter() - began):.0f} steps/s")
    for row in rows[::9]:
        print("episode {}: return {}, loss {}".format(*row))
    print(f"steps {steps}, greedy return {evaluate(net, Warehouse(), 1000):.4f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in net.parameters()):.10f}")


if __name__ == "__main__":
    main()
