"""Predict where badgers dig setts, from the cells of connected woodland."""
import argparse
import json
import logging
import sys
import time

import numpy as np
import torch
from torch import nn

from habitat import connected, landscape

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
log = logging.getLogger("setts")


def table(cells):
    features = torch.tensor([[c.slope, c.clay, c.cover, c.row / 100, c.column / 100] for c in cells])
    target = torch.tensor([float(c.sett) for c in cells])
    return features, target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--side", type=int, default=110)
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    grid = landscape(args.side, rng)
    wood = connected(grid, start=grid[args.side // 2][args.side // 2], threshold=0.3)
    features, target = table(wood)
    log.info("%d of %d cells are in the wood", len(wood), args.side**2)

    order = torch.randperm(len(target))
    cut = int(0.8 * len(order))
    train, test = order[:cut], order[cut:]
    mean, std = features[train].mean(0), features[train].std(0)
    features = (features - mean) / std

    model = nn.Sequential(nn.Linear(5, 48), nn.GELU(), nn.Dropout(0.1), nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        model.train()
        for batch in train[torch.randperm(cut)].split(128):
            loss = nn.functional.binary_cross_entropy_with_logits(model(features[batch])[:, 0], target[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        log.info("epoch %d loss %.6f", epoch, loss.item())
    log.info("trained in %.2f s", time.perf_counter() - began)

    model.eval()
    with torch.no_grad():
        score = nn.functional.binary_cross_entropy_with_logits(model(features[test])[:, 0], target[test]).item()
    print(json.dumps({
        "test_loss": round(score, 8),
        "weights": round(sum(p.double().abs().sum().item() for p in model.parameters()), 9),
    }))


if __name__ == "__main__":
    main()
