"""Monte Carlo tree search with PUCT."""
import math
import time

import numpy as np
import torch

from . import game


class Tree:
    def __init__(self, board, prior=1.0):
        self.board, self.prior = board, prior
        self.visits, self.value = 0, 0.0
        self.children = {}

    def best(self, c=1.4):
        root = math.sqrt(self.visits)

        def score(child):
            q = -child.value / child.visits if child.visits else 0.0
            return q + c * child.prior * root / (1 + child.visits)

        return max(self.children.values(), key=score)


class Player:
    def __init__(self, net, move_ms=8, noise=None):
        self.net, self.move_ms, self.noise = net, move_ms, noise

    @torch.inference_mode()
    def expand(self, node):
        if game.lost(node.board):
            return -1.0
        legal = game.moves(node.board)
        if not legal:
            return 0.0
        logits, value = self.net(torch.from_numpy(node.board).float()[None])
        priors = logits[0, legal].softmax(0).tolist()
        for move, prior in zip(legal, priors):
            node.children[move] = Tree(game.play(node.board, move), prior)
        return value.item()

    def simulate(self, root):
        path = [root]
        while path[-1].children:
            path.append(path[-1].best())
        value = self.expand(path[-1])
        for node in reversed(path):
            node.visits += 1
            node.value += value
            value = -value

    def think(self, board):
        """The share of visits of each column."""
        root = Tree(board)
        self.expand(root)
        if self.noise is not None:
            for child, extra in zip(root.children.values(), self.noise.dirichlet([0.6] * len(root.children))):
                child.prior = 0.75 * child.prior + 0.25 * extra
        deadline = time.perf_counter() + self.move_ms / 1000
        while time.perf_counter() < deadline:
            self.simulate(root)
        visits = np.zeros(game.COLS)
        for move, child in root.children.items():
            visits[move] = child.visits
        return visits / visits.sum()
