"""Predicts a day's flux decline of RO trains from the conditions at start-up."""
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import torch
from torch import nn

from historian import Historian

HERE = Path(__file__).resolve().parent
SEED = 365
PER_TRAIN = 110


class Decline(nn.Module):
    def __init__(self, hidden=40):
        super().__init__()
        self.start = nn.Linear(4, hidden)
        self.cell = nn.GRUCell(1, hidden)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x, hours=24):
        state = torch.tanh(self.start(x))
        value = x.new_zeros(len(x), 1)
        steps = []
        for _ in range(hours):
            state = self.cell(value, state)
            value = self.head(state)
            steps.append(value)
        return torch.cat(steps, 1)


def load_history(path):
    subprocess.run([sys.executable, str(HERE / "plant.py"), str(path), "600", str(SEED)], check=True)
    history = Historian(path)
    picked = []
    for train, count in history.counts():
        ids = history.sample(train, PER_TRAIN)
        print(f"  {train:6s} {count:4d} runs, {len(ids)} used for training")
        picked += ids
    rest = history.others(picked)
    fit, hold = history.table(picked), history.table(rest)
    history.close()
    return fit, hold, rest


def main():
    began = time.time()
    with tempfile.TemporaryDirectory(prefix="historian-") as folder:
        (x, y), (hold_x, hold_y), rest = load_history(Path(folder) / "plant.sqlite")
    print(f"history loaded in {time.time() - began:.2f} s")
    x, y, hold_x, hold_y = map(torch.from_numpy, (x, y, hold_x, hold_y))
    low, spread = x.mean(0), x.std(0)
    mean, scale = y.mean(), y.std()

    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    model = Decline()
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    inputs, goals = (x - low) / spread, (y - mean) / scale
    losses = []
    for epoch in range(6):
        order = torch.randperm(len(inputs))
        for part in order.split(33):
            loss = nn.functional.mse_loss(model(inputs[part]), goals[part])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        losses.append(loss.item())

    with torch.no_grad():
        error = ((model((hold_x - low) / spread) * scale + mean) - hold_y).abs().mean(1)
    pd.DataFrame({"run_id": rest, "error": error.numpy()}).to_csv(HERE / "holdout.csv", index=False)
    (HERE / "report.json").write_text(json.dumps({"losses": losses, "holdout": error.mean().item(),
                                                  "seconds": round(time.time() - began, 3)}, indent=1))
    torch.save({"net": model.state_dict(), "low": low, "spread": spread}, HERE / "decline.pt")
    print(f"hold-out error {error.mean().item():.4f} l/m2h")


if __name__ == "__main__":
    main()
