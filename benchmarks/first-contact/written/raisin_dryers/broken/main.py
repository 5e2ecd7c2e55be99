"""Predicts the final moisture of raisins from the humidity curve of a tunnel dryer."""
import argparse
import time

import numpy as np
import torch
from torch import nn

from feed import EchoFeed, prepare


def make_dryings(count, length, seed):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, length)
    rate = rng.uniform(1.5, 6.0, (count, 1))
    start = rng.uniform(0.6, 0.9, (count, 1))
    fan = rng.uniform(3, 9, (count, 1))
    curves = start * np.exp(-rate * t) + 0.03 * np.sin(2 * np.pi * fan * t)
    curves += rng.normal(0, 0.02, curves.shape)
    moisture = 14 + 8 * np.exp(-0.6 * rate[:, 0]) + 0.1 * fan[:, 0]
    return curves, ((moisture - moisture.mean()) / moisture.std()).astype(np.float32)


class CurveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(1, 12, 9, stride=4), nn.GELU(),
            nn.Conv1d(12, 24, 7, stride=4), nn.GELU(),
            nn.AdaptiveAvgPool1d(4), nn.Flatten(),
            nn.Dropout(0.1), nn.Linear(96, 1))

    def forward(self, x):
        return self.body(x.unsqueeze(1)).squeeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=48)
    parser.add_argument("--echo", type=int, default=8)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    curves, targets = make_dryings(2200, 512, args.seed)
    held = 200
    shuffler = np.random.default_rng(args.seed + 1)
    noise = torch.Generator().manual_seed(args.seed + 2)

    model = CurveNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    began = time.perf_counter()
    seen = 0
    for epoch in range(args.epochs):
        order = held + shuffler.permutation(len(curves) - held)
        feed = EchoFeed(curves, targets, order, args.batch_size, echo=args.echo)
        model.train()
        total = 0.0
        steps = 0
        for x, y in feed:
            x = torch.from_numpy(x)
            x = x + 0.02 * torch.randn(x.shape, generator=noise)
            loss = nn.functional.smooth_l1_loss(model(x), torch.from_numpy(y))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            steps += 1
            seen += len(y)
        print(f"epoch {epoch}: loss {total / steps:.6f}")
    seconds = time.perf_counter() - began
    print(f"{seen / seconds:.0f} curves/s, {feed.echoed} of the last epoch's batches were echoes")

    model.eval()
    with torch.no_grad():
        x = torch.from_numpy(prepare(curves[:held], feed.sos))
        error = (model(x) - torch.from_numpy(targets[:held])).abs().mean()
    print(f"validation error {error.item():.8f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
