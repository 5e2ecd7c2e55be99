"""Learns the value of boards from play (TD on the boards after each move, target network, replay), then plays."""
import copy
import random
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from game import FEATURES, Game, features
from memory import Memory

SEED = 3
GAMES = 110
BATCH = 48
GAMMA = 0.95


def value_net():
    return nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))


@torch.no_grad()
def best_move(net, moves):
    boards = torch.from_numpy(np.stack([features(board) for board, _ in moves]))
    gain = torch.tensor([0.1 + cleared for _, cleared in moves])
    return moves[int((gain + GAMMA * net(boards).squeeze(1)).argmax())]


def learn(net, target, optimizer, memory):
    before, reward, after, alive = memory.sample(BATCH)
    with torch.no_grad():
        goal = reward + GAMMA * alive * target(after).squeeze(1)
    loss = F.smooth_l1_loss(net(before).squeeze(1), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    net = value_net()
    target = copy.deepcopy(net)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    explore = random.Random(SEED + 1)

    with tempfile.TemporaryDirectory(prefix="blocks-") as folder:
        memory = Memory(Path(folder) / "replay.sqlite", SEED + 2)
        recent, updates, loss = [], 0, 0.0
        for number in range(GAMES):
            game = Game(SEED * 10_000 + number)
            epsilon = max(0.02, 0.6 * (1 - number / 60))
            previous = features(game.board)
            while not game.over and game.score < 400:
                moves = game.moves()
                move = explore.choice(moves) if explore.random() < epsilon else best_move(net, moves)
                reward = game.play(move)
                now = features(game.board)
                memory.add(previous, reward, None if game.over else now)
                previous = now
                if len(memory) >= 300:
                    loss = learn(net, target, optimizer, memory)
                    updates += 1
                    if updates % 200 == 0:
                        target.load_state_dict(net.state_dict())
            recent.append(game.score)
            if number % 22 == 21:
                print(f"game {number + 1}: mean score {np.mean(recent[-22:]):.2f}, loss {loss:.6f}, "
                      f"{updates} updates, {memory.rate():.0f} moves/s")
        memory.close()

    scores = []
    for number in range(12):
        game = Game(900_000 + number)
        while not game.over and game.score < 300:
            game.play(best_move(net, game.moves()))
        scores.append(game.score)
    print(f"test games: mean {np.mean(scores):.3f}, scores {scores}")
    torch.save(net.state_dict(), "blocks.pt")


if __name__ == "__main__":
    main()
