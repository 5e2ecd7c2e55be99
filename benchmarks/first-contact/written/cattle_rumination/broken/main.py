"""Reads ruminating, grazing and resting from the accelerometer in a cow's collar."""
import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from scorer import Scorer

STATES = ["resting", "grazing", "ruminating"]


def windows(count, seed, length=96):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, count)
    t = np.arange(length) / 10.0
    out = np.empty((count, 3, length), dtype=np.float32)
    for i, label in enumerate(labels):
        rate = (0.2, 0.9, 1.1)[label] + rng.normal(0, 0.12)
        swing = (0.15, 0.8, 0.5)[label]
        for axis in range(3):
            phase = rng.uniform(0, 2 * np.pi)
            out[i, axis] = swing * np.sin(2 * np.pi * rate * t + phase) * (1 + 0.3 * axis)
        out[i] += rng.normal(0, 0.45, (3, length))
    return torch.from_numpy(out), torch.from_numpy(labels)


class CollarNet(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(3, width, 7, padding=3), nn.BatchNorm1d(width), nn.GELU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 5, padding=2), nn.BatchNorm1d(width), nn.GELU(),
            nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Dropout(0.25))
        self.head = nn.Linear(width * 4, len(STATES))

    def forward(self, x):
        return self.head(self.body(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=21)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--every", type=int, default=6, help="steps between two snapshots")
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)

    train_x, train_y = windows(900, args.seed)
    valid_x, valid_y = windows(320, args.seed + 1)
    test_x, test_y = windows(320, args.seed + 2)
    loader = DataLoader(TensorDataset(train_x, train_y), batch_size=24, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))

    model = CollarNet()
    opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, nesterov=True)
    scorer = Scorer(model, valid_x, valid_y)
    step, begun = 0, time.perf_counter()
    for epoch in range(args.epochs):
        running = 0.0
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
            loss.backward()
            opt.step()
            running += loss.item() * len(y)
            step += 1
            if step % args.every == 0:
                scorer.submit(step, model)
        print(f"epoch {epoch}: train loss {running / len(train_y):.6f}")
    print(f"{step} steps, {step / (time.perf_counter() - begun):.1f} steps/s")

    averaged = scorer.finish()
    with tempfile.TemporaryDirectory() as tmp:
        path = Path(tmp) / "averaged.pt"
        torch.save({"model": averaged, "history": scorer.history}, path)
        saved = torch.load(path)
    model.load_state_dict(saved["model"])
    model.eval()
    with torch.no_grad():
        logits = model(test_x)
    best = min(saved["history"], key=lambda pair: pair[1])
    print(json.dumps({
        "snapshots": len(saved["history"]), "averaged": scorer.taken, "best_step": best[0],
        "best_valid_loss": round(best[1], 7),
        "test_loss": round(nn.functional.cross_entropy(logits, test_y).item(), 7),
        "test_accuracy": round((logits.argmax(1) == test_y).float().mean().item(), 4),
        "weights": round(sum(p.double().abs().sum().item() for p in model.parameters()), 9)}))


if __name__ == "__main__":
    main()
