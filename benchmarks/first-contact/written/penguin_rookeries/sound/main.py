"""Counts penguins on aerial tiles."""
import argparse
import hashlib
import time

import numpy as np
import torch
from scipy.ndimage import gaussian_filter
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluator import BackgroundEvaluator


def make_tiles(count, seed, side=28):
    rng = np.random.default_rng(seed)
    tiles = np.empty((count, 1, side, side), np.float32)
    birds = rng.poisson(7.0, count)
    for tile, number in zip(tiles, birds):
        ground = gaussian_filter(rng.normal(0.0, 1.0, (side, side)), 4.0)
        spots = np.zeros((side, side))
        np.add.at(spots, tuple(rng.integers(0, side, (2, number))), 6.0)
        tile[0] = ground + gaussian_filter(spots, 0.9)
    return torch.from_numpy(tiles), torch.from_numpy(birds.astype(np.float32))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout2d(0.1),
                                      nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
        self.density = nn.Sequential(nn.Dropout(0.2), nn.Conv2d(16, 1, 1), nn.Softplus())

    def forward(self, tiles):
        return self.density(self.features(tiles)).sum((1, 2, 3)) / 10.0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=90)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    tiles, counts = make_tiles(512, args.seed)
    loader = DataLoader(TensorDataset(tiles[:400], counts[:400]), batch_size=20, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed + 1))
    evaluator = BackgroundEvaluator(tiles[400:], counts[400:])
    evaluator.start()
    model = Counter()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    began = time.perf_counter()
    try:
        for epoch in range(args.epochs):
            model.train()
            for batch, target in loader:
                loss = nn.functional.smooth_l1_loss(model(batch), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            evaluator.submit(epoch, model)
    finally:
        scores = evaluator.finish()
    print(f"trained and evaluated in {time.perf_counter() - began:.2f} s")
    for score in scores:
        print(f"epoch {score.epoch}  error {score.error:.6f}  spread {score.spread:.6f}")
    best = min(scores, key=lambda score: score.error)
    digest = hashlib.sha256(b"".join(value.numpy().tobytes() for value in model.state_dict().values()))
    print(f"best epoch {best.epoch} with {best.error:.8f}; weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
