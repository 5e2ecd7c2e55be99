import json
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

from beats import CLASSES, BeatNet, make_beats
from validator import Validator

SEED = 2026
STEPS = 320
VALIDATE_EVERY = 40


def batches(x, y, size, generator):
    while True:
        for idx in torch.randperm(len(x), generator=generator).split(size):
            if len(idx) == size:
                yield x[idx], y[idx]


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    out = os.path.join("runs", time.strftime("%d%b-%H%M%S"))
    os.makedirs(out, exist_ok=True)

    train_x, train_y = make_beats(2400, seed=1)
    val_x, val_y = make_beats(1000, seed=2)
    test_x, test_y = make_beats(1000, seed=3)

    model = BeatNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    validator = Validator(val_x, val_y)
    validator.start()

    stream = batches(train_x, train_y, 32, torch.Generator().manual_seed(SEED))
    began, running = time.perf_counter(), 0.0
    for step in range(1, STEPS + 1):
        x, y = next(stream)
        x = x * (1 + 0.1 * torch.randn(len(x), 1, 1))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        running += loss.item()
        if step % VALIDATE_EVERY == 0:
            validator.submit(step, model)
            speed = step / (time.perf_counter() - began)
            print(f"step {step} loss {running / VALIDATE_EVERY:.4f} ({speed:.0f} steps/s)", flush=True)
            running = 0.0

    history = validator.finish()
    for step in sorted(history):
        print(f"validation step={step} macro-f1={history[step][0]:.5f}")
    best = max(sorted(history), key=lambda s: history[s][0])
    chosen = history[best][1].eval()
    with torch.no_grad():
        logits = chosen(test_x)
    report = {
        "best_step": best,
        "test_loss": F.cross_entropy(logits, test_y).item(),
        "per_class": {c: (logits.argmax(1)[test_y == i] == i).float().mean().item() for i, c in enumerate(CLASSES)},
    }
    print("REPORT", json.dumps(report))
    torch.save({"last": model.state_dict(), "chosen": chosen.state_dict()}, os.path.join(out, "beats.pt"))
    print("total", f"{time.perf_counter() - began:.1f}s", "->", out)


if __name__ == "__main__":
    main()
