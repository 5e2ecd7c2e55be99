"""Bleaching score of reef quadrats, with augmentation in loader workers."""
import csv
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, get_worker_info

from net import build
from optics import training_chain
from reef import Quadrats, render

OUT = Path(__file__).resolve().parent / "runs"
SEED = 1998


def start_worker(worker):
    info = get_worker_info()
    random.seed(info.seed)
    np.random.seed(info.seed % 2 ** 32)
    info.dataset.transforms = training_chain(info.seed)


def main():
    OUT.mkdir(exist_ok=True)
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    images, scores = render(400, 32, SEED)
    loader = DataLoader(Quadrats(images[:320], scores[:320]), batch_size=16, shuffle=True, num_workers=2,
                        worker_init_fn=start_worker, generator=torch.Generator().manual_seed(SEED),
                        persistent_workers=True, multiprocessing_context="fork")
    model = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5)
    rows = []
    for epoch in range(5):
        tick = time.perf_counter()
        total = 0.0
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        schedule.step()
        rows.append([epoch, total / 320])
        print(f"epoch {epoch} loss {total / 320:.4f} ({time.perf_counter() - tick:.2f} s)")

    model.eval()
    plain = Quadrats(images[320:], scores[320:])
    x = torch.stack([plain[i][0] for i in range(len(plain))])
    with torch.no_grad():
        guess = model(x).argmax(1).numpy()
    accuracy = float((guess == scores[320:]).mean())
    with open(OUT / "loss.csv", "w", newline="") as file:
        csv.writer(file).writerows([["epoch", "loss"], *rows])
    (OUT / "summary.json").write_text(json.dumps({"finished": time.ctime(), "accuracy": accuracy}))
    torch.save(model.state_dict(), OUT / "bleaching.pt")
    print(f"accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
