"""A next-note model for nocturnes. Phrases are composed piece by piece into shards, then read back for training."""
import argparse
import math
import pickle
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SCALES = {"c minor": (0, 2, 3, 5, 7, 8, 11), "e flat major": (3, 5, 7, 8, 10, 0, 2), "b major": (11, 1, 3, 4, 6, 8, 10)}
NOTES = 36


def compose(piece, seed, phrases=60, length=17):
    """The phrases of one piece: a walk along the scale with leaps to the octave."""
    rng = np.random.default_rng([seed, piece])
    scale = list(SCALES.values())[piece % len(SCALES)]
    out = np.empty((phrases, length), dtype=np.int64)
    for row in range(phrases):
        degree = int(rng.integers(7, 14))
        for column in range(length):
            out[row, column] = (degree // 7) * 12 + scale[degree % 7]
            leap = 7 if rng.random() < 0.05 else 1
            degree = int(np.clip(degree + rng.choice([-1, 0, 1], p=[0.4, 0.15, 0.45]) * leap, 0, 20))
    return out


def write_shard(folder, piece, seed):
    phrases = compose(piece, seed)
    with tempfile.NamedTemporaryFile(dir=folder, prefix="piece_", suffix=".part", delete=False) as shard:
        shard.write(zlib.compress(pickle.dumps({"phrases": phrases, "piece": piece})))
    path = Path(shard.name)
    path.rename(path.with_suffix(".shard"))        # readers see whole shards only
    return len(phrases)


class Phrases(Dataset):
    def __init__(self, folder):
        parts = []
        for path in sorted(Path(folder).glob("*.shard")):
            parts.append(pickle.loads(zlib.decompress(path.read_bytes()))["phrases"])
        self.notes = torch.from_numpy(np.concatenate(parts))

    def __len__(self):
        return len(self.notes)

    def __getitem__(self, index):
        phrase = self.notes[index]
        return phrase[:-1], phrase[1:]


class NextNote(nn.Module):
    def __init__(self, width=40):
        super().__init__()
        self.embed = nn.Embedding(NOTES, width)
        self.cell = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, NOTES)

    def forward(self, notes):
        return self.out(self.cell(self.embed(notes))[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pieces", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=27)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="nocturnes_") as folder:
        with ThreadPoolExecutor(max_workers=2) as pool:
            counts = list(pool.map(lambda piece: write_shard(folder, piece, args.seed), range(args.pieces)))
        data = Phrases(folder)
    print(f"{sum(counts)} phrases from {len(counts)} pieces")

    loader = DataLoader(data, batch_size=32, shuffle=True, generator=torch.Generator().manual_seed(args.seed))
    model = NextNote()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(args.epochs):
        began = time.perf_counter()
        total = 0.0
        for notes, following in loader:
            loss = nn.functional.cross_entropy(model(notes).flatten(0, 1), following.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item() * len(notes)
        print(f"epoch {epoch + 1}  perplexity {math.exp(total / len(data)):.6f}  ({time.perf_counter() - began:.2f} s)")

    with torch.no_grad():
        tune = [12]
        for _ in range(24):
            tune.append(model(torch.tensor([tune]))[0, -1].argmax().item())
    print("tune", *tune)
    print("checksum", sum(p.double().square().sum().item() for p in model.parameters()))


if __name__ == "__main__":
    main()
