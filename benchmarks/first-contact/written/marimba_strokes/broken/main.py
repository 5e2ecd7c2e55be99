"""Which mallet struck the bar? A small network on spectrograms, augmented anew in every epoch."""
import argparse
import logging
import time

import torch
from torch import nn

from strokes import MALLETS, StrokeBank

log = logging.getLogger("marimba")


class Meter:
    def __init__(self) -> None:
        self.total, self.hits, self.count = 0.0, 0, 0

    def add(self, loss: torch.Tensor, logits: torch.Tensor, label: torch.Tensor) -> None:
        self.total += loss.item() * len(label)
        self.hits += int((logits.argmax(1) == label).sum())
        self.count += len(label)

    def __str__(self) -> str:
        return f"loss {self.total / self.count:.6f} accuracy {self.hits / self.count:.4f}"


def build() -> nn.Module:
    return nn.Sequential(
        nn.Unflatten(1, (1, 65)),
        nn.Conv2d(1, 8, 5, stride=2, padding=2), nn.GroupNorm(2, 8), nn.SiLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.GroupNorm(4, 16), nn.SiLU(),
        nn.AdaptiveAvgPool2d((6, 1)), nn.Flatten(), nn.Linear(96, len(MALLETS)),
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    bank = StrokeBank(384, args.seed)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for epoch in range(args.epochs):
        meter, start = Meter(), time.perf_counter()
        for step, (spec, label) in enumerate(bank.batches(32)):
            logits = model(spec)
            loss = nn.functional.cross_entropy(logits, label)
            (loss / args.accumulate).backward()
            if (step + 1) % args.accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
            meter.add(loss, logits, label)
        log.info("epoch %d took %.2f s", epoch, time.perf_counter() - start)
        print(f"epoch {epoch}: {meter}")
    print(f"checksum {sum(p.double().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
