"""Tell four regional accents apart in short telephone recordings.

Features are computed on the fly, by a few threads, because the full archive does not fit into memory.
"""

import argparse
import logging
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

from augment import RATE, AugmentConfig, Augmenter, filterbank, log_bands

log = logging.getLogger("accents")
ACCENTS = ["coast", "hill", "valley", "city"]


def synthesise(count, seed):
    """Vowel-like tones; the accents differ in their formants and speaking rate."""
    rng = np.random.default_rng(seed)
    t = np.arange(RATE // 2) / RATE
    labels = rng.integers(0, len(ACCENTS), count)
    waves = []
    for label in labels:
        pitch = rng.normal(140, 20)
        first, second = 500 + 60 * label + rng.normal(0, 40), 1500 - 120 * label + rng.normal(0, 90)
        rate = 3 + 0.4 * label + rng.normal(0, 0.3)
        source = np.sign(np.sin(2 * np.pi * pitch * t)) * 0.2
        voiced = source + np.sin(2 * np.pi * first * t) + 0.5 * np.sin(2 * np.pi * second * t)
        waves.append(voiced * (1 + 0.5 * np.sin(2 * np.pi * rate * t)))
    return waves, torch.from_numpy(labels)


class AccentNet(nn.Module):
    def __init__(self, bands, hidden=32):
        super().__init__()
        self.conv = nn.Conv1d(bands, hidden, 3, padding=1)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Dropout(0.2), nn.Linear(hidden, len(ACCENTS)))

    def forward(self, x):
        x = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        states, _ = self.gru(x)
        return self.out(states.mean(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)

    waves, labels = synthesise(192, args.seed)
    test_waves, test_labels = synthesise(64, args.seed + 1)
    bank = filterbank()
    augment = Augmenter(AugmentConfig())
    model = AccentNet(len(bank))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    order = np.random.default_rng(args.seed)

    def prepare(index):
        return log_bands(augment(index, waves[index]), bank)

    with ThreadPoolExecutor(args.threads, thread_name_prefix="features") as pool:
        for epoch in range(args.epochs):
            began, total = time.perf_counter(), 0.0
            augment.set_epoch(epoch)
            model.train()
            permutation = order.permutation(len(waves))
            features = pool.map(prepare, permutation.tolist())
            for start in range(0, len(permutation), args.batch):
                batch = permutation[start : start + args.batch]
                x = torch.from_numpy(np.stack([next(features) for _ in batch]))
                loss = nn.functional.cross_entropy(model(x), labels[batch])
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                total += loss.item() * len(batch)
            speed = len(waves) / (time.perf_counter() - began)
            log.info("epoch %d took %.2f clips/s", epoch, speed)
            print(f"epoch {epoch}  loss {total / len(waves):.6f}")

    model.eval()
    with torch.no_grad():
        x = torch.from_numpy(np.stack([log_bands(w, bank) for w in test_waves]))
        logits = model(x)
    hits = (logits.argmax(1) == test_labels).float().mean().item()
    print(f"test accuracy {hits:.4f}  test loss {nn.functional.cross_entropy(logits, test_labels).item():.8f}")


if __name__ == "__main__":
    main()
