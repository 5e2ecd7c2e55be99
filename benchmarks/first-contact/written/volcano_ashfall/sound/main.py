"""Learns an emulator of ash fall from Monte-Carlo runs of many eruptions."""
import argparse
import csv
import tempfile
import time
from pathlib import Path

import torch
from torch import nn

from plume import Eruption, Plume


def eruptions(n: int, seed: int) -> list[Eruption]:
    sobol = torch.quasirandom.SobolEngine(3, scramble=True, seed=seed)
    u = sobol.draw(n, dtype=torch.float64).tolist()
    return [Eruption(3 + 12 * a, 4 + 16 * b, 0.1 + 0.9 * c) for a, b, c in u]


def simulate(plume: Plume, cases: list[Eruption], path: Path):
    with path.open("w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["height", "wind", "grain", *(f"cell{i}" for i in range(plume.cells))])
        for case in cases:
            share = plume.deposit(case)
            out.writerow([case.height, case.wind, case.grain, *share.tolist()])


def table(path: Path) -> tuple[torch.Tensor, torch.Tensor]:
    with path.open(newline="") as f:
        rows = list(csv.reader(f))[1:]
    data = torch.tensor([[float(v) for v in row] for row in rows], dtype=torch.float64)
    x = data[:, :3]
    return ((x - x.mean(0)) / x.std(0)).float(), data[:, 3:].float()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cases", type=int, default=160)
    p.add_argument("--iterations", type=int, default=500)
    p.add_argument("--seed", type=int, default=63)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    cases = eruptions(args.cases, args.seed)
    plume = Plume(seed=args.seed)
    plume.warm_up(cases[0])
    plume.warm_up(cases[0])
    print(f"{1e6 * plume.seconds_per_path:.2f} us a particle")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "deposits.csv"
        simulate(plume, cases, path)
        x, y = table(path)
    print(f"simulated {args.cases} eruptions in {time.perf_counter() - began:.2f} s")

    cut = 7 * len(x) // 8
    model = nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, plume.cells))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    best, keep = float("inf"), None
    for i in range(args.iterations):
        pick = torch.randint(cut, (32,))
        loss = nn.functional.kl_div(model(x[pick]).log_softmax(1), y[pick], reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 50 == 49:
            with torch.no_grad():
                test = nn.functional.kl_div(model(x[cut:]).log_softmax(1), y[cut:], reduction="batchmean").item()
            if test < best:
                best, keep = test, {k: v.clone() for k, v in model.state_dict().items()}
    print(f"best divergence {best:.9f}")
    print("weights", sum(v.double().abs().sum().item() for v in keep.values()))


if __name__ == "__main__":
    main()
