"""Tell the modulation of a beacon's bursts under fading."""
import argparse
import hashlib
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import nn

import scenarios


class Recogniser(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(2, width, 7, padding=3), nn.ReLU(), nn.MaxPool1d(4),
            nn.Conv1d(width, width, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(),
        )
        self.head = nn.Linear(4 * width, len(scenarios.KINDS))

    def forward(self, bursts):
        return self.head(self.body(bursts))


def gather(cache):
    """Every scenario twice over: the second pass, for the validation rows, comes from the cache."""
    with ThreadPoolExecutor(2) as pool:
        first = list(pool.map(lambda s: scenarios.load(s, cache), scenarios.SCENARIOS))
    train, held = [], []
    for scenario, (bursts, labels) in zip(scenarios.SCENARIOS, first):
        cut = int(0.8 * scenario.bursts)
        train.append((bursts[:cut], labels[:cut]))
        bursts, labels = scenarios.load(scenario, cache)
        held.append((bursts[cut:], labels[cut:]))

    def join(parts):
        return (torch.from_numpy(np.concatenate([p[0] for p in parts])),
                torch.from_numpy(np.concatenate([p[1] for p in parts])))

    return join(train), join(held)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=4)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    started = time.monotonic()
    with tempfile.TemporaryDirectory() as cache:
        (bursts, labels), (held_bursts, held_labels) = gather(Path(cache))
        print(f"{len(list(Path(cache).glob('*.pkl')))} scenarios in {time.monotonic() - started:.2f} s")

    model = Recogniser(args.width)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    shuffler = torch.Generator().manual_seed(args.seed)
    for epoch in range(args.epochs):
        order = torch.randperm(len(bursts), generator=shuffler)
        for rows in order.split(48):
            loss = nn.functional.cross_entropy(model(bursts[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        accuracy = (model(held_bursts).argmax(1) == held_labels).double().mean().item()
    digest = hashlib.sha1()
    for tensor in model.state_dict().values():
        digest.update(tensor.numpy().tobytes())
    print(f"last loss {loss.item():.8f}, held-out accuracy {accuracy:.4f}, model {digest.hexdigest()[:12]}")


if __name__ == "__main__":
    main()
