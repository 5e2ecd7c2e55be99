"""Tells four bow strokes apart from short recordings of a cello."""
import argparse
import hashlib
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from takes import STROKES, Takes, held_out, record_session


class StrokeNet(nn.Module):
    def __init__(self, classes: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(65, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU(),
            nn.Conv1d(32, 32, 3, padding=1), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        x = self.body(x)
        return self.head(torch.cat([x.mean(-1), x.amax(-1)], dim=1))


def evaluate(model, loader):
    model.eval()
    right = total = 0
    loss = 0.0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
            right += int((out.argmax(1) == y).sum())
            total += len(y)
    return loss / total, right / total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=14)
    parser.add_argument("--takes", type=int, default=40)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="cello-") as folder:
        root = Path(folder)
        record_session(root, args.players, args.takes)
        paths = sorted(root.rglob("*.wav"))
        train = [p for p in paths if not held_out(p)]
        test = [p for p in paths if held_out(p)]

        shuffled = torch.Generator().manual_seed(args.seed)
        train_loader = DataLoader(Takes(train, jitter=True), batch_size=32, shuffle=True,
                                  num_workers=2, generator=shuffled)
        test_loader = DataLoader(Takes(test, jitter=False), batch_size=64)

        model = StrokeNet(len(STROKES))
        optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        for epoch in range(args.epochs):
            started, heard = time.perf_counter(), 0
            model.train()
            for x, y in train_loader:
                loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                heard += len(y)
            rate = heard / (time.perf_counter() - started)
            test_loss, accuracy = evaluate(model, test_loader)
            print(f"epoch {epoch} loss {test_loss:.6f} accuracy {accuracy:.4f} ({rate:.0f} takes/s)")

    digest = hashlib.md5()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.numpy().tobytes())
    print("weights", digest.hexdigest())


if __name__ == "__main__":
    main()
