"""Ways of flying of tagged falcons, from accelerometer windows."""
import csv
import json
import logging
import platform
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

import archive
from encoder import Encoder, confusion, mix

HERE = Path(__file__).resolve().parent


def recall(table):
    return (table.diagonal() / table.sum(1).clamp(min=1)).tolist()


def train(model, data, cfg, classes):
    x, y = data
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
    steps = cfg["epochs"] * (len(x) // cfg["batch"])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3 * cfg["lr"], total_steps=steps)
    beta = torch.distributions.Beta(cfg["mixup"], cfg["mixup"])
    criterion = nn.CrossEntropyLoss(label_smoothing=0.02)
    for epoch in range(cfg["epochs"]):
        model.train()
        order = torch.randperm(len(x))
        total = 0.0
        starts = range(0, len(x) - cfg["batch"] + 1, cfg["batch"])
        for start in tqdm(starts, desc=f"epoch {epoch}", leave=False, file=sys.stderr):
            rows = order[start : start + cfg["batch"]]
            inputs, targets = mix(x[rows], y[rows], classes, cfg["mixup"], beta)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        yield epoch, total / len(starts)


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    cfg = tomllib.loads((HERE / "config.toml").read_text())
    out = Path("out")
    out.mkdir(exist_ok=True)
    began = time.perf_counter()
    torch.set_num_threads(1)
    torch.manual_seed(cfg["seed"])
    rng = np.random.default_rng(cfg["seed"])

    learn, test = archive.load(cfg["archive"], rng)
    classes = len(archive.WAYS)
    print(f"host {platform.node()}, archive read in {time.perf_counter() - began:.1f} s")
    model = Encoder(learn[0].shape[1], cfg["net"]["hidden"], classes, cfg["net"]["dropout"])

    with open(out / "epochs.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["epoch", "loss", "balanced_accuracy", "elapsed_s"])
        for epoch, loss in train(model, learn, cfg["train"], classes):
            balanced = float(np.mean(recall(confusion(model, *test, classes))))
            elapsed = time.perf_counter() - began
            rows.writerow([epoch, f"{loss:.7f}", f"{balanced:.6f}", f"{elapsed:.2f}"])
            print(f"epoch {epoch}: loss {loss:.5f}, balanced accuracy {balanced:.4f}  [{elapsed:.1f} s]")

    table = confusion(model, *test, classes)
    for way, value in zip(archive.WAYS, recall(table)):
        print(f"  {way:6s} {value:.4f}")
    torch.save(model.state_dict(), out / "encoder.pt")
    result = {"recall": dict(zip(archive.WAYS, recall(table))), "confusion": table.tolist(),
              "seconds": time.perf_counter() - began}
    (out / "result.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
