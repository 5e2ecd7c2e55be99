"""Forecasts tomorrow's riders of a funicular from today's profile."""
import csv
import json
import time
from datetime import date

import torch
from torch import nn
from torch.utils.data import DataLoader

from ledger import departures
from profiles import DayProfiles

SEED = 64
EPOCHS = 5
HOLIDAYS = {date(2023, 1, 1), date(2023, 12, 25), date(2024, 1, 1), date(2024, 12, 25)}


def build(inputs):
    return nn.Sequential(
        nn.Linear(inputs, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1)
    )


def main():
    print("started", time.ctime())
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    begin = time.perf_counter()
    entries = departures(date(2023, 1, 1), 720, SEED)
    profiles = DayProfiles(entries, HOLIDAYS)
    print(f"{len(profiles)} days from {len(entries)} departures, {time.perf_counter() - begin:.2f} s")

    loader = DataLoader(
        profiles, batch_size=32, shuffle=True, num_workers=2, persistent_workers=True,
        generator=torch.Generator().manual_seed(SEED), multiprocessing_context="fork",
    )
    model = build(profiles.inputs.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    rows = []
    for epoch in range(EPOCHS):
        total = 0.0
        for inputs, totals in loader:
            loss = nn.functional.l1_loss(model(inputs).squeeze(1), totals)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(totals)
        schedule.step()
        rows.append((epoch, total / len(profiles)))
        print(f"epoch {epoch}: mean error {1000 * rows[-1][1]:.1f} riders")

    model.eval()
    with torch.no_grad():
        forecast = model(profiles.inputs).squeeze(1)
    worst = sorted(zip((forecast - profiles.totals).abs().tolist(), profiles.days), reverse=True)[:5]
    with open("epochs.csv", "w", newline="") as stream:
        csv.writer(stream).writerows([("epoch", "error"), *rows])
    with open("worst_days.json", "w") as stream:
        json.dump([{"day": day.isoformat(), "off": round(1000 * off, 2)} for off, day in worst], stream)
    torch.save(model.state_dict(), "riders.pt")
    print(f"done after {time.perf_counter() - begin:.2f} s")


if __name__ == "__main__":
    main()
