"""The Royal Game of Ur, with four pieces a side on Finkel's short path."""
import torch

PIECES = 4
HOME = 15
ROSETTES = {4, 8, 14}
SHARED = range(5, 13)
SAFE = 8
N_FEATURES = 2 * 16 + 1


def roll_dice(rng):
    return int(rng.integers(0, 2, 4).sum())


class Ur:
    def __init__(self):
        self.pos = [[0] * PIECES, [0] * PIECES]
        self.turn = 0

    def copy(self):
        other = Ur()
        other.pos = [list(self.pos[0]), list(self.pos[1])]
        other.turn = self.turn
        return other

    def moves(self, roll):
        """Squares that the player to move can move a piece from."""
        if roll == 0:
            return []
        own, opp = self.pos[self.turn], self.pos[1 - self.turn]
        legal = []
        for square in sorted(set(own)):
            target = square + roll
            if square == HOME or target > HOME:
                continue
            if target < HOME and target in own:
                continue
            if target == SAFE and target in opp:
                continue
            legal.append(square)
        return legal

    def captures(self, square, roll):
        target = square + roll
        return target in SHARED and target in self.pos[1 - self.turn]

    def play(self, square, roll):
        own, opp = self.pos[self.turn], self.pos[1 - self.turn]
        target = square + roll
        if target in SHARED and target in opp:
            opp[opp.index(target)] = 0
        own[own.index(square)] = target
        if target not in ROSETTES:
            self.turn = 1 - self.turn

    def skip(self):
        self.turn = 1 - self.turn

    def winner(self):
        for side in (0, 1):
            if all(p == HOME for p in self.pos[side]):
                return side
        return None

    def features(self):
        v = torch.zeros(N_FEATURES)
        for side in (0, 1):
            for p in self.pos[side]:
                v[16 * side + p] += 1.0 if 0 < p < HOME else 1.0 / PIECES
        v[-1] = self.turn
        return v
