"""Hyper-parameter search for a forecast of weekly credit spread changes.

    python main.py --trials 12

Successive halving with walk-forward validation; the best are refitted and judged on the last weeks.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from market import make_panel
from search import successive_halving
from space import sample_configs
from training import fit, forecast, standardiser


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--issuers", type=int, default=48)
    parser.add_argument("--weeks", type=int, default=150)
    parser.add_argument("--holdout-weeks", type=int, default=24)
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--keep", type=int, default=3, help="configurations in the final average")
    parser.add_argument("--final-epochs", type=int, default=10)
    parser.add_argument("--max-minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=404)
    parser.add_argument("--out", type=Path, default=Path("search_out"))
    return parser.parse_args()


def final_figures(truth, predicted, weeks):
    """Error in basis points, hit rate, and the gain of long-tightest / short-widest by week."""
    gains = []
    for week in np.unique(weeks):
        inside = np.flatnonzero(weeks == week)
        ranked = inside[np.argsort(predicted[inside], kind="stable")]
        decile = max(1, len(ranked) // 10)
        gains.append(truth[ranked[-decile:]].mean() - truth[ranked[:decile]].mean())
    gains = np.array(gains)
    return {"rmse_bp": float(np.sqrt(np.mean((truth - predicted) ** 2))),
            "hit_rate": float(np.mean(np.sign(truth) == np.sign(predicted))),
            "ic": float(np.corrcoef(truth, predicted)[0, 1]),
            "decile_gain_bp": float(gains.mean()),
            "information_ratio": float(gains.mean() / gains.std(ddof=1) * np.sqrt(52))}


def write_trials(path, trials):
    rows = [{"trial": trial.number, **trial.config.describe(), "rung": trial.rung,
             "score": round(trial.score, 6), "seconds": round(trial.seconds, 2)}
            for trial in trials]
    pd.DataFrame(rows).to_csv(path, index=False)


def main():
    args = parse_args()
    torch.set_num_threads(2)
    args.out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()

    panel = make_panel(args.issuers, args.weeks, seed=args.seed)
    last_training_week = int(panel.weeks.max()) - args.holdout_weeks
    past = panel.where(panel.weeks <= last_training_week)
    future = panel.where(panel.weeks > last_training_week)
    print(f"{len(past.y)} rows, {len(future.y)} held out, {len(panel.columns)} features")

    configs = sample_configs(args.trials, seed=args.seed)
    trials = successive_halving(configs, past, splits=args.splits,
                                deadline=time.monotonic() + 60.0 * args.max_minutes)
    write_trials(args.out / "trials.csv", trials)

    chosen = [trial.config for trial in trials[:args.keep]]
    scale = standardiser(past.x)
    predictions, states = [], []
    for rank, config in enumerate(chosen):
        model, loss = fit(config, scale(past.x), past.y, epochs=args.final_epochs,
                          seed=config.seed("final"))
        predictions.append(forecast(model, scale(future.x)))
        states.append(model.state_dict())
        print(f"  final {rank}: {config.label()}  training loss {loss:.6f}")

    predicted = np.mean(predictions, axis=0)
    figures = final_figures(future.y, predicted, future.weeks)
    naive = float(np.sqrt(np.mean(future.y ** 2)))
    print(f"hold-out: RMSE {figures['rmse_bp']:.5f} bp (no-change {naive:.5f} bp)  "
          f"IC {figures['ic']:.5f}  hit rate {figures['hit_rate']:.4f}")
    print(f"decile portfolio: {figures['decile_gain_bp']:.4f} bp a week, "
          f"information ratio {figures['information_ratio']:.4f}")

    report = {"chosen": [config.describe() for config in chosen], "holdout": figures,
              "naive_rmse_bp": naive, "wall_seconds": time.perf_counter() - started}
    (args.out / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    torch.save({"models": states, "columns": panel.columns}, args.out / "models.pt")
    print(f"done in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
