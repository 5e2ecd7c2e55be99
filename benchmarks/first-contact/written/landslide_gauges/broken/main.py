import argparse
import logging
import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from archive import COLUMNS, export, read

log = logging.getLogger("landslide")


class Gauges(Dataset):
    def __init__(self, table, jitter=0.0):
        self.x = table[COLUMNS].to_numpy(np.float32)
        self.y = table["creep_mm"].to_numpy(np.float32)
        self.w = table["weight"].to_numpy(np.float32)
        self.jitter = jitter

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = torch.from_numpy(self.x[i])
        if self.jitter:
            x = x + self.jitter * torch.randn(x.shape)
        return x, self.y[i], self.w[i]


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def build(width):
    return nn.Sequential(nn.Linear(len(COLUMNS), width), nn.ReLU(), nn.Dropout(0.1),
                         nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--campaigns", type=int, default=16)
    ap.add_argument("--rows", type=int, default=160)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--seed", type=int, default=77)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(message)s")
    seed_all(args.seed)

    with tempfile.TemporaryDirectory(prefix="gauges_") as tmp:
        root = Path(tmp)
        export(root, args.campaigns, args.rows, args.seed)
        table = read(root)
    held = table["campaign"] >= args.campaigns - 2
    train = Gauges(table[~held], jitter=0.05)
    test = Gauges(table[held])
    loader = DataLoader(train, batch_size=40, shuffle=True, num_workers=2, persistent_workers=True,
                        generator=torch.Generator().manual_seed(args.seed))

    model = build(40)
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    best, kept = float("inf"), None
    for epoch in range(args.epochs):
        began = time.perf_counter()
        model.train()
        for x, y, w in loader:
            loss = (w * (model(x).squeeze(1) - y) ** 2).sum() / w.sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            error = ((model(torch.from_numpy(test.x)).squeeze(1) - torch.from_numpy(test.y)) ** 2).mean().item()
        if error < best:
            best, kept = error, {k: v.clone() for k, v in model.state_dict().items()}
        log.info("epoch %d took %.2f s", epoch, time.perf_counter() - began)
        print(f"epoch {epoch}: held-out mse {error:.8f}")
    model.load_state_dict(kept)
    print(f"best {best:.8f}")
    print("weights", f"{sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
