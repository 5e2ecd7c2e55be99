"""Find desaturations in pulse oximeter traces of a ward; a trace ends at the moment of the question."""
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

WINDOW = 600


@dataclass
class Settings:
    seed: int = 5
    patients: int = 320
    epochs: int = 4
    batch: int = 20
    lr: float = 2e-3


def write_traces(folder, cfg):
    rng = np.random.default_rng(cfg.seed)
    for patient in range(cfg.patients):
        seconds = int(rng.integers(WINDOW // 4, WINDOW + 200))
        level = rng.normal(96, 1.2)
        walk = level + np.cumsum(rng.normal(0, 0.06, seconds))
        falls = bool(rng.random() < 0.5)
        if falls:
            walk[-90:] -= np.linspace(0, rng.uniform(3, 9), 90)
        trace = np.clip(np.rint(walk), 50, 100).astype(int).tolist()
        record = {"patient": patient, "spo2": trace, "desaturation": int(falls)}
        (folder / f"{patient:04d}.json").write_text(json.dumps(record))


def fit_window(trace):
    """The last WINDOW seconds, at the right end of the window."""
    trace = trace[-WINDOW:]
    window = np.empty(WINDOW, dtype=np.uint8)
    window[WINDOW - len(trace):] = trace
    return window


class Traces(Dataset):
    def __init__(self, folder):
        self.paths = sorted(folder.glob("*.json"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        record = json.loads(self.paths[i].read_text())
        window = fit_window(record["spo2"])
        return torch.from_numpy(window), record["desaturation"]


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 8, 15, stride=5), nn.ReLU(), nn.Conv1d(8, 16, 9, stride=3), nn.ReLU(),
        )
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        x = x.float().div(100.0).unsqueeze(1)
        _, last = self.rnn(self.conv(x).transpose(1, 2))
        return self.head(last[0])


def main():
    cfg = Settings()
    torch.manual_seed(cfg.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_traces(folder, cfg)
        data = Traces(folder)
        loader = DataLoader(data, batch_size=cfg.batch, shuffle=True, num_workers=2, persistent_workers=True,
                            generator=torch.Generator().manual_seed(cfg.seed))
        model = Detector()
        opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
        best = float("inf")
        for epoch in range(cfg.epochs):
            total = 0.0
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(y)
            print(f"epoch {epoch}: {total / len(data):.8f}")
            if total < best:
                best = total
                torch.save(model.state_dict(), folder / "best.pt")
        model.load_state_dict(torch.load(folder / "best.pt"))
        del loader
    print(f"best {best / len(data):.9f}")
    print(f"weights {sum(p.double().sum().item() for p in model.parameters()):.12f}")


if __name__ == "__main__":
    main()
