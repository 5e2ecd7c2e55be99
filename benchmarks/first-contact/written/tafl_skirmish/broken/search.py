"""Flat Monte Carlo search for a 5x5 capture game."""
import random
import time
from dataclasses import dataclass, field

SIZE = 5
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass
class Position:
    cells: list
    player: int = 1
    ply: int = 0

    @classmethod
    def opening(cls):
        cells = [0] * (SIZE * SIZE)
        for column in range(SIZE):
            cells[column], cells[-1 - column] = -1, 1
        return cls(cells)

    def moves(self):
        found = []
        for place, piece in enumerate(self.cells):
            if piece != self.player:
                continue
            row, column = divmod(place, SIZE)
            for down, right in STEPS:
                r, c = row + down, column + right
                if 0 <= r < SIZE and 0 <= c < SIZE and self.cells[r * SIZE + c] == 0:
                    found.append((place, r * SIZE + c))
        return found

    def play(self, move):
        cells = self.cells.copy()
        start, target = move
        cells[target], cells[start] = self.player, 0
        row, column = divmod(target, SIZE)
        for down, right in STEPS:        # an enemy between two of ours is taken
            r, c = row + 2 * down, column + 2 * right
            if 0 <= r < SIZE and 0 <= c < SIZE and cells[r * SIZE + c] == self.player:
                middle = (row + down) * SIZE + column + right
                if cells[middle] == -self.player:
                    cells[middle] = 0
        return Position(cells, -self.player, self.ply + 1)

    def over(self):
        return self.ply >= 24 or abs(sum(self.cells)) >= 3

    def score(self):
        balance = sum(self.cells)
        return (balance > 0) - (balance < 0)


@dataclass
class Searcher:
    seed: int
    budget: float = 0.004    # seconds for each move
    depth: int = 8
    done: int = 0
    seconds: float = 0.0
    rng: random.Random = field(init=False)

    def __post_init__(self):
        self.rng = random.Random(self.seed)

    def playout(self, position):
        for _ in range(self.depth):
            moves = position.moves()
            if position.over() or not moves:
                break
            position = position.play(self.rng.choice(moves))
        return sum(position.cells)

    def evaluate(self, position):
        """Mean value for the side to move of every move, and the best move."""
        moves = position.moves()
        began = time.perf_counter()
        totals, visits = [0.0] * len(moves), [0] * len(moves)
        count = 0
        while count < len(moves) or time.perf_counter() - began < self.budget:
            pick = count % len(moves)
            totals[pick] += position.player * self.playout(position.play(moves[pick]))
            visits[pick] += 1
            count += 1
        self.done += count
        self.seconds += time.perf_counter() - began
        means = [total / max(1, n) for total, n in zip(totals, visits)]
        best = max(range(len(moves)), key=means.__getitem__)
        return moves[best], means[best]
