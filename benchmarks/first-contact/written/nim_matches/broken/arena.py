"""Self-play of Nim with noisy players."""
from dataclasses import dataclass, field

import numpy as np

N_HEAPS = 4
MAX_HEAP = 9
SEED = 23

rng = np.random.default_rng(SEED)


@dataclass
class Match:
    index: int
    positions: list = field(default_factory=list)
    outcomes: list = field(default_factory=list)


def legal_moves(heaps):
    return [(h, k) for h, size in enumerate(heaps) for k in range(1, size + 1)]


def finish(heaps):
    """Play a position out at random; True if the player to move takes the last stick."""
    heaps = heaps.copy()
    mover = True
    while True:
        moves = legal_moves(heaps)
        h, k = moves[rng.integers(len(moves))]
        heaps[h] -= k
        if not heaps.any():
            return mover
        mover = not mover


def choose(heaps, playouts, epsilon):
    moves = legal_moves(heaps)
    if rng.random() < epsilon:
        return moves[rng.integers(len(moves))]
    candidates = rng.permutation(len(moves))[:6]
    best, best_wins = moves[candidates[0]], -1
    for c in candidates:
        h, k = moves[c]
        after = heaps.copy()
        after[h] -= k
        if not after.any():
            return moves[c]
        wins = sum(not finish(after) for _ in range(playouts))
        if wins > best_wins:
            best, best_wins = moves[c], wins
    return best


def play_match(index, playouts=4, epsilon=0.2):
    heaps = rng.integers(1, MAX_HEAP + 1, N_HEAPS)
    match = Match(index)
    movers, turn = [], 0
    while heaps.any():
        match.positions.append(np.sort(heaps))
        movers.append(turn)
        h, k = choose(heaps, playouts, epsilon)
        heaps[h] -= k
        winner, turn = turn, 1 - turn
    match.outcomes = [float(m == winner) for m in movers]
    return match
