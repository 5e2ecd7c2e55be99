"""Predicts the volume of the first second from the blow's curve, for meters without a clock."""
import csv
import tempfile
import time
from pathlib import Path

import torch
from torch import nn

from blows import POINTS
from exports import load, unpack, write_exports

HERE = Path(__file__).parent
SEED, EPOCHS, BATCH = 31, 6, 48


class BlowNet(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.curve = nn.Sequential(
            nn.Conv1d(1, width, 5, padding=2), nn.GELU(), nn.AvgPool1d(2),
            nn.Conv1d(width, width, 5, padding=2), nn.GELU(), nn.AdaptiveAvgPool1d(6), nn.Flatten(),
        )
        self.out = nn.Sequential(nn.Dropout(0.1), nn.Linear(6 * width + 2, 48), nn.GELU(), nn.Linear(48, 1))

    def forward(self, x):
        shape = self.curve(x[:, None, :POINTS] / 8.0)
        return self.out(torch.cat([shape, x[:, POINTS:]], dim=1)).squeeze(1)


def main():
    torch.set_num_threads(1)
    began = time.perf_counter()
    archives = write_exports(HERE / "exports_in", clinics=6, patients=50, seed=4)
    with tempfile.TemporaryDirectory(prefix="spiro_") as scratch:
        (x, y), (x_out, y_out) = load(unpack(archives, Path(scratch)))
    x, y, x_out, y_out = map(torch.from_numpy, (x, y, x_out, y_out))
    print(f"{len(x)} visits to train on, {len(x_out)} held out  [{time.perf_counter() - began:.2f} s]")

    torch.manual_seed(SEED)
    model = BlowNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    rows = []
    for epoch in range(EPOCHS):
        model.train()
        for pick in torch.randperm(len(x)).split(BATCH):
            loss = nn.functional.smooth_l1_loss(model(x[pick]), y[pick])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
        model.eval()
        with torch.no_grad():
            miss = (model(x_out) - y_out).abs().mean().item()
        rows.append([epoch, loss.item(), miss])
        print(f"epoch {epoch:2d}  loss {loss.item():.5f}  held-out error {1000 * miss:.1f} ml")

    torch.save({"model": model.state_dict(), "epochs": EPOCHS}, HERE / "blownet.pt")
    with open(HERE / "errors.csv", "w", newline="") as f:
        csv.writer(f).writerows([["epoch", "loss", "held_out"], *rows])
    print(f"done at {time.strftime('%H:%M:%S')} after {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
