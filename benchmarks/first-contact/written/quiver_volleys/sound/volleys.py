"""Archery volleys: a session is a run of arrows, each with where it landed and how it was shot."""
import queue
import threading

import numpy as np
import torch

FIELDS = 6          # x, y, draw weight, hold time, wind, heart rate
LONGEST = 60


class Sessions:
    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.lengths = rng.integers(9, LONGEST + 1, size=count)
        self.skill = rng.normal(0, 1, size=count).astype(np.float32)
        self.arrows = []
        for n, skill in zip(self.lengths, self.skill):
            spread = np.exp(-0.5 * skill)
            tired = np.linspace(0, 1, LONGEST)[:n]
            a = np.empty((n, FIELDS), dtype=np.float32)
            a[:, 0] = rng.normal(0, spread * (1 + 0.5 * tired))
            a[:, 1] = rng.normal(-0.3 * tired, spread)
            a[:, 2] = rng.normal(0.3 * skill, 0.5, size=n)
            a[:, 3] = rng.normal(-tired, 0.6)
            a[:, 4] = np.cumsum(rng.normal(0, 0.2, size=n))
            a[:, 5] = rng.normal(tired - 0.2 * skill, 0.5)
            a[rng.random(n) < 0.03] = np.nan      # arrows that nobody found
            self.arrows.append(torch.from_numpy(a))

    def __len__(self):
        return len(self.arrows)

    def collate(self, rows):
        batch = torch.zeros(len(rows), LONGEST, FIELDS)
        for slot, row in enumerate(rows):
            batch[slot, : self.lengths[row]] = self.arrows[row]
        lengths = torch.from_numpy(self.lengths[rows])
        return batch, lengths, torch.from_numpy(self.skill[rows])


def batches(sessions, order, size, ahead=3):
    """Collates in a thread, a few batches ahead of whoever consumes them."""
    line = queue.Queue(maxsize=ahead)

    def produce():
        for k in range(0, len(order), size):
            line.put(sessions.collate(order[k : k + size]))
        line.put(None)

    threading.Thread(target=produce, daemon=True).start()
    while (batch := line.get()) is not None:
        yield batch
