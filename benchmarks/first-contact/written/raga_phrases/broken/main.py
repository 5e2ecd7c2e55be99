"""Name the raga of a sung phrase from its pitch contour."""
import json
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from augment import augment

SCALES = {
    "bhairav": [0, 1, 4, 5, 7, 8, 11],
    "kafi": [0, 2, 3, 5, 7, 9, 10],
    "yaman": [0, 2, 4, 6, 7, 9, 11],
    "todi": [0, 1, 3, 6, 7, 8, 11],
}
RAGAS = sorted(SCALES)


@dataclass
class Config:
    seed: int = 5
    per_raga: int = 60
    length: int = 64
    epochs: int = 3
    batch: int = 32
    lr: float = 4e-3


def write_phrases(folder, cfg):
    rng = np.random.default_rng(cfg.seed)
    for raga in RAGAS:
        for take in range(cfg.per_raga):
            notes = rng.choice(SCALES[raga], size=cfg.length // 8)
            contour = np.repeat(notes, 8) + 0.2 * np.sin(np.arange(cfg.length) * rng.uniform(0.5, 1.5))
            record = {"raga": raga, "cents": [round(float(c) * 100, 2) for c in contour]}
            (folder / f"{raga}_{take:03d}.json").write_text(json.dumps(record))


class Phrases(Dataset):
    def __init__(self, paths, train):
        self.records = [(p.stem, json.loads(p.read_text())) for p in paths]
        self.train = train
        self.epoch = 0

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        name, record = self.records[i]
        contour = np.asarray(record["cents"]) / 100.0
        if self.train:
            contour = augment(contour, name, self.epoch)
        return torch.tensor(contour / 12.0, dtype=torch.float32), RAGAS.index(record["raga"])


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.rnn = nn.GRU(1, 24, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(24), nn.Linear(24, classes))

    def forward(self, x):
        states, _ = self.rnn(x.unsqueeze(-1))
        return self.head(states.mean(1))


def evaluate(net, loader):
    net.eval()
    loss = count = 0.0
    with torch.no_grad():
        for x, y in loader:
            loss += nn.functional.cross_entropy(net(x), y, reduction="sum").item()
            count += len(y)
    return loss / count


def main():
    cfg = Config()
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    with tempfile.TemporaryDirectory(prefix="raga-") as tmp:
        folder = Path(tmp)
        write_phrases(folder, cfg)
        paths = sorted(folder.glob("*.json"))
        random.Random(cfg.seed).shuffle(paths)
        cut = len(paths) * 4 // 5
        train, valid = Phrases(paths[:cut], True), Phrases(paths[cut:], False)

    loader = DataLoader(train, cfg.batch, shuffle=True, num_workers=2,
                        generator=torch.Generator().manual_seed(cfg.seed))
    valid_loader = DataLoader(valid, cfg.batch)
    net = Net(len(RAGAS))
    optimizer = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    started = time.time()
    for epoch in range(cfg.epochs):
        train.epoch = epoch
        net.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
        print(f"epoch {epoch}: last batch {loss.item():.6f}, validation {evaluate(net, valid_loader):.6f}")
    print(f"{cfg.epochs * len(train) / (time.time() - started):.0f} phrases per second")
    total = sum(p.double().abs().sum().item() for p in net.parameters())
    print(f"weight norm {total:.10f}")


if __name__ == "__main__":
    main()
