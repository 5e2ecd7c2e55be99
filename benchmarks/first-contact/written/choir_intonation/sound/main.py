"""Trains a model that hears how many cents a choir is off, from easy notes to hard ones."""
import csv
import json
import multiprocessing
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from listener import Listener
from voices import SungNotes

SEED = 77
EPOCHS = 4
NOTES = 640
BATCH = 32


def train_epoch(model, optimizer, loader, hardness, done, total):
    hardness.value = done / total
    losses = []
    for spectra, deviation in loader:
        loss = nn.functional.mse_loss(model(spectra), deviation)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += 1
        losses.append(loss.item())
    return losses


def evaluate(model, loader, hardness, level):
    hardness.value = level
    model.eval()
    with torch.no_grad():
        errors = [(model(spectra) - deviation).abs() for spectra, deviation in loader]
    model.train()
    return 50 * torch.cat(errors).mean().item()


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    hardness = multiprocessing.Value("d", 0.0)
    loader = DataLoader(
        SungNotes(NOTES, SEED, hardness), batch_size=BATCH, shuffle=True, num_workers=2,
        multiprocessing_context="fork",
    )
    check = DataLoader(SungNotes(96, SEED + 1, hardness), batch_size=BATCH)
    model = Listener()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    steps = EPOCHS * len(loader)

    begin = time.time()
    rows = []
    for epoch in range(EPOCHS):
        losses = train_epoch(model, optimizer, loader, hardness, epoch * len(loader), steps)
        mean = sum(losses) / len(losses)
        rows.append((epoch, mean, losses[-1]))
        print(f"epoch {epoch}: loss {mean:.4f}  ({time.time() - begin:.1f} s so far)")

    report = {f"cents_off_at_{level}": evaluate(model, check, hardness, level) for level in (0.0, 0.5, 1.0)}
    print(report)
    with open("losses.csv", "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["epoch", "mean", "last"])
        writer.writerows(rows)
    with open("report.json", "w") as stream:
        json.dump({**report, "finished": time.strftime("%Y-%m-%dT%H:%M:%S")}, stream, indent=1)
    torch.save(model.state_dict(), "listener.pt")


if __name__ == "__main__":
    main()
