import argparse
import csv
import time

import numpy as np
import torch
import torch.nn.functional as F

SIEVES_MM = [2.0, 4.0, 8.0, 16.0, 31.5, 63.0]


def parse():
    p = argparse.ArgumentParser(description="Sieve fractions from belt-camera texture statistics")
    p.add_argument("--samples", type=int, default=9000)
    p.add_argument("--features", type=int, default=80)
    p.add_argument("--hidden", type=int, default=160)
    p.add_argument("--epochs", type=int, default=14)
    p.add_argument("--step-ms", type=float, default=8.0, help="how long a forward pass should take")
    p.add_argument("--activation-kib", type=float, default=1024.0, help="memory for the activations of a step")
    p.add_argument("--seed", type=int, default=3)
    return p.parse_args()


def belt_samples(n, features, rng):
    """Log-normal grading curves seen through a blurred bank of texture filters."""
    median = rng.uniform(np.log(3), np.log(45), size=n)
    spread = rng.uniform(0.3, 1.1, size=n)
    edges = np.log(np.array(SIEVES_MM))
    z = (edges[None, :] - median[:, None]) / spread[:, None]
    passing = 1.0 / (1.0 + np.exp(-1.702 * z))
    full = np.concatenate([np.zeros((n, 1)), passing, np.ones((n, 1))], axis=1)
    fractions = np.diff(full, axis=1)
    scales = np.linspace(np.log(1), np.log(80), features)
    response = np.exp(-0.5 * ((scales[None, :] - median[:, None]) / (spread[:, None] + 0.25)) ** 2)
    moisture = rng.uniform(0.7, 1.3, size=(n, 1))
    texture = response * moisture + 0.05 * rng.standard_normal((n, features))
    return texture.astype(np.float32), fractions.astype(np.float32)


def build(features, hidden, outputs):
    return torch.nn.Sequential(
        torch.nn.Linear(features, hidden),
        torch.nn.LayerNorm(hidden),
        torch.nn.SiLU(),
        torch.nn.Linear(hidden, hidden),
        torch.nn.SiLU(),
        torch.nn.Linear(hidden, outputs),
    )


def activation_bytes(model, row):
    total = 0
    for layer in model:
        row = layer(row)
        total += row.numel() * row.element_size()
    return total


@torch.no_grad()
def rows_per_step(model, probe, args):
    for _ in range(5):
        model(probe)
    started = time.perf_counter()
    for _ in range(20):
        model(probe)
    row_seconds = (time.perf_counter() - started) / (20 * len(probe))
    row_bytes = activation_bytes(model, probe[:1])
    print(f"a row takes {row_seconds * 1e6:.2f} us")
    by_speed = int(args.step_ms / 1000 / row_seconds)
    by_memory = int(args.activation_kib * 1024 / row_bytes)
    return max(16, min(by_speed, 24 * by_memory))


def loss_of(model, x, y):
    return F.kl_div(F.log_softmax(model(x), dim=1), y, reduction="batchmean")


def d50(fractions):
    """Median grain size by interpolating the passing curve on a logarithmic axis."""
    passing = np.cumsum(fractions, axis=1)[:, :-1]
    logs = np.log(SIEVES_MM)
    return np.array([np.exp(np.interp(0.5, p, logs)) for p in passing])


def train(model, x, y, rows, args):
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    log = []
    for epoch in range(args.epochs):
        running = 0.0
        for index in torch.randperm(len(x)).split(rows):
            optimizer.zero_grad()
            loss = loss_of(model, x[index], y[index])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            running += loss.item() * len(index)
        schedule.step()
        log.append((epoch, running / len(x)))
        print(f"epoch {epoch:2d}: KL {log[-1][1]:.6f}")
    return log


@torch.no_grad()
def evaluate(model, x, y):
    predicted = F.softmax(model(x), dim=1).numpy()
    truth = y.numpy()
    return {
        "fraction_mae": float(np.abs(predicted - truth).mean()),
        "d50_relative_error": float(np.mean(np.abs(d50(predicted) / d50(truth) - 1))),
    }


def main():
    args = parse()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    texture, fractions = belt_samples(args.samples, args.features, rng)
    x, y = torch.from_numpy(texture), torch.from_numpy(fractions)
    cut = int(0.8 * len(x))
    mean, std = x[:cut].mean(0), x[:cut].std(0)
    x = (x - mean) / std

    model = build(args.features, args.hidden, y.shape[1])
    rows = rows_per_step(model, x[:256], args)
    log = train(model, x[:cut], y[:cut], rows, args)
    scores = evaluate(model, x[cut:], y[cut:])

    for name, value in scores.items():
        print(f"{name}: {value:.6f}")
    with open("grading_log.csv", "w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["epoch", "kl"])
        writer.writerows(log)
    torch.save(model.state_dict(), "grading.pt")


if __name__ == "__main__":
    main()
