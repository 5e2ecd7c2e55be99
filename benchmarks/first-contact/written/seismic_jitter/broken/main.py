"""Phase picking: at which sample does the wave arrive?"""
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from quake.augment import Pipeline
from quake.traces import catalogue

CONFIG = json.loads((Path(__file__).parent / "config.json").read_text())


class Picks(Dataset):
    def __init__(self, traces, pipeline):
        self.traces, self.pipeline = traces, pipeline

    def __len__(self):
        return len(self.traces)

    def __getitem__(self, i):
        trace, arrival = self.pipeline(*self.traces[i])
        return torch.from_numpy(trace.astype(np.float32)), arrival


class Picker(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(3, width, 9, padding=4), nn.ReLU(),
            nn.Conv1d(width, width, 9, padding=16, dilation=4), nn.ReLU(),
            nn.Conv1d(width, 1, 9, padding=4),
        )

    def forward(self, x):
        return self.layers(x).squeeze(1)


def main():
    seed = CONFIG["seed"]
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)

    rng = np.random.default_rng(seed)
    train = Picks(catalogue(CONFIG["train"], seed), Pipeline.from_config(CONFIG["augment"], rng))
    test = Picks(catalogue(CONFIG["test"], seed + 1), Pipeline.from_config([{"name": "Standardize"}], rng))
    loader = DataLoader(train, batch_size=CONFIG["batch"], shuffle=True)

    model = Picker()
    optimizer = torch.optim.AdamW(model.parameters(), lr=CONFIG["lr"])
    for epoch in range(CONFIG["epochs"]):
        began = time.time()
        for traces, arrivals in loader:
            loss = nn.functional.cross_entropy(model(traces), arrivals)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            away = [(model(x).argmax(1) - y).abs().float() for x, y in DataLoader(test, batch_size=100)]
        print(f"epoch {epoch}  loss {loss.item():.3f}  median error {torch.cat(away).median():.0f} samples  "
              f"{time.time() - began:.2f} s")
    torch.save(model.state_dict(), "picker.pt")


if __name__ == "__main__":
    main()
