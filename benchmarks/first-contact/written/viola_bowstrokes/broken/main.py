"""Tells bow strokes of a viola apart by their spectra."""
import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from scipy import signal
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from store import TakeStore

RATE = 4000
STROKES = ["detache", "spiccato", "tremolo", "pizzicato"]
PLAYERS = ["amara", "benno", "chiyo", "dario"]


def record(player, number):
    rng = np.random.default_rng([PLAYERS.index(player), number])
    time_axis = np.arange(RATE // 2) / RATE
    stroke = number % len(STROKES)
    pitch = rng.uniform(130, 400)
    tone = sum(np.sin(2 * np.pi * pitch * k * time_axis) / k for k in range(1, 5))
    if stroke == 0:
        envelope = np.minimum(1, time_axis / 0.05)
    elif stroke == 1:
        envelope = np.abs(signal.sawtooth(2 * np.pi * rng.uniform(5, 7) * time_axis))
    elif stroke == 2:
        envelope = 0.6 + 0.4 * np.sin(2 * np.pi * rng.uniform(11, 15) * time_axis)
    else:
        envelope = np.exp(-time_axis / rng.uniform(0.05, 0.1))
    audio = tone * envelope + rng.normal(0, 0.5, time_axis.size)
    return audio.astype(np.float32), stroke


def record_into(store, player, number):
    audio, stroke = record(player, number)
    return store.add(player, number, audio=audio, stroke=stroke)


def features(store, paths):
    spectra, labels = [], []
    for path in paths:
        audio, stroke = store.load(path)
        _, _, power = signal.spectrogram(audio, RATE, nperseg=128, noverlap=64)
        spectra.append(np.log(power[:40] + 1e-6))
        labels.append(stroke)
    stacked = torch.tensor(np.stack(spectra), dtype=torch.float32)
    return (stacked - stacked.mean()) / stacked.std(), torch.tensor(labels)


class StrokeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(40, 24, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(24, 24, 3, padding=1),
            nn.ReLU(),
        )
        self.head = nn.Linear(48, len(STROKES))

    def forward(self, x):
        h = self.layers(x)
        return self.head(torch.cat([h.mean(-1), h.amax(-1)], -1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--takes", type=int, default=60, help="per player")
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="viola-") as folder:
        store = TakeStore(folder)
        started = time.perf_counter()
        with ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(record_into, store, p, n) for p in PLAYERS for n in range(args.takes)]
        for job in jobs:
            job.result()
        paths = store.takes()
        held_out = PLAYERS[-1]
        x, y = features(store, [p for p in paths if not p.name.startswith(held_out)])
        xv, yv = features(store, [p for p in paths if p.name.startswith(held_out)])
        print(f"{len(paths)} takes in {time.perf_counter() - started:.2f} s")

    shuffle = torch.Generator().manual_seed(args.seed)
    loader = DataLoader(TensorDataset(x, y), batch_size=15, shuffle=True, generator=shuffle)
    model = StrokeNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for spectra, strokes in loader:
            loss = nn.functional.cross_entropy(model(spectra), strokes)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader):.7f}")

    model.eval()
    with torch.no_grad():
        logits = model(xv)
    accuracy = (logits.argmax(-1) == yv).float().mean().item()
    checksum = sum(p.double().abs().sum().item() for p in model.parameters())
    print(f"{held_out}: loss {nn.functional.cross_entropy(logits, yv).item():.7f} accuracy {accuracy:.3f}")
    print(f"weights {checksum:.9f}")


if __name__ == "__main__":
    main()
