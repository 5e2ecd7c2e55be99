import argparse
import json
import shutil
from datetime import datetime
from pathlib import Path

import torch

from curves import STATES, load
from leaderboard import Committee, ranking
from trial import propose, run_trial


def report(committee, x, y):
    probabilities = committee.predict(x)
    guess = probabilities.argmax(1)
    recall = {state: (guess[y == k] == k).float().mean().item() for k, state in enumerate(STATES)}
    return {
        "accuracy": (guess == y).float().mean().item(),
        "log_loss": torch.nn.functional.nll_loss(probabilities.log(), y).item(),
        "recall": recall,
    }


def main():
    parser = argparse.ArgumentParser(description="Search for a committee that tells the faults of PV strings.")
    parser.add_argument("--trials", type=int, default=14)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--committee", type=int, default=4)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--keep-trials", action="store_true")
    args = parser.parse_args()

    run = args.runs / f"search-{datetime.now():%m%d-%H%M%S}"
    trials = run / "trials"
    train, val, test = load(args.seed)
    for trial in propose(args.trials, args.seed):
        record = run_trial(trial, train, val, args.epochs, args.seed, trials)
        print(f"{record['name']}  width {trial.width:3d}  lr {trial.lr:.4f}  "
              f"score {trial.score:.3f}  {record['seconds']:.2f} s")

    print("ranking:", " ".join(f"#{trial.number}" for trial in ranking(trials)))
    committee = Committee(trials, args.committee)
    metrics = report(committee, *test)
    metrics["members"] = [trial.number for trial in committee.trials]
    committee.save(run / "committee.pt")
    (run / "metrics.json").write_text(json.dumps(metrics, indent=2))
    if not args.keep_trials:
        shutil.rmtree(trials)
    print(f"committee of {args.committee}: accuracy {metrics['accuracy']:.3f}, log loss {metrics['log_loss']:.4f}")


if __name__ == "__main__":
    main()
