"""Learns the tone of witness statements from the readings of four clerks."""
import argparse
import csv
import json
import random
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from labels import TONES, consolidate

PHRASES = {
    "certain": "clearly definitely saw exactly red van stopped noon remember plate".split(),
    "hedging": "maybe perhaps think roughly could about possibly unsure guess dark".split(),
    "hostile": "liar refuse nonsense lawyer accuse blame angry shouted deny never".split(),
    "fearful": "afraid hid ran threatened knife alone screaming trembling begged safe".split(),
}
COMMON = "the a he she they was were at street door shop night then and car police".split()
DIM = 512


def write_corpus(folder: Path, n: int, rng: random.Random):
    with open(folder / "statements.csv", "w", newline="") as s, \
            open(folder / "readings.csv", "w", newline="") as r:
        statements, readings = csv.writer(s), csv.writer(r)
        statements.writerow(["statement_id", "text"])
        readings.writerow(["statement_id", "clerk", "tone"])
        for i in range(n):
            tone = rng.choice(TONES)
            words = [rng.choice(PHRASES[tone if rng.random() < 0.7 else rng.choice(TONES)])
                     if rng.random() < 0.45 else rng.choice(COMMON)
                     for _ in range(rng.randint(18, 40))]
            statements.writerow([i, " ".join(words)])
            for clerk in range(4):
                seen = tone if rng.random() < 0.6 else rng.choice(TONES)
                readings.writerow([i, f"clerk{clerk}", seen])


class Statements(Dataset):
    def __init__(self, texts, tones):
        self.texts = list(texts)
        self.targets = [TONES.index(t) for t in tones]

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        x = np.zeros(DIM, dtype=np.float32)
        words = self.texts[i].split()
        for first, second in zip(words, words[1:] + ["."]):
            x[zlib.crc32(first.encode()) % DIM] += 1
            x[zlib.crc32(f"{first} {second}".encode()) % DIM] += 0.5
        return torch.from_numpy(np.log1p(x)), self.targets[i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--statements", type=int, default=900)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp)
        write_corpus(folder, args.statements, random.Random(args.seed))
        statements = pd.read_csv(folder / "statements.csv")
        readings = pd.read_csv(folder / "readings.csv")
    table = statements.merge(consolidate(readings), on="statement_id", validate="one_to_one")
    print(f"{len(table)} statements, mean agreement {table['agreement'].mean():.3f}")

    cut = int(0.8 * len(table))
    train = Statements(table["text"][:cut], table["tone"][:cut])
    test = Statements(table["text"][cut:], table["tone"][cut:])
    loader = DataLoader(train, batch_size=32, shuffle=True, num_workers=2, persistent_workers=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = nn.Sequential(nn.Linear(DIM, 96), nn.ReLU(), nn.Dropout(0.3), nn.Linear(96, len(TONES)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        total = 0.0
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        print(f"epoch {epoch} loss {total / len(train):.6f}")
    print(f"{args.epochs * len(train) / (time.perf_counter() - began):.0f} statements/s")

    model.eval()
    with torch.no_grad():
        x = torch.stack([test[i][0] for i in range(len(test))])
        hits = (model(x).argmax(1) == torch.tensor(test.targets)).float().mean().item()
    weights = sum(p.double().abs().sum().item() for p in model.parameters())
    print(json.dumps({"accuracy": round(hits, 4), "weights": weights}))


if __name__ == "__main__":
    main()
