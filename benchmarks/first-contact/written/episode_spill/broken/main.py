"""Learn to learn waves from ten points."""
import argparse
import itertools
import random
import time

import numpy as np
import torch

from meta.learner import Maml, network
from meta.spool import Spool
from meta.tasks import episode


def chunks(items, size):
    items = iter(items)
    while chunk := list(itertools.islice(items, size)):
        yield chunk


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=320)
    parser.add_argument("--shard", type=int, default=16)
    parser.add_argument("--meta-batch", type=int, default=8)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    rng = np.random.default_rng(args.seed)
    test = [episode(rng, 10, 20) for _ in range(20)]
    maml = Maml(network())
    with Spool() as spool:
        for shard in chunks((episode(rng, 10, 20) for _ in range(args.episodes)), args.shard):
            spool.put(shard)
        print(f"{args.episodes} episodes in {len(spool)} shards")
        for number in range(1, args.passes + 1):
            start = time.perf_counter()
            losses = [maml.step(batch) for batch in chunks(spool, args.meta_batch)]
            held_out = np.mean([maml.query_loss(e).item() for e in test])
            print(f"pass {number}: train {np.mean(losses):.4f} test {held_out:.4f}, "
                  f"{1000 * (time.perf_counter() - start) / len(losses):.0f} ms a step")
    torch.save(maml.net.state_dict(), "maml.pt")


if __name__ == "__main__":
    main()
