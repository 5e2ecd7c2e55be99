"""Learns how good the openings of 5x5 Hex are, from games that the network plays against itself."""
import json
import os
import random
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch import nn

from book import OpeningBook, encode
from game import EMPTY, moves, play, show, winner

torch.set_num_threads(1)


@dataclass
class Config:
    rounds: int = 3
    games_per_round: int = 170
    depth: int = 9
    epochs: int = 4
    batch_size: int = 64
    lr: float = 2e-3
    width: int = 24
    greedy: float = 0.6
    seed: int = 2024
    folder: str = "results"


class ValueNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Conv2d(4, width, 3, padding=1)
        self.blocks = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.norm = nn.GroupNorm(4, width)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(width * 25, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, x):
        x = torch.relu(self.stem(x))
        for block in self.blocks:
            x = x + torch.relu(block(x))
        return self.head(self.norm(x)).squeeze(1)


class Trainer:
    def __init__(self, config):
        self.config = config
        self.rng = random.Random(config.seed)
        self.net = ValueNet(config.width)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=config.lr)
        self.shuffle = torch.Generator().manual_seed(config.seed)
        self.book = OpeningBook(config.depth)
        self.history = []
        self.folder = Path(__file__).resolve().parent / config.folder
        self.folder.mkdir(exist_ok=True)

    @torch.no_grad()
    def best_move(self, board):
        options = moves(board)
        self.net.eval()
        replies = self.net(torch.stack([encode(play(board, m)) for m in options]))
        return options[int(replies.argmin())]

    def play_game(self, guided):
        board, line, openings = EMPTY, [], self.config.depth // 2
        for turn in range(len(EMPTY)):
            if guided and turn < openings and self.rng.random() < self.config.greedy:
                cell = self.best_move(board)
            else:
                cell = self.rng.choice(moves(board))
            board = play(board, cell)
            line.append(board)
            won_by = winner(board) if turn >= 8 else None
            if won_by is not None:
                return line, won_by
        raise AssertionError("Hex has no draws:\n" + show(board))

    def fit(self, x, y, w):
        loss_fn = nn.BCEWithLogitsLoss(reduction="none")
        for _ in range(self.config.epochs):
            self.net.train()
            total = 0.0
            for batch in torch.randperm(len(x), generator=self.shuffle).split(self.config.batch_size):
                loss = (w[batch] * loss_fn(self.net(x[batch]), y[batch])).mean()
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
                self.optimizer.step()
                total += loss.item() * len(batch)
        return total / len(x)

    @torch.no_grad()
    def test(self, x, y, w):
        self.net.eval()
        chance = torch.sigmoid(self.net(x))
        return ((chance - y).abs() * w).mean().item()

    def match(self, games=30):
        """Guided openings for the first player, random moves for the second."""
        won = 0
        for _ in range(games):
            board = EMPTY
            while (won_by := winner(board)) is None:
                filled = sum(c is not None for c in board)
                guided = filled % 2 == 0 and filled < self.config.depth
                cell = self.best_move(board) if guided else self.rng.choice(moves(board))
                board = play(board, cell)
            won += won_by == 0
        return won / games

    def run(self):
        for number in range(self.config.rounds):
            started = time.time()
            for _ in range(self.config.games_per_round):
                self.book.add(*self.play_game(guided=number > 0))
            train, test = self.book.split(self.rng)
            loss = self.fit(*self.book.tensors(train))
            row = {"round": number, "positions": len(train), "loss": loss,
                   "test_error": self.test(*self.book.tensors(test)), "match": self.match()}
            self.history.append(row)
            print(f"[{datetime.now():%H:%M:%S}] round {number}: {len(train)} positions, loss {loss:.5f}, "
                  f"test error {row['test_error']:.5f}, won {row['match']:.0%} ({time.time() - started:.1f} s)")
        self.save()

    def save(self):
        torch.save(self.net.state_dict(), self.folder / "value_net.pt")
        (self.folder / "history.json").write_text(json.dumps(self.history, indent=1))
        with open(self.folder / "runs.log", "a") as log:
            log.write(f"{datetime.now().isoformat()} pid {os.getpid()} {asdict(self.config)}\n")


def main():
    config = Config()
    random.seed(config.seed)
    np.random.seed(config.seed)
    torch.manual_seed(config.seed)
    trainer = Trainer(config)
    trainer.run()
    first = trainer.best_move(EMPTY)
    print("the network opens with")
    print(show(play(EMPTY, first)))
    last = trainer.history[-1]
    print(f"final: loss {last['loss']:.6f}, test error {last['test_error']:.6f}, match {last['match']:.3f}")


if __name__ == "__main__":
    main()
