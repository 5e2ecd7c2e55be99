"""Synthetic hydrophone clips: clicks of three whale species in ship and sea noise."""
from __future__ import annotations

import logging
import os
import time

import numpy as np
import torch
from torch.utils.data import Dataset, get_worker_info

from curriculum import Curriculum, Request

SPECIES = ("sperm", "cuvier", "pilot")
LENGTH = 512
PITCH = {"sperm": 0.16, "cuvier": 0.31, "pilot": 0.22}
DECAY = {"sperm": 18.0, "cuvier": 40.0, "pilot": 26.0}


def click_train(rng: np.random.Generator, species: str) -> np.ndarray:
    t = np.arange(LENGTH, dtype=np.float64)
    clip = np.zeros(LENGTH)
    gap = int(rng.integers(90, 140)) if species != "pilot" else int(rng.integers(50, 80))
    for start in range(int(rng.integers(5, 60)), LENGTH, gap):
        tail = np.clip(t - start, 0, None)
        clip += (t >= start) * np.exp(-tail / DECAY[species]) * np.sin(2 * np.pi * PITCH[species] * tail)
    return clip * rng.uniform(0.8, 1.3)


class ClickClips(Dataset):
    def __init__(self, curriculum: Curriculum, clips: int, seed: int) -> None:
        self.curriculum = curriculum
        self.clips, self.seed = clips, seed
        self.log = logging.getLogger("clips")
        self.last_note = time.monotonic()

    def __len__(self) -> int:
        return self.clips

    def note(self) -> None:
        worker = get_worker_info()
        if worker is not None and time.monotonic() - self.last_note > 2.0:
            self.last_note = time.monotonic()
            self.log.info("worker %d (pid %d) alive, noise now %.2f", worker.id, os.getpid(), self.curriculum.noise)

    def __getitem__(self, request: Request) -> tuple[torch.Tensor, int]:
        self.note()
        label = request.index % len(SPECIES)
        rng = np.random.default_rng((self.seed, request.epoch, request.index))
        clip = click_train(rng, SPECIES[label])
        sea = np.cumsum(rng.standard_normal(LENGTH)) * 0.05 + rng.standard_normal(LENGTH)
        clip += self.curriculum.noise * (sea - sea.mean())
        return torch.from_numpy(clip.astype(np.float32))[None], label


def held_out(clips: int, noise: float, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    made = ClickClips(Curriculum(noise), clips, seed)
    pairs = [made[Request(i, 0, noise)] for i in range(clips)]
    return torch.stack([x for x, _ in pairs]), torch.tensor([y for _, y in pairs])
