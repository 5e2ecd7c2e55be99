"""Snapshots of a model during training, and the mean of the late ones."""
from __future__ import annotations

import json
import time
from pathlib import Path

import torch
from torch import nn


class Snapshots:
    """Saves the weights to `folder` now and then and averages the last `keep` of them."""

    def __init__(self, folder: Path, every: int, keep: int):
        self.folder = Path(folder)
        self.every = every
        self.keep = keep
        self.saved: list[Path] = []
        self.last = 0
        self.began = time.monotonic()

    def due(self, step: int) -> bool:
        return step - self.last >= self.every

    def maybe_save(self, model: nn.Module, step: int, loss: float) -> None:
        if not self.due(step):
            return
        self.last = step
        path = self.folder / f"step-{step:06d}.pt"
        torch.save(model.state_dict(), path)
        with open(self.folder / "index.jsonl", "a") as index:
            entry = {"step": step, "loss": loss, "elapsed": round(time.monotonic() - self.began, 3)}
            index.write(json.dumps(entry) + "\n")
        self.saved.append(path)
        while len(self.saved) > self.keep:
            self.saved.pop(0).unlink()

    def average(self) -> dict[str, torch.Tensor]:
        states = [torch.load(path, weights_only=True) for path in self.saved]
        return {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}
