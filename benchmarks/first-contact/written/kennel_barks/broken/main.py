"""Which dog barked? A small 1-d network on clips from a boarding kennel."""
import hashlib
import random
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from augment import Augmenter

RATE = 4000


@dataclass
class Config:
    seed: int = 23
    dogs: int = 6
    clips_per_dog: int = 40
    epochs: int = 4
    batch: int = 24
    lr: float = 2e-3


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)


def record_kennel(config):
    rng = np.random.default_rng(config.seed)
    time_axis = np.arange(RATE // 2) / RATE
    clips, dogs = [], []
    for dog in range(config.dogs):
        pitch = 180 + 90 * dog
        for _ in range(config.clips_per_dog):
            f0 = pitch * rng.normal(1, 0.04)
            onset = rng.uniform(0.02, 0.12)
            envelope = np.clip((time_axis - onset) * 30, 0, 1) * np.exp(-6 * np.clip(time_axis - onset, 0, None))
            tone = sum(np.sin(2 * np.pi * f0 * k * time_axis) / k for k in (1, 2, 3))
            clips.append(envelope * tone + 0.02 * rng.standard_normal(time_axis.size))
            dogs.append(dog)
    return np.stack(clips).astype(np.float32), np.array(dogs)


class BarkNet(nn.Module):
    def __init__(self, dogs):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 12, 32, stride=8), nn.ReLU(), nn.BatchNorm1d(12),
            nn.Conv1d(12, 24, 8, stride=4), nn.ReLU(), nn.BatchNorm1d(24),
        )
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(48, dogs))

    def forward(self, clips):
        maps = self.features(clips.unsqueeze(1))
        return self.head(torch.cat([maps.mean(-1), maps.amax(-1)], 1))


def main():
    config = Config()
    seed_all(config.seed)
    clips, dogs = record_kennel(config)
    order = np.random.permutation(len(clips))
    test, train = order[:48], order[48:]
    labels = torch.from_numpy(dogs)

    model = BarkNet(config.dogs)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)
    with Augmenter(RATE, config.seed) as augmenter:
        for epoch in range(config.epochs):
            begun, total = time.perf_counter(), 0.0
            model.train()
            shuffled = np.random.permutation(train)
            for first in range(0, len(shuffled), config.batch):
                rows = shuffled[first:first + config.batch]
                batch = torch.from_numpy(augmenter.batch(clips[rows]))
                loss = nn.functional.cross_entropy(model(batch), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
                total += loss.item() * len(rows)
            schedule.step()
            rate = len(train) / (time.perf_counter() - begun)
            print(f"epoch {epoch}: loss {total / len(train):.6f}, {rate:.0f} clips/s")
        print(f"{augmenter.clips} clips augmented")

    model.eval()
    with torch.no_grad():
        logits = model(torch.from_numpy(clips[test]))
    right = int((logits.argmax(1) == labels[test]).sum())
    digest = hashlib.blake2b(b"".join(v.numpy().tobytes() for v in model.state_dict().values()), digest_size=8)
    print(f"{right} of {len(test)} right, test loss {nn.functional.cross_entropy(logits, labels[test]).item():.6f}")
    print("weights", digest.hexdigest())


if __name__ == "__main__":
    main()
