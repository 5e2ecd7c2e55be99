"""Learn the temperature of a plate from its heat sources, region by region."""
import argparse
import random
import time

import numpy as np
import torch

from heatmesh.geometry import plate, temperatures
from heatmesh.net import HeatNet
from heatmesh.regions import partition, to_batch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=56)
    parser.add_argument("--region", type=int, default=180)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    nodes = plate(args.side, np.random.default_rng(args.seed))
    heat = temperatures(nodes)
    regions = [r for r in partition(nodes, args.region) if len(r) > 4]
    print(f"{len(nodes)} nodes in {len(regions)} regions")
    batches = [to_batch(r, heat) for r in regions]

    model = HeatNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        began = time.perf_counter()
        random.shuffle(batches)
        total = 0.0
        for adjacency, features, target in batches:
            loss = torch.nn.functional.smooth_l1_loss(model(adjacency, features), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(batches):.5f} ({time.perf_counter() - began:.2f}s)")
    torch.save(model.state_dict(), "heatnet.pt")


if __name__ == "__main__":
    main()
