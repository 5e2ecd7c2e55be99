"""Value network for the dice game Pig, trained on rollouts played by worker processes."""
import argparse
import multiprocessing as mp
import time

import numpy as np
import torch
from torch import nn

from rollouts import GOAL, serve


def play_all(positions, workers, seed):
    context = mp.get_context("fork")
    tasks, results = context.Queue(), context.Queue()
    crew = [context.Process(target=serve, args=(rank, seed, tasks, results), daemon=True)
            for rank in range(workers)]
    for process in crew:
        process.start()
    for index, position in enumerate(positions):
        tasks.put((index, position))
    for _ in crew:
        tasks.put(None)
    found = [results.get() for _ in positions]
    for process in crew:
        process.join()
    found.sort()
    return np.array([value for _, value in found], dtype=np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=77)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    positions = [tuple(int(v) for v in rng.integers(0, GOAL, 2)) + (int(rng.integers(0, 20)),)
                 for _ in range(args.positions)]
    began = time.perf_counter()
    values = play_all(positions, args.workers, args.seed)
    print(f"{len(values)} positions in {time.perf_counter() - began:.2f} s, mean value {values.mean():.6f}")

    x = torch.tensor(positions, dtype=torch.float32) / GOAL
    y = torch.from_numpy(values)
    model = nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1), nn.Sigmoid())
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    for epoch in range(args.epochs):
        for rows in torch.randperm(len(x)).split(32):
            loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
        if epoch % 20 == 19:
            print(f"epoch {epoch + 1} loss {loss.item():.8f}")
    with torch.no_grad():
        opening = model(torch.zeros(1, 3)).item()
    print(f"value of the opening {opening:.8f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
