"""Claim frequency: logistic regression on random features, fitted by Newton steps."""
import argparse
import json
import sys
import time

import numpy as np
import torch

from features import RandomFeatures
from newton import fit, probabilities
from policies import make_policies


def auc(score, label):
    order = torch.argsort(score, stable=True)
    rank = torch.empty(len(score), dtype=torch.float64)
    rank[order] = torch.arange(1, len(score) + 1, dtype=torch.float64)
    pos = label.bool()
    n = pos.sum().item()
    return (rank[pos].sum().item() - n * (n + 1) / 2) / (n * (len(label) - n))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--policies", type=int, default=120_000)
    ap.add_argument("--features", type=int, default=48)
    ap.add_argument("--ridge", type=float, default=2.0)
    ap.add_argument("--steps", type=int, default=6)
    ap.add_argument("--seed", type=int, default=404)
    args = ap.parse_args()
    torch.set_num_threads(1)

    t0 = time.perf_counter()
    x, y = make_policies(args.policies, args.seed)
    cut = int(0.8 * len(y))
    print(f"{cut} policies to fit, {len(y) - cut} to test, claim rate {y.mean():.4f}")
    phi = RandomFeatures(x.shape[1], args.features, args.seed)
    w, trace = fit(phi, x[:cut], y[:cut], args.ridge, args.steps)
    for i, (objective, size) in enumerate(trace):
        print(f"newton {i}: objective {objective:.6f}  step {size:.3e}")

    p = probabilities(phi, x[cut:], w)
    score = auc(p, y[cut:])
    gain = (p[y[cut:] == 1].mean() / p.mean()).item()
    print(f"auc {score:.5f}  lift {gain:.4f}")
    print(f"total {time.perf_counter() - t0:.2f} s", file=sys.stderr)

    np.savetxt("coefficients.txt", w.numpy(), fmt="%.9g")
    torch.save(p, "probabilities.pt")
    with open("summary.json", "w") as f:
        json.dump({"auc": score, "lift": gain, "objective": trace[-1][0]}, f)


if __name__ == "__main__":
    main()
