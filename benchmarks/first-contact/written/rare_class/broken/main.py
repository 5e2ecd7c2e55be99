import argparse
import time

import numpy as np
import torch
from torch import nn

N_SPECIES = 12
STEPS_PER_EPOCH = 12


def observations(n, g):
    """Sightings of birds: few species are common, most are rare."""
    p = 1.0 / torch.arange(1, N_SPECIES + 1) ** 1.6
    species = torch.multinomial(p, n, replacement=True, generator=g)
    prototype = torch.randn(N_SPECIES, 16, generator=torch.Generator().manual_seed(0))
    return prototype[species] + 1.2 * torch.randn(n, 16, generator=g), species


def train_epoch(net, optim, x, y, weight):
    durations, losses = [], []
    for _ in range(STEPS_PER_EPOCH):
        began = time.perf_counter()
        idx = torch.multinomial(weight, 96, replacement=True)
        loss = nn.functional.cross_entropy(net(x[idx]), y[idx], label_smoothing=0.05)
        optim.zero_grad()
        loss.backward()
        optim.step()
        losses.append(loss.item())
        durations.append(time.perf_counter() - began)
    spent = np.array(durations)
    return float(np.mean(losses)), f"{1000 * spent.mean():.2f} ms a step, at most {1000 * spent.max():.2f}"


def difficulty(net, x, y, sample):
    """Share of wrong answers for every species, from a sample of the validation data."""
    with torch.no_grad():
        pick = torch.randint(len(y), (sample,))
        wrong = (net(x[pick]).argmax(1) != y[pick]).numpy()
    truth = y[pick].numpy()
    rate = np.empty(N_SPECIES)
    for s in np.unique(truth):
        rate[s] = wrong[truth == s].mean()
    return rate


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--sample", type=int, default=120)
    parser.add_argument("--floor", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=2)
    opt = parser.parse_args()

    torch.manual_seed(opt.seed)
    np.random.seed(opt.seed)
    g = torch.Generator().manual_seed(opt.seed)
    x, y = observations(2500, g)
    vx, vy = observations(500, g)
    net = nn.Sequential(nn.Linear(16, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, N_SPECIES))
    optim = torch.optim.Adam(net.parameters(), lr=5e-3)

    weight = torch.ones(len(y))
    for epoch in range(opt.epochs):
        net.train()
        loss, speed = train_epoch(net, optim, x, y, weight)
        net.eval()
        rate = difficulty(net, vx, vy, opt.sample)
        weight = opt.floor + torch.tensor(rate, dtype=torch.float32)[y]
        print(f"epoch {epoch:2d}: loss {loss:.4f}, hardest species {rate.argmax()}, {speed}")

    with torch.no_grad():
        print(f"accuracy {(net(vx).argmax(1) == vy).float().mean().item():.4f}")
    torch.save(net.state_dict(), "birds.pt")


if __name__ == "__main__":
    main()
