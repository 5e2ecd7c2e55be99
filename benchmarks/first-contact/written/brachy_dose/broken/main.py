"""Learns to estimate the dose map of a shielded brachytherapy applicator from its settings, from simulated cases."""
import argparse
import logging
import multiprocessing
import time

import numpy as np
import torch
from torch import nn

from transport import GRID, simulate, start_worker

log = logging.getLogger("brachy")


class DoseNet(nn.Module):
    def __init__(self, settings=5, width=64):
        super().__init__()
        self.lift = nn.Sequential(nn.Linear(settings, width), nn.GELU(), nn.Linear(width, 16 * 16), nn.GELU())
        self.paint = nn.Sequential(
            nn.ConvTranspose2d(16, 12, 4, stride=2, padding=1), nn.GELU(),
            nn.ConvTranspose2d(12, 8, 4, stride=2, padding=1), nn.GELU(),
            nn.Conv2d(8, 1, 3, padding=1))

    def forward(self, x):
        return self.paint(self.lift(x).view(-1, 16, 4, 4)).squeeze(1)


def plan_cases(count, photons, seed):
    rng = np.random.default_rng([seed, 1_000_000])
    return [(index, int(photons * rng.choice([0.5, 1, 2])), rng.uniform(0.4, 1.6), rng.uniform(0, 2 * np.pi),
             rng.uniform(0, 3)) for index in range(count)]


def run_cases(cases, seed, workers):
    counter = multiprocessing.Value("i", 0)
    doses = np.empty((len(cases), GRID, GRID), np.float32)
    started = time.perf_counter()
    with multiprocessing.Pool(workers, start_worker, (seed, counter)) as pool:
        for done, (index, dose) in enumerate(pool.imap_unordered(simulate, cases), 1):
            doses[index] = dose
            if done % 100 == 0:
                log.info("%d of %d cases, %.0f a second", done, len(cases), done / (time.perf_counter() - started))
    return doses


def features(cases):
    return torch.tensor([[mu, np.cos(at), np.sin(at), shield, np.exp(-shield)] for _, _, mu, at, shield in cases],
                        dtype=torch.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--photons", type=int, default=4000)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")

    cases = plan_cases(args.cases, args.photons, args.seed)
    doses = torch.from_numpy(run_cases(cases, args.seed, args.workers))
    x, y = features(cases), torch.log10(doses + 1e-4)

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    test = args.cases // 5
    x_train, y_train, x_test, y_test = x[test:], y[test:], x[:test], y[:test]
    model = DoseNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    for step in range(args.steps):
        pick = torch.randint(len(x_train), (48,))
        loss = nn.functional.mse_loss(model(x_train[pick]), y_train[pick])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            log.info("step %d  loss %.5f", step, loss.item())
    with torch.no_grad():
        error = (model(x_test) - y_test).abs().mean().item()
    torch.save({"model": model.state_dict(), "error": error}, "dose_net.pt")
    print(f"mean dose {doses.mean().item():.8f}  error of log10 dose {error:.6f}")


if __name__ == "__main__":
    main()
