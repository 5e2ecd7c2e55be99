"""Rendering a clip costs more than a training step, so each rendering serves a few times."""
from dataclasses import dataclass

import torch


@dataclass
class Entry:
    value: torch.Tensor
    uses: int = 0


class AugmentCache:
    def __init__(self, render, max_uses=3):
        self.render = render
        self.max_uses = max_uses
        self.entries = {}

    def get(self, key):
        entry = self.entries.get(key)
        if entry is None or entry.uses >= self.max_uses:
            entry = Entry(self.render(key))
            self.entries[key] = entry
        entry.uses += 1
        return entry.value
