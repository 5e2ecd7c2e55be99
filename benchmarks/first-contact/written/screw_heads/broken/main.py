"""Stripped screw heads: find them. Online training with replay of hard examples."""
import json
import os
import time

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch import nn

from bank import HardBank
from screws import make_set

EPOCHS = 7
BATCH = 32
REPLAY = 12
RUN_DIR = os.environ.get("SCREW_RUN_DIR", "run")

torch.manual_seed(77)
torch.set_num_threads(1)


def build():
    return nn.Sequential(
        nn.Conv2d(1, 10, 3, stride=2, padding=1), nn.BatchNorm2d(10), nn.ReLU(),
        nn.Conv2d(10, 20, 3, stride=2, padding=1), nn.BatchNorm2d(20), nn.ReLU(),
        nn.Flatten(), nn.Linear(20 * 25, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2),
    )


@torch.no_grad()
def scores(net, x):
    net.eval()
    return torch.cat([net(part).softmax(1)[:, 1] for part in x.split(128)])


def train_epoch(net, opt, x, y, bank):
    net.train()
    replay = bank.draw(REPLAY * (len(x) // BATCH + 1))
    total = 0.0
    for i, idx in enumerate(torch.randperm(len(x)).split(BATCH)):
        xb, yb = x[idx], y[idx]
        if replay is not None:
            part = slice(i * REPLAY, (i + 1) * REPLAY)
            xb, yb = torch.cat([xb, replay[0][part]]), torch.cat([yb, replay[1][part]])
        loss = nn.functional.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    return total / len(x)


def main():
    x, y = map(torch.from_numpy, make_set(seed=1, n=900))
    x_test, y_test = map(torch.from_numpy, make_set(seed=2, n=400))
    bank = HardBank(os.path.join(RUN_DIR, "hard"))
    net = build()
    opt = torch.optim.SGD(net.parameters(), lr=0.04, momentum=0.9, nesterov=True, weight_decay=1e-4)

    history = []
    for epoch in range(EPOCHS):
        t0 = time.time()
        loss = train_epoch(net, opt, x, y, bank)
        p = scores(net, x)
        wrong = (p > 0.5).long() != y
        bank.add(x[wrong], y[wrong])
        ap = average_precision_score(y_test.numpy(), scores(net, x_test).numpy())
        history.append({"epoch": epoch, "loss": loss, "wrong": int(wrong.sum()), "ap": float(ap)})
        print("epoch {epoch}: loss {loss:.5f}, {wrong} wrong, AP {ap:.4f}".format(**history[-1]),
              f"[{time.time() - t0:.2f} s]")

    with open(os.path.join(RUN_DIR, "history.json"), "w") as f:
        json.dump(history, f, indent=1)
    torch.save(net.state_dict(), os.path.join(RUN_DIR, "net.pt"))
    print("best AP", np.round(max(h["ap"] for h in history), 4))


if __name__ == "__main__":
    main()
