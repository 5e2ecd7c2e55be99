import copy
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Trainer:
    def __init__(self, settings, n_features):
        torch.set_num_threads(1)
        self.settings = settings
        self.model = nn.Sequential(
            nn.Linear(n_features, settings.hidden), nn.SiLU(),
            nn.Linear(settings.hidden, settings.hidden), nn.SiLU(),
            nn.Linear(settings.hidden, 1), nn.Flatten(0),
        )
        self.optimizer = torch.optim.NAdam(self.model.parameters(), lr=settings.lr)
        self.loss = nn.L1Loss()

    def fit(self, train, val):
        loader = DataLoader(
            TensorDataset(*map(torch.from_numpy, train)),
            batch_size=self.settings.batch_size, shuffle=True, drop_last=True,
        )
        best, best_state, stale = float("inf"), None, 0
        for epoch in range(self.settings.epochs):
            self.model.train()
            for x, y in loader:
                self.optimizer.zero_grad()
                self.loss(self.model(x), y).backward()
                self.optimizer.step()
            score = self.mae(val)
            print(f"epoch {epoch:2d}  val MAE {score:.6f}")
            if score < best:
                best, best_state, stale = score, copy.deepcopy(self.model.state_dict()), 0
            else:
                stale += 1
                if stale >= self.settings.patience:
                    break
        self.model.load_state_dict(best_state)

    @torch.no_grad()
    def mae(self, part):
        self.model.eval()
        x, y = map(torch.from_numpy, part)
        return self.loss(self.model(x), y).item()

    def save(self, path):
        torch.save(self.model.state_dict(), path)
