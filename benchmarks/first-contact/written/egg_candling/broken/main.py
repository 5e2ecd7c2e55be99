"""Sorts candled eggs.  One process draws the eggs, this one learns from them."""
import json
import multiprocessing as mp
import os
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from eggs import KINDS, fill, produce
from slots import SIDE, Layout, Slots

SEED, BATCHES, HERE = 41, 240, Path(__file__).resolve().parent


def make_model():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 49, 64), nn.ReLU(), nn.Linear(64, len(KINDS)),
    )


def train(model, layout):
    context = mp.get_context("fork")
    slots = Slots(layout)
    ready = context.Queue(maxsize=layout.waiting)
    drawer = context.Process(target=produce, args=(layout, slots.name, ready, BATCHES, SEED), daemon=True)
    drawer.start()
    print(f"drawing in process {drawer.pid}, learning in {os.getpid()}")
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, BATCHES)
    curve, began, waited = [], time.monotonic(), 0.0
    while True:
        asked = time.monotonic()
        number = ready.get()
        waited += time.monotonic() - asked
        if number is None:
            break
        images, labels = (torch.from_numpy(part) for part in slots.at(number))
        kinds = labels.long()
        loss = nn.functional.cross_entropy(model(images[:, None]), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if number % 40 == 39:
            curve.append(loss.item())
            print(f"batch {number + 1:4d}  loss {loss.item():.5f}  {time.monotonic() - began:.1f} s, "
                  f"{waited:.2f} s of it waiting", flush=True)
    del images, labels
    drawer.join()
    slots.close(unlink=True)
    return curve


@torch.no_grad()
def confusion(model):
    images, labels = np.zeros((600, SIDE, SIDE), np.float32), np.zeros(600, np.uint8)
    fill(np.random.default_rng(SEED + 1), images, labels)
    found = model(torch.from_numpy(images)[:, None]).argmax(1)
    table = torch.zeros(len(KINDS), len(KINDS), dtype=torch.int64)
    for truth, guess in zip(labels, found):
        table[int(truth), guess] += 1
    return table


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    model = make_model()
    curve = train(model, Layout(batch=48, waiting=3))
    table = confusion(model)
    print("held-out accuracy", (table.diagonal().sum() / table.sum()).item())
    out = HERE / "weights"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "candling.pt")
    (out / "results.json").write_text(json.dumps({"curve": curve, "confusion": table.tolist()}))


if __name__ == "__main__":
    main()
