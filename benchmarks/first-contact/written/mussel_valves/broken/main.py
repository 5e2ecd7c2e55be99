"""Train the valve-state classifier and write a report for the harbour office."""
import json
import time
import uuid
import warnings
from datetime import datetime
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint, Timer
from lightning.pytorch.loggers import CSVLogger

from data import STATES, GapeData
from model import ValveNet

warnings.filterwarnings("ignore", ".*does not have many workers.*")
OUT = Path("output")


def confusion(model: ValveNet, loader) -> torch.Tensor:
    table = torch.zeros(len(STATES), len(STATES), dtype=torch.long)
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            for truth, guess in zip(y, model(x).argmax(1)):
                table[truth, guess] += 1
    return table


def main():
    started = time.perf_counter()
    L.seed_everything(31, workers=True)
    run_name = f"valves-{uuid.uuid4().hex[:6]}"
    print(f"{datetime.now():%Y-%m-%d %H:%M} run {run_name}")

    data = GapeData()
    data.setup()
    print(f"{len(data.train)} training windows, {len(data.val)} from held-out animals")
    model = ValveNet(len(STATES), data.class_weights)

    timer = Timer()
    keeper = ModelCheckpoint(OUT / run_name, monitor="val_loss", filename="{epoch}", save_top_k=1)
    trainer = L.Trainer(
        max_epochs=5,
        accelerator="cpu",
        logger=CSVLogger(OUT, name="csv"),
        callbacks=[timer, keeper],
        enable_progress_bar=False,
        enable_model_summary=False,
        log_every_n_steps=10,
    )
    trainer.fit(model, datamodule=data)

    for epoch, row in enumerate(model.history):
        print(f"epoch {epoch}: val loss {row['val_loss']:.5f}  acc {row['val_acc']:.4f}")
    best = torch.load(keeper.best_model_path, weights_only=False)
    model.load_state_dict(best["state_dict"])
    table = confusion(model, data.val_dataloader())
    for name, row in zip(STATES, table.tolist()):
        print(f"{name:>11}", *(f"{n:4d}" for n in row))

    torch.save(model.state_dict(), OUT / "valvenet.pt")
    report = {
        "run": run_name,
        "best_epoch": best["epoch"],
        "history": model.history,
        "recall": {n: round((table[i, i] / table[i].sum()).item(), 4) for i, n in enumerate(STATES)},
        "fit_seconds": round(timer.time_elapsed("train"), 2),
        "total_seconds": round(time.perf_counter() - started, 2),
    }
    (OUT / "report.json").write_text(json.dumps(report, indent=2))
    print(f"done in {report['total_seconds']} s")


if __name__ == "__main__":
    main()
