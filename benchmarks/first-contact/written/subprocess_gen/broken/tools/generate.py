"""Writes synthetic market days as CSV; called by the training script, or by hand."""
import argparse
import csv
import os
import random
import sys


def seed():
    """The seed for the generator: what the caller asks for, else one of this process's own."""
    return int(os.environ.get("GENERATE_SEED", os.getpid()))


def day(rnd, hours):
    trend, level, out = rnd.choice((-1, 1)), rnd.gauss(0, 1), []
    for hour in range(hours):
        level += 0.12 * trend + rnd.gauss(0, 0.5)
        out.append(level)
    return out, int(trend > 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--days", type=int, default=300)
    parser.add_argument("--hours", type=int, default=24)
    args = parser.parse_args()
    rnd = random.Random(seed())
    with open(args.output, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow([f"h{k}" for k in range(args.hours)] + ["up"])
        for _ in range(args.days):
            values, up = day(rnd, args.hours)
            writer.writerow([f"{v:.6f}" for v in values] + [up])
    print(f"wrote {args.days} days", file=sys.stderr)


if __name__ == "__main__":
    main()
