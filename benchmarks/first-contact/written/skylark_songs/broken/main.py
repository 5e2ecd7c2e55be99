"""Recognises individual skylarks by the syllables of their song; weights averaged over the last epochs."""

import argparse
import io
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from tiling import Planner, TiledProduct


class Syllables(Dataset):
    def __init__(self, count, birds, seed):
        rng = np.random.default_rng(seed)
        self.base = rng.uniform(2.0, 6.0, (birds, 3))
        self.bird = rng.integers(birds, size=count)
        self.seeds = rng.integers(2**31, size=count)

    def __len__(self):
        return len(self.bird)

    def __getitem__(self, i):
        rng = np.random.default_rng(self.seeds[i])
        t = np.linspace(0, 1, 320)
        low, sweep, trill = self.base[self.bird[i]] * rng.normal(1, 0.04, 3)
        phase = 40 * low * t + 8 * sweep * t**2 + np.sin(2 * np.pi * trill * 3 * t)
        wave = np.sin(phase + rng.uniform(0, 6.28)) + rng.normal(0, 0.3, t.size)
        spectrum = np.abs(np.fft.rfft(wave * np.hanning(t.size)))[:160]
        x = np.concatenate([np.log1p(spectrum), np.abs(wave[::2])]).astype(np.float32)
        return x, int(self.bird[i])


class TiledLinear(nn.Module):
    def __init__(self, name, inner, outer, planner):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outer, inner) / inner**0.5)
        self.bias = nn.Parameter(torch.zeros(outer))
        self.tile = planner.tile_for(name, inner, outer)

    def forward(self, x):
        return TiledProduct.apply(x, self.weight, self.tile) + self.bias


def make_model(birds, planner, width=320, depth=8):
    layers = []
    for i in range(depth):
        layers += [TiledLinear(f"mix{i}", width, width, planner), nn.LayerNorm(width), nn.GELU()]
    return nn.Sequential(*layers, TiledLinear("head", width, birds, planner))


def balanced_accuracy(truth, guess):
    return float(np.mean([(guess[truth == k] == k).mean() for k in np.unique(truth)]))


def run(args):
    torch.manual_seed(args.seed)
    train = Syllables(600, args.birds, args.seed)
    planner = Planner(args.batch)
    model = make_model(args.birds, planner)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 3e-3, total_steps=args.epochs * (len(train) // args.batch))
    loader = DataLoader(train, args.batch, shuffle=True, drop_last=True, num_workers=1,
                        persistent_workers=True, generator=torch.Generator().manual_seed(args.seed))
    averaged = torch.optim.swa_utils.AveragedModel(model)
    for epoch in range(args.epochs):
        began = time.perf_counter()
        for x, bird in loader:
            loss = nn.functional.cross_entropy(model(x), bird, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        if epoch >= args.epochs // 2:
            averaged.update_parameters(model)
        print(f"epoch {epoch}: {len(train) / (time.perf_counter() - began):.0f} syllables/s")
    return train, averaged, planner


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--birds", type=int, default=12)
    parser.add_argument("--batch", type=int, default=60)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)

    train, averaged, planner = run(args)
    print("; ".join(planner.report()))
    held = Syllables(200, args.birds, args.seed + 1)
    held.base = train.base
    x, bird = zip(*(held[i] for i in range(len(held))))
    with torch.no_grad():
        logits = averaged(torch.from_numpy(np.stack(x)))
    blob = io.BytesIO()
    torch.save(averaged.state_dict(), blob)
    total = sum(p.double().sum().item() for p in averaged.parameters())
    print(f"checkpoint of {blob.tell() // 1024} KiB")
    print(f"balanced accuracy {balanced_accuracy(np.array(bird), logits.argmax(1).numpy()):.4f}")
    print(f"nll {nn.functional.cross_entropy(logits, torch.tensor(bird)).item():.9f} weights {total:.12f}")


if __name__ == "__main__":
    main()
