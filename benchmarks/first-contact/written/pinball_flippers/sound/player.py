"""Plays games in a thread beside the learner."""
import copy
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np
import torch

from table import PinballTable


class Replay:
    def __init__(self, capacity=20000):
        self.rows, self.capacity, self.lock = [], capacity, Lock()

    def __len__(self):
        return len(self.rows)

    def add(self, row):
        with self.lock:
            self.rows.append(row)
            if len(self.rows) > self.capacity:
                self.rows.pop(0)

    def sample(self, count, rng):
        with self.lock:
            picked = [self.rows[i] for i in rng.integers(0, len(self.rows), count)]
        s, a, r, n, d = zip(*picked)
        return (torch.tensor(np.stack(s)), torch.tensor(a), torch.tensor(r, dtype=torch.float32),
                torch.tensor(np.stack(n)), torch.tensor(d, dtype=torch.float32))


class Player:
    def __init__(self, replay, seed):
        self.replay = replay
        self.rng = np.random.default_rng([seed, 1])
        self.table = PinballTable()
        self.table.reset(seed=seed)
        self.pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="player")

    def start(self, net, steps, explore):
        """Plays `steps` moves with a copy of the net as it is now."""
        return self.pool.submit(self._play, copy.deepcopy(net), steps, explore)

    def finish(self, game):
        rows, score = game.result()
        for row in rows:
            self.replay.add(row)
        return score

    @torch.no_grad()
    def _play(self, net, steps, explore):
        rows, score = [], 0.0
        state, _ = self.table.reset()
        for _ in range(steps):
            if self.rng.random() < explore:
                action = int(self.rng.integers(3))
            else:
                action = int(net(torch.from_numpy(state)).argmax())
            after, reward, drained, late, _ = self.table.step(action)
            rows.append((state, action, reward, after, float(drained)))
            score += reward
            state = self.table.reset()[0] if drained or late else after
        return rows, score
