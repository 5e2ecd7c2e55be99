"""Forecast the humidity in museum showcases two hours ahead."""

import json
import logging
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

import logger
import windows
from forecaster import Forecaster

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname).1s %(message)s")
log = logging.getLogger("museum")

OUT = Path("out")
SEED = 640
EPOCHS = 10


def load_windows():
    path = OUT / "readings.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        logger.collect(database, sessions=90, seed=SEED)
        return windows.cut(database, past=24, ahead=12, stride=4)


def standardize(inputs, fit):
    flat = inputs[fit].flatten(0, 1)
    return (inputs - flat.mean(dim=0)) / flat.std(dim=0)


def test_error(model, inputs, targets, cases):
    model.eval()
    with torch.no_grad():
        return (model(inputs, cases) - targets).abs().mean().item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    OUT.mkdir(exist_ok=True)
    began = time.perf_counter()
    inputs, targets, cases, names = load_windows()
    log.info("%d windows from %d showcases read in %.2f s", len(inputs), len(names), time.perf_counter() - began)

    cut = int(0.85 * len(inputs))
    fit, held = slice(0, cut), slice(cut, None)
    inputs = standardize(inputs, fit)
    loader = DataLoader(TensorDataset(inputs[fit], targets[fit], cases[fit]), batch_size=64, shuffle=True)
    model = Forecaster(len(names))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.4)

    history = []
    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for batch, wanted, where in loader:
            loss = F.huber_loss(model(batch, where), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        schedule.step()
        error = test_error(model, inputs[held], targets[held], cases[held])
        history.append({"loss": total / cut, "test_mae": error})
        log.info("epoch %2d loss %.5f test mae %.5f", epoch, total / cut, error)

    unchanged = targets[held].abs().mean().item()
    log.info("mae %.4f, against %.4f for no change at all", history[-1]["test_mae"], unchanged)
    torch.save(model.state_dict(), OUT / "model.pt")
    report = {"showcases": names, "history": history, "seconds": round(time.perf_counter() - began, 2)}
    (OUT / "results.json").write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
