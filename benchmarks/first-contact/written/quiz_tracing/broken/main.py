"""Knowledge tracing: will a student answer the next question of a course correctly?

    python main.py --students 320 --epochs 18

The item bank is a calibration of the pilot study and is kept in a cache.  An Elo walk through the
log gives running abilities and difficulties; a recurrent network predicts each answer from them.
"""

import argparse
import csv
import json
import time
from pathlib import Path

import numpy as np
import torch

from item_bank import EloTracker, calibrate, pilot_key
from jsoncache import JsonCache
from responses import course_log, pilot_matrix
from tracing import Sequences, TracingNet, evaluate, fit


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=320)
    parser.add_argument("--questions", type=int, default=40, help="questions per student")
    parser.add_argument("--items", type=int, default=64)
    parser.add_argument("--skills", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=18)
    parser.add_argument("--patience", type=int, default=4)
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--cache", type=Path, default=Path("cache/item_banks.json"))
    parser.add_argument("--out", type=Path, default=Path("out"))
    return parser.parse_args()


def split_students(count, seed):
    order = np.random.default_rng(seed).permutation(count)
    first, second = int(0.65 * count), int(0.8 * count)
    return {"train": np.sort(order[:first]), "validation": np.sort(order[first:second]),
            "test": np.sort(order[second:])}


def write_items(path, names, pilot, tracker):
    """How far each item has moved from its pilot calibration: input for the item review."""
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["item", "skill", "pilot_difficulty", "course_difficulty", "exposures"])
        for name in names:
            record = tracker.bank[name]
            writer.writerow([name, name.split("-")[0], f"{pilot[name]:.5f}",
                             f"{record['difficulty']:.5f}", record["exposures"]])


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(2)
    args.out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()

    names, pilot = pilot_matrix(args.items, args.skills, seed=args.seed)
    log = course_log(args.students, args.questions, args.items, args.skills, seed=args.seed)
    print(f"{len(log)} answers of {args.students} students, {pilot.shape[0]} pilot students, "
          f"share correct {np.mean([entry.correct for entry in log]):.4f}")

    with JsonCache(args.cache) as cache:
        bank = cache.get(pilot_key(names, pilot), lambda: calibrate(names, pilot))
        calibrated = {name: record["difficulty"] for name, record in bank.items()}
        print(f"item bank of {len(bank)} items, hardest "
              f"{max(calibrated, key=lambda name: (calibrated[name], name))}, "
              f"{time.perf_counter() - started:.2f} s")

        tracker = EloTracker(bank)
        sequences = Sequences.from_log(log, names, tracker, args.students, args.questions)
        parts = {part: sequences.select(students)
                 for part, students in split_students(args.students, args.seed).items()}

        model = TracingNet(args.items, args.skills, features=sequences.features.shape[2])
        best = fit(model, parts["train"], parts["validation"], args)
        test = evaluate(model, parts["test"])
        elo = evaluate(None, parts["test"])

    print(f"best epoch {best['epoch']}  validation loss {best['loss']:.6f}")
    for title, figures in (("test", test), ("Elo alone", elo)):
        print(f"{title}: " + "  ".join(f"{name} {value:.6f}" for name, value in figures.items()))

    write_items(args.out / "items.csv", names, calibrated, tracker)
    values = [calibrated[name] for name in names]
    report = {"best": best, "test": test, "elo": elo,
              "calibration": {"mean": float(np.mean(values)), "sd": float(np.std(values))}}
    (args.out / "report.json").write_text(json.dumps(report, indent=2, sort_keys=True) + "\n")
    torch.save(model.state_dict(), args.out / "tracing.pt")
    print(f"done in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
