"""Yield of maize hybrids from parents, site and season, with hashed features.

    python main.py --plots 1100 --buckets 384

Cross-validates an ensemble member per fold so that no hybrid is in training and validation at
once, compares with ridge regression on the same features, and ranks the crosses that have not
been made yet.
"""

import argparse
import time
from collections import Counter
from datetime import datetime
from itertools import combinations
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from encode import HashedFeatures, cross_of
from network import predict, train_fold
from report import by_season, correlation, write_fold_table, write_ranking, write_summary
from trials import SEASONS, SITES, Plot, season_weather, simulate_trials


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plots", type=int, default=1100)
    parser.add_argument("--buckets", type=int, default=384)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--patience", type=int, default=6)
    parser.add_argument("--alpha", type=float, default=12.0, help="penalty of the ridge baseline")
    parser.add_argument("--top", type=int, default=15)
    parser.add_argument("--seed", type=int, default=88)
    parser.add_argument("--out", type=Path, default=Path("field_runs"))
    return parser.parse_args()


def group_numbers(plots):
    """The same number for all plots of a hybrid, whichever parent was the female."""
    numbers = {}
    return np.array([numbers.setdefault(cross_of(plot), len(numbers)) for plot in plots])


def untested_plots(plots):
    """Every cross of the lines that has no plot yet, at every site in the last season."""
    tested = Counter(cross_of(plot) for plot in plots)
    lines = sorted({line for plot in plots for line in (plot.female, plot.male)})
    wanted = [pair for pair in combinations(lines, 2) if not tested[frozenset(pair)]]
    rain, heat = season_weather(SEASONS[-1])
    return wanted, [Plot(female, male, site, SEASONS[-1], rain, heat, density=8.0, yield_t=0.0)
                    for female, male in wanted for site in SITES]


def main():
    args = parse_args()
    torch.set_num_threads(2)
    started = time.perf_counter()
    folder = args.out / f"{datetime.now():%Y-%m-%d_%H-%M-%S}"
    folder.mkdir(parents=True, exist_ok=True)

    plots = simulate_trials(args.plots, seed=args.seed)
    groups = group_numbers(plots)
    y = np.array([plot.yield_t for plot in plots])
    encoder = HashedFeatures(args.buckets).fit(plots)
    x = encoder.transform(plots)
    print(f"{len(plots)} plots of {groups.max() + 1} hybrids, mean yield {y.mean():.4f} t/ha, "
          f"{x.shape[1]} features")

    oof, ridge_oof = np.full(len(y), np.nan), np.full(len(y), np.nan)
    members, rows = [], []
    for fold, (inside, outside) in enumerate(GroupKFold(args.folds).split(x, y, groups)):
        begin = time.perf_counter()
        member = train_fold(x[inside], y[inside], x[outside], y[outside], epochs=args.epochs,
                            patience=args.patience, seed=args.seed + fold)
        oof[outside] = predict(member, x[outside])
        ridge = Ridge(alpha=args.alpha).fit(x[inside], y[inside])
        ridge_oof[outside] = ridge.predict(x[outside])
        members.append(member)
        rows.append({"fold": fold, "plots": len(outside), "best_epoch": member.best_epoch,
                     "rmse": float(np.sqrt(np.mean((oof[outside] - y[outside]) ** 2))),
                     "r": correlation(oof[outside], y[outside]),
                     "ridge_r": correlation(ridge_oof[outside], y[outside]),
                     "seconds": round(time.perf_counter() - begin, 2)})
        print(f"fold {fold}: best epoch {member.best_epoch:2d}  RMSE {rows[-1]['rmse']:.5f} t/ha  "
              f"r {rows[-1]['r']:.5f}  ridge r {rows[-1]['ridge_r']:.5f}")

    summary = {
        "plots": len(plots),
        "hybrids": int(groups.max() + 1),
        "rmse": float(np.sqrt(np.mean((oof - y) ** 2))),
        "r": correlation(oof, y),
        "ridge_r": correlation(ridge_oof, y),
        "by_season": by_season(plots, oof, y),
    }
    print(f"out of fold: RMSE {summary['rmse']:.5f} t/ha  r {summary['r']:.5f}  "
          f"ridge r {summary['ridge_r']:.5f}")

    crosses, candidates = untested_plots(plots)
    new_x = encoder.transform(candidates)
    votes = np.stack([predict(member, new_x) for member in members])
    votes = votes.reshape(len(members), len(crosses), len(SITES)).mean(axis=2)
    ranking = sorted(zip(votes.mean(axis=0), votes.std(axis=0), crosses),
                     key=lambda entry: (-entry[0], entry[2]))
    print(f"{len(crosses)} crosses without a plot, most promising:")
    for mean, spread, (female, male) in ranking[:5]:
        print(f"  {female} x {male}  {mean:.4f} +- {spread:.4f} t/ha")

    write_fold_table(folder / "folds.csv", rows)
    write_ranking(folder / "ranking.csv", ranking[:args.top])
    write_summary(folder / "summary.json", summary)
    torch.save([member.net.state_dict() for member in members], folder / "members.pt")
    print(f"done in {time.perf_counter() - started:.1f} s, see {folder}")


if __name__ == "__main__":
    main()
