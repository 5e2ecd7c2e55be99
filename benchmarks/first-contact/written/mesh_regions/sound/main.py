"""Learn the temperature of a plate from its heat sources, region by region."""
import argparse
import logging
import random
import resource
import time
import uuid
from pathlib import Path

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

    folder = Path("runs", f"{time.strftime('%m%d-%H%M%S')}-{uuid.uuid4().hex[:8]}")
    folder.mkdir(parents=True)
    logging.basicConfig(filename=folder / "train.log", level=logging.INFO, format="%(asctime)s %(name)s %(message)s")

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
        logging.info("peak memory %d KiB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    torch.save(model.state_dict(), folder / "heatnet.pt")
    print("saved in", folder)


if __name__ == "__main__":
    main()
