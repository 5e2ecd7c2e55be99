"""Thermal proteome profiling: melting curves, shift statistics, target calls.

    python main.py --proteins 40 --bootstrap 40 --workers 3

Fits a melting curve to each replicate with and without the compound, bootstraps the shift, and
scores with a small network whether a protein binds the compound.
"""

import argparse
import json
import time
from datetime import datetime
from pathlib import Path

import torch

from analysis import analyse_all
from assay import simulate_assay
from calls import benjamini_hochberg, cross_validated_calls, summarise, write_csv
from fitting import fit_reference


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--proteins", type=int, default=40)
    parser.add_argument("--replicates", type=int, default=2)
    parser.add_argument("--bootstrap", type=int, default=40)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--fdr", type=float, default=0.10)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--out", type=Path, default=Path("results"))
    return parser.parse_args()


def main():
    args = parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # the pool of analyse_all is what keeps the cores busy

    started = time.perf_counter()
    print(f"thermal proteome profiling, {datetime.now():%Y-%m-%d %H:%M}")
    proteins = simulate_assay(args.proteins, args.replicates, args.seed)
    print(f"{len(proteins)} proteins, {sum(p.is_target for p in proteins)} annotated targets")

    reference, reference_loss = fit_reference(proteins)
    tm, slope, plateau = reference.tolist()
    print(f"reference curve: Tm {tm * 10 + 50:.3f} C, raw slope {slope:.4f}, "
          f"raw plateau {plateau:.4f}, loss {reference_loss:.6f}")

    fit_started = time.perf_counter()
    outcomes = analyse_all(proteins, reference, seed=args.seed, n_boot=args.bootstrap,
                           workers=args.workers)
    fit_seconds = time.perf_counter() - fit_started
    print(f"fitted in {fit_seconds:.2f} s ({len(outcomes) / fit_seconds:.1f} proteins/s)")

    adjusted = benjamini_hochberg([o.p_value for o in outcomes])
    significant = [o.accession for o, q in zip(outcomes, adjusted) if q <= args.fdr]
    print(f"{len(significant)} shifts at FDR {args.fdr:.2f}")
    for outcome in sorted(outcomes, key=lambda o: (-abs(o.shift), o.accession))[:8]:
        print(f"  {outcome.accession}  shift {outcome.shift:+6.3f} C  "
              f"[{outcome.low:+.3f}, {outcome.high:+.3f}]  p {outcome.p_value:.4f}")

    labels = [p.is_target for p in proteins]
    scores, models, losses = cross_validated_calls(outcomes, labels, args.seed)
    print("call networks, training loss " + "  ".join(f"{loss:.6f}" for loss in losses))
    summary = summarise(outcomes, adjusted, scores, labels, args.fdr)
    print(f"ROC AUC {summary['roc_auc']:.4f}, average precision "
          f"{summary['average_precision']:.4f}, mean CI width {summary['mean_ci_width']:.5f} C")

    write_csv(args.out / "shifts.csv", outcomes, adjusted, scores)
    (args.out / "summary.json").write_text(json.dumps(summary, indent=2, sort_keys=True) + "\n")
    torch.save({"folds": [m.state_dict() for m in models], "reference": reference},
               args.out / "calls.pt")
    print(f"total {time.perf_counter() - started:.1f} s, results in {args.out}/")


if __name__ == "__main__":
    main()
