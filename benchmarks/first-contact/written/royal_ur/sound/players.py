import random

import torch

from game import ROSETTES


class CasualPlayer:
    """Takes what it can take, likes rosettes, and now and then moves without thinking."""

    def __init__(self, blunder=0.2, rng=None):
        self.blunder = blunder
        self.rng = rng or random

    def choose(self, game, legal, roll):
        if self.rng.random() < self.blunder:
            return self.rng.choice(legal)
        return max(legal, key=lambda s: (game.captures(s, roll), s + roll in ROSETTES, s))


class ValuePlayer:
    """Greedy on the value of the position after the move; explores while it learns."""

    def __init__(self, net, epsilon=0.0, rng=None):
        self.net = net
        self.epsilon = epsilon
        self.rng = rng or random

    @torch.no_grad()
    def choose(self, game, legal, roll):
        if len(legal) == 1:
            return legal[0]
        if self.epsilon and self.rng.random() < self.epsilon:
            return self.rng.choice(legal)
        after = []
        for square in legal:
            nxt = game.copy()
            nxt.play(square, roll)
            after.append(nxt.features())
        return legal[int(self.net(torch.stack(after)).argmax())]
