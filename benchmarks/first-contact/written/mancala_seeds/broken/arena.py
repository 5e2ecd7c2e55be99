import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from kalah import Kalah


class Arena:
    """Plays the network against itself on a few threads."""

    def __init__(self, net, seed, threads=4):
        self.net = net
        self.rng = np.random.default_rng(seed)
        self.threads = threads
        self.busy = 0.0
        self._lock = threading.Lock()

    def play_round(self, number, games):
        jobs = [(number, g) for g in range(games)]
        with ThreadPoolExecutor(self.threads, thread_name_prefix="table") as pool:
            return list(pool.map(self._one_game, jobs))

    def _one_game(self, job):
        started = time.perf_counter()
        board = Kalah()
        views, moves, players = [], [], []
        while not board.over() and len(moves) < 90:
            view = board.view()
            probs = self._policy(view, board.legal())
            move = int(self.rng.choice(6, p=probs))
            views.append(view)
            moves.append(move)
            players.append(board.player)
            board.play(move)
        with self._lock:
            self.busy += time.perf_counter() - started
        return views, moves, players, board.margin()

    def _policy(self, view, legal):
        with torch.no_grad():
            logits, _ = self.net(torch.tensor([view], dtype=torch.float32))
        p = np.zeros(6)
        p[legal] = torch.softmax(logits[0, legal], 0).double().numpy()
        return p / p.sum()
