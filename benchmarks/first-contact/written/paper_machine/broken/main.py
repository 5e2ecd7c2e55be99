"""Moisture of the paper at the reel, from the probes along the machine."""
import csv
import json
import time
from datetime import datetime
from pathlib import Path

import torch
from torch import nn

from model import ReelNet
from probes import install
from reels import make_reels, readings

HERE = Path(__file__).resolve().parent
SEED, EPOCHS, BATCH = 77, 10, 50


def main():
    began = time.time()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    print(f"started {datetime.now().isoformat(timespec='seconds')}")
    probes = install()
    truth, goal = make_reels(2400, SEED)
    x = torch.from_numpy(readings(truth, probes, SEED))
    x = (x - x[:2000].mean(0)) / x[:2000].std(0)
    y = torch.from_numpy(goal)
    model = ReelNet(len(probes))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=EPOCHS * 40)
    rows = []
    for epoch in range(EPOCHS):
        model.train()
        for batch in torch.randperm(2000).split(BATCH):
            loss = nn.functional.huber_loss(model(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        model.eval()
        with torch.no_grad():
            error = (model(x[2000:]) - y[2000:]).abs().mean().item()
        rows.append((epoch, loss.item(), error))
        print(f"epoch {epoch} loss {loss.item():.5f} error {error:.4f}  {time.time() - began:.1f} s", flush=True)
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "reel.pt")
    with open(out / "curve.csv", "w", newline="") as f:
        csv.writer(f).writerows([("epoch", "loss", "error"), *rows])
    (out / "results.json").write_text(json.dumps({"error": rows[-1][2], "probes": len(probes)}))


if __name__ == "__main__":
    main()
