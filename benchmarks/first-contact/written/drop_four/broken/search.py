"""Monte Carlo tree search with a policy and value network (PUCT)."""
import math
import time

import torch

from board import COLS
from net import encode

CHECK_EVERY = 4


class Node:
    __slots__ = ("prior", "visits", "total", "children")

    def __init__(self, prior):
        self.prior, self.visits, self.total, self.children = prior, 0, 0.0, {}

    def value(self):
        return self.total / self.visits if self.visits else 0.0


class Search:
    def __init__(self, simulations, seconds, noise, c=1.4):
        self.simulations, self.seconds, self.noise, self.c = simulations, seconds, noise, c
        self.moves = self.late = self.nodes = 0

    def _expand(self, node, board, net):
        with torch.no_grad():
            logits, value = net(encode(board)[None])
        prior = logits[0].softmax(0).tolist()
        for move in board.moves():
            node.children[move] = Node(prior[move])
        return value.item()

    def _best(self, node):
        scale = self.c * math.sqrt(node.visits)
        return max(node.children.items(),
                   key=lambda kv: -kv[1].value() + scale * kv[1].prior / (1 + kv[1].visits))

    def _simulate(self, root, board, net):
        path, node = [root], root
        while node.children:
            move, node = self._best(node)
            board = board.play(move)
            path.append(node)
        if board.over():
            value = float(board.winner() * board.to_move)
        else:
            value = self._expand(node, board, net)
        for node in reversed(path):
            node.visits += 1
            node.total += value
            value = -value

    def run(self, board, net):
        root = Node(1.0)
        self._expand(root, board, net)
        for child in root.children.values():
            child.prior = 0.75 * child.prior + 0.25 * torch.rand((), generator=self.noise).item()
        deadline = time.perf_counter() + self.seconds
        overran = False
        for n in range(1, self.simulations + 1):
            self._simulate(root, board, net)
            if n % CHECK_EVERY == 0 and time.perf_counter() > deadline:
                overran = True
                break
        self.moves += 1
        self.late += overran
        self.nodes += root.visits
        shares = torch.zeros(COLS)
        for move, child in root.children.items():
            shares[move] = child.visits
        return shares / shares.sum()

    def report(self):
        return f"{self.moves} moves, {self.late} over their time, {self.nodes} simulations"
