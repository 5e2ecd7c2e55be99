"""Evolution strategy for a walking controller: mirrored perturbations, ranked rewards, Adam on the estimate."""
import argparse
import json
import multiprocessing as mp
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from rollout import HIDDEN, evaluate, start_worker, walk
from terrain import MOTORS, OBSERVED


def controller():
    return nn.Sequential(nn.Linear(OBSERVED, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, MOTORS), nn.Tanh())


def centred_ranks(scores):
    ranks = torch.empty_like(scores)
    ranks[scores.argsort(stable=True)] = torch.arange(len(scores), dtype=scores.dtype)
    return ranks / (len(scores) - 1) - 0.5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--generations", type=int, default=25)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--sigma", type=float, default=0.15)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    run = Path("runs") / datetime.now().strftime("%Y%m%d-%H%M%S")
    run.mkdir(parents=True, exist_ok=True)

    model = controller()
    theta = nn.Parameter(parameters_to_vector(model.parameters()).detach().clone())
    optimizer = torch.optim.Adam([theta], lr=0.06, weight_decay=1e-4)
    noise_source = torch.Generator().manual_seed(args.seed + 1)

    context = mp.get_context("fork")
    counter = context.Value("i", 0)
    bar = context.Value("d", 0.0)
    busy = Counter()
    log = (run / "log.jsonl").open("w")
    with context.Pool(args.workers, initializer=start_worker, initargs=(counter, bar, args.seed)) as pool:
        for generation in range(args.generations):
            began = time.time()
            half = torch.randn(args.pairs, theta.numel(), generator=noise_source)
            noise = torch.stack([half, -half], dim=1).reshape(2 * args.pairs, -1)
            members = (theta.detach() + args.sigma * noise).numpy().astype(np.float64)
            jobs = [(args.seed, generation, m, members[m]) for m in range(len(members))]

            scores = torch.zeros(len(members), dtype=torch.float64)
            falls = walks = 0
            for member, score, walked, fell, pid, seconds in pool.imap_unordered(evaluate, jobs):
                scores[member] = score
                walks += walked
                falls += fell
                busy[pid] += seconds

            bar.value = float(scores.quantile(0.4))
            weights = centred_ranks(scores).to(noise.dtype)
            theta.grad = -(weights @ noise) / (len(members) * args.sigma)
            optimizer.step()
            log.write(json.dumps({"generation": generation, "mean": scores.mean().item(),
                                  "best": scores.max().item(), "falls": falls, "wall": time.time() - began}) + "\n")
            if generation % 5 == 4:
                print(f"generation {generation + 1:3d}  mean {scores.mean():.5f}  best {scores.max():.5f}  "
                      f"{walks} walks, {falls} falls  ({time.time() - began:.2f} s)")
    log.close()

    vector_to_parameters(theta.detach(), model.parameters())
    ground = np.random.default_rng(2024)
    trial = [walk(theta.detach().double().numpy(), ground)[0] for _ in range(40)]
    print(f"40 test walks: mean {np.mean(trial):.6f}  worst {np.min(trial):.6f}")
    print("seconds per worker:", ", ".join(f"{s:.1f}" for s in busy.values()))
    torch.save(model.state_dict(), "walker.pt")
    torch.save(model.state_dict(), run / "walker.pt")


if __name__ == "__main__":
    main()
