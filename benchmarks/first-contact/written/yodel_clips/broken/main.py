"""Tells yodelling styles apart with a small recurrent network."""

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader

from data import STYLES, Clips, record


@dataclass
class Options:
    singers: int
    takes: int
    epochs: int
    seed: int


class Styles(nn.Module):
    def __init__(self, bands=24, width=48):
        super().__init__()
        self.norm = nn.LayerNorm(bands)
        self.gru = nn.GRU(bands, width, batch_first=True)
        self.score = nn.Linear(width, 1)
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(width, len(STYLES)))

    def forward(self, x):
        h, _ = self.gru(self.norm(x))
        return self.head((torch.softmax(self.score(h), 1) * h).sum(1))


def mask_bands(x, generator, widest=4):
    """SpecAugment, one band per batch."""
    width = int(torch.randint(0, widest + 1, (), generator=generator))
    low = int(torch.randint(0, x.shape[-1] - widest, (), generator=generator))
    x = x.clone()
    x[..., low:low + width] = 0
    return x


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    rows = []
    for x, style in loader:
        for truth, guess in zip(style.tolist(), model(x).argmax(1).tolist()):
            rows.append({"style": STYLES[truth], "right": truth == guess})
    model.train()
    return pd.DataFrame(rows).groupby("style")["right"].agg(["mean", "size"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--singers", type=int, default=8)
    parser.add_argument("--takes", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=41)
    options = Options(**vars(parser.parse_args()))
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    order = torch.Generator().manual_seed(options.seed + 1)
    augment = torch.Generator().manual_seed(options.seed + 2)

    with tempfile.TemporaryDirectory(prefix="yodel-") as scratch:
        root = Path(scratch) / "archive"
        record(root, options.singers, options.takes, options.seed)
        train, held = Clips(root, "train"), Clips(root, "held")
        loader = DataLoader(train, batch_size=24, shuffle=True, generator=order,
                            num_workers=2, persistent_workers=True)
        model = Styles()
        optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
        for epoch in range(options.epochs):
            began, total = time.perf_counter(), 0.0
            for x, style in loader:
                loss = nn.functional.cross_entropy(model(mask_bands(x, augment)), style)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                total += loss.item() * len(x)
            print(f"epoch {epoch}: loss {total / len(train):.6f} "
                  f"({len(train) / (time.perf_counter() - began):.0f} clips/s)")
        table = evaluate(model, DataLoader(held, batch_size=64))

    print(table.round(4).to_string())
    weights = nn.utils.parameters_to_vector(model.parameters()).double()
    print(f"held accuracy {table['mean'].mean():.5f} weights {weights.sum().item():.10f}")


if __name__ == "__main__":
    main()
