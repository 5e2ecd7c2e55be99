"""Pool-based active learning with entropy sampling on interleaved spirals."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from pool import Pool, Sample

START, QUERY, ROUNDS = 20, 15, 4


def spirals(n, g):
    label = torch.randint(3, (n,), generator=g)
    r = torch.rand(n, generator=g)
    angle = 4 * r + label * 2 * math.pi / 3 + 0.25 * torch.randn(n, generator=g)
    x = torch.stack([r * angle.cos(), r * angle.sin()], 1)
    return x, label


def make_model():
    return nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 3))


def fit(model, samples, epochs=30):
    x = torch.stack([s.features for s in samples])
    y = torch.tensor([s.label for s in samples])
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(epochs):
        for b in torch.randperm(len(x)).split(16):
            loss = F.cross_entropy(model(x[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


@torch.no_grad()
def score(model, samples):
    p = model(torch.stack([s.features for s in samples])).softmax(1)
    entropy = -(p * p.clamp_min(1e-9).log()).sum(1)
    for s, h in zip(samples, entropy.tolist()):
        s.uncertainty = h


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    g = torch.Generator().manual_seed(12)
    x, y = spirals(20000, g)
    x_test, y_test = spirals(1000, g)
    pool = Pool(Sample(f, c) for f, c in zip(x, y.tolist()))
    pool.annotate(pool.most_uncertain(START))
    for r in range(ROUNDS):
        model = make_model()
        loss = fit(model, pool.labelled)
        with torch.no_grad():
            out = model(x_test)
        acc = (out.argmax(1) == y_test).float().mean().item()
        print(f"round {r}: {len(pool.labelled)} labels, loss {loss:.6f}, test accuracy {acc:.4f}")
        score(model, pool.unlabelled())
        pool.annotate(pool.most_uncertain(QUERY))
    torch.save(model.state_dict(), "final.pt")
    print("first labels", [s.label for s in pool.labelled[:START]])


if __name__ == "__main__":
    main()
