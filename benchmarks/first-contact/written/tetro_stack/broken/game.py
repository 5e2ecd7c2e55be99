"""Falling blocks on a narrow board. A move is a piece's rotation and column; what is valued is the board after it."""
import random

import numpy as np

WIDTH, HEIGHT = 6, 12
PIECES = {
    "I": ["1111"], "O": ["11", "11"], "T": ["111", "010"], "S": ["011", "110"], "Z": ["110", "011"], "L": ["100", "111"],
}


def rotations(rows):
    shape = np.array([[int(c) for c in row] for row in rows], dtype=np.int8)
    seen, found = set(), []
    for _ in range(4):
        if shape.tobytes() + bytes(shape.shape) not in seen:
            seen.add(shape.tobytes() + bytes(shape.shape))
            found.append(shape)
        shape = np.rot90(shape).copy()
    return found


SHAPES = {name: rotations(rows) for name, rows in PIECES.items()}


class Game:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.board = np.zeros((HEIGHT, WIDTH), dtype=np.int8)
        self.score = 0
        self.over = False
        self.deal()

    def deal(self):
        self.piece = self.random.choice(sorted(SHAPES))

    def moves(self):
        """(board after the move, rows cleared) for every move that fits."""
        found = []
        for shape in SHAPES[self.piece]:
            h, w = shape.shape
            for column in range(WIDTH - w + 1):
                row = 0
                while row + h <= HEIGHT and not (self.board[row:row + h, column:column + w] & shape).any():
                    row += 1
                if row == 0:
                    continue
                after = self.board.copy()
                after[row - 1:row - 1 + h, column:column + w] |= shape
                full = after.all(axis=1)
                cleared = int(full.sum())
                if cleared:
                    after = np.concatenate([np.zeros((cleared, WIDTH), dtype=np.int8), after[~full]])
                found.append((after, cleared))
        return found

    def play(self, move):
        self.board, cleared = move
        self.score += 1 + 10 * cleared
        self.deal()
        self.over = not self.moves()
        return 0.1 + cleared


def features(board):
    board = board.astype(np.float32)
    filled = board.any(axis=0)
    heights = np.where(filled, HEIGHT - board.argmax(axis=0), 0).astype(np.float32)
    holes = (np.cumsum(board, axis=0) > 0).sum(axis=0) - board.sum(axis=0)
    return np.concatenate([heights / HEIGHT, np.diff(heights) / 4, holes / 4, board[-4:].ravel()]).astype(np.float32)


FEATURES = features(np.zeros((HEIGHT, WIDTH), dtype=np.int8)).size
