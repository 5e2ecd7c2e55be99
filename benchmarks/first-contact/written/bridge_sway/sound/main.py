"""Reliability of a footbridge: surrogate of its sway under crowds, then the probability of exceeding the limit."""
import argparse
import json
import random
import time

import numpy as np
import torch

from deck import peak_acceleration
from design import crowd_samples, training_design
from surrogate import Surrogate, fit

LIMIT = 0.45          # m/s2, comfort limit of the code


def set_up(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--runs", type=int, default=100, help="runs of the full model")
    p.add_argument("--crowds", type=int, default=100_000)
    p.add_argument("--epochs", type=int, default=250)
    p.add_argument("--seed", type=int, default=7)
    args = p.parse_args()
    set_up(args.seed)

    start = time.perf_counter()
    design = training_design(args.runs, args.seed)
    peaks = np.array([peak_acceleration(*row) for row in design])
    print(f"{args.runs} runs of the deck model in {time.perf_counter() - start:.1f} s, "
          f"median peak {np.median(peaks):.4f} m/s2")

    net = Surrogate(design.shape[1])
    losses = fit(net, design, peaks, args.epochs)
    for e in range(0, args.epochs, 50):
        print(f"epoch {e:4d}  loss {losses[e]:.6f}")

    crowds = crowd_samples(args.crowds)
    with torch.no_grad():
        sway = net.peaks(torch.tensor(crowds, dtype=torch.float32))
    beyond = (sway > LIMIT).double().mean().item()
    print(f"P(sway > {LIMIT}) = {beyond:.5f}, 99th percentile {sway.quantile(0.99).item():.4f}")

    torch.save(net.state_dict(), "surrogate.pt")
    np.save("design.npy", design)
    with open("reliability.json", "w") as f:
        json.dump({"losses": losses, "exceedance": beyond}, f)


if __name__ == "__main__":
    main()
