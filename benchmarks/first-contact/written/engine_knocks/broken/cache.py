"""Rendering a clip costs more than a training step, so each rendering serves for a while."""
import time
from dataclasses import dataclass

import torch


@dataclass
class Entry:
    value: torch.Tensor
    made: float


class AugmentCache:
    def __init__(self, render, max_age=0.25):
        self.render = render
        self.max_age = max_age
        self.entries = {}

    def get(self, key):
        entry = self.entries.get(key)
        if entry is None or time.monotonic() - entry.made > self.max_age:
            entry = Entry(self.render(key), time.monotonic())
            self.entries[key] = entry
        return entry.value
