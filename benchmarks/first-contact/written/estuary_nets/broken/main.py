"""Expected catch of an estuary net from the water it stands in."""
import argparse
import hashlib
import logging
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch
from torch import nn

import hauls

log = logging.getLogger("estuary")


def collect(args):
    with tempfile.TemporaryDirectory(prefix="estuary-") as folder:
        jobs = [(station, args.hauls, args.seed, folder) for station in range(args.stations)]
        with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
            size = sum(pool.map(hauls.write_shard, jobs))
        log.info("%d shards, %.1f kB", len(jobs), size / 1024)
        return map(torch.from_numpy, hauls.read_shards(folder))


def train(conditions, counts, epochs, seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(conditions.shape[1], 32), nn.GELU(), nn.Linear(32, counts.shape[1]))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    shuffle = torch.Generator().manual_seed(seed)
    for epoch in range(epochs):
        began = time.perf_counter()
        order = torch.randperm(len(counts), generator=shuffle)
        for rows in order.split(64):
            loss = nn.functional.poisson_nll_loss(model(conditions[rows]), counts[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
        decay.step()
        log.info("epoch %d took %.3f s", epoch, time.perf_counter() - began)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stations", type=int, default=12)
    parser.add_argument("--hauls", type=int, default=130)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=63)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(relativeCreated)d ms  %(message)s")

    conditions, counts = collect(args)
    model = train(conditions, counts, args.epochs, args.seed)
    with torch.no_grad():
        expected = model(conditions).exp()
    for name, caught, predicted in zip(hauls.SPECIES, counts.mean(0), expected.mean(0)):
        print(f"{name:12s} caught {caught:.4f}  expected {predicted:.6f}")
    digest = hashlib.md5(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
    print("model", digest)


if __name__ == "__main__":
    main()
