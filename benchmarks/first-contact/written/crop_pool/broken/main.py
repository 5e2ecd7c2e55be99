"""How much of a crop is planted? A small convolutional network on 32 x 32 crops."""
import argparse
import random
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from fields.crops import build


def model():
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2, padding=2), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.1), nn.Linear(16, 1),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    crops, shares = build(args.scenes, args.seed, workers=args.workers)
    print(f"{len(crops)} crops, {shares.mean():.1%} planted")
    data = TensorDataset(torch.from_numpy(crops)[:, None], torch.from_numpy(shares))
    loader = DataLoader(data, batch_size=64, shuffle=True, drop_last=True,
                        generator=torch.Generator().manual_seed(args.seed))

    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(1, args.epochs + 1):
        t0, seen, total = time.time(), 0, 0.0
        for x, y in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += len(x)
            total += loss.item() * len(x)
        print(f"epoch {epoch}: {total / seen:.4f}, {seen / (time.time() - t0):.0f} crops/s")
    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, "fields.pt")


if __name__ == "__main__":
    main()
