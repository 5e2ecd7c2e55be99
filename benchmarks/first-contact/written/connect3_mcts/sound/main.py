"""Self-play for connect three: search, remember, learn."""
import argparse
import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from zero import game
from zero.search import Player


class Net(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(game.ROWS * game.COLS, width), nn.ReLU(),
                                  nn.Linear(width, width), nn.ReLU())
        self.policy = nn.Linear(width, game.COLS)
        self.value = nn.Linear(width, 1)

    def forward(self, boards):
        h = self.body(boards)
        return self.policy(h), torch.tanh(self.value(h)).squeeze(-1)


class Heartbeat:
    """Shows the scheduler that the job lives."""
    def __init__(self, path, every=0.5):
        self.path, self.beats = Path(path), 0
        signal.signal(signal.SIGALRM, self.beat)
        signal.setitimer(signal.ITIMER_REAL, every, every)

    def beat(self, *_):
        self.beats += 1
        self.path.write_text(json.dumps({"pid": os.getpid(), "at": time.time(), "load": os.getloadavg()}))


def self_play(player, rng):
    board, record = game.start(), []
    while not game.lost(board) and game.moves(board):
        policy = player.think(board)
        record.append((board, policy))
        board = game.play(board, rng.choice(game.COLS, p=policy))
    outcome = -1.0 if game.lost(board) else 0.0
    samples = []
    for board, policy in reversed(record):
        outcome = -outcome
        samples.append((board, policy, outcome))
    return samples


def learn(net, optimizer, memory, rng, steps=25, size=48):
    losses = []
    for _ in range(steps):
        picked = [memory[i] for i in rng.integers(len(memory), size=size)]
        boards = torch.from_numpy(np.stack([p[0] for p in picked])).float()
        target = torch.from_numpy(np.stack([p[1] for p in picked])).float()
        outcome = torch.tensor([p[2] for p in picked])
        logits, value = net(boards)
        loss = nn.functional.cross_entropy(logits, target) + nn.functional.mse_loss(value, outcome)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return float(np.mean(losses))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--seed", type=int, default=99)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    heartbeat = Heartbeat("heartbeat.json")
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
    player = Player(net, noise=rng)
    memory = []
    for number in range(1, args.rounds + 1):
        began = time.time()
        lengths = []
        for _ in range(args.games):
            samples = self_play(player, rng)
            lengths.append(len(samples))
            memory.extend(samples)
        loss = learn(net, optimizer, memory, rng)
        print(f"round {number}: {np.mean(lengths):.1f} moves a game, loss {loss:.4f}, {time.time() - began:.1f} s, "
              f"{player.clock['simulations'] / player.clock['seconds']:.0f} simulations/s")
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(f"{heartbeat.beats} heartbeats")
    torch.save(net.state_dict(), "connect3.pt")


if __name__ == "__main__":
    main()
