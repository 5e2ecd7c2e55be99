"""Scores the network on held-out grains without holding up the training."""
import copy
import time
from concurrent.futures import ThreadPoolExecutor

import torch


class Monitor:
    def __init__(self, images, labels, batch=100):
        self.images, self.labels, self.batch = images, labels, batch
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="score")
        self.pending = []

    def submit(self, epoch, model):
        frozen = copy.copy(model)
        self.pending.append(self.pool.submit(self._score, epoch, frozen))

    @torch.no_grad()
    def _score(self, epoch, model):
        began = time.monotonic()
        model.eval()
        right = 0
        for x, y in zip(self.images.split(self.batch), self.labels.split(self.batch)):
            right += int((model(x).argmax(1) == y).sum())
        model.train()
        return epoch, right / len(self.labels), time.monotonic() - began

    def finish(self):
        history = [job.result() for job in self.pending]
        self.pool.shutdown()
        return history
