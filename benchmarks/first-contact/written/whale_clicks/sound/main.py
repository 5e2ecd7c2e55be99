"""Trains a small click classifier on clips that get noisier as it gets better."""
from __future__ import annotations

import json
import logging
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from clips import SPECIES, ClickClips, held_out
from curriculum import ClipSampler, Curriculum

SEED = 23
EPOCHS = 5
CLIPS = 1200
BATCH = 24
OUT = Path(__file__).resolve().parent / "out"


def build() -> nn.Module:
    return nn.Sequential(
        nn.Conv1d(1, 16, 15, stride=4, padding=7), nn.ReLU(),
        nn.Conv1d(16, 32, 9, stride=4, padding=4), nn.ReLU(),
        nn.AdaptiveMaxPool1d(4), nn.Flatten(), nn.Dropout(0.1), nn.Linear(128, len(SPECIES)),
    )


class Trainer:
    def __init__(self) -> None:
        self.curriculum = Curriculum()
        self.sampler = ClipSampler(CLIPS, self.curriculum, SEED)
        self.loader = DataLoader(
            ClickClips(self.curriculum, CLIPS, SEED), batch_size=BATCH, sampler=self.sampler, drop_last=True,
            num_workers=2, prefetch_factor=4, persistent_workers=True,
        )
        self.model = build()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3)
        self.log = logging.getLogger("train")

    def epoch(self, number: int) -> float:
        self.model.train()
        self.sampler.epoch = number
        total = 0.0
        for clips, labels in self.loader:
            logits = self.model(clips)
            loss = nn.functional.cross_entropy(logits, labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.curriculum.observe((logits.argmax(1) == labels).float().mean().item())
            total += loss.item()
        return total / len(self.loader)

    @torch.no_grad()
    def score(self, noise: float) -> float:
        self.model.eval()
        clips, labels = held_out(180, noise, SEED + 1)
        return (self.model(clips).argmax(1) == labels).float().mean().item()


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    OUT.mkdir(exist_ok=True)
    trainer = Trainer()
    history = []
    for number in range(EPOCHS):
        began = time.perf_counter()
        loss = trainer.epoch(number)
        history.append({"loss": loss, "noise": trainer.curriculum.noise})
        print(f"epoch {number}  loss {loss:.5f}  noise {trainer.curriculum.noise:.2f}  "
              f"({time.perf_counter() - began:.1f} s)", flush=True)
    scores = {str(noise): trainer.score(noise) for noise in (0.5, 1.0, 2.0)}
    print("held out:", scores)
    torch.save(trainer.model.state_dict(), OUT / "clicks.pt")
    result = {"history": history, "raised": trainer.curriculum.raised, "accuracy_at_noise": scores}
    (OUT / "results.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
