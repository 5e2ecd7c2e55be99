"""Double DQN for the lanes of a toll plaza."""
import argparse
import copy
import json
import random
import tempfile
import time
from collections import deque
from pathlib import Path

import numpy as np
import torch
from torch import nn

from envs import make_env


class QNetwork(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.value = nn.Linear(48, 1)
        self.advantage = nn.Linear(48, actions)

    def forward(self, x):
        hidden = self.body(x)
        advantage = self.advantage(hidden)
        return self.value(hidden) + advantage - advantage.mean(-1, keepdim=True)


class Replay:
    def __init__(self, capacity, seed):
        self.items = deque(maxlen=capacity)
        self.rng = np.random.default_rng(seed)

    def push(self, *transition):
        self.items.append(transition)

    def sample(self, size):
        rows = self.rng.choice(len(self.items), size, replace=False)
        columns = zip(*(self.items[i] for i in rows))
        obs, action, reward, after = (torch.as_tensor(np.array(c)) for c in columns)
        return obs, action, reward.float(), after


def choose(network, env, obs, epsilon):
    if random.random() < epsilon:
        return int(env.action_space.sample())
    with torch.no_grad():
        return int(network(torch.from_numpy(obs)).argmax())


def learn(network, target, optimizer, batch, gamma):
    obs, action, reward, after = batch
    with torch.no_grad():
        best = network(after).argmax(-1, keepdim=True)
        goal = reward + gamma * target(after).gather(-1, best).squeeze(-1)
    value = network(obs).gather(-1, action[:, None]).squeeze(-1)
    loss = nn.functional.smooth_l1_loss(value, goal)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimizer.step()
    return loss.item()


def evaluate(network, seed, episodes):
    env = make_env(seed)
    totals = []
    for _ in range(episodes):
        obs, _ = env.reset()
        total, over = 0.0, False
        while not over:
            obs, reward, terminated, truncated, _ = env.step(choose(network, env, obs, 0.0))
            total += reward
            over = terminated or truncated
        totals.append(total)
    return float(np.mean(totals))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--episodes", type=int, default=12)
    parser.add_argument("--gamma", type=float, default=0.95)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    env = make_env(args.seed)
    network = QNetwork(env.observation_space.shape[0], env.action_space.n)
    target = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    replay = Replay(2000, args.seed)
    steps, best = 0, -np.inf

    with tempfile.TemporaryDirectory() as folder:
        checkpoint, log = Path(folder) / "best.pt", Path(folder) / "log.jsonl"
        for episode in range(args.episodes):
            started, losses = time.perf_counter(), []
            epsilon = max(0.1, 1.0 - episode / 10)
            obs, _ = env.reset()
            over = False
            while not over:
                action = choose(network, env, obs, epsilon)
                after, reward, terminated, truncated, _ = env.step(action)
                replay.push(obs, action, reward, after)
                obs, over, steps = after, terminated or truncated, steps + 1
                if len(replay.items) >= 64 and steps % 2 == 0:
                    losses.append(learn(network, target, optimizer, replay.sample(32), args.gamma))
            target.load_state_dict(network.state_dict())
            if episode % 4 == 3:
                score = evaluate(network, args.seed + 500, 3)
                if score > best:
                    best = score
                    torch.save(network.state_dict(), checkpoint)
                seconds = time.perf_counter() - started
                print(f"episode {episode:2d} epsilon {epsilon:.2f} return {score:.4f} ({seconds:.2f} s)")
            with log.open("a") as out:
                out.write(json.dumps({"episode": episode, "loss": float(np.sum(losses))}) + "\n")
        network.load_state_dict(torch.load(checkpoint))
        losses = [json.loads(line)["loss"] for line in log.read_text().splitlines()]

    checksum = sum(p.double().abs().sum().item() for p in network.parameters())
    print(f"best {best:.6f} total loss {sum(losses):.9f} weights {checksum:.9f}")


if __name__ == "__main__":
    main()
