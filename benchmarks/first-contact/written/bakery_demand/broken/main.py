"""Forecast tomorrow's sales; the model that goes into use is a mean of snapshots."""
import json
import time
from datetime import datetime
from pathlib import Path

import torch
from torch import nn

from forecaster import Forecaster, test_error
from sales import ARTICLES, make_loaders
from snapshots import SnapshotWriter, average

SEED, EPOCHS, EVERY, KEEP = 12, 12, 10, 8


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    out = Path("forecast")
    train, test = make_loaders(SEED)
    model = Forecaster(1 + len(ARTICLES) + 7, len(ARTICLES))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.HuberLoss()
    writer = SnapshotWriter(out / "snapshots")
    print(f"started {datetime.now():%Y-%m-%d %H:%M:%S}")
    step, began = 0, time.perf_counter()
    for epoch in range(1, EPOCHS + 1):
        total = 0.0
        for past, target in train:
            loss = criterion(model(past), target)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
            step += 1
            if step % EVERY == 0:
                writer.put(step, model)
        print(f"epoch {epoch:2d}  loss {total / len(train):.6f}  "
              f"test {test_error(model, test).mean():.6f}")
    snapshots = writer.finish()
    print(f"{step} steps in {time.perf_counter() - began:.1f} s, "
          f"{len(snapshots)} snapshots in {writer.busy:.1f} s")

    model.load_state_dict(average(snapshots[-KEEP:]))
    errors = dict(zip(ARTICLES, test_error(model, test).tolist()))
    for article, error in errors.items():
        print(f"{article:>10}  {error:.6f}")
    torch.save(model.state_dict(), out / "model.pt")
    (out / "errors.json").write_text(json.dumps(errors, indent=1))


if __name__ == "__main__":
    main()
