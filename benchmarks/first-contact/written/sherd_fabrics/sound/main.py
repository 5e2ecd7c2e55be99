"""Which fabric is a sherd made of?"""
import json
import logging
import time
import uuid
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from feeder import Feeder
from lens import Lens, accuracy
from sections import FABRICS, Sections

SEED = 19
SHERDS = 900
EPOCHS = 6
BATCH = 24
AHEAD = 40


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)s: %(message)s")
    began = time.perf_counter()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    out = Path("out")
    out.mkdir(exist_ok=True)
    run = uuid.uuid4().hex[:10]
    print(f"run {run} at {datetime.now().isoformat(timespec='seconds')}")

    sections = Sections(SHERDS, SEED)
    order = np.random.default_rng(SEED).permutation(len(sections))
    train, test = order[:-200], order[-200:]
    seen = set(train.tolist())
    assert not any(i in seen for i in test.tolist())
    pictures, fabrics = zip(*(sections.plain(i) for i in test))
    pictures, fabrics = torch.stack(pictures), torch.tensor(fabrics)
    feeder = Feeder(sections, train, BATCH, AHEAD, SEED)

    model = Lens(len(FABRICS))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    losses = []
    for epoch in range(EPOCHS):
        tick, total = time.perf_counter(), 0.0
        model.train()
        for x, y in feeder.epoch():
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        schedule.step()
        losses.append(total / len(feeder))
        right, _ = accuracy(model, pictures, fabrics)
        print(f"epoch {epoch}: loss {losses[-1]:.5f}, right {right:.3f}, {time.perf_counter() - tick:.2f} s")

    right, guess = accuracy(model, pictures, fabrics)
    recognised = {name: ((guess == k) & (fabrics == k)).sum().item() for k, name in enumerate(FABRICS)}
    print("recognised:", ", ".join(f"{name} {count}" for name, count in recognised.items()))
    torch.save(model.state_dict(), out / "lens.pt")
    summary = {"run": run, "right": right, "losses": losses, "recognised": recognised,
               "took": f"{time.perf_counter() - began:.1f} s"}
    (out / "summary.json").write_text(json.dumps(summary, indent=1))


if __name__ == "__main__":
    main()
