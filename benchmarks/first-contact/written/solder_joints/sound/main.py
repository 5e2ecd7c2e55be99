"""Optical inspection of solder joints with an ensemble of small networks.

    python main.py --train 1400 --epochs 8

Trains and benchmarks the members, weighs them by how good and how expensive they are, and writes
the acceptance report of the ensemble on held-out boards.
"""

import argparse
import time
from datetime import datetime
from pathlib import Path

import torch

from ensemble import (Member, benchmark, combine, count_multiply_adds, reject_threshold,
                      weigh_members)
from joints import make_split
from members import FACTORIES, predict, train_member
from report import acceptance, write_predictions, write_report


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=int, default=1400)
    parser.add_argument("--validation", type=int, default=400)
    parser.add_argument("--test", type=int, default=600)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--temperature", type=float, default=0.15)
    parser.add_argument("--penalty", type=float, default=1.2)
    parser.add_argument("--max-escape", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    return parser.parse_args()


def main():
    args = parse_args()
    torch.set_num_threads(2)
    started = time.perf_counter()
    folder = args.runs / datetime.now().strftime("aoi_%Y%m%d_%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)

    train = make_split(args.train, seed=args.seed)
    validation = make_split(args.validation, seed=args.seed + 1)
    test = make_split(args.test, seed=args.seed + 2)
    print(f"{len(train)} / {len(validation)} / {len(test)} joints, run folder {folder}")

    members = []
    for position, (name, factory) in enumerate(FACTORIES.items()):
        torch.manual_seed(args.seed * 1000 + position)
        net = factory()
        history = train_member(net, train, validation, epochs=args.epochs, batch=args.batch,
                               seed=args.seed * 1000 + position)
        for epoch, (loss, nll) in enumerate(history.curve):
            print(f"  {name:9s} epoch {epoch}  loss {loss:.5f}  validation nll {nll:.5f}")
        probe = test.images[:1]
        members.append(Member(name, net, history.best_nll, count_multiply_adds(net, probe),
                              benchmark(net, probe), history.seconds))

    weights = weigh_members(members, args.temperature, args.penalty)
    for member, weight in zip(members, weights):
        print(f"{member.name:9s} nll {member.val_nll:.5f}  {member.multiply_adds / 1e3:8.1f} kMAC  "
              f"p50 {member.latency['p50_ms']:.3f} ms  weight {weight:.4f}")

    on_validation = combine([predict(m.net, validation.images) for m in members], weights)
    threshold = reject_threshold(on_validation, validation.labels.numpy(), args.max_escape)
    on_test = combine([predict(m.net, test.images) for m in members], weights)
    result = acceptance(on_test, test.labels.numpy(), threshold)
    print(f"test: log loss {result['log_loss']:.6f}  macro F1 {result['macro_f1']:.4f}  "
          f"escapes {result['escape_rate']:.4f}  false calls {result['false_call_rate']:.4f}  "
          f"(reject below {threshold:.5f})")

    write_predictions(folder / "predictions.csv", on_test, test.labels.numpy(), threshold)
    write_report(folder / "report.json", args, members, weights, threshold, result)
    torch.save({member.name: member.net.state_dict() for member in members},
               folder / "members.pt")
    print(f"done in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
