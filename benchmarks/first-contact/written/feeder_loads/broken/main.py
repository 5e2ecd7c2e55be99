"""Day-ahead load forecasts for distribution feeders."""
import argparse
import json
import tempfile
import time
from pathlib import Path

import torch
from torch import nn

from ingest import STEPS, Ingest, write_days

HISTORY = 2 * STEPS


class Forecaster(nn.Module):
    def __init__(self, width: int = 64):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(HISTORY, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.forecast = nn.Linear(width, STEPS)

    def forward(self, past):
        level = past[:, -STEPS:].mean(1, keepdim=True)
        return self.forecast(self.encode(past - level)) + level


def windows(series: torch.Tensor, hop: int = 24) -> tuple[torch.Tensor, torch.Tensor]:
    cut = series.unfold(1, HISTORY + STEPS, hop).reshape(-1, HISTORY + STEPS)
    return cut[:, :HISTORY], cut[:, HISTORY:]


def train_epoch(model, optimizer, past, ahead, batch: int, generator) -> float:
    model.train()
    total = 0.0
    for rows in torch.randperm(len(past), generator=generator).split(batch):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.smooth_l1_loss(model(past[rows]), ahead[rows])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    return total / len(past)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=240)
    parser.add_argument("--feeders", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--seed", type=int, default=9)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    shuffle = torch.Generator().manual_seed(args.seed + 1)

    with tempfile.TemporaryDirectory(prefix="feeders-") as name:
        folder = Path(name)
        write_days(folder, args.days, args.feeders, args.seed)
        start = time.perf_counter()
        model = Forecaster()
        optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        ingest = Ingest(folder, args.feeders, minimum=30)
        ingest.start()
        ingest.ready.wait()

        history = []
        for epoch in range(args.epochs):
            series = torch.tensor(ingest.series(), dtype=torch.float32) / 40.0
            recent = series[:, -7 * STEPS :]
            past, ahead = windows(series[:, : -7 * STEPS])
            loss = train_epoch(model, optimizer, past, ahead, args.batch, shuffle)
            model.eval()
            with torch.no_grad():
                check_past, check_ahead = windows(recent)
                error = (model(check_past) - check_ahead).abs().mean().item()
            history.append({"epoch": epoch, "loss": loss, "mae": error})
            print(json.dumps(history[-1]))
        print(f"trained in {time.perf_counter() - start:.2f} s")
        ingest.join()

    print(f"mae {history[-1]['mae']:.8f}")
    print(f"weights {sum(p.double().abs().sum() for p in model.parameters()).item():.8f}")


if __name__ == "__main__":
    main()
