"""Forecast the inflow of a reservoir."""
from pathlib import Path

import torch
from torch import nn

from forecaster import Forecaster, windows
from gauges import Archive, simulate

SEED = 1953
LENGTH = 21
STEPS = 240
HERE = Path(__file__).resolve().parent


def draws(count, size, generator):
    while True:
        yield torch.randint(count, (size,), generator=generator)


def main():
    torch.manual_seed(SEED)
    archive = Archive(HERE / "catchment.sqlite")
    archive.store(simulate(1500, SEED))
    readings = archive.readings()
    print(f"days {readings[0, 0]:.0f} to {readings[-1, 0]:.0f}, mean inflow {readings[:, 3].mean():.5f}")

    series = torch.from_numpy(readings[:, 1:]).float()
    series = (series - series.mean(0)) / series.std(0)
    cut = int(0.8 * len(series))
    past, following = windows(series[:cut], LENGTH)
    test_past, test_following = windows(series[cut:], LENGTH)

    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=STEPS)
    picks = draws(len(past), 48, torch.Generator().manual_seed(SEED))
    for step, rows in zip(range(STEPS), picks):
        loss = nn.functional.mse_loss(model(past[rows]), following[rows])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 60 == 59:
            print(f"step {step + 1}: loss {loss.item():.6f}")

    model.eval()
    with torch.no_grad():
        error = nn.functional.mse_loss(model(test_past), test_following).item()
        naive = nn.functional.mse_loss(test_past[:, -1, 2], test_following).item()
    print(f"test error {error:.6f}, that of yesterday's value {naive:.6f}")
    torch.save(model.state_dict(), HERE / "forecaster.pt")
    archive.note(f"test error {error:.6f}")


if __name__ == "__main__":
    main()
