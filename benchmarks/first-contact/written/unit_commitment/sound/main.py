"""Learn the commitment of a small thermal fleet from solved days.

A local search solves a season of synthetic days (labels.py, in several processes), a network learns to
predict from demand and wind which units are on in which hour, and is scored by what its schedules
would cost on days that it has not seen.

    python main.py
    python main.py --days 300 --processes 8
"""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch

from fleet import FLEET, schedule_cost, synthetic_season
from labels import label_season
from predictor import CommitmentNet, fit, inputs_of, predict


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=110)
    parser.add_argument("--test-days", type=int, default=22)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=70)
    parser.add_argument("--seed", type=int, default=1965)
    parser.add_argument("--out", type=Path, default=Path("results"))
    return parser.parse_args()


def main():
    args = parse_args()
    args.out.mkdir(exist_ok=True)
    season = synthetic_season(args.days, args.seed)

    began = time.perf_counter()
    plans = label_season(season, args.processes)
    solve_seconds = time.perf_counter() - began
    costs = np.array([plan.cost for plan in plans])
    print(f"{len(plans)} days solved in {solve_seconds:.2f} s by {args.processes} processes, "
          f"{np.mean([plan.moves for plan in plans]):.1f} moves a day")
    print(f"cost of a day: mean {costs.mean():.2f}, lowest {costs.min():.2f}, highest {costs.max():.2f}")

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    inputs = inputs_of(season)
    labels = torch.tensor(np.stack([plan.commitment for plan in plans]), dtype=torch.float32)
    train = args.days - args.test_days
    model = CommitmentNet(inputs.shape[1], units=len(FLEET))
    for epoch, loss in fit(model, inputs[:train], labels[:train], args.epochs, args.seed):
        if epoch % 10 == 0 or epoch == args.epochs:
            print(f"epoch {epoch:3d}  loss {loss:.5f}")

    schedules = predict(model, inputs[train:])
    agree = float((schedules == (labels[train:] > 0.5)).float().mean())
    gaps = []
    for day, plan, schedule in zip(season[train:], plans[train:], schedules.numpy()):
        gaps.append(schedule_cost(day, schedule) / plan.cost - 1.0)
    print(f"test: {agree:.4f} of the unit hours as solved, "
          f"cost gap median {100 * np.median(gaps):.3f} %, worst {100 * np.max(gaps):.3f} %")

    torch.save(model.state_dict(), args.out / "commitment_net.pt")
    np.save(args.out / "commitments.npy", labels.numpy().astype(np.uint8))
    report = {
        "mean_cost": float(costs.mean()),
        "agreement": agree,
        "median_gap": float(np.median(gaps)),
        "worst_gap": float(np.max(gaps)),
        "solve_seconds": round(solve_seconds, 3),
    }
    (args.out / "report.json").write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
