"""Sorts sustained vowels into healthy, breathy and rough voices, with averaged snapshots."""

import argparse
import tempfile
import time

import numpy as np
import torch
from torch import nn

from keeper import Keeper

KINDS = ("healthy", "breathy", "rough")
RATE = 4000


def phonation(rng, kind, seconds=0.25):
    t = np.arange(int(RATE * seconds)) / RATE
    pitch = rng.uniform(95, 230)
    jitter = {0: 0.002, 1: 0.006, 2: 0.03}[kind]
    phase = 2 * np.pi * np.cumsum(pitch * (1 + jitter * rng.standard_normal(len(t)))) / RATE
    voice = sum(np.sin(k * phase) / k for k in range(1, 8))
    if kind == 2:
        voice += 0.5 * np.sin(phase / 2)
    return voice + (0.7 if kind == 1 else 0.25) * rng.standard_normal(len(t))


def spectra(count, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(len(KINDS), size=count)
    waves = torch.tensor(np.stack([phonation(rng, k) for k in kinds]), dtype=torch.float32)
    frames = torch.stft(waves, 128, hop_length=64, window=torch.hann_window(128), return_complex=True)
    return frames.abs().log1p(), torch.from_numpy(kinds)


class VoiceNet(nn.Module):
    def __init__(self, bins=65, width=160):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(bins, width, 3, padding=1), nn.GELU(),
            nn.Conv1d(width, width, 3, padding=1), nn.GELU(),
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, len(KINDS))

    def features(self, x):
        return self.norm(self.body(x).mean(2))

    def forward(self, x):
        return self.head(nn.functional.dropout(self.features(x), 0.2, self.training))


def batches(count, size, steps, seed):
    generator = torch.Generator().manual_seed(seed)
    while steps > 0:
        for chosen in torch.randperm(count, generator=generator).split(size):
            if steps > 0 and len(chosen) == size:
                steps -= 1
                yield chosen


def train(model, x, y, keeper, args):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-3)
    began = time.perf_counter()
    for step, chosen in enumerate(batches(len(y), args.batch, args.steps, args.seed), 1):
        loss = nn.functional.cross_entropy(model(x[chosen]), y[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % args.every == 0:
            keeper.keep(step, model)
        if step % 40 == 0:
            print(f"step {step}: loss {loss.item():.6f}, {step / (time.perf_counter() - began):.0f} steps/s")


def average(states):
    total, count = {}, 0
    for saved in states:
        count += 1
        for name, value in saved["model"].items():
            total[name] = total.get(name, 0) + value.double()
    return {name: (value / count).float() for name, value in total.items()}


def refit_head(model, x, y, rounds=25):
    """The head fits the averaged body again."""
    model.eval()
    with torch.no_grad():
        features = model.features(x)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=5e-3)
    for _ in range(rounds):
        loss = nn.functional.cross_entropy(model.head(features), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voices", type=int, default=420)
    parser.add_argument("--steps", type=int, default=160)
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--newest", type=int, default=24)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    x, y = spectra(args.voices, args.seed)
    test_x, test_y = spectra(180, args.seed + 1)
    model = VoiceNet()
    with tempfile.TemporaryDirectory(prefix="voices-") as folder:
        keeper = Keeper(folder)
        try:
            train(model, x, y, keeper, args)
        finally:
            keeper.close()
        model.load_state_dict(average(keeper.load(args.newest)))
    fitted = refit_head(model, x, y)
    with torch.no_grad():
        scores = model(test_x)
    right = (scores.argmax(1) == test_y).float().mean().item()
    loss = nn.functional.cross_entropy(scores, test_y).item()
    weights = sum(p.detach().double().sum().item() for p in model.parameters())
    print(f"refitted {fitted:.8f}  test loss {loss:.8f}  right {right:.3f}  weights {weights:.9f}")


if __name__ == "__main__":
    main()
