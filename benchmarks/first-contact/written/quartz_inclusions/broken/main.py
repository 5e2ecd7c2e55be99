"""Tells inclusions in quartz apart; a thread scores the network while the training goes on."""
import json
import time
from datetime import datetime
from pathlib import Path

import torch
from torch import nn

from grains import KINDS, make_grains
from monitor import Monitor
from net import InclusionNet

HERE = Path(__file__).resolve().parent
SEED, EPOCHS, BATCH = 17, 5, 32


def main():
    began = time.time()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    print(f"{datetime.now():%Y-%m-%d %H:%M:%S} start")
    images, labels = make_grains(600, SEED)
    monitor = Monitor(*make_grains(1000, SEED + 1))
    model = InclusionNet(len(KINDS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    losses = []
    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for rows in torch.randperm(len(images)).split(BATCH):
            loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        losses.append(total / len(images))
        monitor.submit(epoch, model)
        print(f"[{time.time() - began:5.1f}s] epoch {epoch} loss {losses[-1]:.5f}", flush=True)
    history = monitor.finish()
    for epoch, score, seconds in history:
        print(f"epoch {epoch} held-out accuracy {score:.4f}, scored in {seconds:.2f} s")

    out = HERE / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "weights.pt")
    (out / "results.json").write_text(json.dumps(
        {"loss": losses, "accuracy": [score for _, score, _ in history]}, indent=1))


if __name__ == "__main__":
    main()
