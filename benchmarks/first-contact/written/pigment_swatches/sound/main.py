"""Name the pigment of a paint swatch."""

import argparse
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from swatches import PIGMENTS, SwatchStream, paint


def build() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Linear(64, len(PIGMENTS)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=320)
    parser.add_argument("--side", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="swatches-") as tmp:
        paint(Path(tmp), args.count, args.side, args.seed)
        stream = SwatchStream(Path(tmp))
        loader = DataLoader(
            stream, batch_size=16, num_workers=args.workers,
            generator=torch.Generator().manual_seed(args.seed),
        )
        shuffle = torch.Generator().manual_seed(args.seed + 1)
        model = build()
        opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
        for epoch in range(args.epochs):
            stream.reshuffle(shuffle)
            began, seen, total = time.perf_counter(), 0, 0.0
            for pixels, label in loader:
                loss = F.cross_entropy(model(pixels), label)
                opt.zero_grad()
                loss.backward()
                opt.step()
                seen += len(label)
                total += loss.item() * len(label)
            rate = seen / (time.perf_counter() - began)
            print(f"epoch {epoch}: {seen} of {stream.read.value} swatches ({rate:.0f}/s), loss {total / seen:.6f}")

        model.eval()
        stream.rewind()
        right = 0
        with torch.no_grad():
            for pixels, label in DataLoader(stream, batch_size=64):
                right += (model(pixels).argmax(1) == label).sum().item()
    weights = torch.cat([p.detach().flatten() for p in model.parameters()]).double()
    print(f"accuracy {right / args.count:.4f}, weight norm {weights.norm().item():.9f}")


if __name__ == "__main__":
    main()
