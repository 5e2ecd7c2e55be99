"""Reads isotope ratios from noisy mass spectra, with a bank of simulated spectra in memory."""

import argparse
import json
import logging
import sys
import time

import numpy as np
import torch
from torch import nn

import room

log = logging.getLogger("isotopes")
CHANNELS = 32
ISOTOPES = {"Sr84": (4.0, 0.0056), "Sr86": (12.0, 0.0986), "Sr87": (17.0, 0.0700), "Sr88": (22.0, 0.8258)}


class Spectrometer:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        mass = np.arange(CHANNELS, dtype=np.float32)
        self.peaks = np.stack([np.exp(-0.5 * ((mass - at) / 1.4) ** 2) for at, _ in ISOTOPES.values()])
        self.natural = np.array([share for _, share in ISOTOPES.values()], dtype=np.float32)

    def measure(self, rows):
        spread = self.rng.standard_normal((rows, len(ISOTOPES)), dtype=np.float32)
        shares = self.natural * np.exp(0.15 * spread)
        shares /= shares.sum(axis=1, keepdims=True)
        spectra = shares @ self.peaks.astype(np.float32)
        spectra += 0.01 * self.rng.standard_normal((rows, CHANNELS), dtype=np.float32)
        ratios = np.log(shares[:, 2] / shares[:, 1])
        return torch.from_numpy(spectra), torch.from_numpy(ratios)


class Bank:
    """Simulated spectra, from which batches are drawn with replacement."""

    def __init__(self, source, rows, seed):
        began = time.perf_counter()
        parts = [source.measure(min(65536, rows - done)) for done in range(0, rows, 65536)]
        self.spectra = torch.cat([spectra for spectra, _ in parts])
        self.ratios = torch.cat([ratios for _, ratios in parts])
        self.generator = torch.Generator().manual_seed(seed)
        log.info("bank filled in %.2f s, process at %d MiB", time.perf_counter() - began, room.in_use() // room.MIB)

    def draw(self, size):
        chosen = torch.randint(len(self.ratios), (size,), generator=self.generator)
        return self.spectra[chosen], self.ratios[chosen]


def build(width):
    return nn.Sequential(
        nn.Linear(CHANNELS, width), nn.LayerNorm(width), nn.SiLU(),
        nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1), nn.Flatten(0),
    )


def train(model, bank, steps, batch):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=steps)
    for step in range(1, steps + 1):
        spectra, ratios = bank.draw(batch)
        loss = nn.functional.huber_loss(model(spectra), ratios, delta=0.2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 50 == 0:
            log.info("step %d loss %.7f", step, loss.item())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allowance", type=int, default=4096, help="MiB that the process may take")
    parser.add_argument("--share", type=float, default=1 / 32)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--seed", type=int, default=87)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(relativeCreated)6d ms  %(message)s", stream=sys.stderr)

    torch.manual_seed(args.seed)
    rows = room.rows_that_fit(args.allowance, args.share, row_bytes=4 * (CHANNELS + 1))
    bank = Bank(Spectrometer(args.seed), rows, args.seed)
    model = build(64)
    train(model, bank, args.steps, args.batch)

    spectra, ratios = Spectrometer(args.seed + 1).measure(2000)
    model.eval()
    with torch.no_grad():
        error = (model(spectra) - ratios).abs()
    weights = sum(p.detach().double().sum().item() for p in model.parameters())
    print(json.dumps({"mean error": error.mean().item(), "worst": error.max().item(), "weights": weights}))


if __name__ == "__main__":
    main()
