"""Learn how large an avalanche a dropped handful of sand sets off."""
import argparse
import itertools
import time
import zlib

import numpy as np
import torch
from torch import nn

from simulate import SIZE, Job, relax_all


class Avalanche(nn.Module):
    def __init__(self, channels=12, rounds=3):
        super().__init__()
        self.lift = nn.Conv2d(3, channels, 3, padding=1)
        self.step = nn.Conv2d(channels, channels, 3, padding=1)
        self.rounds = rounds
        self.out = nn.Linear(channels, 1)

    def forward(self, x):
        hidden = torch.relu(self.lift(x))
        for _ in range(self.rounds):
            hidden = hidden + torch.relu(self.step(hidden))
        return self.out((hidden * x[:, 1:2]).sum(dim=(2, 3))).squeeze(1)


def collect(count, seed):
    grains = itertools.cycle([2, 3, 5, 8])
    jobs = [Job(index, next(grains)) for index in range(count)]
    inputs = np.zeros((count, 3, SIZE, SIZE), dtype=np.float32)
    sizes = np.zeros(count, dtype=np.float32)
    for job, (pile, (y, x), toppled) in zip(jobs, relax_all(jobs, seed)):
        inputs[job.index, 0] = pile / 3.0
        inputs[job.index, 1, y, x] = 1.0
        inputs[job.index, 2] = job.grains / 8.0
        sizes[job.index] = np.log1p(toppled)
    return torch.from_numpy(inputs), torch.from_numpy(sizes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--piles", type=int, default=480)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1987)
    args = parser.parse_args()

    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    started = time.perf_counter()
    inputs, sizes = collect(args.piles, args.seed)
    print(f"{args.piles} piles in {time.perf_counter() - started:.2f} s, mean log size {sizes.mean():.5f}")

    cut = args.piles * 5 // 6
    model = Avalanche()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    shuffle = torch.Generator().manual_seed(args.seed + 1)
    for epoch in range(args.epochs):
        total = 0.0
        for rows in torch.randperm(cut, generator=shuffle).split(20):
            x = inputs[rows]
            if torch.rand((), generator=shuffle) < 0.5:
                x = x.transpose(2, 3)
            loss = nn.functional.mse_loss(model(x), sizes[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        with torch.no_grad():
            error = nn.functional.l1_loss(model(inputs[cut:]), sizes[cut:]).item()
        print(f"epoch {epoch}: mse {total / cut:.6f}, held-out error {error:.5f}")

    crc = 0
    for parameter in model.parameters():
        crc = zlib.crc32(parameter.detach().numpy().tobytes(), crc)
    print(f"crc of the weights {crc:08x}")


if __name__ == "__main__":
    main()
