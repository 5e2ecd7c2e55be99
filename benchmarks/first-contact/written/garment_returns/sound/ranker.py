import random

import torch
from torch import nn
from torch.nn import functional as F


class PairSampler:
    """Draws a customer, something they kept, and something they did not."""

    def __init__(self, shop, seed):
        self.shop = shop
        self.rng = random.Random(seed)
        self.choices = {customer: shop.unseen(customer) for customer in shop.customers}

    def batch(self, size):
        rows, good, bad = [], [], []
        for _ in range(size):
            customer = self.rng.choice(self.shop.customers)
            rows.append(self.shop.row[customer])
            good.append(self.shop.position[self.rng.choice(self.shop.kept[customer])])
            bad.append(self.shop.position[self.rng.choice(self.choices[customer])])
        return torch.tensor(rows), torch.tensor(good), torch.tensor(bad)


class Ranker(nn.Module):
    def __init__(self, customers, variants, dim):
        super().__init__()
        self.customer = nn.Embedding(customers, dim)
        self.variant = nn.Embedding(variants, dim)
        self.bias = nn.Parameter(torch.zeros(variants))
        nn.init.normal_(self.customer.weight, std=0.1)
        nn.init.normal_(self.variant.weight, std=0.1)

    def forward(self, customer, variant):
        return (self.customer(customer) * self.variant(variant)).sum(-1) + self.bias[variant]

    def pairwise_loss(self, customer, good, bad):
        margin = self(customer, good) - self(customer, bad)
        penalty = self.customer(customer).pow(2).sum(1).mean() + self.variant(good).pow(2).sum(1).mean()
        return -F.logsigmoid(margin).mean() + 2e-2 * penalty

    @torch.no_grad()
    def top(self, shop, customer, k):
        scores = self.variant.weight @ self.customer.weight[shop.row[customer]] + self.bias
        for variant in shop.kept[customer]:
            scores[shop.position[variant]] = float("-inf")
        best = scores.topk(k)
        return [(shop.variants[i], s) for i, s in zip(best.indices.tolist(), best.values.tolist())]


def hit_rate(model, shop, k):
    hits = 0
    for customer, wanted in shop.tested.items():
        hits += wanted in [variant for variant, _ in model.top(shop, customer, k)]
    return hits / len(shop.tested)
