"""Days at sea of trading dhows, from port, season, cargo and winds on the way."""

import argparse
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from snapshots import SnapshotWriter, average

PORTS = ["Muscat", "Mombasa", "Zanzibar", "Calicut", "Aden", "Basra"]


@dataclass(frozen=True)
class Config:
    voyages: int = 2400
    winds: int = 40
    width: int = 384
    batch: int = 40
    every: int = 4
    lr: float = 1e-3
    seed: int = 1498


def make_voyages(config):
    rng = np.random.default_rng(config.seed)
    count = config.voyages
    frame = pd.DataFrame({
        "origin": rng.choice(PORTS, count),
        "target": rng.choice(PORTS, count),
        "month": rng.integers(1, 13, count),
        "cargo": rng.gamma(3.0, 20.0, count),
    })
    winds = rng.normal(0, 1, (count, config.winds)) + np.sin(frame.month.to_numpy() / 2)[:, None]
    leagues = frame.origin.map(PORTS.index).sub(frame.target.map(PORTS.index)).abs() * 3 + 4
    frame["days"] = leagues * (1 + frame.cargo / 400) - winds.mean(1) * 2 + rng.normal(0, 0.4, count)
    return frame, winds.astype(np.float32)


class Voyages(Dataset):
    def __init__(self, frame, winds):
        coded = pd.get_dummies(frame[["origin", "target"]]).to_numpy(np.float32)
        season = np.stack([np.sin(frame.month * np.pi / 6), np.cos(frame.month * np.pi / 6)], 1)
        cargo = (frame.cargo.to_numpy()[:, None] - 60) / 35
        self.inputs = torch.from_numpy(np.concatenate([coded, season, cargo, winds], 1).astype(np.float32))
        self.days = torch.from_numpy((frame.days.to_numpy() / 10).astype(np.float32))

    def __len__(self):
        return len(self.days)

    def __getitem__(self, index):
        return self.inputs[index], self.days[index]


def make_net(inputs, width):
    return nn.Sequential(
        nn.Linear(inputs, width), nn.LayerNorm(width), nn.GELU(), nn.Dropout(0.1),
        nn.Linear(width, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1), nn.Flatten(0),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=Config.seed)
    args = parser.parse_args()
    config = Config(seed=args.seed)
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)

    data = Voyages(*make_voyages(config))
    train, test = torch.utils.data.random_split(data, [2000, 400], torch.Generator().manual_seed(config.seed))
    loader = DataLoader(
        train, config.batch, shuffle=True, num_workers=1, persistent_workers=True,
        generator=torch.Generator().manual_seed(config.seed),
    )
    net = make_net(data.inputs.shape[1], config.width)
    optimizer = torch.optim.Adam(net.parameters(), lr=config.lr)
    with tempfile.TemporaryDirectory(prefix="dhow-") as name:
        folder = Path(name)
        (folder / "config.json").write_text(json.dumps(asdict(config)))
        writer = SnapshotWriter(folder)
        begun, step = time.perf_counter(), 0
        for epoch in range(args.epochs):
            for inputs, days in loader:
                loss = nn.functional.huber_loss(net(inputs), days)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
                if step % config.every == 0:
                    writer.submit(step, net)
            print(f"epoch {epoch}: last loss {loss.item():.6f}")
        print(f"{step / (time.perf_counter() - begun):.0f} steps/s")
        net.load_state_dict(average(writer.close()))

    net.eval()
    with torch.no_grad():
        inputs, days = test[:]
        print("averaged model, error in days", 10 * (net(inputs) - days).abs().mean().item())
    print("weights", sum(p.double().sum().item() for p in net.parameters()))


if __name__ == "__main__":
    main()
