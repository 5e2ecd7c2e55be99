"""Trains a small network that tells whether a parking slot is free."""
import json
import time
import uuid
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from config import Config
from model import SlotNet
from scenes import LABELS, Jitter, make_views

OUT = Path(__file__).parent / "out"


def evaluate(model, views, labels):
    model.eval()
    with torch.no_grad():
        scores = model(views)
    model.train()
    return F.cross_entropy(scores, labels).item(), (scores.argmax(1) == labels).float().mean().item()


def by_weather(model, views, labels, weather):
    known = set(weather)
    table = {}
    for name in ("dry", "wet", "snow", "fog"):
        if name not in known:
            continue
        rows = torch.tensor([i for i, w in enumerate(weather) if w == name])
        table[name] = round(evaluate(model, views[rows], labels[rows])[1], 4)
    return table


def main():
    cfg = Config()
    run = uuid.uuid4().hex[:8]
    print(f"run {run} started {time.strftime('%H:%M:%S')}")
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    views, labels, _ = make_views(cfg, cfg.train_images, rng)
    val_views, val_labels, val_weather = make_views(cfg, cfg.val_images, rng)

    model = SlotNet(cfg.widths, cfg.activation, len(LABELS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    jitter = Jitter(cfg.stream("jitter"))
    order = torch.Generator().manual_seed(cfg.seed)

    history = []
    for epoch in range(cfg.epochs):
        started, total = time.perf_counter(), 0.0
        for rows in torch.randperm(len(views), generator=order).split(cfg.batch):
            loss = F.cross_entropy(model(jitter(views[rows])), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        val_loss, accuracy = evaluate(model, val_views, val_labels)
        history.append({"loss": total / len(views), "val_loss": val_loss, "accuracy": accuracy})
        rate = len(views) / (time.perf_counter() - started)
        print(f"epoch {epoch} loss {total / len(views):.6f} val {val_loss:.6f} "
              f"accuracy {accuracy:.4f} ({rate:.0f} views/s)")

    OUT.mkdir(exist_ok=True)
    torch.save(model.state_dict(), OUT / "slots.pt")
    report = {"run": run, "history": history,
              "by_weather": by_weather(model, val_views, val_labels, val_weather)}
    (OUT / "report.json").write_text(json.dumps(report, indent=1))
    print("accuracy by weather", report["by_weather"])


if __name__ == "__main__":
    main()
