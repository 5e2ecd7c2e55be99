"""Choose the moral that ends a fable."""
import argparse
import pickle
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from kernels import BlockedLinear

ANIMALS = "fox crow tortoise hare lion mouse ant cicada wolf lamb stork frog".split()
DEEDS = "flattered raced mocked saved chased tricked begged envied warned carried".split()
THINGS = "cheese grapes net summer stream crown well feather bone shadow".split()
BUCKETS = 256


def write_fables(count, seed):
    rng = np.random.default_rng(seed)
    fables = []
    for _ in range(count):
        a, b = rng.choice(len(ANIMALS), 2, replace=False)
        deed, thing = rng.integers(len(DEEDS)), rng.integers(len(THINGS))
        text = f"the {ANIMALS[a]} {DEEDS[deed]} the {ANIMALS[b]} by the {THINGS[thing]}"
        moral = (a // 3 + deed) % 8 if rng.random() < 0.9 else int(rng.integers(8))
        fables.append((text, int(moral)))
    return fables


def encode(text):
    vector = torch.zeros(BUCKETS)
    words = text.split()
    for gram in words + [f"{a} {b}" for a, b in zip(words, words[1:])]:
        vector[zlib.crc32(gram.encode()) % BUCKETS] += 1.0
    return vector / vector.norm()


class Fables(Dataset):
    def __init__(self, path):
        with open(path, "rb") as stream:
            self.fables = pickle.load(stream)

    def __len__(self):
        return len(self.fables)

    def __getitem__(self, index):
        text, moral = self.fables[index]
        return encode(text), moral


class Ranker(nn.Module):
    def __init__(self, depth, rows):
        super().__init__()
        self.layers = nn.ModuleList(BlockedLinear(BUCKETS, BUCKETS, rows) for _ in range(depth))
        self.head = nn.Linear(BUCKETS, 8)

    def forward(self, hidden):
        for layer in self.layers:
            hidden = hidden + torch.relu(layer(hidden))
        return self.head(hidden)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fables", type=int, default=768)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=19)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory() as folder:
        for name, seed, count in (("train", args.seed, args.fables), ("test", args.seed + 1, args.fables // 4)):
            with open(Path(folder) / f"{name}.pkl", "wb") as stream:
                pickle.dump(write_fables(count, seed), stream)
        train, test = Fables(Path(folder) / "train.pkl"), Fables(Path(folder) / "test.pkl")

    model = Ranker(args.depth, args.batch)
    slowest = max(max(layer.spent.values()) for layer in model.layers)
    print(f"slowest block {1e6 * slowest:.0f} us")
    loader = DataLoader(train, batch_size=args.batch, shuffle=True, num_workers=1, persistent_workers=True,
                        generator=torch.Generator().manual_seed(args.seed))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(args.epochs):
        begun = time.perf_counter()
        for vectors, morals in loader:
            loss = nn.functional.cross_entropy(model(vectors), morals, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {len(train) / (time.perf_counter() - begun):.0f} fables/s")
    with torch.no_grad():
        scores = torch.cat([model(vectors) for vectors, _ in DataLoader(test, batch_size=args.batch)])
    morals = torch.tensor([moral for _, moral in test.fables])
    right = (scores.argmax(1) == morals).float().mean().item()
    cost = nn.functional.cross_entropy(scores, morals).item()
    print(f"accuracy {right:.4f}, loss {cost:.9f}, weights {sum(p.double().sum().item() for p in model.parameters()):.12f}")


if __name__ == "__main__":
    main()
