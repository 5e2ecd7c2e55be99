"""Estimate the size of a cave chamber from the echo of a clap."""
import argparse
import logging
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from scipy.signal import fftconvolve
from torch import nn
from torch.utils.data import DataLoader, Dataset

import archive

RATE = 8000
log = logging.getLogger("cave")


def record(number, seed):
    rng = np.random.default_rng([seed, number])
    width = rng.uniform(4, 40)
    clap = rng.normal(0, 1, 80) * np.exp(-np.arange(80) / 15)
    response = np.zeros(1600)
    response[0] = 1
    delay = 2 * width / 343 * RATE
    for bounce in range(1, 8):
        at = int(bounce * delay)
        if at < len(response):
            response[at] += 0.75 ** bounce
    sound = fftconvolve(clap, response)[:1600] + rng.normal(0, 0.01, 1600)
    return width, 0.8 * sound / np.abs(sound).max()


class Echoes(Dataset):
    def __init__(self, clips, widths, names):
        self.items = [(self.features(clips[name]), widths[name]) for name in names]

    @staticmethod
    def features(samples):
        spectrum = torch.fft.rfft(torch.from_numpy(samples), n=4096).abs().square()
        correlation = torch.fft.irfft(spectrum)[:1600]
        return (correlation / correlation[0]).reshape(1, -1)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        features, width = self.items[index]
        return features, torch.tensor([width / 40], dtype=torch.float32)


def split(names, digest, share=0.2):
    """Validation clips are drawn anew for each data release."""
    rng = np.random.default_rng(int(digest[:12], 16))
    order = rng.permutation(len(names))
    held = int(share * len(names))
    return [names[i] for i in order[held:]], [names[i] for i in order[:held]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clips", type=int, default=180)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        with ThreadPoolExecutor(2) as pool:
            recordings = list(pool.map(lambda n: record(n, args.seed), range(args.clips)))
        widths = {}
        for number, (width, sound) in enumerate(recordings):
            widths[f"clap{number:04d}"] = width
            archive.write_clip(folder / f"clap{number:04d}.wav", sound, RATE)
        digest = archive.bundle(folder, folder / "release.tar")
        log.info("release %s", digest[:12])
        clips = archive.read_bundle(folder / "release.tar")

    train_names, held_names = split(sorted(clips), digest)
    loader = DataLoader(Echoes(clips, widths, train_names), batch_size=16, shuffle=True, num_workers=1,
                        persistent_workers=True, generator=torch.Generator().manual_seed(args.seed))
    held = DataLoader(Echoes(clips, widths, held_names), batch_size=64)
    model = nn.Sequential(
        nn.Conv1d(1, 8, 9, stride=4), nn.ReLU(), nn.Conv1d(8, 16, 9, stride=4), nn.ReLU(),
        nn.AdaptiveAvgPool1d(12), nn.Flatten(), nn.Linear(192, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(args.epochs):
        begun = time.perf_counter()
        for features, width in loader:
            loss = nn.functional.mse_loss(model(features), width)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        log.info("epoch %d: %.0f clips/s", epoch, len(train_names) / (time.perf_counter() - begun))
    with torch.no_grad():
        errors = torch.cat([(model(features) - width).abs() * 40 for features, width in held])
    total = sum(p.double().sum().item() for p in model.parameters())
    print(f"mean error {errors.mean().item():.6f} m on {len(errors)} clips, weights {total:.10f}")


if __name__ == "__main__":
    main()
