"""Validation in the background, so that training does not wait for it."""

import time
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.nn import functional as F


class BackgroundEvaluator:
    def __init__(self, features, labels, batch_size=100):
        self.batches = list(zip(features.split(batch_size), labels.split(batch_size)))
        self.size = len(labels)
        self.pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="evaluate")
        self.pending = []

    def submit(self, step, model):
        """Queue an evaluation of the model as it is now."""
        self.pending.append(self.pool.submit(self._score, step, model))

    def _score(self, step, model):
        began = time.perf_counter()
        model.eval()
        loss, correct = 0.0, 0
        with torch.no_grad():
            for features, labels in self.batches:
                logits = model(features)
                loss += F.cross_entropy(logits, labels, reduction="sum").item()
                correct += (logits.argmax(dim=1) == labels).sum().item()
        model.train()
        return {
            "step": step,
            "loss": loss / self.size,
            "accuracy": correct / self.size,
            "seconds": time.perf_counter() - began,
        }

    def results(self):
        """Wait for every evaluation and return them in the order of the steps."""
        rows = [future.result() for future in self.pending]
        self.pool.shutdown()
        return rows
