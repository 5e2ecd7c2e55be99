"""What the games so far say about the openings."""
from collections import Counter

import torch

from game import CELLS, EMPTY, SIZE, to_move, turned


class OpeningBook:
    def __init__(self, depth):
        self.depth = depth
        self.visits = Counter()
        self.wins = Counter()
        self.games = 0

    def add(self, line, won_by):
        self.games += 1
        for board in line:
            filled = CELLS - board.count(None)
            if filled > self.depth:
                break
            for view in (board, turned(board)):
                self.visits[view] += 1
                self.wins[view] += int(won_by == to_move(board))

    def value(self, board):
        """Chance of the player to move, drawn towards one half while there are few games."""
        return (self.wins[board] + 1.0) / (self.visits[board] + 2.0)

    def split(self, rng, share=0.15, reserve=40):
        """Positions to learn from and positions to test on. The turned view goes with its twin."""
        known = [b for b in self.visits if b != EMPTY]
        test = set()
        for board in rng.sample(known, int(share * len(known) / 2)):
            test.update((board, turned(board)))
        popular = {b for b, _ in self.visits.most_common(reserve)}
        test -= popular
        train = list(set(known) - test)
        return train, sorted(test, key=lambda b: tuple(-1 if c is None else c for c in b))

    def tensors(self, boards):
        x = torch.stack([encode(b) for b in boards])
        y = torch.tensor([self.value(b) for b in boards])
        w = torch.tensor([float(self.visits[b]) for b in boards]).sqrt()
        return x, y, w / w.mean()


def encode(board):
    me = to_move(board)
    planes = torch.zeros(4, SIZE, SIZE)
    for i, cell in enumerate(board):
        if cell is not None:
            planes[0 if cell == me else 1, i // SIZE, i % SIZE] = 1.0
    planes[2] = float(me)
    planes[3] = 1.0
    return planes
