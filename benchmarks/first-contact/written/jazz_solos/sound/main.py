import argparse
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from scipy import signal
from scipy.io import wavfile
from torch import nn

from corpus import PLAYERS, record, split


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def features(path):
    rate, wave = wavfile.read(path)
    _, _, spec = signal.spectrogram(wave.astype(np.float32) / 32768, rate, nperseg=256, noverlap=96)
    image = np.log(spec[:64] + 1e-8).astype(np.float32)
    return (image - image.mean()) / image.std(), PLAYERS.index(path.parent.name)


def load(paths, threads):
    with ThreadPoolExecutor(threads) as pool:
        pairs = list(pool.map(features, paths))
    return torch.from_numpy(np.stack([p[0] for p in pairs])).unsqueeze(1), torch.tensor([p[1] for p in pairs])


def mask_bands(x, generator):
    x = x.clone()
    for row in x:
        start = int(torch.randint(0, 56, (1,), generator=generator))
        row[:, start:start + 8] = 0
    return x


def build():
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d((4, 1)),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(96, len(PLAYERS)),
    )


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--takes", type=int, default=60)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--seed", type=int, default=1959)
    args = ap.parse_args()
    seed_all(args.seed)

    with tempfile.TemporaryDirectory(prefix="solos_") as tmp:
        root = Path(tmp)
        record(root, args.takes, args.seed)
        train_paths, test_paths = split(root)
        began = time.perf_counter()
        x, y = load(train_paths, 2)
        vx, vy = load(test_paths, 2)
        print(f"features of {len(x) + len(vx)} takes in {time.perf_counter() - began:.2f} s")

    model = build()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    order = torch.Generator().manual_seed(args.seed)
    augment = torch.Generator().manual_seed(args.seed + 1)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for rows in torch.randperm(len(x), generator=order).split(24):
            loss = nn.functional.cross_entropy(model(mask_bands(x[rows], augment)), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(rows)
        print(f"epoch {epoch}: loss {total / len(x):.6f}")
    model.eval()
    with torch.no_grad():
        logits = model(vx)
    print(f"held-out loss {nn.functional.cross_entropy(logits, vy).item():.6f}  "
          f"accuracy {(logits.argmax(1) == vy).float().mean().item():.4f}")
    print("norm", f"{sum(p.double().square().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
