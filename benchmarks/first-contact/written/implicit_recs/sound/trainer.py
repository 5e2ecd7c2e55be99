import numpy as np
import torch
from torch.nn import functional as F

from sampling import hard_negatives, uniform_negatives


class Trainer:
    def __init__(self, model, train, cfg, rng):
        self.model, self.train, self.cfg, self.rng = model, train, cfg, rng
        self.opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
        self.seen = np.zeros((cfg["users"], cfg["items"]), dtype=bool)
        self.seen[train[:, 0], train[:, 1]] = True

    def negatives(self, users, epoch):
        if epoch < self.cfg["hard_from"]:
            return uniform_negatives(users, self.seen, self.rng)
        with torch.no_grad():
            scores = self.model.scores(torch.from_numpy(users)).numpy()
        return hard_negatives(scores, users, self.seen, rng=self.rng)

    def epoch(self, epoch):
        order = self.rng.permutation(len(self.train))
        total = 0.0
        for chunk in np.array_split(order, len(order) // self.cfg["batch"]):
            users, pos = self.train[chunk].T
            users, pos = np.ascontiguousarray(users), np.ascontiguousarray(pos)
            neg = self.negatives(users, epoch)
            u = torch.from_numpy(users)
            margin = self.model(u, torch.from_numpy(pos)) - self.model(u, torch.from_numpy(neg))
            loss = -F.logsigmoid(margin).mean()
            loss = loss + self.cfg["reg"] * self.model.user(u).square().sum(-1).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item() * len(chunk)
        return total / len(order)
