"""Unbalanced classes: each epoch draws more of the classes that are still done badly."""
import time

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

CLASSES, DIM = 10, 20
SEED = 13


def make_split(n, rng, centers):
    share = 0.65 ** np.arange(CLASSES)
    y = rng.choice(CLASSES, size=n, p=share / share.sum())
    x = centers[y] + 1.4 * rng.standard_normal((n, DIM))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


class Trainer:
    def __init__(self):
        torch.manual_seed(SEED)
        rng = np.random.default_rng(SEED)
        centers = rng.standard_normal((CLASSES, DIM))
        self.x, self.y = make_split(2000, rng, centers)
        self.vx, self.vy = make_split(600, rng, centers)
        self.net = nn.Sequential(nn.Linear(DIM, 64), nn.ReLU(), nn.Linear(64, CLASSES))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=2e-3)
        self.sampling = torch.Generator().manual_seed(SEED)
        self.error = np.ones(CLASSES)

    def loader(self):
        weights = torch.tensor(0.1 + self.error)[self.y]
        sampler = WeightedRandomSampler(weights, num_samples=960, generator=self.sampling)
        return DataLoader(TensorDataset(self.x, self.y), batch_size=48, sampler=sampler)

    def train_epoch(self):
        loader = self.loader()
        times = np.empty(len(loader))
        total = 0.0
        for i, (x, y) in enumerate(loader):
            t = time.perf_counter()
            loss = nn.functional.cross_entropy(self.net(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
            times[i] = time.perf_counter() - t
        return total / len(loader), times

    @torch.no_grad()
    def class_errors(self):
        pick = torch.randperm(len(self.vy))[:150]
        pred, truth = self.net(self.vx[pick]).argmax(1), self.vy[pick]
        err = np.empty(CLASSES)
        for c in range(CLASSES):
            mine = truth == c
            err[c] = (pred[mine] != c).double().mean().item() if mine.any() else 0.5
        return err

    def fit(self, epochs):
        for epoch in range(epochs):
            loss, times = self.train_epoch()
            self.error = self.class_errors()
            print(f"epoch {epoch} loss {loss:.5f} worst class {int(self.error.argmax())} "
                  f"step {1e3 * times.mean():.2f} ms (max {1e3 * times.max():.2f} ms)")
        torch.save(self.net.state_dict(), "rare.pt")


if __name__ == "__main__":
    Trainer().fit(7)
