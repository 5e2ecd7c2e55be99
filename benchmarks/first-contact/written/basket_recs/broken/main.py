"""Item embeddings from receipts: predict from one item what else is in the basket."""
import argparse
import random
import time

import numpy as np
import torch
from torch import nn

from shop.receipts import receipts
from shop.together import Together, pairs


class ItemNet(nn.Module):
    def __init__(self, items, width):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(items, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, width))
        self.decode = nn.Linear(width, items)

    def forward(self, rows):
        return self.decode(self.encode(rows))


def recall(model, features, target, k=10):
    model.eval()
    with torch.no_grad():
        top = model(features).topk(k, dim=1).indices
    model.train()
    return target.gather(1, top).sum(1).div(target.sum(1).clamp_min(1e-6)).mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--receipts", type=int, default=6000)
    parser.add_argument("--items", type=int, default=120)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=12)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    both = pairs(receipts(args.receipts, args.items, args.seed))
    print(f"{len(both)} pairs")
    together = Together(args.items)
    for first in range(0, 273, 91):
        together.update(both[both["day"].between(first, first + 90)], until=first + 91)
    features = together.ppmi()
    last = Together(args.items)
    last.update(both[both["day"] >= 273], until=364)
    target = last.counts / last.counts.sum(1, keepdim=True).clamp_min(1e-6)

    model = ItemNet(args.items, args.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(1, args.epochs + 1):
        start = time.time()
        for rows in torch.randperm(args.items).split(20):
            loss = nn.functional.cross_entropy(model(features.index_select(0, rows)), target.index_select(0, rows))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 10 == 0:
            print(f"epoch {epoch:3d}  loss {loss.item():.4f}  recall@10 {recall(model, features, target):.3f}  "
                  f"{1000 * (time.time() - start):.0f} ms")
    torch.save({"net": model.state_dict(), "items": model.encode(features).detach()}, "items.pt")


if __name__ == "__main__":
    main()
