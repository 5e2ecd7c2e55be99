"""Self-play with Monte Carlo search, then a value network fitted to the games."""
import argparse
import random
from collections import deque

import torch
from torch import nn

from search import SIZE, Position, Searcher


def self_play(searcher, explore, rng):
    position, history = Position.opening(), []
    while not position.over() and position.moves():
        move, value = searcher.evaluate(position)
        history.append((position.cells, position.player, value))
        if rng.random() < explore:
            move = rng.choice(position.moves())
        position = position.play(move)
    result = position.score()
    return [(cells, player, 0.5 * result * player + 0.5 * value / SIZE) for cells, player, value in history]


def encode(cells, player):
    board = torch.tensor(cells, dtype=torch.float32) * player
    return torch.cat([(board > 0).float(), (board < 0).float()])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=6)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--explore", type=float, default=0.15)
    parser.add_argument("--seed", type=int, default=77)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = random.Random(args.seed)

    searcher = Searcher(seed=args.seed + 1)
    memory = deque(maxlen=2000)
    for game in range(args.games):
        positions = self_play(searcher, args.explore, rng)
        memory.extend(positions)
        print(f"game {game}: {len(positions)} plies")
    print(f"{searcher.done / searcher.seconds:.0f} playouts/s")

    boards = torch.stack([encode(cells, player) for cells, player, _ in memory])
    values = torch.tensor([value for _, _, value in memory])
    net = nn.Sequential(nn.Linear(2 * SIZE * SIZE, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh())
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
    for step in range(args.steps):
        rows = torch.randint(len(boards), (32,))
        loss = nn.functional.mse_loss(net(boards[rows]).squeeze(1), values[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        fit = nn.functional.mse_loss(net(boards).squeeze(1), values).item()
        opening = net(encode(Position.opening().cells, 1)).item()
    print(f"positions {len(memory)}  fit {fit:.8f}  value of the opening {opening:+.8f}")


if __name__ == "__main__":
    main()
